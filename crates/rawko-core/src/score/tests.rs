//! Choosing, from memories as they are written.
