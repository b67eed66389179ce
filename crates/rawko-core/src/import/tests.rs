//! Each form as its tool documents it, in words of our own; and what damage costs.

use proptest::prelude::*;

use super::{ImportFormat, ImportItem, Parsed, detect_import, parse_import};
use crate::entry::{Importance, Kind, Trigger};

/// One line an item: title, triggers, tags, links, and what stands out of the ordinary.
fn shown(parsed: &Parsed) -> Vec<String> {
    let item = |item: &ImportItem| {
        let when: Vec<&str> = item.when.iter().map(Trigger::text).collect();
        let kind = item.kind.map_or("", Kind::as_str);
        let at = item.at.map_or(String::new(), |at| at.to_string());
        let parts = [
            item.title.clone(),
            when.join(" + "),
            item.tags.join(" "),
            item.related.join(" "),
            kind.to_owned(),
            at,
        ];
        format!("{}: {}", item.line, parts.join(" | "))
    };
    parsed.items.iter().map(item).collect()
}

fn skipped(parsed: &Parsed) -> Vec<String> {
    parsed.skipped.iter().map(|skip| format!("{}: {} ({})", skip.line, skip.why, skip.name)).collect()
}

fn body(parsed: &Parsed, n: usize) -> &str {
    &parsed.items[n].body
}

#[test]
fn claude_memory_has_topic_files_and_an_index() {
    let topic = "---\nname: deploy-window\ndescription: asked about releases or deploys\nmetadata:\n  type: feedback\n  \
                 node_type: memory\n---\nShip before noon. **Why:** support leaves at four. See [[release-script]].\n";
    let path = "home/.claude/projects/-shop/memory/deploy-window.md";
    assert_eq!(detect_import(path, topic), Some(ImportFormat::ClaudeMemory));
    let parsed = parse_import(ImportFormat::ClaudeMemory, path, topic);
    assert_eq!(
        shown(&parsed),
        ["8: Deploy window | asked about releases or deploys | feedback | release-script | procedure | "]
    );
    assert_eq!(parsed.items[0].rest["node_type"], "memory");

    let older = "---\nname: Test database\ndescription: which database tests use\ntype: project\n---\nTests use port 5433.\n";
    let parsed = parse_import(ImportFormat::ClaudeMemory, "test_database.md", older);
    assert_eq!(shown(&parsed), ["6: Test database | which database tests use | project |  |  | "]);

    let index = "# Memory\n\n- [Deploy window](deploy-window.md) — when to ship\n- [Gone](gone.md) — nowhere\n\n\
                 ## Habits\n\nAda prefers small commits.\n";
    let parsed = parse_import(ImportFormat::ClaudeMemory, "memory/MEMORY.md", index);
    assert_eq!(shown(&parsed), ["6: Memory: Habits |  |  |  |  | "]);
    assert_eq!(parsed.expects, [(3, "deploy-window.md".to_owned()), (4, "gone.md".to_owned())]);
}

