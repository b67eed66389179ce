//! The published JSON Schemas of what rawko writes and reads.

/// Every published schema: its name and its text.
pub fn schemas() -> &'static [(&'static str, &'static str)] {
    &[
        ("memory", include_str!("../../../docs/schema/memory.json")),
        ("export", include_str!("../../../docs/schema/export.json")),
        ("decision", rawko_core::DECISION_SCHEMA),
        ("agent-memory", rawko_core::session::AGENT_MEMORY),
        ("session", rawko_core::session::SESSION),
    ]
}
