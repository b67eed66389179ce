//! Places that programs connect to: hosts with ports.

use super::{Step, tools};

/// Whether a line says that a connection was refused.
pub(in super::super) fn refuses(lower: &str) -> bool {
    const FAILS: &[&str] = &["could not", "couldn't", "can't", "cannot", "failed to", "unable to", "error"];
    let tries = lower.contains("connect to") || lower.contains("connect:") || lower.contains("connect (");
    lower.contains("econnrefused")
        || lower.contains("nothing is listening")
        || lower.contains("is the server running")
        || ["can't reach", "cannot reach", "could not reach", "could not be established"]
            .iter()
            .any(|phrase| lower.contains(phrase))
        || lower.contains("connect failed")
        || lower.contains("connect") && lower.contains("refused")
        || tries && FAILS.iter().any(|word| lower.contains(word))
}

/// The host that a line says is not known.
pub(super) fn unknown_host(line: &str, lower: &str) -> Option<String> {
    #[rustfmt::skip]
    const PHRASES: &[&str] = &[
        "could not resolve hostname ", "could not resolve host: ", "could not resolve host ", "getaddrinfo enotfound ", "no such host: ",
        "unknown host: ", "unknown host ", "cannot resolve host ", "could not translate host name ", "unknown mysql server host ",
        "failed to lookup address information for ",
    ];
    let at = PHRASES.iter().find_map(|phrase| Some(lower.find(phrase)? + phrase.len()))?;
    let word = line.get(at..)?.split_whitespace().next()?.trim_matches(['"', '\'', '`', ':', ',', '.', ';']);
    Some(word.to_lowercase()).filter(|host| !host.is_empty())
}

/// Whether a line says that a host's certificate is not trusted.
pub(super) fn distrusts(lower: &str) -> bool {
    #[rustfmt::skip]
    let wrong = [
        "problem", "verify failed", "self-signed", "self signed", "unable to get local issuer", "unknown authority", "has expired", "not trusted",
    ];
    lower.contains("certificate") && wrong.iter().any(|word| lower.contains(word))
}

/// Whether a step takes any certificate.
pub(super) fn trusts_all(step: &Step) -> bool {
    let mut flags = step.raw.iter().chain(&step.env);
    flags.any(|flag| {
        ["insecure", "no-check-certificate", "no-verify-ssl", "NO_VERIFY", "tls-verify"]
            .iter()
            .any(|word| flag.contains(word))
            || flag == "-k"
    })
}

/// Whether a line says that somebody else listens already.
pub(super) fn is_taken(lower: &str) -> bool {
    lower.contains("already in use")
        || lower.contains("eaddrinuse")
        || lower.contains("already allocated")
        || lower.contains("is in use")
        || lower.contains("only one usage of each socket")
}

/// The ports at which a word of a command wants to listen: of `8080:80`, what is published and not what is inside.
pub(super) fn listens(word: &str) -> Vec<String> {
    let value = word.rsplit_once('=').map_or(word, |(_, value)| value);
    let is_port = |part: &&str| part.parse::<u16>().is_ok();
    let parts: Vec<&str> = value.trim_end_matches("/tcp").trim_end_matches("/udp").split(':').collect();
    match parts.as_slice() {
        [.., outer, inner] if is_port(outer) && is_port(inner) => vec![(*outer).to_owned()],
        _ => ports(word),
    }
}

/// The ports in a text, without their hosts.
pub(super) fn ports(text: &str) -> Vec<String> {
    let mut found: Vec<String> =
        endpoints(text).iter().filter_map(|place| Some(place.rsplit_once(':')?.1.to_owned())).collect();
    let bare =
        text.split(|c: char| c.is_whitespace() || "\"'`(),;=/".contains(c)).flat_map(|word| word.split(':'));
    found.extend(
        bare.filter(|word| (4..=5).contains(&word.len()) && word.parse::<u16>().is_ok()).map(str::to_owned),
    );
    found.sort();
    found.dedup();
    found
}

/// The port of an address that names none.
fn usual_port(scheme: &str) -> Option<u16> {
    Some(match scheme {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ssh" | "sftp" => 22,
        "postgres" | "postgresql" => 5432,
        "mysql" | "mariadb" => 3306,
        "redis" | "valkey" => 6379,
        "mongodb" => 27017,
        "amqp" => 5672,
        "nats" => 4222,
        "sqlserver" | "mssql" => 1433,
        "ldap" => 389,
        "smtp" => 25,
        _ => return None,
    })
}

