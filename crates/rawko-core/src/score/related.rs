//! What memories that name each other as related lend one another.
//!
//! Who wrote that two memories belong together knew more than a search can tell: where one is wanted, the other
//! often is, in whatever words it is written.

use super::candidate::Candidate;

/// For each candidate, the relevance of the most relevant other one that it names or that names it; 0 where there is none.
pub(super) fn lent(candidates: &[Candidate<'_>], relevance: &[f32]) -> Vec<f32> {
    let mut lent = vec![0.0_f32; candidates.len()];
    for (n, one) in candidates.iter().enumerate() {
        for name in &one.facts.related {
            let other = candidates.iter().position(|other| other.slug.as_str() == *name);
            if let Some(other) = other.filter(|other| *other != n) {
                lent[n] = lent[n].max(relevance[other]);
                lent[other] = lent[other].max(relevance[n]);
            }
        }
    }
    lent
}
