//! `rawko export`: memories for safekeeping, or for a host's own files.

pub(crate) mod args;

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use rawko::core::inert_line;
use rawko::{Engine, ExportError, FileFate, Importance, StoreError, Whose};

use self::args::{Export, Form};
use super::{count, importance};
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

pub(crate) fn run(args: &Export, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    let whose = if args.personal { Whose::Person } else { Whose::Project };
    let least = importance(&args.min_importance)?;
    if engine.store(whose).is_none() {
        return Err(StoreError::NoStore(place.start.clone()).into());
    }
    let to = args.out.as_ref().map(|path| place.start.join(path));
    if let Some(folder) = to.as_ref().filter(|path| args.form != Form::Claude && path.is_dir()) {
        return Err(Failure::usage(
            format!("{} is a folder", folder.display()),
            "name a file in it: `--out FILE`",
        ));
    }
    match args.form {
        Form::Json if least > Importance::Low => Err(Failure::usage(
            "`json` holds everything",
            "leave --min-importance out, or export claude or agents-md",
        )),
        // Its name is the output's own: what is told of a file would stand among the memories.
        Form::Json => {
            let to = to.filter(|path| path != Path::new("/dev/stdout"));
            json(&engine, whose, to.as_deref(), args.force, out)
        }
        _ if args.force => Err(Failure::usage(
            "`--force` is for `json`: the other forms replace only what rawko wrote",
            "leave it out",
        )),
        Form::AgentsMd => agents_md(&engine, whose, least, to.as_deref(), out),
        Form::Claude => {
            let folder = to.ok_or_else(|| {
                Failure::usage(
                    "`claude` writes several files",
                    "name their folder: --out ~/.claude/projects/<project>/memory",
                )
            })?;
            claude(&engine, whose, least, &folder, out)
        }
    }
}

fn json(engine: &Engine, whose: Whose, to: Option<&Path>, force: bool, out: &Output) -> Result<(), Failure> {
    let exported = engine.export_json(whose)?;
    match to {
        None => out.json(&exported.document)?,
        Some(path) => {
            write(path, format!("{:#}\n", exported.document).as_bytes(), force)?;
            let memories = count(exported.memories, "memory", "memories");
            out.text(&format!("Exported {memories} to {}", path.display()))?;
        }
    }
    let files: Vec<String> = exported
        .problems
        .iter()
        .filter(|file| file.problem.severity == rawko::Severity::Error)
        .map(|file| format!("{}:{}", file.path.display(), file.problem.line))
        .collect();
    match files.first() {
        None => Ok(()),
        Some(first) => Err(Failure::wrong(
            format!("{} could not be read, and what it says is not in the export", first),
            "`rawko validate` says what to mend",
        )),
    }
}

/// Makes the file, replaces it where that is wanted, or writes into a device or pipe.
fn write(path: &Path, bytes: &[u8], force: bool) -> Result<(), Failure> {
    if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        let written = File::options().write(true).open(path).and_then(|mut file| file.write_all(bytes));
        return Ok(written.map_err(|source| StoreError::Io {
            action: "write",
            path: path.to_owned(),
            source,
        })?);
    }
    if force {
        return Ok(rawko::store::replace(path, bytes)?);
    }
    if rawko::store::create_new(path, bytes)? {
        return Ok(());
    }
    Err(Failure::wrong(
        format!("{} is there already, and nothing was written", path.display()),
        "name another file, or replace this one with --force",
    ))
}

fn agents_md(
    engine: &Engine,
    whose: Whose,
    least: Importance,
    to: Option<&Path>,
    out: &Output,
) -> Result<(), Failure> {
    let (section, memories) = engine.export_section(whose, least)?;
    let Some(path) = to else { return out.text(section.trim_end()) };
    let changed = engine.write_section(path, &section).map_err(failure)?;
    let memories = count(memories, "memory", "memories");
    let did = if changed { "Wrote" } else { "Nothing changes:" };
    out.text(&format!("{did} {memories} between rawko's marks in {}", path.display()))
}

fn claude(
    engine: &Engine,
    whose: Whose,
    least: Importance,
    folder: &Path,
    out: &Output,
) -> Result<(), Failure> {
    let fates = engine.export_claude(whose, least, folder).map_err(failure)?;
    let of = |fate: FileFate| fates.iter().filter(move |(_, found)| *found == fate).map(|(name, _)| name);
    let (written, same) = (of(FileFate::Written).count(), of(FileFate::Same).count());
    out.text(&format!(
        "Wrote {}, {same} were up to date, in {}",
        count(written, "file", "files"),
        folder.display()
    ))?;
    for name in of(FileFate::Left) {
        out.line(format!(
            "{} {}",
            out.paint(Look::Warn, "left as it is, because it is not as rawko wrote it:"),
            inert_line(name)
        ))?;
    }
    for name in of(FileFate::Outdated) {
        out.line(format!(
            "{} {}",
            out.paint(Look::Warn, "rawko wrote it once, and its memory is gone; delete it:"),
            inert_line(name)
        ))?;
    }
    Ok(())
}

fn failure(error: ExportError) -> Failure {
    match error {
        ExportError::Store(error) => error.into(),
        ExportError::Changed(_) => Failure::wrong(error.to_string(), "it is as it was saved; try again"),
        ExportError::Marks { .. } => {
            Failure::wrong(error.to_string(), "nothing was changed; mend the marks, or delete them both")
        }
    }
}
