//! Programs that nobody listed, with names that nobody has: what is known of them is how programs are told things,
//! what errors say, and what a project looks like.

use super::worlds::{Case, wrong};
use super::*;

const FAILS: &str = "FAIL total: wanted 3, got 4";

#[rustfmt::skip]
const TOLD: &[Case] = &[
    // Where to work, with one dash or two.
    ("cd infra && zorp plan", 1, FAILS, &[], "zorp -chdir=infra plan", true),
    ("zorp plan", 1, FAILS, &[], "zorp -C . plan", true),
    ("cd a/b && zorp plan", 1, FAILS, &[], "zorp -C ./a/b/ plan", true),
    ("zorp plan", 1, FAILS, &[], "zorp -C site.yml plan", false),
    // How much is said, and in which form.
    ("zorp check cart", 1, FAILS, &[], "zorp check cart -vvv", true),
    ("zorp check cart", 1, FAILS, &[], "zorp check cart -q", true),
    ("zorp check cart", 1, FAILS, &[], "zorp check cart -q 3", false),
    ("zorp check cart", 1, FAILS, &[], "zorp check --console=plain cart", true),
    ("zorp check cart", 1, FAILS, &[], "zorp check cart --output json", true),
    ("zorp check cart", 1, FAILS, &[], "zorp check cart --output orders", false),
    ("zorp check cart", 1, FAILS, &[], "ZORP_DISABLE_NIGHTLY_WARNING=1 zorp check cart", true),
    // Short for a verb, or another verb.
    ("zorp require cart", 1, FAILS, &[], "zorp req cart", true),
    ("zorp upload cart", 1, FAILS, &[], "zorp up cart", false),
    ("zorp build web", 1, FAILS, &[], "zorp build:prod web", false),
    // One option with and without a dash inside.
    ("zorp collect --no-input", 1, FAILS, &[], "zorp collect --noinput", true),
    // This machine by its name or its number; what is quiet to a program that is listed.
    ("zorp ask 127.0.0.1:7001 list", 1, FAILS, &[], "zorp ask localhost:7001 list", true),
    ("kamal deploy", 1, FAILS, &[], "kamal deploy -q", true),
    // What says yes before it is asked, unless it was asked.
    ("zorp install cart", 1, "error: cart has no version 9", &[], "zorp install -y cart", true),
    ("zorp install cart", 1, "Continue? [y/N] error: stdin is not a terminal", &[], "zorp install -y cart", false),
    // Whoever starts it for it to find its own.
    ("vorn exec -- zorp check cart", 1, FAILS, &[], "zorp check cart --display=quiet", true),
    ("vorn exec -- zorp check cart", 127, "zorp: command not found", &[], "zorp check cart", false),
    ("perl bin/feed --date 3", 1, "Day out of range", &[], "perl ./bin/feed --date=3", true),
    // A folder that is made before makes no other move, unless it was what lacked.
    ("zorp check cart", 1, FAILS, &[], "mkdir -p out && zorp check cart", true),
    ("zorp dump out/x.csv", 1, "cannot open out/x.csv: No such file or directory", &[], "mkdir -p out && zorp dump out/x.csv", false),
];

#[test]
fn what_cannot_matter_is_known_of_programs_that_nobody_listed() {
    assert_eq!(wrong(TOLD).join("\n"), "");
}

const REFUSED: &str = "could not connect to server at \"127.0.0.1\", port 5433: Connection refused";
const UNPUBLISHED: &str =
    "remote: nothing here\nfatal: repository 'https://git.vat.test/mirror/fft.git/' not found";
const IN_SCRIPT: &str = "./tools/bench.sh: line 3: ./build/dev/bench: No such file or directory";