#[test]
fn codex_has_a_registry_a_summary_and_runs() {
    let registry = "# Task Group: shop checkout\n\nscope: changes to the checkout service\napplies_to: cwd=shop\n\n\
                    ## Task 1: Fix the totals\n\nRounding happens once, at the end.\n\n### keywords\n\n- rounding, totals\n\n\
                    ## Reusable knowledge\n\n- Prices are in cents.\n";
    assert_eq!(detect_import("x/MEMORY.md", registry), Some(ImportFormat::Codex));
    let parsed = parse_import(ImportFormat::Codex, "MEMORY.md", registry);
    assert_eq!(
        shown(&parsed),
        [
            "6: Task Group: shop checkout: Task 1: Fix the totals | changes to the checkout service | rounding totals |  |  | ",
            "14: Task Group: shop checkout: Reusable knowledge | changes to the checkout service |  |  |  | ",
        ]
    );

    let raw = "# Raw Memories\n\nMerged stage-1 raw memories (latest first):\n\n## Thread `019a`\n\
               updated_at: 2026-03-01T10:00:00+00:00\ncwd: /shop\n\n---\ndescription: how totals are rounded\ntask: round-totals\n---\n\
               ### Task 1\n\nRound once.\n\n## Thread `019b`\nupdated_at: 2026-03-02T10:00:00+00:00\n\n# Second run\n\nNothing else.\n";
    let parsed = parse_import(ImportFormat::Codex, "raw_memories.md", raw);
    assert_eq!(
        shown(&parsed),
        [
            "5: round-totals | how totals are rounded |  |  |  | 2026-03-01T10:00:00Z",
            "17: Second run |  |  |  |  | 2026-03-02T10:00:00Z",
        ]
    );
    assert_eq!(parsed.items[0].importance, Importance::Low);

    let rollout = "thread_id: 019a\nupdated_at: 2026-03-01T10:00:00+00:00\nrollout_path: a.jsonl\n\nThe totals were off by one.\n";
    let parsed = parse_import(
        ImportFormat::Codex,
        "rollout_summaries/2026-03-01T10-00-00-Kxur-round_totals.md",
        rollout,
    );
    assert_eq!(shown(&parsed), ["1: Round totals |  |  |  |  | 2026-03-01T10:00:00Z"]);
    assert_eq!(body(&parsed, 0), "The totals were off by one.");

    let summary =
        "v1\n\n## User preferences\n\n- Short answers.\n\n## What's in Memory\n\n- shop: checkout\n";
    let parsed = parse_import(ImportFormat::Codex, "memory_summary.md", summary);
    assert_eq!(shown(&parsed), ["3: User preferences |  |  |  |  | "]);
    assert_eq!(skipped(&parsed), ["7: a list of what the other files hold (What's in Memory)"]);
}

#[test]
fn claude_mem_has_observations_summaries_and_what_they_came_from() {
    let export = r#"{
  "exportedAt": "2026-04-01T00:00:00Z", "totalObservations": 2,
  "observations": [
    {"id": 7, "project": "shop", "type": "bugfix", "title": "Totals are rounded twice", "subtitle": "Cart and invoice disagree",
     "facts": "[\"Cart rounds lines\", \"Invoice rounds sums, too\"]", "narrative": "Both round.", "concepts": "[\"gotcha\"]",
     "files_read": "[]", "files_modified": "[\"src/cart.rs\", \"/abs/other.rs\"]", "text": null, "created_at_epoch": 1775001600000},
    {"id": 8, "type": "change", "title": "Empty", "facts": [], "narrative": null, "text": null}
  ],
  "summaries": [{"id": 3, "request": "Fix the totals", "investigated": null, "learned": "Round once.", "completed": "Done", "created_at": "2026-04-01T01:00:00.000Z"}],
  "sessions": [{"id": 1, "content_session_id": "s1", "status": "completed"}],
  "prompts": [{"id": 5, "content_session_id": "s1", "prompt_number": 1, "prompt_text": "fix it"}]
}"#;
    assert_eq!(detect_import("export.json", export), Some(ImportFormat::ClaudeMem));
    let parsed = parse_import(ImportFormat::ClaudeMem, "export.json", export);
    assert_eq!(
        shown(&parsed),
        [
            "4: Totals are rounded twice | Cart and invoice disagree + src/cart.rs | bugfix gotcha |  |  | 2026-04-01T00:00:00Z",
            "9: Fix the totals |  | summary |  |  | 2026-04-01T01:00:00Z",
        ]
    );
    assert_eq!(body(&parsed, 0), "Both round.\n\n- Cart rounds lines\n- Invoice rounds sums, too");
    assert_eq!(body(&parsed, 1), "**Learned:** Round once.\n\n**Completed:** Done");
    assert_eq!(
        skipped(&parsed),
        [
            "10: a session's record, which says nothing by itself (session 1)",
            "11: what a person asked, not a memory (prompt 5)",
            "7: it says nothing (observation 8)",
        ]
    );
    let rows = r#"[{"id":7,"title":"T","facts":"[]","narrative":"N","created_at":"2026-04-01 10:00:00"}]"#;
    assert_eq!(detect_import("observations.json", rows), Some(ImportFormat::ClaudeMem));
    assert_eq!(parse_import(ImportFormat::ClaudeMem, "o.json", rows).items.len(), 1);
}

