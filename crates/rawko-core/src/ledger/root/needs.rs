//! What a move needs: the things whose lack would make it fail.

use super::{
    Move, Root, Step, absent, broken, endpoint, executed, join, kinds, looks_like_path, named, path_tokens,
    program, script, sources, step_endpoints, surroundings, tools, unready,
};

/// Options and variables that say to which server a program talks.
#[rustfmt::skip]
const PLACES: &[&str] = &[
    "context", "kube-context", "kubeconfig", "host", "H", "server", "cluster", "profile", "region", "url", "endpoint", "endpoint-url", "addr",
    "address", "inventory", "limit", "as", "role-arn", "account", "project", "remote", "app", "org", "registry", "database-url", "socket",
];
#[rustfmt::skip]
const PLACE_ENDS: &[&str] = &["_HOST", "_CONTEXT", "_PROFILE", "_ADDR", "_ADDRESS", "_URL", "KUBECONFIG", "_REGION", "_PROJECT", "_REGISTRY", "PGHOST"];

/// Where a program is told that its service is.
pub(super) fn places(step: &Step) -> Vec<&str> {
    let client = step.tool().port.is_some();
    let is_place = |name: &str| {
        let plain = name.trim_start_matches('-');
        let sets = ["config", "conf", "settings", "properties", "env-file", "environment"];
        // `-Dapp.db.url` is a url.
        let last = plain.rsplit(['.', '_']).next().unwrap_or(plain).to_ascii_lowercase();
        PLACES.contains(&plain)
            || plain.contains('.')
                && (PLACES.contains(&last.as_str())
                    || matches!(last.as_str(), "port" | "user" | "active" | "env"))
            || sets.iter().any(|word| plain.to_ascii_lowercase().contains(word))
            || client && matches!(name, "-h" | "-p" | "-P" | "-U" | "-u")
            || !client && matches!(name, "-P" | "-D")
    };
    let options = step.values().filter(|(name, _)| is_place(name)).map(|(_, value)| value);
    let env = step.env.iter().filter(|set| {
        let name = set.split('=').next().unwrap_or_default();
        PLACE_ENDS.iter().any(|end| name.ends_with(end))
    });
    let mut found: Vec<&str> = options.chain(env.map(String::as_str)).collect();
    // `-Pstaging` is a profile.
    let joined = step.near.iter().filter(|near| !near.joined).map(|near| near.flag.as_str());
    found.extend(
        joined.filter(|flag| !client && flag.len() > 2 && (flag.starts_with("-P") || flag.starts_with("-D"))),
    );
    found.sort_unstable();
    found
}

/// Options that say where among many a name is looked for.
#[rustfmt::skip]
const SCOPES: &[&str] = &[
    "namespace", "zone", "location", "resource-group", "subscription", "database", "db", "dbname", "d", "D", "n", "g", "p", "P", "N", "env", "environment",
    "stack", "workspace", "repo", "R", "vault", "bootstrap-server", "account-name", "user", "tenant", "keyspace", "schema", "network", "dir", "path",
];

/// Of these, the ones that are sure to name a thing which has to be there, by their long names.
const WITHIN: &[&str] =
    &["namespace", "context", "kube-context", "profile", "network", "cluster", "resource-group", "database"];

/// Where a step looks for a thing of this name, option by option.
fn scope<'a>(step: &'a Step, name: &str) -> Vec<(&'a str, &'a str)> {
    let is_scope = |option: &str| {
        let option = option.trim_start_matches('-');
        SCOPES.contains(&option) || PLACES.contains(&option) || matches!(option, "h" | "H" | "U" | "u")
    };
    // Of who runs a command elsewhere, an option that nobody knows may be that command's.
    let known = |option: &str| {
        step.tool().remote.is_empty() || step.flags.iter().any(|flag| flag.starts_with(option))
    };
    let mut found: Vec<(&str, &str)> =
        step.values().filter(|(option, value)| is_scope(option) && known(option) && *value != name).collect();
    let env = step.env.iter().filter_map(|set| set.split_once('='));
    found
        .extend(env.filter(|(set, value)| PLACE_ENDS.iter().any(|end| set.ends_with(end)) && *value != name));
    // The file that a database is.
    let opened = step.words.first().filter(|word| step.tool().opens && looks_like_path(word));
    found.extend(opened.map(|path| ("", path.as_str())));
    found.sort_unstable();
    found
}

