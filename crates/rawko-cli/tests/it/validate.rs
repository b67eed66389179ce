//! `rawko validate`

use insta::assert_snapshot;

use crate::sandbox::{Sandbox, memory};

fn good(title: &str) -> String {
    memory(title, &format!("# {title}\n\n{}", "word ".repeat(60)))
}

#[test]
fn every_problem_has_a_place_and_a_remedy() {
    let bad = good("Deploy").replace("high", "hihg");
    let sandbox = Sandbox::new().memory("deploy", bad).memory("fine", good("Fine"));
    assert_snapshot!(sandbox.run("validate").text(), @r"
    .rawko/memories/deploy.md:4:13: error: `hihg` is no importance
     4 | importance: hihg
       |             ^
       do: write `importance: high`
    2 files checked: 1 error, 0 warnings.
    1 memory waits for your approval before reaching an agent: rawko trust
    [exit 1]
    ");
}

#[test]
fn a_field_that_is_nearly_ours_is_pointed_at() {
    let text = good("Deploy")
        .replace("importance: high", "importance: high\nrelatedMemorys: [x]\nTags: [y]\nowner: me");
    assert_snapshot!(Sandbox::new().memory("deploy", text).run("validate").succeeds().out, @r"
    .rawko/memories/deploy.md:5:1: warning: `relatedMemorys` is no field that rawko knows, so it has no effect
     5 | relatedMemorys: [x]
       | ^
       do: write `relatedMemories: [x]`
    .rawko/memories/deploy.md:6:1: warning: `Tags` is no field that rawko knows, so it has no effect
     6 | Tags: [y]
       | ^
       do: write `tags: [y]`
    1 file checked: 0 errors, 2 warnings.
    1 memory waits for your approval before reaching an agent: rawko trust
    ");
}

#[test]
fn a_second_byte_order_mark_hides_no_file_unseen() {
    let sandbox = Sandbox::new().memory("deploy", format!("\u{feff}\u{feff}{}", good("Deploy")));
    let said = sandbox.run("validate").fails(1).text();
    assert!(said.contains("deploy.md:1:1: error: the line that opens the frontmatter"), "{said}");
    let sandbox = Sandbox::new().memory("deploy", format!("\u{feff}{}", good("Deploy")));
    let _ = sandbox.run("validate").succeeds();
}

#[test]
fn warnings_do_not_fail_and_can_be_left_out() {
    let text =
        memory("Deploy", "Short.").replace("whenToUse: deploy", "whenToUse: '.*'\nrelatedMemories: [gone]");
    let sandbox = Sandbox::new().memory("other-name", text);
    assert_snapshot!(sandbox.run("validate").succeeds().text(), @"
    .rawko/memories/other-name.md:1:1: warning: the memory `gone` that it names does not exist
       do: correct the name, or take it out
    .rawko/memories/other-name.md:2:1: warning: the file name `other-name` does not fit the title
     2 | title: Deploy
       | ^
       do: rename the file to `deploy.md`, or change the title
    .rawko/memories/other-name.md:3:1: warning: the trigger `.*` matches everything
     3 | whenToUse: '.*'
       | ^
       do: name what is special about the tasks that need this memory
    .rawko/memories/other-name.md:10:1: warning: the body has no heading
     10 | Short.
        | ^
       do: start it with `# Deploy`
    warning: 1 memory has fewer than 50 words (other-name): say where, why and how: 200 to 500 words serve best.
    1 file checked: 0 errors, 5 warnings.
    1 memory waits for your approval before reaching an agent: rawko trust
    ");
    let _ = sandbox.run("validate --errors-only").succeeds().says("1 file checked: 0 errors, 0 warnings.");
}

#[test]
fn that_many_memories_are_short_is_one_remark_unless_they_are_named() {
    let short = |title: &str| memory(title, &format!("# {title}\n\nShort."));
    let names = ["A", "B", "C", "D"];
    let sandbox =
        names.iter().fold(Sandbox::new(), |sandbox, name| sandbox.memory(&name.to_lowercase(), short(name)));
    assert_snapshot!(sandbox.run("validate").succeeds().text(), @r"
    warning: 4 memories have fewer than 50 words (a, b, c, …): say where, why and how: 200 to 500 words serve best.
    4 files checked: 0 errors, 4 warnings.
    4 memories wait for your approval before reaching an agent: rawko trust
    ");
    let _ = sandbox
        .run("validate .rawko/memories/a.md")
        .succeeds()
        .says("a.md:9:1: warning: the body has 3 words");
    assert_eq!(sandbox.run("validate --json").json()["problems"].as_array().map(Vec::len), Some(4));
}

#[test]
fn files_and_folders_can_be_named() {
    let sandbox =
        Sandbox::empty().file("notes/a.md", good("A")).file("notes/deep/b.md", "x").file("c.txt", "x");
    let _ = sandbox.run("validate notes").fails(1).says("notes/deep/b.md:1:1").says("2 files checked");
    let _ = sandbox.run("validate notes/a.md").succeeds().says("1 file checked: 0 errors, 0 warnings.");
    let _ = sandbox.run("validate c.txt").fails(1).says("the file has no frontmatter");
    let _ = sandbox.run("validate nowhere").fails(2).says("name files or folders that exist");
}

#[test]
fn the_mark_stands_below_its_column_after_tabs_and_wide_letters() {
    let mark = |line: &str| {
        let text = good("Deploy").replace("importance: high", line);
        let said = Sandbox::new().memory("deploy", text).run("validate").fails(1).out;
        let lines: Vec<&str> = said.lines().skip(1).take(2).collect();
        let before = lines[1].find('^').expect("a mark");
        // The columns that stand before the mark, wide letters counted twice.
        let mut width = 0;
        let under: String = lines[0]
            .chars()
            .skip_while(|&c| {
                width += if ('\u{2e80}'..'\u{a4cf}').contains(&c) { 2 } else { 1 };
                width <= before
            })
            .collect();
        under
    };
    assert_eq!(mark("importance:\thuge"), "huge");
    assert_eq!(mark("日本語: !tag x"), "!tag x");
    assert!(mark(&format!("importance: {}huge", "x".repeat(200))).starts_with("xxxx"));
}

#[test]
fn a_byte_that_is_no_text_is_named_by_line_and_column() {
    let sandbox = Sandbox::new().memory("odd", b"---\ntitle: caf\xe9\n---\n");
    let _ = sandbox.run("validate").fails(1).says("odd.md:2:11: error: the file is not UTF-8 text");
    let _ = sandbox.run("validate .rawko/memories/odd.md").fails(1).says("odd.md:2:11: error");
}

#[test]
fn json_has_every_part() {
    let sandbox = Sandbox::new().memory("deploy", good("Deploy").replace("title: Deploy\n", ""));
    let json = sandbox.run("validate --json").fails(1).json();
    assert_eq!(json["errors"], 1);
    assert_eq!(json["problems"][0]["file"], ".rawko/memories/deploy.md");
    for key in ["line", "column", "severity", "what", "remedy", "snippet"] {
        assert!(!json["problems"][0][key].is_null(), "{key}");
    }
}

/// Each step is what the one before it said to do.
#[test]
fn a_newcomer_is_led_from_a_broken_memory_to_a_good_one() {
    let sandbox = Sandbox::empty();
    let _ = sandbox.run("init").succeeds().says("Next: rawko add");
    for name in ["One", "Two", "Three"] {
        let _ =
            sandbox.run(&format!("add --title 'Note {name}' --when deploy --content '# Note'")).succeeds();
    }
    let path = ".rawko/memories/note-two.md";
    let broken = String::from_utf8(sandbox.read(path)).expect("text").replace("importance: ", "importance:");
    sandbox.write(path, &broken);
    let _ = sandbox.run("list").succeeds().says("note-one").says("1 problem in memory files: rawko validate");
    let said = sandbox.run("validate --errors-only").fails(1).says("note-two.md:5:1: error").out;
    let remedy = said.split("do: write `").nth(1).and_then(|rest| rest.split('`').next());
    let remedy = remedy.expect("a line to write");
    let mended = broken.lines().enumerate().map(|(n, line)| if n == 4 { remedy } else { line });
    sandbox.write(path, mended.map(|line| format!("{line}\n")).collect::<String>());
    let _ = sandbox.run("validate --errors-only").succeeds().says("0 errors");
    // Word for word what was written at first, so it needs nobody's word again.
    assert_eq!(sandbox.run("show note-two --json").succeeds().json()["injectable"], true);
}

#[test]
fn a_file_is_never_told_to_take_the_name_of_another() {
    let sandbox = Sandbox::new().memory("beta", good("Beta")).memory("gamma", good("Beta"));
    let sandbox = sandbox.memory("sub/gamma", good("Beta"));
    let said = sandbox.run("validate").succeeds().out;
    assert!(
        said.contains("change the title: `beta` is another memory (`rawko review --merge gamma beta`"),
        "{said}"
    );
    assert!(said.contains("rename the file to `sub/beta.md`"), "{said}");
    assert!(!said.contains("rename the file to `beta.md`"), "{said}");
    let by_path = sandbox.run("validate .rawko/memories/gamma.md").succeeds();
    let _ = by_path.says("change the title: `beta` is another memory");
}

#[test]
fn nothing_is_said_against_what_rawko_itself_wrote() {
    let sandbox = Sandbox::new().file("CLAUDE.md", format!("# Shop\n\n{}", "word ".repeat(60)));
    let value = "word ".repeat(60);
    let _ = sandbox.run("import CLAUDE.md").succeeds();
    let _ = sandbox.run(&format!("memory learn shape '{value}'")).succeeds();
    let _ = sandbox.run(&format!("memory append procedural '{value}' --condition deploying")).succeeds();
    for words in ["review --approve shop", "undo", "review --reject shop", "undo"] {
        let _ = sandbox.run(words).succeeds();
    }
    let _ = sandbox.run("validate").succeeds().says("3 files checked: 0 errors, 0 warnings.");
}

#[test]
fn a_conflict_around_a_whole_file_is_called_one() {
    let text = format!("<<<<<<< HEAD\n{}=======\nx\n>>>>>>> branch\n", good("Deploy"));
    let said = Sandbox::new().memory("deploy", text).run("validate --errors-only").fails(1).out;
    assert!(said.contains("deploy.md:1:1: error: a merge conflict is not resolved"), "{said}");
}

#[test]
fn fields_that_end_with_the_file_are_closed_below_the_last_one() {
    for end in ["", "\n", "\n\n"] {
        let text = format!("---\ntitle: Deploy\nwhenToUse: deploy{end}");
        let said = Sandbox::new().memory("deploy", text).run("validate").fails(1).out;
        assert!(said.contains("deploy.md:3:1: error: the frontmatter is not closed"), "{said}");
        assert!(said.contains("write a `---` line below this line"), "{said}");
    }
    let text = "---\ntitle: Deploy\nwhenToUse: deploy\nFrom main\n";
    let said = Sandbox::new().memory("deploy", text).run("validate").fails(1).out;
    assert!(said.contains("deploy.md:4:1: error") && said.contains("`---` line above"), "{said}");
}
