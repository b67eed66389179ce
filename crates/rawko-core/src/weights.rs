//! Every number that decides a ranking, in one place.
//!
//! `rawko-eval tune` searches these on one half of every question set and
//! reports the other half; a change here should come from there. There is one
//! setting for all texts: what differs between queries is read from the query
//! and from the legs themselves, never from a switch.

/// How the legs of a search are measured and weighed.
///
/// Parts of a score are in points; a memory that says just what the query says
/// comes to about 100.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// BM25: how soon a repeated word stops counting.
    pub k1: f32,
    /// The same, within a passage.
    pub k1_passage: f32,
    /// BM25: how far a long body is held against a word in it.
    pub b_body: f32,
    /// The same, for titles, triggers and tags.
    pub b_head: f32,
    /// The same, for passages.
    pub b_passage: f32,
    /// How much a word in the title, or in the opening of a text without one, counts, against one in the body.
    pub field_title: f32,
    /// … in a trigger.
    pub field_triggers: f32,
    /// … in a tag.
    pub field_tags: f32,
    /// Points for words over the whole memory.
    pub words: f32,
    /// Points for words within the best passage.
    pub passage: f32,
    /// Points for the share of the query that is found at all.
    pub coverage: f32,
    /// Points for neighbours in the query that are neighbours in the text.
    pub pairs: f32,
    /// What a word of nearly the same meaning is worth against the word itself.
    pub kin: f32,
    /// Likeness at which a word starts to count as kin.
    pub kin_floor: f32,
    /// Points for the best passage by meaning, as the token table tells it.
    pub meaning: f32,
    /// The same, as an encoder tells it that reads sentences.
    pub sentences: f32,
    /// Points for each word of the query by the nearest of the best passage, as such an encoder tells it.
    pub wording: f32,
    /// How far a query's likeness to everything is taken from its likeness to one text.
    pub centre: f32,
    /// Points for sentences that say what the query's clauses say.
    pub clauses: f32,
    /// Terms up to which a query's vector is trusted in full.
    pub short: f32,
    /// How near to the best score a document must be for its age to count, as a share of it.
    pub newer_gate: f32,
    /// Points for being the newest among equals.
    pub newer: f32,
    /// The same, where the query asks for how things stand now.
    pub newer_now: f32,
    /// How far neighbouring words, not single ones, decide whether two documents speak of the same thing.
    pub newer_pairs: f32,
    /// How many times as much a newer document counts where single words are compared: that moves documents further apart.
    pub newer_worded: f32,
    /// What is left of the worth of words such as "current", which say when and not what.
    pub when: f32,
    /// What is left of the worth of words that only say that something is asked for, or when it was.
    pub aside: f32,
}

impl Weights {
    /// The setting that the product uses.
    pub const TUNED: Self = Self {
        k1: 1.0,
        k1_passage: 1.2,
        b_body: 0.4,
        b_head: 0.3,
        b_passage: 0.4,
        field_title: 1.5,
        field_triggers: 1.0,
        field_tags: 1.0,
        words: 18.0,
        passage: 12.0,
        coverage: 2.7,
        pairs: 4.5,
        kin: 0.9,
        kin_floor: 0.4,
        meaning: 24.0,
        sentences: 38.0,
        wording: 60.0,
        centre: 1.0,
        clauses: 16.0,
        short: 6.0,
        newer_gate: 0.4,
        newer: 1.6,
        newer_now: 14.0,
        newer_pairs: 0.5,
        newer_worded: 1.8,
        when: 0.45,
        aside: 0.3,
    };

    /// Every weight with its name, for tuning and for `--explain`.
    pub fn named(&mut self) -> Vec<(&'static str, &mut f32)> {
        vec![
            ("k1", &mut self.k1),
            ("k1_passage", &mut self.k1_passage),
            ("b_body", &mut self.b_body),
            ("b_head", &mut self.b_head),
            ("b_passage", &mut self.b_passage),
            ("field_title", &mut self.field_title),
            ("field_triggers", &mut self.field_triggers),
            ("field_tags", &mut self.field_tags),
            ("words", &mut self.words),
            ("passage", &mut self.passage),
            ("coverage", &mut self.coverage),
            ("pairs", &mut self.pairs),
            ("kin", &mut self.kin),
            ("kin_floor", &mut self.kin_floor),
            ("meaning", &mut self.meaning),
            ("sentences", &mut self.sentences),
            ("wording", &mut self.wording),
            ("centre", &mut self.centre),
            ("clauses", &mut self.clauses),
            ("short", &mut self.short),
            ("newer_gate", &mut self.newer_gate),
            ("newer", &mut self.newer),
            ("newer_now", &mut self.newer_now),
            ("newer_pairs", &mut self.newer_pairs),
            ("newer_worded", &mut self.newer_worded),
            ("when", &mut self.when),
            ("aside", &mut self.aside),
        ]
    }
}