#[rustfmt::skip]
const MEETS: &[Case] = &[
    // A place is told by a host and a port, whoever is told.
    ("zorp migrate", 1, REFUSED, &[], "vorn -h localhost -p 5433 list", true),
    ("zorp migrate", 1, REFUSED, &[], "vorn --host localhost --port 5434 list", false),
    // Of an unknown program, another file may say another place.
    ("zorp -i inventory/lab.ini web ping", 1, "cannot connect to lab1: Connection refused", &[], "zorp web ping", false),
    // An address that is not there is not there for others.
    ("git submodule update --init", 1, UNPUBLISHED, &[], "git ls-remote https://git.vat.test/mirror/fft.git", true),
    ("git submodule update --init", 1, UNPUBLISHED, &[], "git ls-remote https://git.vat.test/mirror/png.git", false),
    // What a script lacks in its own lines it lacks whatever it is told, and whoever reads it.
    ("./tools/bench.sh 48000", 127, IN_SCRIPT, &[], "bash tools/bench.sh 44100", true),
    ("./tools/bench.sh 48000", 126, "bash: ./tools/bench.sh: Permission denied", &[], "bash tools/bench.sh 48000", false),
    // What runs inside another is known by the look of a call.
    ("make ci", 2, "zorp format --check\nzorp: lib/a.q is not formatted\nmake: *** [Makefile:2: ci] Error 1", &[], "zorp format --check", true),
    // A label is no name of a thing.
    ("zorp exec deploy/notify env", 1, "error: container not found (\"notify\")", &[], "zorp describe pod -l app=notify", false),
    // A machine that is lacking keeps a program from telling its version.
    ("./gradlew :core:test", 1, "ERROR: JAVA_HOME is set to an invalid directory: /opt/none", &[], "./gradlew --version", true),
    ("dotnet test", 1, "error NETSDK1045: The current .NET SDK does not support targeting .NET 9.0.", &[], "dotnet --version", false),
    // One part's packages are not another's.
    ("./gradlew build", 1, "> Could not resolve all files for configuration ':importer:compileClasspath'.\n    Required by:\n  project :importer", &[], "./gradlew :web:assemble", false),
    ("./gradlew build", 1, "> Could not resolve all files for configuration ':importer:compileClasspath'.\n    Required by:\n  project :importer", &[], "./gradlew :importer:test", true),
    ("./gradlew build", 1, "> Could not resolve all files for configuration ':importer:compileClasspath'.\n    Required by:\n  project :importer", &[], "./gradlew check", true),
    // What is not there is not got by force.
    ("php artisan migrate", 1, "SQLSTATE[HY000] [1049] Unknown database 'vat'", &[], "php artisan migrate --force", true),
    // Who publishes makes it.
    ("docker pull reg.test/vat:2", 1, "manifest for reg.test/vat:2 not found: manifest unknown", &[], "docker push reg.test/vat:2", false),
    ("zorp logs web", 1, "deployments \"web\" not found in namespace \"data\"", &[], "vorn upgrade --install web chart -n data", false),
    // A list of devices is asked for where there is none; who is told of one is told more.
    ("zorp flash app", 1, "Error: No connected probes were found.", &[], "zorp list", false),
    ("zorp flash app", 1, "Error: No connected probes were found.", &[("zorp list", "No probes.")], "zorp reset", true),
    ("zorp train", 1, "no capable device is detected", &[], "zorp train --device cpu", false),
    // A key with slashes is no file.
    ("zorp kv get config/api/limit", 1, "Error! No key exists at: config/api/limit", &[], "zorp kv put config/api/limit 10", false),
    // What has to be initialised first does not need it.
    ("zorp plan", 1, "Error: not set up, run \"zorp init\"", &[], "zorp init", false),
    ("zorp plan", 1, "Error: not set up, run \"zorp init\"", &[], "zorp apply", true),
];

#[test]
fn who_meets_the_same_is_known_though_nobody_listed_it() {
    assert_eq!(wrong(MEETS).join("\n"), "");
}