/// Whether a step looks for a name in another place than the one that did not find it there, or means another thing by it.
pub(in super::super) fn is_elsewhere(
    failed: &Step,
    kinds: &[(String, String)],
    step: &Step,
    root: &Root,
) -> bool {
    let named =
        matches!(root, Root::Absent(_) | Root::Datum(_) | Root::Named(_) | Root::Target(_) | Root::Taken(_));
    let Some(name) = root.name().filter(|_| named) else { return false };
    let kin = tools::family(&failed.program) == tools::family(&step.program);
    if matches!(root, Root::Datum(_)) {
        return kin && scope(failed, name) != scope(step, name);
    }
    if kinds::differ(failed, kinds, step, name)
        || matches!(root, Root::Taken(_))
            && failed.sub != step.sub
            && gives(failed, name) != gives(step, name)
    {
        return true;
    }
    if kin {
        // A project's tasks are its own.
        let project = matches!(root, Root::Target(_) | Root::Named(_)) && failed.reads_sources();
        return scope(failed, name) != scope(step, name) || project && failed.folder != step.folder;
    }
    // Of other kinds, only who speaks to the same place can mean the same by a plain word.
    let both = || step_endpoints(failed).iter().any(|place| step_endpoints(step).contains(place));
    let plain = name.bytes().all(|byte| byte.is_ascii_lowercase());
    plain && !(tools::share_names(&failed.program, &step.program) || both())
}

/// The option by which a step gives a name to what it makes; none where the option only says that it is a name.
fn gives<'a>(step: &'a Step, name: &str) -> Option<&'a str> {
    let given = step.values().find(|(_, value)| *value == name).map(|(option, _)| option);
    given.filter(|option| option.starts_with("--") && *option != "--name")
}

/// Whether a step speaks to a database or a server: it is a client, has an address, or a task of that kind.
fn reaches_data(step: &Step) -> bool {
    step.tool().port.is_some()
        || step.tool().opens
        || kind_of(step) == Some("db")
        || step.raw_words().any(|word| word.contains("://"))
        || step.remote().is_some_and(|there| there.last().is_some_and(reaches_data))
}

/// Whether a step of the same kind works in another place, and says so as the failed one did.
pub(in super::super) fn is_in_another(failed: &Step, step: &Step, name: &str) -> bool {
    let (mine, other) = (scope(failed, name), scope(step, name));
    let differs =
        |(option, value): &(&str, &str)| other.iter().any(|(known, told)| known == option && told != value);
    tools::family(&failed.program) == tools::family(&step.program) && mine.iter().any(differs)
}

/// The names that a step was given, whole and in parts: `x/web`, `--network=x`, `.#x`.
pub(super) fn given(step: &Step) -> Vec<&str> {
    // What it shall be called is not what it looks for.
    let calls = |option: &str| option.contains("out") || matches!(option, "-o" | "--name" | "--tag");
    let called = |word: &&str| step.values().any(|(option, value)| value == *word && calls(option));
    let words =
        step.words.iter().chain(&step.tail).map(String::as_str).chain(step.values().map(|(_, value)| value));
    // `-l app=x` is a label, and no thing of that name.
    let labels = |word: &&str| word.contains('=') && step.values().any(|(_, value)| value == *word);
    let words = words.filter(|word| !called(word) && !labels(word));
    let mut found: Vec<&str> = Vec::new();
    for word in words.take(60) {
        let ends = |c: char| c.is_whitespace() || "/:@=,#();'\"`".contains(c);
        found.extend(word.split(ends).filter(|part| part.len() > 1));
        found.extend(word.split(|c: char| c.is_whitespace() || "=,();'\"`".contains(c)).chain([word]));
    }
    found.retain(|name| name.len() > 1 && !name.starts_with('-'));
    found.sort_unstable();
    found.dedup();
    found.truncate(200);
    found
}

