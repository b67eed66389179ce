//! Where runs may be sent: over TLS, or to this machine.

use super::ProviderError;

/// An address that may be called.
///
/// Holding one is proof that it is `https`, or plain `http` to loopback on a
/// port that programs of this person can have, without credentials in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(String);

impl Address {
    /// Takes a base address from the person's settings.
    pub fn parse(url: &str) -> Result<Self, ProviderError> {
        let no = |why: &'static str| ProviderError::Address { url: url.chars().take(200).collect(), why };
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/[]%".contains(c);
        if url.len() > 2_000 || !url.chars().all(plain) {
            return Err(no("it may hold letters, digits and `-._~:/` only"));
        }
        let (scheme, rest) = url.split_once("://").ok_or_else(|| no("it needs `https://` before the host"))?;
        let authority = rest.split('/').next().unwrap_or_default();
        let (host, port) = host_and_port(authority).ok_or_else(|| no("it needs a host, and a port that is a number"))?;
        let is_loopback = matches!(host, "127.0.0.1" | "localhost" | "[::1]");
        match scheme {
            "https" if is_name(host) || is_loopback => {}
            "https" => return Err(no("the host must be a name")),
            "http" if !is_loopback => return Err(no("plain http goes to this machine only")),
            "http" if port.is_some_and(|port| port < 1024 && port != 80) => return Err(no("that port belongs to the system")),
            "http" => {}
            _ => return Err(no("it must be https, or http on this machine")),
        }
        Ok(Self(url.trim_end_matches('/').to_owned()))
    }

    /// The address with a path behind it; `/v1` is not doubled.
    pub fn join(&self, path: &str) -> String {
        match path.strip_prefix("/v1").filter(|_| self.0.ends_with("/v1")) {
            Some(rest) => format!("{}{rest}", self.0),
            None => format!("{}{path}", self.0),
        }
    }
}

fn host_and_port(authority: &str) -> Option<(&str, Option<u16>)> {
    if let Some(end) = authority.find(']') {
        let (host, rest) = authority.split_at(end + 1);
        return match rest.strip_prefix(':') {
            Some(port) => Some((host, Some(port.parse().ok()?))),
            None if rest.is_empty() => Some((host, None)),
            None => None,
        };
    }
    match authority.split_once(':') {
        Some((host, port)) if !host.is_empty() => Some((host, Some(port.parse().ok()?))),
        Some(_) => None,
        None if authority.is_empty() => None,
        None => Some((authority, None)),
    }
}

/// A host with a dot and a letter at its end: no number in any disguise.
fn is_name(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or_default();
    host.contains('.') && last.len() >= 2 && last.bytes().all(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn https_and_this_machine_are_called_and_nothing_else() {
        for good in ["https://api.provider.example/v1", "http://127.0.0.1:11434", "http://localhost:8080/v1/", "http://[::1]:9000"] {
            assert!(Address::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "http://10.0.0.1/v1", "file:///etc/passwd", "//x.example", "https://u:p@x.example", "http://localhost.evil.example/",
            "http://127.0.0.1:22/", "https://169.254.169.254/", "http://[::]/", "https://", "http://127.0.0.1:99999", "https://x.example\\@y",
        ] {
            assert!(Address::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_version_in_the_address_is_not_doubled() {
        let join = |base: &str| Address::parse(base).expect("an address").join("/v1/messages");
        assert_eq!(join("https://x.example/v1"), "https://x.example/v1/messages");
        assert_eq!(join("https://x.example/"), "https://x.example/v1/messages");
    }
}
