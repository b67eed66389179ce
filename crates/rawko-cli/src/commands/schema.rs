//! `rawko schema`: the published JSON Schemas.

use crate::args::Schema;
use crate::error::Failure;
use crate::output::Output;

pub(crate) fn run(args: &Schema, out: &Output) -> Result<(), Failure> {
    let schemas = rawko::schemas();
    let Some(name) = &args.name else {
        return schemas.iter().try_for_each(|(name, _)| out.line(name));
    };
    match schemas.iter().find(|(known, _)| known == name) {
        Some((_, text)) => out.line(text.trim_end()),
        None => {
            let names: Vec<&str> = schemas.iter().map(|(name, _)| *name).collect();
            Err(Failure::usage(
                format!("there is no schema `{name}`"),
                format!("there are: {}", names.join(", ")),
            ))
        }
    }
}
