//! Linear models over named measures: what small labelled sets can teach, and a person can read.

/// A measure's name and its weight for each answer but the first.
pub(crate) type Row<const K: usize> = (&'static str, [f32; K]);

/// The score of each answer but the first, whose score is 0 throughout.
///
/// Measures and rows stand in the same order.
pub(crate) fn scores<const K: usize>(
    measures: &[(&'static str, f32)],
    bias: [f32; K],
    rows: &[Row<K>],
) -> [f32; K] {
    debug_assert!(measures.iter().map(|(name, _)| name).eq(rows.iter().map(|(name, _)| name)));
    let mut scores = bias;
    for ((_, value), (_, weights)) in measures.iter().zip(rows) {
        for (score, weight) in scores.iter_mut().zip(weights) {
            *score += value * weight;
        }
    }
    scores
}

/// A count as a share of the most that matters.
pub(crate) fn capped(count: usize, most: usize) -> f32 {
    count.min(most) as f32 / most as f32
}

/// 1 where something is so.
pub(crate) fn flag(is: bool) -> f32 {
    if is { 1.0 } else { 0.0 }
}
