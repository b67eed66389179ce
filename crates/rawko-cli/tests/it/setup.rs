//! `rawko setup`: what is written where, and that every byte comes back.

use std::fs;
use std::path::PathBuf;

use crate::sandbox::{Said, Sandbox, snapshot};

/// A person's home and a project.
fn person() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let home = sandbox.scratch().join("person");
    fs::create_dir(&home).expect("a home");
    let name = home.display().to_string();
    (sandbox.with("HOME", &name), home)
}

const FILES: [(&str, &str, &str); 6] = [
    ("claude", ".claude/settings.json", ".claude/settings.json"),
    ("codex", ".codex/hooks.json", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json", ".gemini/settings.json"),
    ("copilot", ".copilot/hooks/rawko.json", ".github/hooks/rawko.json"),
    ("cursor", ".cursor/hooks.json", ".cursor/hooks.json"),
    ("opencode", ".config/opencode/plugins/rawko.js", ".opencode/plugins/rawko.js"),
];

#[test]
fn a_new_file_and_its_folders_go_when_it_is_taken_back() {
    let (sandbox, home) = person();
    for (host, user, project) in FILES {
        for (scope, folder, file) in [("--user", &home, user), ("--project", &sandbox.project(), project)] {
            let before = snapshot(folder);
            let _ = sandbox.run(&format!("setup {host} {scope} --yes")).succeeds().says("written");
            assert!(folder.join(file).is_file(), "{host} {scope}");
            let _ = sandbox.run(&format!("setup {host} {scope} --yes")).succeeds().says("is set up");
            let _ = sandbox.run(&format!("setup {host} {scope} --remove --yes")).succeeds().says("removed");
            assert_eq!(snapshot(folder), before, "{host} {scope}");
            let _ =
                sandbox.run(&format!("setup {host} {scope} --remove --yes")).succeeds().says("has nothing");
        }
    }
}

#[test]
fn a_persons_file_comes_back_byte_for_byte() {
    let (sandbox, home) = person();
    let ours = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}], "SessionStart": []}}"#;
    for (host, user, _) in FILES.into_iter().filter(|(host, ..)| !matches!(*host, "copilot" | "opencode")) {
        for text in [
            "",
            "\n",
            "{}",
            "{ }\n",
            "{\"a\": 1}",
            "\u{feff}{\n\t\"a\": [1, 2,], // mine\n\t/* and */ \"b\": \"}\"\n}",
            "{\r\n    \"model\": \"x\"\r\n}\r\n",
            "{\n  \"hooks\": {}\n}\n",
            ours,
        ] {
            let file = home.join(user);
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            fs::write(&file, text).expect("written");
            let _ = sandbox.run(&format!("setup {host} --yes")).succeeds().says("written");
            let now = fs::read_to_string(&file).expect("read");
            assert!(now.contains(&format!("hook {host} ")), "{host}: {now}");
            let _ = sandbox.run(&format!("setup {host} --yes")).succeeds().says("is set up");
            let _ = sandbox.run(&format!("setup {host} --remove --yes")).succeeds();
            assert_eq!(fs::read_to_string(&file).expect("read"), text, "{host}");
        }
    }
}

#[test]
fn what_the_person_changed_since_stays() {
    let (sandbox, home) = person();
    let file = home.join(".claude/settings.json");
    fs::create_dir(home.join(".claude")).expect("made");
    fs::write(&file, "{\n  \"model\": \"a\"\n}\n").expect("written");
    let _ = sandbox.run("setup claude --yes").succeeds();
    let text = fs::read_to_string(&file).expect("read").replace("\"a\",", "\"b\", // better");
    fs::write(&file, text.replace("\"timeout\": 10", "\"timeout\":  20")).expect("written");
    let _ = sandbox.run("setup claude --remove --yes").succeeds();
    let left = fs::read_to_string(&file).expect("read");
    assert!(left.contains("\"b\"") && left.contains("// better") && !left.contains("rawko"), "{left}");
}

