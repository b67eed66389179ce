//! `rawko agents`: who works in a run, and the same in a host's own format.

use std::fs;

use rawko::core::{Slug, inert_line};
use serde_json::json;

use super::run::args::{Agents, AgentsCommand};
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

pub(crate) fn run(args: &Agents, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    let mut agents = engine.agents()?;
    match &args.command {
        AgentsCommand::List { json: true } => {
            let one = |agent: &rawko::core::Agent| {
                json!({ "name": agent.name, "displayName": agent.display_name, "whenToUse": agent.when_to_use,
                    "order": agent.order, "allowed": agent.allowed, "blocked": agent.blocked })
            };
            out.json(&json!({ "agents": agents.iter().map(one).collect::<Vec<_>>() }))
        }
        AgentsCommand::List { json: false } => agents.iter().try_for_each(|agent| {
            let name = out.paint(Look::Strong, &inert_line(&agent.name));
            out.line(format!("{name}  {}", inert_line(&agent.when_to_use.join("; "))))
        }),
        AgentsCommand::Export { host, out: to } => {
            if host != "claude" {
                return Err(Failure::usage(format!("`{host}` has no format for agents here"), "use claude"));
            }
            let folder = to.clone().unwrap_or_else(|| place.start.join(".claude/agents"));
            let failed = |error: std::io::Error| {
                Failure::wrong(
                    format!("{} cannot be written: {error}", folder.display()),
                    "name another with --out",
                )
            };
            fs::create_dir_all(&folder).map_err(failed)?;
            agents.push(engine.extractor_agent()?);
            for agent in &agents {
                // A name in a file is text; a path is made of a slug alone.
                let path = folder.join(format!("{}.md", Slug::from_title(&agent.name)));
                let text = agent.for_claude();
                match fs::read_to_string(&path) {
                    Ok(there) if there == text => continue,
                    Ok(_) => {
                        out.line(format!(
                            "Left {} as it is: it is there, and different.",
                            inert_line(&path.display().to_string())
                        ))?;
                    }
                    Err(_) => {
                        fs::write(&path, text).map_err(failed)?;
                        out.line(format!("Wrote {}.", inert_line(&path.display().to_string())))?;
                    }
                }
            }
            Ok(())
        }
    }
}
