//! Rankings into figures, exactly as the shared scorer reads them.

use std::collections::BTreeMap;

use crate::set::Question;

/// One question's figures by name, in a fixed order.
pub(crate) type Figures = Vec<(&'static str, f64)>;

const CUTS: [(usize, [&str; 3]); 4] = [
    (1, ["any@1", "all@1", "rec@1"]),
    (3, ["any@3", "all@3", "rec@3"]),
    (5, ["any@5", "all@5", "rec@5"]),
    (10, ["any@10", "all@10", "rec@10"]),
];

/// Scores one ranking, best first.
pub(crate) fn figures(question: &Question, ranked: &[&str]) -> Figures {
    let mut out = Figures::new();
    let gold = &question.gold;
    let is_gold = |id: &&str| gold.iter().any(|g| g == id);
    for (cut, [any, all, part]) in CUTS {
        let top = &ranked[..cut.min(ranked.len())];
        let hits = gold.iter().filter(|g| top.contains(&g.as_str())).count();
        out.push((any, f64::from(u8::from(hits > 0))));
        out.push((all, f64::from(u8::from(hits == gold.len()))));
        out.push((part, hits as f64 / gold.len() as f64));
    }
    let rank = |id: &String| ranked.iter().position(|r| r == id);
    let first = gold.iter().filter_map(rank).min();
    out.push(("mrr", first.map_or(0.0, |r| 1.0 / (r + 1) as f64)));
    let gain = |r: usize| 1.0 / ((r + 2) as f64).log2();
    let dcg: f64 =
        ranked.iter().take(10).enumerate().filter(|(_, id)| is_gold(id)).map(|(r, _)| gain(r)).sum();
    let ideal: f64 = (0..gold.len().min(10)).map(gain).sum();
    out.push(("ndcg@10", dcg / ideal));
    if !question.stale.is_empty() {
        let best = |ids: &[String]| ids.iter().filter_map(rank).min().unwrap_or(ranked.len() + 1);
        out.push(("latest", f64::from(u8::from(best(gold) < best(&question.stale)))));
    }
    out
}

/// A mean with its 95% interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mean {
    /// How many questions have the figure.
    pub(crate) n: usize,
    /// Their mean.
    pub(crate) mean: f64,
    /// Lower end of the interval.
    pub(crate) low: f64,
    /// Upper end.
    pub(crate) high: f64,
}

/// Means per kind of question and figure; the kind `all` comes last.
pub(crate) fn table(rows: &[(String, Figures)]) -> Vec<(String, BTreeMap<&'static str, Mean>)> {
    let mut kinds: BTreeMap<&str, BTreeMap<&'static str, Vec<f64>>> = BTreeMap::new();
    let mut all: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    for (kind, figures) in rows {
        for (name, value) in figures {
            kinds.entry(kind).or_default().entry(name).or_default().push(*value);
            all.entry(name).or_default().push(*value);
        }
    }
    let means = |by: BTreeMap<&'static str, Vec<f64>>| by.into_iter().map(|(k, v)| (k, mean(&v))).collect();
    let mut out: Vec<(String, BTreeMap<&'static str, Mean>)> =
        kinds.into_iter().map(|(kind, by)| (kind.to_owned(), means(by))).collect();
    out.push(("all".to_owned(), means(all)));
    out
}

/// The mean and its bootstrap interval: 1,000 resamples from a fixed seed.
pub(crate) fn mean(values: &[f64]) -> Mean {
    let n = values.len();
    let average = |sum: f64| sum / n as f64;
    let mut random = Random(0x7261_776b_6f21);
    let mut means: Vec<f64> =
        (0..1_000).map(|_| average((0..n).map(|_| values[random.below(n)]).sum())).collect();
    means.sort_by(f64::total_cmp);
    Mean { n, mean: average(values.iter().sum()), low: means[25], high: means[974] }
}

/// A small generator (splitmix64): the same numbers on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(figures: &Figures, name: &str) -> f64 {
        figures.iter().find(|(n, _)| *n == name).map_or(f64::NAN, |(_, v)| *v)
    }

    #[test]
    fn half_of_the_gold_in_reach_is_any_but_not_all() {
        let question = Question { gold: vec!["a".into(), "b".into()], ..Question::default() };
        let figures = figures(&question, &["x", "a"]);
        assert_eq!(value(&figures, "any@5"), 1.0);
        assert_eq!(value(&figures, "all@5"), 0.0);
        assert_eq!(value(&figures, "rec@5"), 0.5);
        assert_eq!(value(&figures, "mrr"), 0.5);
    }

    #[test]
    fn an_interval_holds_its_mean() {
        let m = mean(&[0.0, 1.0, 1.0, 0.0, 1.0]);
        assert!(m.low <= m.mean && m.mean <= m.high);
    }
}