#[test]
fn the_change_is_shown_and_nothing_is_written_unasked() {
    let (sandbox, home) = person();
    fs::create_dir(home.join(".claude")).expect("made");
    fs::write(home.join(".claude/settings.json"), "{\n  \"model\": \"a\"\n}\n").expect("written");
    let said = sandbox.run("setup claude").fails(2);
    assert!(
        said.out.contains("+   \"hooks\": {") && said.out.contains("UserPromptSubmit"),
        "{}",
        said.text()
    );
    assert_eq!(
        fs::read_to_string(home.join(".claude/settings.json")).expect("read"),
        "{\n  \"model\": \"a\"\n}\n"
    );
    let (screen, code) = sandbox.on_terminal(&["setup", "claude"], "n\n");
    assert!(code == 0 && screen.contains("Write it? [y/N]") && screen.contains("left as it is"), "{screen}");
    let (screen, code) = sandbox.on_terminal(&["setup", "claude"], "y\n");
    assert!(code == 0 && screen.contains("written") && screen.contains("`rawko why` tells"), "{screen}");
}

#[test]
fn a_file_that_is_no_json_is_left_alone_and_the_others_are_set_up() {
    let (sandbox, home) = person();
    for folder in [".claude", ".codex"] {
        fs::create_dir(home.join(folder)).expect("made");
    }
    fs::write(home.join(".claude/settings.json"), "{\n  \"a\": 1\n  \"b\": 2\n}").expect("written");
    let said: Said =
        sandbox.run("setup Claude codex --yes").fails(1).says("settings.json line 3: a comma is missing");
    assert!(said.out.contains("Codex") && home.join(".codex/hooks.json").is_file());
    assert!(said.err.contains("hint: this file is as it was"), "others were changed: {}", said.err);
    for words in ["setup claude --check", "doctor"] {
        let _ = sandbox.run(words).says("settings.json line 3: a comma is missing").says("do: mend the file");
    }
}

#[test]
fn what_setup_notes_in_the_persons_folder_is_known_to_the_doctor() {
    let (sandbox, _) = person();
    let _ = sandbox.run("setup claude --yes").succeeds();
    let _ = sandbox.run("add --personal --title X --when y --content z").succeeds();
    let said = sandbox.run("doctor").succeeds();
    assert!(!said.out.contains("is not rawko's"), "{}", said.out);
}

#[test]
fn a_file_that_somebody_made_read_only_stays_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let (sandbox, home) = person();
    fs::create_dir(home.join(".claude")).expect("made");
    let file = home.join(".claude/settings.json");
    fs::write(&file, "{}").expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).expect("read-only");
    let _ = sandbox.run("setup claude --yes").fails(1).says("not written").says("is read-only");
    assert_eq!(fs::read_to_string(&file).expect("read"), "{}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("allowed");
    let _ = sandbox.run("setup claude --yes").succeeds();
    let _ = sandbox.run("setup claude --remove --yes").succeeds();
    assert_eq!(fs::read_to_string(&file).expect("read"), "{}");
}

#[test]
fn a_link_is_followed_and_said_so() {
    let (sandbox, home) = person();
    fs::create_dir_all(home.join("dotfiles")).expect("made");
    fs::create_dir(home.join(".claude")).expect("made");
    fs::write(home.join("dotfiles/claude.json"), "{}").expect("written");
    std::os::unix::fs::symlink(home.join("dotfiles/claude.json"), home.join(".claude/settings.json"))
        .expect("a link");
    let _ = sandbox.run("setup claude --yes").succeeds().says("it is a link; the file that changes is");
    assert!(home.join(".claude/settings.json").symlink_metadata().expect("there").is_symlink());
    assert!(
        fs::read_to_string(home.join("dotfiles/claude.json")).expect("read").contains("hook claude Stop")
    );
    let _ = sandbox.run("setup claude --remove --yes").succeeds();
    assert_eq!(fs::read_to_string(home.join("dotfiles/claude.json")).expect("read"), "{}");
}

