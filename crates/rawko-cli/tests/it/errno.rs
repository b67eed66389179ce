//! G7: what the disk refuses is said, and nothing is lost by it.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::crash::{Scenario, scenarios};
use crate::rig::{Rig, check, on_two_threads};
use crate::trace::{self, Call, from_first_access};

/// The errors that a call can meet on a real disk.
fn errors(call: &Call) -> &'static [&'static str] {
    match call.name.as_str() {
        // EOPNOTSUPP: a file system without nameless files.
        "open" | "openat" if call.args.contains("O_TMPFILE") => &["EOPNOTSUPP", "ENOSPC", "EROFS", "EMFILE"],
        "linkat" => &["ENOENT", "ENOSPC", "EDQUOT", "EIO", "EROFS", "EACCES", "EPERM", "EINTR"],
        "open" | "openat" if call.args.contains("O_CREAT") => {
            &["ENOSPC", "EDQUOT", "EIO", "EROFS", "EACCES", "EINTR", "EMFILE"]
        }
        "open" | "openat" => &["EIO", "EACCES", "EINTR", "EMFILE"],
        "write" | "pwrite64" => &["ENOSPC", "EDQUOT", "EIO", "EINTR"],
        "fsync" | "fdatasync" => &["ENOSPC", "EDQUOT", "EIO", "EROFS", "EINTR"],
        "read" => &["EIO", "EINTR"],
        "getdents64" | "statx" => &["EIO"],
        "flock" => &["EIO", "EINTR"],
        name if ["link", "rename", "mkdir"].iter().any(|start| name.starts_with(start)) => {
            &["ENOSPC", "EDQUOT", "EIO", "EROFS", "EACCES", "EINTR"]
        }
        name if name.starts_with("unlink") => &["EIO", "EROFS", "EACCES"],
        _ => &[],
    }
}