/// Hosts with ports in a text: `localhost:5432`, `at "db", port 5432`, `db,1433`, `http://web`.
pub(in super::super) fn endpoints(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let ends = |c: char| c.is_whitespace() || "\"'`()<>{};|/@".contains(c);
    let words: Vec<&str> =
        text.split(ends).map(|word| word.trim_matches(',')).filter(|word| !word.is_empty()).collect();
    for address in text.split("://").collect::<Vec<_>>().windows(2) {
        let scheme = address[0].rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let place = address[1]
            .split(|c: char| c.is_whitespace() || "\"'`()<>{},;|/?#".contains(c))
            .next()
            .unwrap_or_default();
        let host = place.rsplit('@').next().unwrap_or_default().trim_end_matches(['.', ':']);
        let port =
            usual_port(scheme).filter(|_| !host.is_empty() && !host.contains(':') && !host.contains('$'));
        found.extend(port.map(|port| endpoint(host, port)));
    }
    for (n, word) in words.iter().enumerate() {
        let word = word.trim_end_matches(['.', ':', '?', ']']);
        // `db,1433` is how SQL Server has it.
        let word = &word.replace(',', ":");
        if let Some((host, port)) = word.rsplit_once(':') {
            let host = host.trim_matches(['[', ']']);
            let named = !host.is_empty()
                && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:".contains(&byte))
                && !looks_like_source(host);
            if let Some(port) = port.parse::<u16>().ok().filter(|&port| named && port > 9) {
                found.push(endpoint(host, port));
            }
        }
        if word.eq_ignore_ascii_case("port") {
            let port =
                words.get(n + 1).and_then(|next| next.trim_end_matches([':', '.']).parse::<u16>().ok());
            let is_host = |word: &&&str| {
                word.contains('.') && word.bytes().any(|byte| byte.is_ascii_digit())
                    || word.eq_ignore_ascii_case("localhost")
            };
            let named =
                n.checked_sub(2).filter(|at| words[*at].eq_ignore_ascii_case("host")).map(|at| words[at + 1]);
            let host = named.or(words[..n].iter().rev().take(6).find(is_host).copied());
            let told = n.checked_sub(1).map(|before| words[before]).filter(|word| word.contains('.'));
            found.extend(port.map(|port| endpoint(told.or(host).unwrap_or("localhost"), port)));
        }
    }
    found
}

fn looks_like_source(host: &str) -> bool {
    let ending = host.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(
        ending,
        "rs" | "py"
            | "ts"
            | "js"
            | "tsx"
            | "jsx"
            | "go"
            | "c"
            | "h"
            | "cpp"
            | "java"
            | "rb"
            | "sql"
            | "sh"
            | "tf"
            | "yml"
            | "yaml"
            | "json"
            | "toml"
            | "md"
    ) || host.bytes().all(|byte| byte.is_ascii_digit())
}

fn endpoint(host: &str, port: u16) -> String {
    let host = match host.to_ascii_lowercase().as_str() {
        "127.0.0.1" | "0.0.0.0" | "::1" | "::" | "localhost" => "localhost".to_owned(),
        other => other.to_owned(),
    };
    format!("{host}:{port}")
}

/// Whom a remote shell or copy talks to: `me@host`, `host:path`.
fn shell_host(step: &Step) -> Option<String> {
    let port = step.values().find(|(name, _)| matches!(*name, "-p" | "-P")).map_or("22", |(_, port)| port);
    let copies = matches!(step.program.as_str(), "scp" | "rsync" | "sftp");
    let mut words = step.words.iter().chain(&step.tail);
    let word = if copies { words.find(|word| word.contains(':')) } else { words.next() }?;
    let host = word.split(':').next().unwrap_or(word).rsplit('@').next()?;
    Some(endpoint(host, port.parse().ok()?))
}

/// The place that an unknown program is told by a host and a port: `-h x -p 1`, `--host x --port 1`.
fn told_place(step: &Step) -> Option<String> {
    let told = |names: &[&str]| step.values().find(|(name, _)| names.contains(name)).map(|(_, value)| value);
    let host = told(&["-h", "-H", "--host", "--hostname", "--server"])?;
    let port = told(&["-p", "-P", "--port"])?.parse().ok()?;
    Some(endpoint(host, port))
}

/// Where a step connects to, as far as its words tell.
pub(in super::super) fn step_endpoints(step: &Step) -> Vec<String> {
    let mut found: Vec<String> = step
        .words
        .iter()
        .chain(&step.flags)
        .chain(&step.tail)
        .chain(&step.env)
        .flat_map(|word| endpoints(word))
        .collect();
    if tools::family(&step.program) == "ssh" {
        found.extend(shell_host(step));
    } else if !tools::is_known(&step.program) {
        found.extend(told_place(step));
    } else if let Some(port) = step.tool().port {
        let value =
            |name: &str| step.flags.iter().find_map(|flag| flag.strip_prefix(name)?.strip_prefix('='));
        let env = |name: &str| step.env.iter().find_map(|set| set.strip_prefix(name)?.strip_prefix('='));
        let port = value("-p")
            .or(value("-P"))
            .or(value("--port"))
            .or(env("PGPORT"))
            .and_then(|port| port.parse().ok())
            .unwrap_or(port);
        let host = value("-h").or(value("--host")).or(env("PGHOST")).unwrap_or("localhost");
        if found.is_empty() {
            found.push(endpoint(host, port));
        }
    }
    found
}
