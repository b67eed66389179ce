//! The store's promises, against real files and real processes.

mod contract;
mod holes;