#[rustfmt::skip]
const SINCE: &[Case] = &[
    // What the error asks for, of whatever program.
    ("zorp test e2e", 1, "Looks like zorp was updated. Please run: zorp install", &[("zorp install chromium", "done")], "zorp test e2e", false),
    ("zorp plan", 1, "You may be able to install it by running:\n  zorp init", &[("zorp init", "done")], "zorp plan", false),
    // Who hands over credentials has logged in.
    ("zorp add fonts", 1, "error: 401 (Unauthorized).", &[("zorp source update acme -u ci -p $FEED_TOKEN", "updated")], "zorp add fonts", false),
    ("zorp read key", 1, "PERMISSION_DENIED: may not read", &[("zorp add-iam-policy-binding key --member me", "done")], "zorp read key", false),
    // What was left to run may answer.
    ("curl -sf http://localhost:8085/t", 7, "", &[("nohup zorp serve > /tmp/zorp.log 2>&1 &", "")], "curl -sf http://localhost:8085/t", false),
    ("curl -sSf http://localhost:8085/t", 22, "The requested URL returned error: 404", &[("zorp stop && (nohup zorp serve > /tmp/z.log 2>&1 &) && sleep 3", "")], "curl -sSf http://localhost:8085/t", false),
    ("curl -sSf http://localhost:8085/t", 22, "The requested URL returned error: 404", &[("zorp check", "")], "curl -sSf http://localhost:8085/t", true),
    // What was built is there, by its name or because all was built.
    ("./tools/bench.sh", 127, IN_SCRIPT, &[("zorp --target bench build/dev make", "done")], "./tools/bench.sh", false),
    ("./out/bin/game", 127, "bash: ./out/bin/game: No such file or directory", &[("zorp build", "done")], "./out/bin/game", false),
    ("zorp reindex", 1, "[404] {\"reason\":\"no such index [posts_v2]\"}", &[("curl -X PUT localhost:9200/posts_v2", "{}")], "zorp reindex", false),
    ("zorp describe --topic orders", 1, "Topic 'orders' does not exist as expected", &[("zorp --create --topic orders", "Created")], "zorp describe --topic orders", false),
    ("zorp gen", 1, "please make sure vorn-gen is installed and present on your $PATH", &[("go install x.test/cmd/vorn-gen@latest", "")], "zorp gen", false),
    // A look at what there is.
    ("zorp install", 1, "could not find compatible versions for \"Core\"", &[("zorp repo update", "updated")], "zorp install", false),
    ("git checkout hot/fix", 1, "fatal: invalid reference: hot/fix", &[("git fetch origin", "")], "git checkout hot/fix", false),
    ("node dist/api/main.js", 1, "Error: Cannot find module '/home/me/shop/dist/api/main.js'", &[("zorp build api", "done")], "node dist/api/main.js", false),
    // A clean tree, a version that was wanted.
    ("zorp release 2", 3, "release: working tree is dirty", &[("git stash", "Saved")], "zorp release 2", false),
    ("zorp build", 1, "no interpreter satisfies the constraints for python3.12", &[("pyenv install 3.12", "")], "zorp build", false),
    ("zorp run app", 1, "zorp requires Docker. Is it installed and running?", &[("sudo systemctl start docker", "")], "zorp run app", false),
    // Not learned at all.
    ("zorp update rack", 17, "fetch failed: <Net::OpenTimeout: execution expired>", &[], "zorp update rack", false),
    ("zorp apply", 1, "unknown field \"idleTimeout\"", &[], "zorp apply", true),
    ("zorp diff -k prod", 1, "-  image: a\n+  image: b", &[], "zorp diff -k prod", false),
    ("zorp diff -k prod", 1, "error: no such overlay", &[], "zorp diff -k prod", true),
];

#[test]
fn what_was_done_since_counts_for_programs_that_nobody_listed() {
    assert_eq!(wrong(SINCE).join("\n"), "");
}

#[test]
fn what_an_unknown_program_reads_is_guessed_unless_the_error_is_about_something_elsewhere() {
    let sources = |text: &str, error: &str| command(text).inputs(AT, error).sources;
    for (text, error, wanted) in [
        ("zorp check cart", FAILS, Sources::Guessed),
        ("./run-all 3", FAILS, Sources::Guessed),
        ("Rscript -e 'check()'", FAILS, Sources::Guessed),
        ("zorp lint", "task \"lint\" not found", Sources::Guessed),
        ("zorp migrate", REFUSED, Sources::Unless),
        ("zorp get web", "namespace \"web\" not found", Sources::Unless),
        ("cat a.txt", "cat: a.txt: Permission denied", Sources::Named),
    ] {
        assert_eq!(sources(text, error), wanted, "{text}");
    }
    assert!(command("zorp add fonts").inputs(AT, FAILS).brings);
    assert_eq!(command("zorp lint chart").inputs(AT, FAILS).words, ["lint", "chart"]);
}

#[test]
fn a_shorter_word_of_the_same_failure_takes_over_what_the_longer_one_knew() {
    let long =
        failed("zorp plan", "Error: missing provider\nYou may be able to get it by running:\n  zorp init");
    let mut short = failed("zorp plan", "Error: missing provider");
    short.state.files = vec![("a".into(), "1".into())];
    short.absorb(&long);
    assert!(short.is_mended_by(&command("zorp init"), ""));
    assert_eq!(short.state.files.len(), 1);
}
