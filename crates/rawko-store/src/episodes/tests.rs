use super::*;
use rawko_core::{Happened, summary};

fn now() -> Timestamp {
    "2026-02-10T10:00:00Z".parse().expect("a time")
}

fn store() -> (tempfile::TempDir, Layout) {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let layout = Layout::at(folder.path().join(".rawko"));
    layout.create().expect("a store");
    (folder, layout)
}

fn note(text: &str) -> MemoryEntry {
    Happened::Note.episode("developer", text)
}

fn write(episodes: &Episodes, count: usize) {
    for n in 0..count {
        episodes.append(&note(&format!("episode number{n}")), now()).expect("written");
    }
}

fn texts(looked: &Looked) -> Vec<&str> {
    looked.entries.iter().map(|entry| entry.content.as_str()).collect()
}

fn all(episodes: &Episodes) -> Vec<String> {
    let looked = episodes.newest(usize::MAX, |_| true).expect("read");
    looked.entries.into_iter().rev().map(|entry| entry.content).collect()
}

/// A file of so many episodes, as appends would have left it.
fn fill(layout: &Layout, month: &str, count: usize) {
    fs::create_dir_all(layout.log()).expect("a folder");
    let redactor = Redactor::default();
    let line = |n: usize| {
        let mut entry =
            note(&format!("developer finished step {n} of the usual work on module m{}", n % 500));
        (entry.id, entry.timestamp) = (format!("{month}-{n}"), now().as_millisecond());
        episode_line(&entry, &redactor) + "\n"
    };
    let text: String = (0..count).map(line).collect();
    fs::write(layout.log().join(format!("episodes-{month}.jsonl")), text).expect("written");
}

#[test]
fn the_newest_come_first_over_months_and_torn_lines_are_counted() {
    let (_folder, layout) = store();
    let episodes = Episodes::of(&layout);
    assert!(episodes.newest(5, |_| true).expect("read").entries.is_empty());
    let january = "2026-01-31T00:00:00Z".parse().expect("a time");
    episodes.append(&note("first"), january).expect("written");
    episodes.append(&note("second"), now()).expect("written");
    let path = episodes.file(now());
    let mut text = fs::read_to_string(&path).expect("read");
    text.push_str("{\"id\":\"torn\",\"times");
    fs::write(&path, text).expect("torn");
    let third = episodes.append(&note("third"), now()).expect("written");
    assert!(!third.id.is_empty() && third.timestamp == now().as_millisecond());
    let looked = episodes.newest(9, |_| true).expect("read");
    assert_eq!((texts(&looked), looked.torn), (vec!["third", "second", "first"], 1));
    assert_eq!(texts(&episodes.newest(1, |entry| entry.content != "third").expect("read")), ["second"]);
}

#[test]
fn reading_from_the_end_gives_every_line_once_whatever_the_pieces() {
    let (_folder, layout) = store();
    fill(&layout, "2026-01", 6_000);
    let episodes = Episodes::of(&layout);
    assert!(size(&episodes.files().expect("files")[0]) > 3 * episodes_index::PIECE);
    let looked = episodes.newest(usize::MAX, |_| true).expect("read");
    let ids: Vec<String> = looked.entries.iter().map(|entry| entry.id.clone()).collect();
    let expected: Vec<String> = (0..6_000).rev().map(|n| format!("2026-01-{n}")).collect();
    assert_eq!((ids, looked.torn), (expected, 0));
}

#[test]
fn a_rare_word_is_found_however_old_and_what_was_left_unread_is_said() {
    let (_folder, layout) = store();
    let episodes = Episodes::of(&layout);
    let december = "2025-12-01T00:00:00Z".parse().expect("a time");
    episodes.append(&note("the zeppelin importer needs a licence"), december).expect("written");
    fill(&layout, "2026-01", 40_000);
    let found = |word: &str| {
        let terms = rawko_core::terms(word);
        let word = word.to_owned();
        episodes
            .matching(Sought::Words(&terms), move |line| String::from_utf8_lossy(line).contains(&word))
            .expect("searched")
    };
    for _ in 0..2 {
        let rare = found("zeppelin");
        assert_eq!(texts(&rare), ["the zeppelin importer needs a licence"]);
        // What has none of the words is neither read nor missed; the end of a file is in no index yet.
        assert!(rare.looked_at < 5_000 && rare.unread == 0, "{} {}", rare.looked_at, rare.unread);
        let common = found("usual");
        assert!(common.unread > 10_000 && common.looked_at + common.unread == 40_001, "{}", common.unread);
    }
    // A part of a word is in no index: it is looked for everywhere, and what was not read is said.
    let part = |most: usize| {
        let is_it = move |line: &[u8]| String::from_utf8_lossy(line).contains("eppeli");
        episodes.looked_through(Sought::Parts(&[]), most as u64, is_it).expect("searched")
    };
    assert_eq!(texts(&part(1 << 30)), ["the zeppelin importer needs a licence"]);
    let bounded = part(1 << 20);
    assert!(bounded.unread > 10_000 && bounded.looked_at + bounded.unread == 40_001, "{}", bounded.unread);
    // The index is a cache: deleted or damaged, answers stay.
    let index = layout.cache().join("episodes-2026-01");
    let mut bytes = fs::read(&index).expect("an index");
    bytes[40_000] ^= 1;
    fs::write(&index, bytes).expect("damaged");
    assert_eq!(found("zeppelin").entries.len(), 1);
    fs::remove_dir_all(layout.cache()).expect("removed");
    assert_eq!(found("zeppelin").entries.len(), 1);
    assert_eq!(episodes.size().expect("counted").0, 40_001);
}