/// A program as its starter finds it.
pub(super) fn program_of(step: &Step) -> String {
    step.via.iter().chain([&step.program]).map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// The kind of a program's tasks, where they have one: `db:migrate` and `loaddata` are of databases.
pub(in super::super) fn kind_of(step: &Step) -> Option<&str> {
    #[rustfmt::skip]
    const DATABASE: &[&str] = &[
        "migrate", "migrations", "migration", "database", "db", "loaddata", "dumpdata", "dbshell", "flush", "seed", "createsuperuser",
        "showmigrations", "inspectdb",
    ];
    if tools::MIGRATES.contains(&step.program.as_str()) {
        return Some("db");
    }
    let verb = step.sub.as_deref().or(step.words.first().map(String::as_str)).unwrap_or_default();
    let verb = verb.rsplit(' ').next().unwrap_or(verb);
    let kind = verb.split_once(['.', ':']).map(|(kind, _)| kind);
    let kind = kind.filter(|kind| !kind.is_empty() && (step.sub.is_some() || !looks_like_path(verb)));
    kind.or_else(|| DATABASE.contains(&verb).then_some("db"))
}

/// What a program's service is known by: its family, the kind of its tasks, and where it is.
pub(in super::super) fn service_key(step: &Step) -> Option<String> {
    let mut key = tools::family(&step.program).to_owned();
    key.extend(kind_of(step).into_iter().flat_map(|kind| [" ", kind]));
    key.push('\t');
    key.push_str(&places(step).join(" "));
    // Of an unknown program any file may be the one that says where.
    let files = step.values().map(|(_, value)| value).filter(|value| looks_like_path(value));
    files.filter(|_| !tools::is_known(&step.program)).for_each(|file| key.push_str(&format!(" {file}")));
    Some(key)
}

/// The database of a project's settings, with what chooses them.
pub(super) fn data_key(step: &Step) -> String {
    format!("data\t{} {} {}", step.folder, places(step).join(" "), step.env.join(" "))
}

/// A name that only this kind of program knows.
pub(super) fn scoped(step: &Step, name: &str) -> String {
    format!("{} {name}", tools::family(&step.program))
}

/// Whether a step reaches for what its program talks to: asking for its version or its settings does not.
pub(in super::super) fn talks(step: &Step) -> bool {
    let asks = step
        .flags
        .iter()
        .chain(step.near.iter().map(|near| &near.flag))
        .any(|flag| tools::is_at_home(flag) || flag == "-h" && step.tool().port.is_none());
    !asks
        && !tools::works_alone(&step.program, step.sub.as_deref())
        && !step.sub.as_deref().is_some_and(tools::is_at_home)
        && (step.sub.is_some() || !step.tool().sub)
}

/// The things that a move needs, by the keys of their roots.
pub(in super::super) fn needs(moved: &Move) -> Vec<Root> {
    match moved {
        Move::Command(command) => command.meets(&|_| false).into_iter().flat_map(step_needs).collect(),
        Move::Edit { path, .. } | Move::Read { path } => with_folders(path),
        Move::Write { .. } | Move::Other { .. } => Vec::new(),
    }
}

fn with_folders(path: &str) -> Vec<Root> {
    let mut all = vec![Root::Missing(path.to_owned())];
    let ends = path.char_indices().rev().filter(|(_, c)| *c == '/').take(3);
    all.extend(ends.map(|(at, _)| Root::Missing(path[..at].to_owned())));
    all
}

pub(in super::super) fn step_needs(step: &Step) -> Vec<Root> {
    let addresses = step.raw_words().filter_map(absent::address).map(Root::Absent);
    if step.only_asks() {
        return addresses.collect();
    }
    let plain = step.words.iter().chain(&step.tail).chain(&step.reads).map(String::as_str);
    let values = step.flags.iter().filter_map(|flag| flag.split_once('='));
    let values = values.filter(|(name, _)| !name.contains("out") && !matches!(*name, "-o" | "--name"));
    let words: Vec<&str> = plain.chain(values.map(|(_, value)| value)).take(60).collect();
    if step.only_looks() {
        // It looks into files, which must be there; what it looks for is only words.
        let files = words
            .iter()
            .skip(usize::from(step.tool().script))
            .filter(|word| looks_like_path(word) && !word.starts_with('/'));
        return files.filter_map(|word| join(step.base(), word)).map(Root::Missing).collect();
    }
    let mut needs = programs(step);
    needs.extend(addresses);
    needs.extend(connections(step, &words));
    needs.extend(readiness(step));
    needs.extend(script(step).into_iter().chain(executed(step)));
    if !step.tool().anywhere && step.program != "git" && !says(step, &["fmt", "format", "fix", "--init"]) {
        needs.extend(whole_files(step));
    }
    let makes = step.makes_in_code()
        || pieces(&words).any(|word| {
            ["create", "add", "-b", "init", "insert", "new"].contains(&word.to_ascii_lowercase().as_str())
        });
    if !makes {
        needs.extend(targets(step));
        needs.extend(files(step, &words));
        needs.extend(modules(step).into_iter().map(Root::Module));
    }
    if !makes && !makes_named(step) && !says(step, &["search", "find"]) {
        needs.extend(given(step).into_iter().map(|name| Root::Named(scoped(step, name))));
    }
    if !makes && !says(step, tools::CREATES) {
        let names = pieces(&words).flat_map(|word| {
            [word, word.rsplit('/').next().unwrap_or(word), word.rsplit("..").next().unwrap_or(word)]
        });
        let whole = words.iter().flat_map(|word| word.split([',', '=']).chain([*word]));
        let names = names.chain(whole).filter(|name| name.len() > 1 && !name.starts_with('-'));
        let names: Vec<&str> = names.take(120).collect();
        needs.extend(names.iter().map(|name| Root::Absent((*name).to_owned())));
        if reaches_data(step) {
            needs.extend(names.iter().map(|name| Root::Datum((*name).to_owned())));
        }
    } else if !step.raw.iter().any(|word| word.starts_with("--create")) {
        // Whatever it makes, it makes there.
        let within = step.values().filter(|(option, _)| WITHIN.contains(&option.trim_start_matches('-')));
        needs.extend(within.map(|(_, name)| Root::Absent(name.to_owned())));
        let addresses = words.iter().filter_map(|word| word.split_once("://")?.1.split_once('/'));
        needs.extend(addresses.map(|(place, _)| Root::Absent(place.to_owned())));
    }
    needs.extend(named::runs(step));
    needs.extend(sources::needed(step));
    if says(step, tools::NAMES) {
        needs.extend(made(step).into_iter().map(|name| Root::Taken(scoped(step, name))));
    }
    needs.extend(
        with_folders(&step.folder)
            .into_iter()
            .filter(|_| !step.folder.is_empty() && !step.folder.starts_with('/')),
    );
    needs
}

/// The names that a step may give to what it makes.
pub(super) fn made(step: &Step) -> Vec<&str> {
    let words = step.raw_words().chain(step.tail.iter().map(String::as_str));
    words.filter(|word| word.len() > 1 && !word.contains(char::is_whitespace)).take(40).collect()
}

/// Whether it makes a thing of the name that it is given: a build makes what it is tagged as.
fn makes_named(step: &Step) -> bool {
    let builds = |verb: &&&str| **verb == "build";
    let tags = step.values().any(|(option, _)| matches!(option, "-t" | "--tag"));
    let verbs: Vec<&str> = tools::CREATES.iter().filter(|verb| !builds(verb) || tags).copied().collect();
    says(step, &verbs)
}

fn pieces<'a>(words: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    words.iter().flat_map(|word| word.split(|c: char| c.is_whitespace() || "();,'\"=".contains(c)))
}