#[test]
fn the_mcp_memory_server_has_entities_and_relations() {
    let lines = "{\"type\":\"entity\",\"name\":\"Payment_Service\",\"entityType\":\"service\",\"observations\":[\"Port 8443\",\"Retries, twice\"]}\n\
                 {\"type\":\"entity\",\"name\":\"ledger\"\n\
                 {\"type\":\"relation\",\"from\":\"Payment_Service\",\"to\":\"ledger\",\"relationType\":\"writes_to\"}\n\
                 {\"type\":\"relation\",\"from\":\"nobody\",\"to\":\"ledger\",\"relationType\":\"reads\"}\n\
                 {\"type\":\"entity\",\"name\":\"Empty\",\"entityType\":\"note\",\"observations\":[]}\n";
    assert_eq!(detect_import("memory.jsonl", lines), Some(ImportFormat::McpMemory));
    let parsed = parse_import(ImportFormat::McpMemory, "memory.jsonl", lines);
    assert_eq!(shown(&parsed), ["1: Payment Service |  | service | ledger |  | "]);
    assert_eq!(body(&parsed, 0), "- Port 8443\n- Retries, twice\n- writes to ledger");
    assert_eq!(
        skipped(&parsed),
        [
            "2: this is no JSON: EOF while parsing an object ()",
            "4: a relation of `nobody`, which is no entity here (nobody reads ledger)",
            "5: it says nothing (Empty)",
        ]
    );
    let graph = "{\n\"entities\": [{\"name\": \"a b\", \"entityType\": \"t\", \"observations\": [\"x\"]}],\n\"relations\": []}";
    assert_eq!(detect_import("graph.json", graph), Some(ImportFormat::McpMemory));
    assert_eq!(
        shown(&parse_import(ImportFormat::McpMemory, "graph.json", graph)),
        ["2: a b |  | t |  |  | "]
    );
}

#[test]
fn basic_memory_has_observations_and_relations() {
    let note = "---\ntitle: Coffee machine\ntype: guide\ntags: [kitchen, howto]\npermalink: kitchen/coffee-machine\nstatus: draft\n---\n\
                # Coffee machine\n\n## Observations\n- [method] Descale monthly #cleaning (by the manual)\n- [ ] buy filters #todo\n- [x] done #done\n\
                - [link](https://example.com) #no\n\n## Relations\n- part_of [[Kitchen]]\n- requires [[Filters|paper filters]] (daily)\n";
    assert_eq!(detect_import("notes/Coffee machine.md", note), Some(ImportFormat::BasicMemory));
    let parsed = parse_import(ImportFormat::BasicMemory, "notes/Coffee machine.md", note);
    assert_eq!(
        shown(&parsed),
        ["8: Coffee machine |  | guide kitchen howto cleaning | Kitchen Filters |  | "]
    );
    assert_eq!(parsed.items[0].rest["permalink"], "kitchen/coffee-machine");
    assert_eq!(parsed.items[0].rest["status"], "draft");
    assert!(body(&parsed, 0).ends_with("(daily)"));
}

#[test]
fn mem0_has_texts_with_their_time() {
    let export = r#"{"count": 3, "results": [
{"id": "m1", "memory": "Ada deploys on Tuesdays. Never later.", "user_id": "ada", "metadata": null, "categories": ["habits"], "created_at": "2026-02-01T09:00:00-08:00", "updated_at": null},
{"id": "m2", "hash": "x"},
{"id": "m3", "memory": ""}
], "relations": [{"source": "ada", "relationship": "likes", "target": "tea"}]}"#;
    assert_eq!(detect_import("mem0.json", export), Some(ImportFormat::Mem0));
    let parsed = parse_import(ImportFormat::Mem0, "mem0.json", export);
    assert_eq!(shown(&parsed), ["2: Ada deploys on Tuesdays |  | habits |  |  | 2026-02-01T17:00:00Z"]);
    assert_eq!(parsed.items[0].rest["user_id"], "ada");
    assert_eq!(
        skipped(&parsed),
        [
            "3: it has no `memory` (m2)",
            "4: it has no `memory` (m3)",
            "5: a relation of the graph, which says nothing by itself (line 5)",
        ]
    );
    assert_eq!(
        parse_import(ImportFormat::Mem0, "l.json", r#"[{"memory": "A list will do"}]"#).items.len(),
        1
    );
}