#[test]
fn what_is_compacted_is_in_the_archive_byte_for_byte_and_comes_back() {
    let (_folder, layout) = store();
    let episodes = Episodes::of(&layout);
    let january = "2026-01-31T00:00:00Z".parse().expect("a time");
    episodes.append(&note("oldest"), january).expect("written");
    write(&episodes, 5);
    let before = all(&episodes);
    let raw = fs::read(episodes.file(now())).expect("read");
    let mut sum_up = |count: usize, sample: &[MemoryEntry]| Some(summary(count, sample));
    let taken = episodes.take_out(2, "compacted", now(), &mut sum_up).expect("taken").expect("something");
    assert_eq!(taken.entries, 4);
    let left = all(&episodes);
    assert_eq!(left[1..], ["episode number3", "episode number4"]);
    assert!(left[0].starts_with("[Summary of 4 entries]\n- oldest"), "{left:?}");
    // A second look finds the summary and two: nothing to do but the summary itself.
    episodes.append(&note("newer"), now()).expect("written");
    let archive = episodes.archives().expect("archives").remove(0);
    assert_eq!((archive.path.clone(), &archive.head["entries"]), (taken.archive, &4.into()));
    assert_eq!(episodes.take_back(&archive).expect("back"), 4);
    let mut expected = before;
    expected.push("newer".to_owned());
    assert_eq!(all(&episodes), expected);
    assert!(fs::read(episodes.file(now())).expect("read").starts_with(&raw));
    assert!(episodes.archives().expect("archives").is_empty());
}

#[test]
fn a_crash_between_archive_and_cut_loses_and_doubles_nothing() {
    let (_folder, layout) = store();
    let episodes = Episodes::of(&layout);
    write(&episodes, 6);
    let before = fs::read(episodes.file(now())).expect("read");
    let _ = episodes.take_out(0, "cleared", now(), &mut |_, _| None).expect("taken").expect("something");
    assert!(all(&episodes).is_empty() && !episodes.file(now()).exists());
    // As if the archive had been written, and nothing after it.
    fs::write(episodes.file(now()), &before).expect("written");
    let archive = episodes.archives().expect("archives").remove(0);
    assert_eq!(episodes.take_back(&archive).expect("back"), 0);
    assert_eq!(fs::read(episodes.file(now())).expect("read"), before);
}

#[test]
fn many_writers_and_one_who_compacts_lose_no_episode() {
    let (_folder, layout) = store();
    const EACH: usize = 40;
    thread::scope(|scope| {
        for writer in 0..6 {
            let layout = &layout;
            scope.spawn(move || {
                let episodes = Episodes::of(layout);
                for n in 0..EACH {
                    episodes.append(&note(&format!("w{writer}-{n}")), now()).expect("written");
                }
            });
        }
        for _ in 0..5 {
            let episodes = Episodes::of(&layout);
            let _ = episodes.take_out(3, "compacted", now(), &mut |_, _| None).expect("taken");
        }
    });
    let episodes = Episodes::of(&layout);
    let archives = fs::read_dir(layout.log().join("archive")).into_iter().flatten().flatten();
    let mut text: String =
        archives.map(|entry| fs::read_to_string(entry.path()).expect("an archive")).collect();
    text.push_str(&fs::read_to_string(episodes.file(now())).expect("a file"));
    for (writer, n) in (0..6).flat_map(|writer| (0..EACH).map(move |n| (writer, n))) {
        let found = text.matches(&format!("\"w{writer}-{n}\"")).count();
        assert_eq!(found, 1, "w{writer}-{n}");
    }
}

#[test]
fn what_is_written_while_an_archive_is_taken_back_stays() {
    let (_folder, layout) = store();
    let episodes = Episodes::of(&layout);
    fill(&layout, "2026-02", 5_000);
    let _ = episodes.take_out(0, "cleared", now(), &mut |_, _| None).expect("taken").expect("something");
    assert!(!episodes.file(now()).exists());
    let mut written = 0;
    thread::scope(|scope| {
        let archive = episodes.archives().expect("archives").remove(0);
        let layout = &layout;
        let back = scope.spawn(move || Episodes::of(layout).take_back(&archive).expect("back"));
        let is_under_way = || {
            let mut names = fs::read_dir(layout.log()).expect("a folder").flatten().map(|e| e.file_name());
            names.any(|name| name.as_encoded_bytes().starts_with(atomic::TEMPORARY.as_bytes()))
        };
        while !is_under_way() && !back.is_finished() {
            thread::yield_now();
        }
        while !back.is_finished() {
            // Whoever writes may be told to try again.
            written += usize::from(episodes.append(&note("written meanwhile"), now()).is_ok());
        }
    });
    let found = all(&episodes);
    let kept = found.iter().filter(|text| *text == "written meanwhile").count();
    assert_eq!((kept, found.len()), (written, 5_000 + written));
}
