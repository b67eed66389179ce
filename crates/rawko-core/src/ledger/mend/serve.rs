//! What did not answer, and who starts it.

use super::super::root::{Root, step_endpoints};
use super::super::step::Step;
use super::super::tools;
use super::state::clears_way;
use super::{Hints, Matter};

pub(super) fn refuses(roots: &[Root]) -> bool {
    roots.iter().any(|root| matches!(root, Root::Refuses(_) | Root::Service(_)))
}

/// Whether a command that starts something started what had refused: it names the port, or no port at all.
pub(super) fn starts_it(step: &Step, roots: &[Root], output: &str, left_running: bool) -> bool {
    let cluster = tools::CLUSTERS.contains(&step.program.as_str()) && step.has_verb(&["create"]);
    if !step.has_verb(tools::STARTS) && !cluster && !left_running {
        return false;
    }
    let wanted: Vec<&str> = roots
        .iter()
        .filter_map(|root| match root {
            Root::Refuses(place) => place.rsplit_once(':').map(|(_, port)| port),
            _ => None,
        })
        .collect();
    // `up -d postgres` is not redis.
    let said = step.raw.join(" ").to_lowercase();
    let usual = tools::SERVICES.iter().filter(|(port, _)| wanted.contains(port));
    let known: Vec<&str> = usual.map(|(_, name)| *name).collect();
    let other = tools::SERVICES.iter().any(|(_, name)| said.contains(name) && !known.contains(name));
    if !known.is_empty() && other && !known.iter().any(|name| said.contains(name)) {
        return false;
    }
    // Ports stand behind a colon or the word, or alone: numbers in names and times are none.
    let text = format!("{} {}", step.raw.join(" "), output.replace("port ", ":"));
    let ends = |c: char| c.is_whitespace() || "/,;()[]'\"<>=".contains(c);
    let ports: Vec<&str> =
        text.split(ends).flat_map(|word| word.split(':').map(|part| part.trim_matches(['-', '.']))).collect();
    let is_port = |number: &&str| {
        number.parse::<u32>().is_ok_and(|port| (1024..65536).contains(&port) && !(1990..2100).contains(&port))
    };
    ports.iter().any(|number| wanted.contains(number)) || wanted.is_empty() || !ports.iter().any(is_port)
}

/// The places on this machine that a step asks: what is started anew may answer otherwise.
fn local_places(step: &Step) -> impl Iterator<Item = String> {
    step_endpoints(step).into_iter().filter(|place| place.starts_with("localhost:"))
}

/// Whether what a step asked on this machine was started anew: it may answer otherwise now.
pub(super) fn restarts(failed: &Step, step: &Step, output: &str) -> bool {
    let asked: Vec<Root> = local_places(failed).map(Root::Refuses).collect();
    let starts = step.has_verb(&["up", "start", "restart"]);
    starts && !asked.is_empty() && starts_it(step, &asked, output, false)
}

/// Whether a program that was left to run is, for all that one can tell, what a failure could not reach.
pub(in super::super) fn is_served_by(failed: &Step, roots: &[Root], hints: &Hints, started: &Step) -> bool {
    // `x-server` and `xd` serve x.
    let own = started.program.strip_prefix(failed.program.as_str());
    let asked: Vec<Root> = local_places(failed).map(Root::Refuses).collect();
    refuses(roots) && starts_it(started, roots, "", true)
        || !asked.is_empty() && starts_it(started, &asked, "", true)
        || hints.is_about(Matter::Device) && clears_way(failed, hints, started)
        || own.is_some_and(|rest| rest == "d" || rest.starts_with('-'))
}