#[test]
fn cursor_rules_have_globs_that_are_no_yaml() {
    let rule = "---\ndescription: Conventions of the web client\nglobs: **/*.ts,src/{a,b}/*.tsx\nalwaysApply: false\n---\n\nUse hooks.\n";
    assert_eq!(detect_import(".cursor/rules/web-client.mdc", rule), Some(ImportFormat::Cursor));
    let parsed = parse_import(ImportFormat::Cursor, ".cursor/rules/web-client.mdc", rule);
    assert_eq!(
        shown(&parsed),
        ["6: Web client | Conventions of the web client + **/*.ts + src/{a,b}/*.tsx |  |  | procedure | "]
    );
    assert!(matches!(&parsed.items[0].when[1], Trigger::Path(_)));
    let always = "---\ndescription:\nglobs:\n  - \"*.rs\"\nalwaysApply: true\n---\nNo unwrap.\n";
    let parsed = parse_import(ImportFormat::Cursor, "rust.mdc", always);
    assert_eq!(shown(&parsed), ["7: Rust | *.rs |  |  | procedure | "]);
    assert_eq!(parsed.items[0].importance, Importance::High);
    let legacy = parse_import(ImportFormat::Cursor, ".cursorrules", "Be brief.\n\n# Style\n\nTabs.\n");
    assert_eq!(
        shown(&legacy),
        ["1: Cursor rules |  |  |  | procedure | ", "3: Style |  |  |  | procedure | "]
    );
}

#[test]
fn serena_names_by_path() {
    let text = "# Style\n\nUse tabs. See [[code/review]] and `mem:tools`.\n";
    let path = "shop/.serena/memories/code/style_conventions.md";
    assert_eq!(detect_import(path, text), Some(ImportFormat::Serena));
    let parsed = parse_import(ImportFormat::Serena, path, text);
    assert_eq!(shown(&parsed), ["1: Code: Style conventions |  |  | code/review tools |  | "]);
    assert_eq!(parsed.items[0].name, "code/style_conventions");
}

#[test]
fn clines_bank_has_a_memory_for_each_heading() {
    let text = "# Progress\n\n## What works\n\nCheckout.\n\n```sh\n# no heading\n```\n\n### Details\n\nBy card.\n\n## Left\n";
    assert_eq!(detect_import("memory-bank/progress.md", text), Some(ImportFormat::Cline));
    let parsed = parse_import(ImportFormat::Cline, "memory-bank/progress.md", text);
    assert_eq!(
        shown(&parsed),
        ["3: Progress: What works |  | progress |  |  | ", "11: What works: Details |  | progress |  |  | "]
    );
    assert!(body(&parsed, 0).contains("# no heading"));
    assert_eq!(skipped(&parsed), ["15: it says nothing (Left)"]);
}

#[test]
fn instructions_are_cut_into_sections_and_our_own_is_left_out() {
    let text = "Guidance.\n\n## Commands\n\n`make test`\n\n### Slow ones\n\n`make all`\n\n<!-- rawko:begin (x) -->\n## Learned\n\nOurs.\n<!-- rawko:end -->\n\n## Style\n\nTabs.\n\n## Later\n\n## Last\n";
    assert_eq!(detect_import("AGENTS.md", text), Some(ImportFormat::AgentsMd));
    assert_eq!(detect_import("a/CLAUDE.md", text), Some(ImportFormat::ClaudeMd));
    let parsed = parse_import(ImportFormat::AgentsMd, "AGENTS.md", text);
    assert_eq!(
        shown(&parsed),
        [
            "1: AGENTS |  |  |  | procedure | ",
            "3: Commands |  |  |  | procedure | ",
            "17: Style |  |  |  | procedure | ",
        ]
    );
    assert!(body(&parsed, 1).contains("### Slow ones"));
    assert_eq!(
        skipped(&parsed),
        [
            "1: rawko wrote it itself (rawko's own section)",
            "21: it says nothing (Later)",
            "23: it says nothing (Last)",
        ]
    );
    let rule = "---\npaths:\n  - \"src/**/*.rs\"\n---\n# Errors\n\nOne enum per crate.\n";
    let parsed = parse_import(ImportFormat::ClaudeMd, ".claude/rules/errors.md", rule);
    assert_eq!(shown(&parsed), ["5: Errors | src/**/*.rs |  |  | procedure | "]);
}

