//! A clock that is wrong by years: nothing is hidden, and the order comes from the files.

use jiff::Timestamp;
use rawko::{Channel, Draft, Engine, Layers, Now, TaskContext, Whose, Wish};

use crate::rig::Rig;

fn at(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

fn engine(rig: &Rig, now: Timestamp) -> Engine {
    Engine::open(&rig.project(), Some(&rig.home()), Now::at(now)).expect("stores")
}

#[test]
fn clock_jumps_hide_nothing_and_reorder_nothing() {
    let rig = Rig::new();
    let clocks =
        ["2026-05-01T10:00:00Z", "2016-05-01T10:00:00Z", "2199-05-01T10:00:00Z", "1970-01-01T00:00:01Z"];
    for (n, clock) in clocks.into_iter().enumerate() {
        let now = at(clock);
        let said = |title: &str, body: String| Draft::new(title, body).when("queue").entry(now);
        let own = said(&format!("Queue number {n}"), format!("Queue {n} is drained by hand."));
        engine(&rig, now).add(&own, Whose::Project, Channel::Person).expect("added");
        let shared = said("The queue of all", format!("Drained under clock {n}."));
        let slug = engine(&rig, now).add(&shared, Whose::Project, Channel::Person).expect("added").slug;
        // Whatever the clock says now, all that was said under any is there.
        for reader in clocks {
            let engine = engine(&rig, at(reader));
            let found = engine.search("queue drained by hand", 20, |_| true).expect("found").hits;
            let wish = Wish { max: Some(50), budget: Some(9_000), ..Wish::default() };
            let told = engine.inject(&TaskContext::of("drain the queue"), &wish).expect("an injection").block;
            for known in 0..=n {
                let name = format!("queue-number-{known}");
                assert!(found.iter().any(|hit| hit.memory.slug.as_str() == name), "{name} under {reader}");
                assert!(told.contains(&format!("Queue {known} is drained")), "{name} under {reader}: {told}");
            }
            let memory = engine.show(&slug).expect("there").memory;
            let times: Vec<Timestamp> =
                memory.entries.iter().map(|known| known.entry.frontmatter.discovered_at).collect();
            assert!(times.is_sorted() && times.len() == n + 1, "{times:?} under {reader}");
        }
    }
}

#[test]
fn what_is_said_once_more_counts_once_more_whatever_the_clock() {
    let still = ["2026-05-01T10:00:00Z"; 5];
    let back =
        ["2199-05-01T10:00:00Z", "2026-05-01T10:00:00Z", "2026-05-01T10:00:00Z", "1970-01-01T00:00:01Z"];
    for clocks in [&still[..], &back] {
        let rig = Rig::new();
        let learn = |clock: &str, value: &str| {
            let engine = engine(&rig, at(clock));
            let layers = Layers::of(&engine, Channel::Person, "ada").expect("layers");
            let slug = layers.learn("port", value).expect("learned").saved.expect("saved").slug;
            let known = layers.recall("port").expect("read").expect("known");
            assert_eq!(known.entry.value, value, "under {clock}");
            engine.show(&slug).expect("there").memory.entries.len()
        };
        let values = ["8080", "9090"].into_iter().cycle();
        for (n, (clock, value)) in clocks.iter().zip(values.clone()).enumerate() {
            assert_eq!(learn(clock, value), n + 1);
        }
        // The newest word once more is no word more.
        let (last, value) = clocks.iter().zip(values).last().expect("a clock");
        assert_eq!(learn(last, value), clocks.len());
    }
}