fn says(step: &Step, verbs: &[&str]) -> bool {
    step.has_verb(verbs) || step.tail.iter().take(3).any(|word| verbs.contains(&word.as_str()))
}

/// The program itself: by its name, as another's part, and where it is said to be.
fn programs(step: &Step) -> Vec<Root> {
    // `git lfs` is git-lfs.
    let sub = step.sub.iter().chain(step.words.first().filter(|_| step.sub.is_none()));
    let plugin = sub.map(|sub| format!("{}-{sub}", step.program));
    // A starter brings its own.
    let mut needs: Vec<Root> = [program_of(step)].into_iter().chain(plugin).map(Root::Program).collect();
    let stub = |word: &&String| word.rsplit('/').next().is_some_and(|base| base == step.program);
    let given =
        step.raw.iter().take(2).filter(|word| word.contains('/') && !word.starts_with(['/', '~', '$']));
    let path = given.into_iter().find(stub).and_then(|path| join(step.base(), path));
    needs.extend(path.map(|path| with_folders(&path)).unwrap_or_default());
    needs
}

/// Whom it connects to, or the ports at which it wants to listen.
fn connections(step: &Step, words: &[&str]) -> Vec<Root> {
    // Who brings a database along talks to it, whatever its verb is.
    if step.has_verb(tools::STARTS) && kind_of(step) != Some("db") {
        let all = words.iter().copied().chain(step.env.iter().map(String::as_str));
        return all.flat_map(endpoint::listens).map(Root::Busy).collect();
    }
    // Who is no client and is told a port wants to listen there.
    let told = step.values().filter(|(name, _)| matches!(*name, "--port" | "--listen" | "--bind"));
    let told = told.filter(|_| step.tool().port.is_none() && !step.tool().far);
    let mut needs: Vec<Root> = told.flat_map(|(_, value)| endpoint::listens(value)).map(Root::Busy).collect();
    for place in step_endpoints(step) {
        if !endpoint::trusts_all(step) {
            needs.push(Root::Unready(format!("certificate {place}")));
        }
        needs.extend(place.rsplit_once(':').map(|(host, _)| Root::Refuses(host.to_owned())));
        needs.push(Root::Refuses(place));
    }
    needs
}