/// How a memory earns a place before a task.
///
/// Relevance is a sum of points. `words`, `meaning`, `trigger`, `context` and
/// `agent` come from a logistic regression over (task, memory) pairs, six points
/// to the unit of log odds, rounded. A fit on five projects that lets a task's memories and "none"
/// compete gives `words`, `meaning` and `agent` in the same proportion, and no fit chose better for a project that
/// was left out of it than these do. `low` to `critical`, `called`, `loud`, `chance_words` and the likenesses of
/// corrections were chosen on two of the projects, `related`, `needed` and `share` on these and two later ones:
/// `rawko-eval tune-inject` tells what each project gets from the others' choice. `sentences`, `found_in` and `needed_read`
/// were chosen on eight projects, `sure`, and the present `agent` and `related` on these, two more and eight of
/// few memories, `errand` and the present `needed_read` on all of them and ten more, `few` and `needed_less` on the last eight. What no data tells (`says`, `slight`, bound triggers, prior, use, staleness, duplicates) is set so that it does what the specification says, and no more.
#[derive(Clone, Debug, PartialEq)]
pub struct Inject {
    /// Points for each unit of the task's words: their share of the task times the root of its length.
    pub words: f32,
    /// Points for the best passage by meaning, from what chance gives (0) to the same text (1), as the token table tells it.
    pub meaning: f32,
    /// The same, as the sentence encoder tells it.
    pub sentences: f32,
    /// Points for how alike the task is to the one in which the memory was found, by the sentence encoder.
    pub found_in: f32,
    /// How much of the words that the nearest candidates share on average is chance.
    pub chance_words: f32,
    /// How much more words count where the encoder cannot read the task, and meaning adds nothing.
    pub unread: f32,
    /// Points for the loudest trigger at full strength.
    pub trigger: f32,
    /// Points on top for a trigger that leaves no doubt.
    pub called: f32,
    /// Likeness by the encoder at which these are given in full to a trigger that is bound to nothing and is one word: a
    /// common word in a small store is as loud as a rare one.
    pub sure: f32,
    /// Loudness that leaves no doubt: a name in code, a phrase, a rare word.
    pub loud: f32,
    /// Strength from which a path, command or error trigger, or a procedure's, is as loud as can be.
    pub bound: f32,
    /// Likeness of a trigger that reads as language from which it counts as a call.
    pub near_floor: f32,
    /// Likeness from which such a trigger nearly says the task.
    pub says_floor: f32,
    /// Points for each unit of likeness beyond that.
    pub says: f32,
    /// What plan, history, files, command and error count against the task itself.
    pub context: f32,
    /// Points for what the same agent found.
    pub agent: f32,
    /// What a related memory lends, as a share of its own relevance.
    pub related: f32,
    /// Relevance that a medium memory needs to be the first to speak.
    pub needed: f32,
    /// The same for one that the sentence encoder has read.
    pub needed_read: f32,
    /// The least that words count in a store of few memories, where the encoder has read them.
    pub few: f32,
    /// How much less a memory needs there to be the first, for each unit by which words count less.
    pub needed_less: f32,
    /// How much less of it for each unit by which the task itself asks for what was found out earlier.
    pub errand: f32,
    /// Beside one that speaks, the share of its relevance that another needs.
    pub share: f32,
    /// What is enough instead of either for a critical memory whose own trigger matches.
    pub slight: f32,
    /// How much more relevance a low memory needs than a medium one.
    pub low: f32,
    /// … a high one.
    pub high: f32,
    /// … a critical one.
    pub critical: f32,
    /// What a point of the origin's score is worth as a prior.
    pub prior: f32,
    /// Points for a memory that always helped.
    pub usefulness: f32,
    /// Points off where what a memory rests on has changed.
    pub changed: f32,
    /// … and where it is gone.
    pub gone: f32,
    /// Likeness from which a newer memory's "that was wrong" means one that it names.
    pub corrects_named: f32,
    /// … and one that it does not name.
    pub corrects_near: f32,
    /// Share of neighbouring words from which two memories are one.
    pub duplicate: f32,
}

impl Inject {
    /// The setting that the product uses.
    pub const TUNED: Self = Self {
        words: 20.0,
        meaning: 36.0,
        sentences: 50.0,
        found_in: 20.0,
        chance_words: 0.45,
        unread: 1.6,
        trigger: 9.0,
        called: 20.0,
        sure: 0.3,
        loud: 0.85,
        bound: 0.3,
        near_floor: 0.2,
        says_floor: 0.5,
        says: 30.0,
        context: 0.4,
        agent: 2.0,
        related: 0.15,
        needed: 24.0,
        needed_read: 29.0,
        few: 0.7,
        needed_less: 20.0,
        errand: 4.0,
        share: 0.57,
        slight: 15.0,
        low: 4.0,
        high: -1.0,
        critical: -3.0,
        prior: 0.1,
        usefulness: 10.0,
        changed: 10.0,
        gone: 20.0,
        corrects_named: 0.6,
        corrects_near: 0.78,
        duplicate: 0.6,
    };

    /// Every weight with its name, for tuning.
    pub fn named(&mut self) -> Vec<(&'static str, &mut f32)> {
        vec![
            ("words", &mut self.words),
            ("meaning", &mut self.meaning),
            ("sentences", &mut self.sentences),
            ("found_in", &mut self.found_in),
            ("chance_words", &mut self.chance_words),
            ("unread", &mut self.unread),
            ("trigger", &mut self.trigger),
            ("called", &mut self.called),
            ("sure", &mut self.sure),
            ("loud", &mut self.loud),
            ("bound", &mut self.bound),
            ("near_floor", &mut self.near_floor),
            ("says_floor", &mut self.says_floor),
            ("says", &mut self.says),
            ("context", &mut self.context),
            ("agent", &mut self.agent),
            ("related", &mut self.related),
            ("needed", &mut self.needed),
            ("needed_read", &mut self.needed_read),
            ("few", &mut self.few),
            ("needed_less", &mut self.needed_less),
            ("errand", &mut self.errand),
            ("share", &mut self.share),
            ("slight", &mut self.slight),
            ("low", &mut self.low),
            ("high", &mut self.high),
            ("critical", &mut self.critical),
            ("prior", &mut self.prior),
            ("usefulness", &mut self.usefulness),
            ("changed", &mut self.changed),
            ("gone", &mut self.gone),
            ("corrects_named", &mut self.corrects_named),
            ("corrects_near", &mut self.corrects_near),
            ("duplicate", &mut self.duplicate),
        ]
    }
}
