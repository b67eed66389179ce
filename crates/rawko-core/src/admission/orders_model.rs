//! The model that tells orders to whoever reads them from what a run learned.
//!
//! Logistic regression over the words that authors of orders share, the proposal's and those of the run beside it: a run that met
//! an order mostly says so. It finds what no form of `lint` names, where there is a run to hear; `lint` needs none. Fitted on labelled
//! proposals by `rawko-eval fit`; weights are changed by fitting again, never by hand.

use crate::linear::{Measures, scores};

/// The weights: for orders.
const MODEL: &str = include_str!("../../model/orders.txt");

/// Whether words are those of orders.
pub(super) fn are_orders(words: Vec<String>) -> bool {
    let [orders]: [f32; 1] = scores(MODEL, &Measures { values: Vec::new(), words });
    orders > 0.0
}
