//! The token table that texts are measured with: the program's own, or one that is being tried.

use std::path::Path;
use std::sync::OnceLock;

use rawko_core::Embedder;

use crate::set::Result;

static TRIED: OnceLock<Embedder<'static>> = OnceLock::new();

/// Takes a table from a file for the rest of the run.
pub(crate) fn use_file(path: &Path) -> Result<()> {
    let bytes = std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    let embedder = Embedder::read(bytes.leak()).map_err(|e| format!("{}: {e}", path.display()))?;
    TRIED.set(embedder).map_err(|_| "--table is given twice".to_owned())
}

/// The embedder to measure with.
pub(crate) fn embedder() -> Embedder<'static> {
    TRIED.get().copied().unwrap_or_else(Embedder::built_in)
}