#[test]
fn a_host_folder_that_is_a_link_is_left_as_it_was() {
    let (sandbox, home) = person();
    fs::create_dir(home.join("dot")).expect("made");
    std::os::unix::fs::symlink(home.join("dot"), home.join(".claude")).expect("a link");
    let before = snapshot(&home);
    let _ = sandbox.run("setup claude --yes").succeeds().says("written");
    assert!(home.join("dot/settings.json").is_file());
    let _ = sandbox.run("setup claude --remove --yes").succeeds().says("removed");
    assert_eq!(snapshot(&home), before);
    assert!(home.join(".claude").symlink_metadata().expect("there").is_symlink());
}

#[test]
fn a_host_that_cannot_be_written_does_not_stop_the_others() {
    let (sandbox, home) = person();
    // A link to nowhere in the place of a folder: not even the owner of the machine can write below it.
    fs::create_dir(home.join(".gemini")).expect("made");
    for (link, at) in [(".claude", "nowhere/claude"), (".codex", "nowhere/codex")] {
        std::os::unix::fs::symlink(home.join(at), home.join(link)).expect("a link");
    }
    let said = sandbox.run("setup claude codex gemini --yes").fails(1);
    // What could be written is, and each file is told: also the other one of a host that was refused one.
    for file in [".claude.json", ".gemini/settings.json"] {
        assert!(home.join(file).is_file(), "{file}: {}", said.text());
        assert!(said.out.contains(&format!("  written: <scratch>/person/{file}")), "{}", said.text());
    }
    for file in [".claude/settings.json", ".codex/hooks.json", ".codex/config.toml"] {
        let refused = format!("  not written: <scratch>/person/{file}");
        assert!(said.out.contains(&refused), "{file}: {}", said.text());
    }
    let _ = sandbox.run("setup claude codex gemini --remove --yes").succeeds();
    assert!(!home.join(".claude.json").exists() && !home.join(".gemini/settings.json").exists());
}

#[test]
fn a_file_that_has_the_name_of_our_temporary_one_stays() {
    let (sandbox, home) = person();
    fs::create_dir(home.join(".claude")).expect("made");
    // The name has the process's number, which the shell hands on.
    let script = "echo mine > \"$HOME/.claude/.rawko-setup-$$\"; exec \"$0\" setup claude --yes";
    let mut command = sandbox.command("sh".as_ref());
    let said = sandbox.run_command(command.args(["-c", script]).arg(sandbox.program()), b"").fails(1);
    let beside = snapshot(&home.join(".claude"));
    assert!(beside.len() == 1 && beside[0].1 == b"mine\n", "{}{beside:?}", said.text());
}

#[test]
fn only_the_trust_of_our_own_hook_counts() {
    let (sandbox, home) = person();
    let hooks = home.join(".codex/hooks.json");
    fs::create_dir(home.join(".codex")).expect("made");
    let theirs = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}"#;
    fs::write(&hooks, theirs).expect("written");
    let _ = sandbox.run("setup codex --yes").succeeds();
    let settings = home.join(".codex/config.toml");
    let block = fs::read_to_string(&settings).expect("written by setup");
    let trusted = |stop: &str, more: &str| {
        let events = [
            "session_start",
            "user_prompt_submit",
            "pre_tool_use",
            "post_tool_use",
            "subagent_start",
            "subagent_stop",
            "pre_compact",
        ];
        let events = events.into_iter().chain(["session_end"]).map(|event| format!("{event}:0:0"));
        let rows = events.chain([stop.to_owned()]).map(|event| {
            format!("[hooks.state.\"{}:{event}\"]\ntrusted_hash = \"sha256:00\"\n", hooks.display())
        });
        fs::write(&settings, format!("{}{more}\n{block}", rows.collect::<String>())).expect("written");
        sandbox.run("setup codex --check")
    };
    let said = trusted("stop:0:0", "").fails(1).says("not trusted yet");
    assert!(said.out.contains(": Stop"), "{}", said.out);
    let _ = trusted("stop:1:0", "").succeeds();
    let _ = trusted("stop:10:0", "").fails(1);
    let _ = trusted("stop:1:0", "[features]\nhooks = false\n").fails(1).says("hooks = false");
    let _ = trusted("stop:1:0", "[features]\nhooks = true\n").succeeds();
    let _ = trusted("stop:1:0", "enabled = false\n").fails(1).says("Stop");
    let _ = trusted("stop:1:0", "[broken\n").fails(1).says("is no TOML");
}

