//! `rawko audit`: how much of a store is worth its place.

use rawko::{Audit, AuditFinding};
use serde_json::{Value, json};

use super::count;
use crate::args;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

/// How many findings of a kind are shown before the rest is only counted.
const SHOWN: usize = 3;

pub(crate) fn run(args: &args::Audit, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    let audit = match &args.path {
        Some(path) => {
            let path = place.start.join(path);
            path.symlink_metadata().map_err(|error| {
                let message = format!("cannot read {}: {error}", path.display());
                Failure::usage(message, "name a file or a folder of memories")
            })?;
            engine.audit_path(&path)?
        }
        None => engine.audit()?,
    };
    if args.json {
        out.json(&in_json(&audit))?;
    } else {
        told(&audit, args.all, out)?;
    }
    if audit.findings.iter().any(|finding| ["secret", "unreadable"].contains(&finding.kind)) {
        Err(Failure::Said)
    } else {
        Ok(())
    }
}

fn told(audit: &Audit, all: bool, out: &Output) -> Result<(), Failure> {
    if audit.items == 0 && audit.findings.is_empty() {
        return out.line("There is nothing to audit here.");
    }
    let items = count(audit.items, "item", "items");
    let share =
        format!("{} ({:.0} %) would not be stored today", audit.refused(), audit.junk_share() * 100.0);
    out.line(format!("{}: {share}", out.paint(Look::Strong, &items)))?;
    if audit.left_out > 0 {
        out.line(format!("{} more were left out", audit.left_out))?;
    }
    if audit.compared < audit.items {
        out.line(format!("Only the first {} were compared with one another", audit.compared))?;
    }
    for (kind, number) in audit.counts() {
        out.line("")?;
        let of_kind: Vec<&AuditFinding> =
            audit.findings.iter().filter(|finding| finding.kind == kind).collect();
        let stays = match of_kind.iter().filter(|finding| !finding.refused).count() {
            0 => String::new(),
            all if all == number => ", which would be stored, or wait".to_owned(),
            some => format!(", {some} of which would be stored, or wait"),
        };
        out.line(format!("{} {number}{stays}", out.paint(Look::Warn, kind)))?;
        let most = if all { of_kind.len() } else { SHOWN };
        for finding in of_kind.iter().take(most) {
            out.text(&format!(
                "  {}: {}",
                rawko::core::inert_line(&finding.item),
                rawko::core::inert_line(&finding.why)
            ))?;
        }
        if of_kind.len() > most {
            out.line(out.paint(Look::Faint, &format!("  … and {} more (--all)", of_kind.len() - most)))?;
        }
    }
    Ok(())
}

fn in_json(audit: &Audit) -> Value {
    let findings: Vec<Value> = audit
        .findings
        .iter()
        .map(|finding| json!({ "item": finding.item, "kind": finding.kind, "why": finding.why, "refused": finding.refused }))
        .collect();
    json!({
        "items": audit.items, "leftOut": audit.left_out, "compared": audit.compared, "refused": audit.refused(), "junkShare": audit.junk_share(),
        "counts": audit.counts(), "findings": findings,
    })
}
