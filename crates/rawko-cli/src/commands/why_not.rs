//! `rawko why-not`: what keeps a memory from reaching an agent.

use super::{inject, slug};
use crate::args::WhyNot;
use crate::error::Failure;
use crate::open::Place;
use crate::output::Output;

pub(crate) fn run(args: &WhyNot, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    let slug = slug(&args.name)?;
    engine.show(&slug)?;
    let (task, mut wish) = inject::asked(&args.task, &engine, place)?;
    wish.ask_about = vec![slug.clone()];
    let injection = inject::whole(&engine, &task, &wish)?;
    let Some(considered) = injection.considered.iter().find(|considered| considered.judged.slug == slug)
    else {
        return Err(Failure::wrong(
            format!("no entry of `{slug}` can be read"),
            "`rawko validate` says what to mend",
        ));
    };
    if args.json {
        return out.json(&considered.json());
    }
    if considered.has_a_place() {
        out.line(format!("`{slug}` does reach the agent before this task:"))?;
    }
    inject::one(considered, out)
}