/// Files that its kind of program must be able to read.
fn whole_files(step: &Step) -> Vec<Root> {
    let family = tools::family(&step.program);
    let paths = broken::paths(step);
    let sources = Some(broken::whole(step)).filter(|_| paths.is_empty() && step.reads_sources());
    let manifest = broken::kin(step).filter(|_| talks(step)).map(|kin| format!("{kin} @{}", step.folder));
    // Who starts it reads its own manifest first.
    let started = step.via.iter().filter(|via| !tools::tool(via).manifests.is_empty());
    let manifest =
        manifest.into_iter().chain(started.map(|via| format!("{} @{}", tools::family(via), step.folder)));
    let named = paths.iter().map(|path| format!("{family} {path}"));
    sources.into_iter().chain(named).chain(manifest).map(Root::Broken).collect()
}

/// Tasks, packages and remotes that it asks for by name.
fn targets(step: &Step) -> Vec<Root> {
    let sub = step.sub.iter().flat_map(|sub| sub.split(' '));
    let asked = sub.chain(step.words.iter().take(8).map(String::as_str));
    // `acme/web:3` is of acme, and is acme/web.
    let stems = |name| [Some(name), str::split(name, '/').next(), str::split(name, [':', '@']).next()];
    // Who searches does not need it, and who publishes makes it.
    let spares = says(step, &["search", "find", "push", "publish", "upload", "tag"]);
    let mut names: Vec<&str> = asked.filter(|_| !spares).flat_map(stems).flatten().collect();
    names.dedup();
    names.into_iter().filter(|name| !name.is_empty()).map(|name| Root::Target(scoped(step, name))).collect()
}

/// Files and folders that it reads.
fn files(step: &Step, words: &[&str]) -> Vec<Root> {
    // What is copied has to be there, not what it is copied to.
    let copies = matches!(step.program.as_str(), "cp" | "mv" | "ln" | "install");
    let words = if copies { words.split_last().map_or(&[][..], |(_, sources)| sources) } else { words };
    if says(step, tools::WRITES) && !copies || step.program == "git" {
        return Vec::new();
    }
    let named = words.iter().filter(|word| looks_like_path(word));
    let paths = named.filter(|word| !word.starts_with('/')).filter_map(|word| join(step.base(), word));
    let mut needs: Vec<Root> = paths.flat_map(|path| with_folders(&path)).collect();
    let read = words.iter().flat_map(|word| in_code(word)).filter_map(|path| join(step.base(), &path));
    needs.extend(read.map(Root::Missing));
    needs
}

/// The files that a program's text reads: not where it writes some.
fn in_code(text: &str) -> Vec<String> {
    const WRITES: &[&str] = &["'w", "\"w", "write", "to_", "mkdir", "save", "dump", ">"];
    let reads = text.contains(['\'', '"']) && !WRITES.iter().any(|word| text.contains(word));
    let paths = path_tokens(text).into_iter().filter(|path| reads && !path.starts_with('/'));
    paths.collect()
}

/// What a step that talks to others needs of them, and of who asks.
fn readiness(step: &Step) -> Vec<Root> {
    let mut needs = Vec::new();
    needs.extend(program::stands_on(step));
    if talks(step) {
        needs.extend(program::starts(step));
        needs.extend(program::packaged(step));
        needs.extend(program::is_set(step));
        // Who serves does not need to be served.
        let serves = step.has_verb(&["server", "serve", "daemon", "agent"]);
        needs.extend(service_key(step).filter(|_| !serves).map(Root::Service));
        needs.extend(Some(data_key(step)).filter(|_| kind_of(step) == Some("db")).map(Root::Service));
        needs.extend(unready::readiness(step));
        needs.extend(surroundings::needed(step));
    }
    needs
}

/// Modules that a program's text imports.
fn modules(step: &Step) -> Vec<String> {
    let texts = step
        .values()
        .filter(|(name, _)| matches!(*name, "-c" | "-e" | "--eval" | "-r" | "-p"))
        .map(|(_, text)| text);
    const LOADS: &[&str] = &["import", "require", "from", "use", "using", "library", "load"];
    let texts = texts.filter(|text| LOADS.iter().any(|word| text.contains(word)));
    let names = texts.flat_map(|text| text.split(|c: char| c.is_whitespace() || "();,'\"`".contains(c)));
    // `python -m x`, `perl -MX`
    let run = step.raw.windows(2).find(|pair| pair[0] == "-m").map(|pair| pair[1].as_str());
    let loaded = step.raw.iter().filter_map(|word| word.strip_prefix("-M"));
    names.chain(run).chain(loaded).filter(|name| name.len() > 1).take(40).map(str::to_owned).collect()
}
