//! Many memories of one shape are many memories.

use rawko::{Channel, Circumstances, Decision, Filter};

use crate::rig::{Rig, proposal};

const COLOURS: [&str; 20] = [
    "amber", "azure", "beige", "black", "blue", "bronze", "brown", "coral", "cyan", "gold", "green", "grey",
    "ivory", "jade", "lilac", "olive", "orange", "pink", "purple", "red",
];
const PLACES: [&str; 18] = [
    "harbour",
    "mill",
    "tower",
    "bridge",
    "garden",
    "market",
    "station",
    "quarry",
    "lighthouse",
    "orchard",
    "chapel",
    "cellar",
    "meadow",
    "forge",
    "castle",
    "library",
    "kitchen",
    "stable",
];
const LANGUAGES: [&str; 14] = [
    "Python", "Ruby", "Go", "Rust", "Java", "Kotlin", "Swift", "Elixir", "Scala", "Perl", "Haskell", "PHP",
    "Dart", "Lua",
];

fn name(n: usize) -> String {
    format!("{}-{}", COLOURS[n % COLOURS.len()], PLACES[n / COLOURS.len() % PLACES.len()])
}

/// Proposes many memories one after the other, and wants each in a file of its own.
fn all_kept(count: usize, shape: impl Fn(usize) -> (String, String)) {
    let rig = Rig::new();
    for n in 0..count {
        rig.file(&format!("conf/{}.toml", name(n)), &format!("port = {}\n", 8001 + n));
    }
    let engine = rig.engine();
    for n in 0..count {
        let (title, body) = shape(n);
        let told = engine.admit(&proposal(&title, &body), &Circumstances::default(), Channel::Agent);
        let told = told.expect("judged").admission;
        assert!(matches!(told.decision, Decision::Accept | Decision::Hold), "{body} {}", told.reason);
    }
    assert_eq!(rig.engine().list(&Filter::default()).expect("a list").memories.len(), count);
}

#[test]
fn names_and_numbers_differ() {
    all_kept(350, |n| {
        let name = name(n);
        let port = 8001 + n;
        (
            format!("Port of the service {name}"),
            format!("Service {name} listens on port {port}, because `conf/{name}.toml` says so."),
        )
    });
}

#[test]
fn single_letters_differ() {
    const LETTERS: &[u8; 16] = b"ABCDEFGHJKLMNPQR";
    all_kept(LETTERS.len(), |n| {
        let letter = char::from(LETTERS[n]);
        (format!("Service {letter}"), format!("Service {letter} listens on port {}, not on 80.", 8001 + n))
    });
}

#[test]
fn names_alone_differ() {
    all_kept(60, |n| {
        let name = name(n);
        (
            format!("Start of {name}"),
            format!(
                "The {name} module must be started before `enqueue_job` is called, otherwise its first job is lost."
            ),
        )
    });
}

#[test]
fn paths_differ() {
    all_kept(60, |n| {
        let name = name(n);
        (
            format!("Where {name} is set"),
            format!("The limits in `conf/{name}.toml` are read once at start, so restart after a change."),
        )
    });
}

#[test]
fn languages_differ() {
    all_kept(LANGUAGES.len(), |n| {
        let language = LANGUAGES[n];
        (
            format!("{language} client"),
            format!(
                "Our {language} client must not retry calls of `enqueue_job`, because jobs would run twice."
            ),
        )
    });
    all_kept(40, |n| {
        let name = name(n);
        (
            format!("Dienst {name}"),
            format!("Der Dienst {name} muss vor dem Planer laufen, weil er sonst `enqueue_job` verpasst."),
        )
    });
}

#[test]
fn what_says_the_same_of_the_same_is_still_known() {
    let rig = Rig::new();
    let engine = rig.engine();
    let told = |title: &str, body: &str| {
        let told = engine.admit(&proposal(title, body), &Circumstances::default(), Channel::Agent);
        told.expect("judged").admission.decision
    };
    for name in ["amber-mill", "blue-mill"] {
        let body = format!(
            "The {name} module must be started before `enqueue_job` is called, otherwise its first job is lost."
        );
        assert_eq!(told(&format!("Start of {name}"), &body), Decision::Hold);
    }
    let again = "The blue-mill module must be started before `enqueue_job` is called, otherwise its first job is lost.";
    assert_eq!(told("When blue-mill starts", again), Decision::Refuse);
}
