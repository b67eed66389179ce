//! Whether a task asks for what was found out earlier, as far as its own words tell.
//!
//! A typo, a colour or a local rename is complete in itself: whatever it shares with a memory, it is seldom in need of it.
//! A symptom, a feature through several parts or a question of how things are done here is what memories are written for. What
//! tells the two apart is no word and no form but the sense of the whole, so a linear model listens to the task's vector.
//! Fitted by `rawko-eval errand` to invented prompts of developers, and to tasks of which it is known whether a
//! memory was wanted. Weights are changed by fitting again, never by hand.

use crate::linear::{Encoded, Measures, scores};

/// What the model listens to, as its file names it.
const HEARD: &str = "task";
/// The weights: for what asks for experience.
const MODEL: &str = include_str!("../model/errand.txt");
/// No task is so plain that what fits it well could not be wanted, and none so grave that anything would do.
const SUREST: f32 = 3.0;

/// How far a task asks for what was found out earlier, by its vector: the log of the odds.
pub fn asks(task: &[f32]) -> f32 {
    let encoded = Encoded { values: Vec::new(), vectors: vec![(HEARD, task.to_vec())] };
    let [asks]: [f32; 1] = scores(MODEL, &Measures { encoded: Some(encoded), ..Measures::default() });
    asks.clamp(-SUREST, SUREST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoder::SentenceEncoder;

    fn of(task: &str) -> f32 {
        asks(&SentenceEncoder::built_in().encode_task(task).expect("the encoder reads English"))
    }

    #[test]
    fn an_errand_asks_for_less_than_a_symptom_of_the_same_thing() {
        for (errand, symptom) in [
            ("fix the typo on the refund button", "some refunds are booked twice since the last release"),
            (
                "make the icon of the upload page blue",
                "uploads over 2 GB stop at 99 percent behind the proxy",
            ),
            ("sort the imports in scheduler.py", "the nightly job runs twice after the clocks change"),
        ] {
            assert!(of(errand) + 1.0 < of(symptom), "{errand}: {}, {symptom}: {}", of(errand), of(symptom));
        }
    }

    #[test]
    fn nothing_is_beyond_doubt() {
        let task = SentenceEncoder::built_in().encode_task("fix the typo in the README").expect("it is read");
        let times = |factor: f32| asks(&task.iter().map(|number| factor * number).collect::<Vec<_>>());
        assert_eq!([times(100.0), times(-100.0)], [-SUREST, SUREST]);
    }
}
