//! The store's promises, against real files and real processes.

mod cache_chaos;
mod contract;
mod holes;
mod index;
mod sessions;