#[test]
fn errno_sweep() {
    if !trace::is_possible() {
        return;
    }
    let (runs, saved) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for scenario in scenarios() {
        let (_, calls) = scenario.rig.copy().traced(&scenario.args, None);
        let faults: Vec<(&Call, &str)> = from_first_access(&calls)
            .iter()
            .flat_map(|call| errors(call).iter().map(move |error| (call, *error)))
            .collect();
        on_two_threads(&faults, |(call, error)| {
            runs.fetch_add(1, Ordering::Relaxed);
            if fail_at(&scenario, call, error) {
                saved.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    println!(
        "errno_sweep: {} faults, {} of them met by success that was true",
        runs.into_inner(),
        saved.into_inner()
    );
}

/// Who reads is told, too: what could not be read is not passed off as what is not there.
#[test]
fn errno_sweep_of_a_reader() {
    if !trace::is_possible() {
        return;
    }
    let rig = Rig::new().by_table();
    for title in ["Alpha", "Beta"] {
        rig.add(title, "# One\n\nx");
    }
    let (_, calls) = rig.traced(&["list"], None);
    for call in from_first_access(&calls) {
        for error in errors(call) {
            let fault = format!("{}:error={error}:when={}", call.name, call.nth);
            let (ran, _) = rig.traced(&["list"], Some(&fault));
            let is_whole = ran.out.contains("alpha") && ran.out.contains("beta");
            let is_said = ran.code != Some(0) || ran.out.contains("problem") || ran.err.contains("problem");
            assert!(is_whole || is_said, "{fault} ({}): {ran:?}", call.paths().join(", "));
        }
    }
}

/// What the index could not be told of, it finds by itself.
#[test]
fn a_note_that_cannot_be_written_hides_no_entry() {
    if !trace::is_possible() {
        return;
    }
    let rig = Rig::new().by_table();
    rig.add("Alpha", "# One\n\nx");
    // So many that few of them are looked at before each search.
    let alpha = std::fs::read(rig.memory("alpha")).expect("it is there");
    for n in 0..2_000 {
        std::fs::write(rig.memory(&format!("other-{n}")), &alpha).expect("written");
    }
    let add = |body: &str, fault: Option<&str>| {
        // Files that are older than the index are not looked at because of their times.
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
        for entry in std::fs::read_dir(rig.root().join("memories")).expect("a folder").flatten() {
            let file = std::fs::File::options().append(true).open(entry.path()).expect("it opens");
            file.set_modified(old).expect("it is older");
        }
        let _ = std::fs::remove_dir_all(rig.root().join("cache"));
        assert_eq!(rig.run(&["index"]).code, Some(0));
        let (ran, calls) = rig.traced(&["add", "--title", "Alpha", "--content", body], fault);
        assert!(ran.acknowledged(), "{ran:?}");
        calls.into_iter().find(|call| call.name == "write" && call.is_below("/cache/notes"))
    };
    let nth = add("# Two\n\ny", None).expect("the index is told").nth;
    let refused = add("# Three\n\nThe zeppelin lands.", Some(&format!("write:error=ENOSPC:when={nth}")));
    assert_eq!(refused.expect("the index is told").result, Some(-1), "and cannot be");
    let found = rig.run(&["search", "zeppelin"]);
    assert!(found.out.contains("alpha"), "{found:?}");
}

/// Runs a command with one failing call; whether it said that all went well.
fn fail_at(scenario: &Scenario, call: &Call, error: &str) -> bool {
    let place = format!(
        "{}, {error} at {} number {} ({})",
        scenario.name,
        call.name,
        call.nth,
        call.paths().join(", ")
    );
    let rig = scenario.rig.copy();
    let (ran, calls) =
        rig.traced(&scenario.args, Some(&format!("{}:error={error}:when={}", call.name, call.nth)));
    assert!(!ran.err.contains("panicked"), "{place}: {ran:?}");
    assert!(matches!(ran.code, Some(0 | 1)), "{place}: {ran:?}");
    assert!(
        ran.code == Some(0) || ran.err.contains("error:") || ran.out.contains("bad"),
        "{place}: says why: {ran:?}"
    );
    assert!(error != "EINTR" || ran.code == Some(0), "{place}: an interruption is no error: {ran:?}");

    let mut sure = scenario.before.clone();
    if ran.acknowledged() {
        sure.extend(scenario.adds.clone());
    }
    let (found, bad) = rig.entries();
    if let Err(wrong) = check(&found, &sure, &scenario.adds) {
        panic!("{place}: {wrong}");
    }
    assert!(bad <= scenario.errors, "{place}: {bad} damaged files");
    if call.name.ends_with("sync") && error != "EINTR" && ran.acknowledged() {
        let marked = rig.waiting().iter().any(|name| name.ends_with(".again.entries"));
        assert!(marked || is_made_up_for(call, &calls), "{place}: a failed sync became success: {ran:?}");
    }
    if scenario.name == "init" {
        assert_eq!(rig.run(&["init"]).code, Some(0), "{place}: the next try works");
    }
    sure.push(rig.add("Alpha", "# After\n\nThe next try works."));
    let mended = rig.run(&["doctor", "--repair"]);
    assert_eq!(mended.code, Some(0), "{place}: {mended:?}");
    let (found, bad) = rig.entries();
    if let Err(wrong) = check(&found, &sure, &scenario.adds) {
        panic!("{place}, after the next try: {wrong}");
    }
    assert_eq!((bad, rig.waiting()), (0, Vec::new()), "{place}: all is well in the end");
    ran.code == Some(0)
}

/// Whether, after a failed sync, only what was written later was relied on.
fn is_made_up_for(failed: &Call, calls: &[Call]) -> bool {
    let mut after = calls.iter().skip_while(|call| (&call.name, call.nth) != (&failed.name, failed.nth));
    let path = after.next().and_then(Call::descriptor).map_or(String::new(), |(_, path)| path);
    let after: Vec<&Call> = after.filter(|call| call.result.is_some_and(|result| result >= 0)).collect();
    let named = after.iter().position(|call| call.name.starts_with("rename") || call.name == "linkat");
    if path.contains("/spool/.tmp-") {
        // It was given up: nothing has its bytes under a name that counts.
        return !after.iter().any(|call| {
            (call.name.starts_with("rename") || call.name.starts_with("link")) && call.paths()[0] == path
        });
    }
    if path.contains("/spool/#") {
        // The same of a file that has no name: whatever is linked later was opened later.
        let opened = after.iter().position(|call| call.args.contains("O_TMPFILE"));
        let linked = after.iter().position(|call| call.name == "linkat");
        return linked.is_none_or(|linked| opened.is_some_and(|opened| opened < linked));
    }
    let synced = |from: usize| {
        let is_sync = |call: &&Call| {
            call.name == "fsync" && call.descriptor().is_some_and(|(_, synced)| synced == path)
        };
        after[from..].iter().any(is_sync)
    };
    // Below `memories/` the entry is written once more, further down, and that is synced.
    let rewritten = after.iter().position(|call| {
        call.name == "write" && call.descriptor().is_some_and(|(_, written)| written.starts_with(&path))
    });
    let relied_on = if path.ends_with("/spool") { named } else { rewritten };
    relied_on.is_some_and(synced)
}