#[test]
fn one_damaged_object_costs_no_other() {
    let good = |n: usize| format!("  {{\"id\": \"m{n}\", \"memory\": \"Fact number {n}.\"}}");
    let whole = format!("{{\"results\": [\n{},\n{},\n{}\n]}}\n", good(1), good(2), good(3));
    assert_eq!(parse_import(ImportFormat::Mem0, "a.json", &whole).items.len(), 3);

    let bad_value = whole.replace("\"Fact number 2.\"", "oops");
    let parsed = parse_import(ImportFormat::Mem0, "a.json", &bad_value);
    assert_eq!((parsed.items.len(), parsed.skipped[0].line, parsed.skipped[0].damaged), (2, 3, true));

    let cut = &whole[..whole.find("number 3").unwrap()];
    let parsed = parse_import(ImportFormat::Mem0, "a.json", cut);
    assert_eq!((parsed.items.len(), parsed.skipped[0].line), (2, 4));

    let open = whole.replace("Fact number 2.\"}", "Fact number 2.\"");
    let parsed = parse_import(ImportFormat::Mem0, "a.json", &open);
    assert_eq!(parsed.items.len(), 2, "{parsed:?}");
    assert_eq!(parsed.items[1].body, "Fact number 3.");

    let trailing = whole.replace("]}", "],}");
    let parsed = parse_import(ImportFormat::Mem0, "a.json", &trailing);
    assert_eq!((parsed.items.len(), parsed.skipped.len()), (3, 1));
}

#[test]
fn every_format_has_a_word_of_its_own() {
    for format in ImportFormat::ALL {
        assert_eq!(ImportFormat::parse(format.as_str()), Some(format));
    }
    for (path, text) in
        [("README.md", "# Shop\n"), ("package.json", "{\"name\": \"shop\"}"), ("a.txt", "x"), ("x.md", "")]
    {
        assert_eq!(detect_import(path, text), None, "{path}");
    }
}

fn paths() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "MEMORY.md",
        "a.md",
        "raw_memories.md",
        "rollout_summaries/2026-01-01T00-00-00-x-y.md",
        "a.mdc",
        ".cursorrules",
        "a.json",
        "a.jsonl",
        ".serena/memories/é/b.md",
        "memory-bank/progress.md",
        "",
        "/",
    ])
}

/// Pieces that the forms are made of, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "---\n",
        "name: x\n",
        "globs: **/*\n",
        "  - a\n",
        "# H\n",
        "### keywords\n",
        "```\n",
        "[[",
        "]]",
        "- [",
        "](",
        ")",
        "{",
        "}",
        "[",
        "]",
        "\"",
        "\\",
        "\"memory\": ",
        "\"type\":\"entity\"",
        ",",
        ":",
        "\n",
        "\r\n",
        "## Thread `a`\n",
        "é",
        "\u{feff}",
        "scope:",
        "null",
        "<!-- rawko:begin -->\n",
        "<!-- rawko:end -->\n",
        "\"entries\":",
        "\"slug\":\"a\"",
        "1e999",
        "x: y\n",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_stops_a_reader(path in paths(), text in prop_oneof![pieces(), any::<String>(), any::<Vec<u8>>().prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())]) {
        detect_import(path, &text);
        for format in ImportFormat::ALL {
            let parsed = parse_import(format, path, &text);
            let lines = text.lines().count().max(1) + 1;
            for item in &parsed.items {
                prop_assert!(item.line >= 1 && item.line <= lines && !item.body.is_empty(), "{item:?}");
            }
            prop_assert!(parsed.skipped.iter().all(|skip| skip.line >= 1 && skip.line <= lines + 1), "{:?}", parsed.skipped);
        }
    }
}