#[test]
fn hooks_that_any_settings_file_turns_off_are_told() {
    let (sandbox, _) = person();
    let _ = sandbox.run("setup claude --yes").succeeds();
    let project = sandbox.project().join(".claude");
    fs::create_dir(&project).expect("made");
    for file in ["settings.json", "settings.local.json"] {
        fs::write(project.join(file), "{\"disableAllHooks\": true}").expect("written");
        for words in ["setup claude --check", "doctor"] {
            let said = sandbox.run(words).says("disableAllHooks");
            assert!(said.out.contains(file), "{words}: {}", said.out);
        }
        let _ = sandbox.run("setup claude --check").fails(1);
        fs::write(project.join(file), "{\"disableAllHooks\": false}").expect("written");
        let _ = sandbox.run("setup claude --check").succeeds();
    }
}

#[test]
fn check_says_what_is_missing_and_what_codex_does_not_trust() {
    let (sandbox, home) = person();
    let _ = sandbox
        .run("setup claude --check")
        .fails(1)
        .says("Claude Code is not set up")
        .says("rawko setup claude");
    let _ = sandbox.run("setup claude --yes").succeeds();
    let _ = sandbox.run("setup claude --check").succeeds().says("is set up in");
    let file = home.join(".claude/settings.json");
    let text = fs::read_to_string(&file).expect("read");
    fs::write(&file, text.replace("hook claude Stop", "hook nobody Stop")).expect("written");
    let _ = sandbox.run("setup claude --check").fails(1).says("lacks Stop");
    let _ = sandbox.run("setup codex --yes").succeeds().says("/hooks");
    let _ = sandbox.run("setup codex --check").fails(1).says("not trusted yet").says("PreToolUse");
    let hooks = home.join(".codex/hooks.json");
    let events = [
        "session_start",
        "user_prompt_submit",
        "pre_tool_use",
        "post_tool_use",
        "subagent_start",
        "subagent_stop",
        "pre_compact",
        "stop",
        "session_end",
    ];
    let trusted = events.map(|event| {
        format!("[hooks.state.\"{}:{event}:0:0\"]\ntrusted_hash = \"sha256:00\"\n", hooks.display())
    });
    let settings = home.join(".codex/config.toml");
    let block = fs::read_to_string(&settings).expect("written by setup");
    fs::write(&settings, trusted.concat()).expect("written");
    let _ = sandbox.run("setup codex --check").fails(1).says("config.toml lacks the MCP server `rawko`");
    fs::write(&settings, format!("{}{block}", trusted.concat())).expect("written");
    let _ = sandbox.run("setup codex --check").succeeds().says("the MCP server `rawko` is in");
    let _ = sandbox.run("doctor").says("host claude").says("host codex");
}

#[test]
fn hosts_that_are_here_are_found() {
    let (sandbox, home) = person();
    let sandbox = sandbox.with("PATH", "/nowhere");
    let _ = sandbox.run("setup --yes").fails(1).says("none of the hosts");
    fs::create_dir(home.join(".gemini")).expect("made");
    let said = sandbox.run("setup --yes").succeeds();
    assert!(said.out.contains("Gemini CLI") && !said.out.contains("Claude"), "{}", said.out);
    // A missing program must not stop Gemini's turns.
    let text = fs::read_to_string(home.join(".gemini/settings.json")).expect("read");
    assert!(text.contains("command -v ") && text.contains(" 2>/dev/null || true"), "{text}");
    let _ = sandbox.run("setup nobody").fails(2).says("is no host");
}

/// The file in which each host looks for servers, by scope; nothing where it has none.
const SERVERS: [(&str, &str, &str); 6] = [
    ("claude", ".claude.json", ".mcp.json"),
    ("codex", ".codex/config.toml", ".codex/config.toml"),
    ("gemini", ".gemini/settings.json", ".gemini/settings.json"),
    ("copilot", ".copilot/mcp-config.json", ""),
    ("cursor", ".cursor/mcp.json", ".cursor/mcp.json"),
    ("opencode", ".config/opencode/opencode.json", "opencode.json"),
];

#[test]
fn the_server_is_written_beside_the_hooks_and_every_byte_comes_back() {
    let (sandbox, home) = person();
    for (host, user, project) in SERVERS {
        for (scope, folder, file) in [("--user", &home, user), ("--project", &sandbox.project(), project)] {
            let texts: &[&str] = match (host, file) {
                (_, "") => continue,
                ("codex", _) => &["", "model = \"x\"", "# mine\n[features]\nhooks = true\n\n"],
                ("opencode", _) => &[
                    "{}",
                    "{\n  // mine\n  \"mcp\": {\"other\": {\"type\": \"local\", \"command\": [\"x\"]}}\n}\n",
                ],
                _ => &[
                    "",
                    "{}\n",
                    "{\r\n  \"mcpServers\": {\"other\": {\"command\": \"x\"}}, // mine\r\n  \"b\": [1,]\r\n}",
                ],
            };
            for text in texts {
                let file = folder.join(file);
                fs::create_dir_all(file.parent().expect("a folder")).expect("made");
                fs::write(&file, text).expect("written");
                let _ = sandbox.run(&format!("setup {host} {scope} --yes")).succeeds().says("written");
                let now = fs::read_to_string(&file).expect("read");
                assert!(now.contains("\"mcp\"") && now.contains("rawko"), "{host}: {now}");
                let _ = sandbox.run(&format!("setup {host} {scope} --yes")).succeeds().says("is set up");
                assert_eq!(fs::read_to_string(&file).expect("read"), now, "{host} {scope}: not idle");
                let said = sandbox.run(&format!("setup {host} {scope} --check"));
                assert!(said.out.contains("the MCP server `rawko` is in"), "{host} {scope}: {}", said.text());
                let _ = sandbox.run(&format!("setup {host} {scope} --remove --yes")).succeeds();
                assert_eq!(fs::read_to_string(&file).expect("read"), *text, "{host} {scope}");
                fs::remove_file(&file).expect("removed");
            }
        }
    }
}

#[test]
fn a_server_of_somebody_else_under_our_name_is_left_alone() {
    let (sandbox, home) = person();
    let theirs = "{\"mcpServers\": {\"rawko\": {\"command\": \"theirs\"}}}";
    fs::write(home.join(".claude.json"), theirs).expect("written");
    let _ = sandbox.run("setup claude --yes").fails(1).says("another server of this name");
    assert_eq!(fs::read_to_string(home.join(".claude.json")).expect("read"), theirs);
    let _ = sandbox.run("setup claude --remove --yes").succeeds();
    assert_eq!(fs::read_to_string(home.join(".claude.json")).expect("read"), theirs);
}

#[test]
fn a_persons_hook_in_a_group_with_ours_stays() {
    let (sandbox, home) = person();
    let file = home.join(".claude/settings.json");
    let _ = sandbox.run("setup claude --yes").succeeds();
    let text = fs::read_to_string(&file).expect("read");
    let at = text.find("\"Stop\"").expect("a list");
    let inner = at + text[at..].find("\"hooks\": [").expect("a group") + "\"hooks\": [".len();
    let with =
        format!("{}{{\"type\": \"command\", \"command\": \"say done\"}},{}", &text[..inner], &text[inner..]);
    fs::write(&file, with).expect("written");
    let _ = sandbox.run("setup claude --remove --yes").succeeds();
    let left = fs::read_to_string(&file).expect("read");
    assert!(left.contains("say done") && !left.contains("rawko"), "{left}");
    serde_json::from_str::<serde_json::Value>(&left).expect("still JSON");
}

#[test]
fn a_host_is_not_left_half_set_up() {
    let (sandbox, home) = person();
    fs::create_dir(home.join(".claude")).expect("a folder");
    fs::write(home.join(".claude/settings.json"), "{ \"hooks\": ").expect("broken");
    let before = snapshot(&home);
    let said = sandbox.run("setup claude codex -y").fails(1);
    let _ = said.says("Claude Code was left as it is");
    let after = snapshot(&home);
    assert!(!home.join(".claude.json").exists() && before.iter().all(|file| after.contains(file)));
    assert!(home.join(".codex/hooks.json").exists(), "another host has files of its own");
}
