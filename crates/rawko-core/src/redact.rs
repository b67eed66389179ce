//! Secrets out of a text, before it is written, logged, sent or shown.
//!
//! A credential is known by its own form (`ghp_…`), by the name it is given
//! (`SECRET_KEY=…`), or by where it stands (a header, an address, behind the
//! word "password"). One pass finds the few words that any rule needs; only
//! the rules whose word occurs are compiled, and each looks at a bounded stretch
//! from there, so the time is linear in the text. What is found becomes
//! `‹secret:rule›`: the sentence stays readable and says what was there.
//!
//! Samples and placeholders (`XXXX…`, `${TOKEN}`, `<password>`) stay.

mod filler;
mod login;
mod named;
mod place;
mod program;
mod rules;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use regex_lite::Regex;

use self::filler::is_filler;
use self::rules::{ASSIGNED, Assigned, TOKENS, Token};

/// Bytes that a rule looks at from its word on.
const REACH: usize = 4096;

/// A credential in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Where it stands.
    pub range: Range<usize>,
    /// The rule that knows it.
    pub rule: &'static str,
}

/// Finds credentials; keeps the rules that it had to compile.
pub struct Redactor {
    /// For each first byte, the words that start with it.
    words: Vec<Vec<(&'static [u8], Rule)>>,
    tokens: Vec<OnceCell<Regex>>,
    assigned: Vec<OnceCell<Regex>>,
}

/// Which rule a word belongs to.
#[derive(Clone, Copy)]
enum Rule {
    Token(usize),
    Assigned(usize),
    /// A word that names credentials in general.
    Noun,
    /// A place where credentials stand.
    Place(place::Finder),
}

/// The text with every credential replaced by the name of its rule.
pub fn redact(text: &str) -> Cow<'_, str> {
    Redactor::default().redact(text)
}

impl Default for Redactor {
    fn default() -> Self {
        let mut words: Vec<Vec<(&'static [u8], Rule)>> = vec![Vec::new(); 256];
        let mut add = |word: &'static str, rule: Rule| {
            words[usize::from(word.as_bytes()[0])].push((word.as_bytes(), rule));
        };
        for (at, token) in TOKENS.iter().enumerate() {
            token.words.iter().for_each(|word| add(word, Rule::Token(at)));
        }
        for (at, assigned) in ASSIGNED.iter().enumerate() {
            assigned.words.iter().for_each(|word| add(word, Rule::Assigned(at)));
        }
        named::nouns().for_each(|word| add(word, Rule::Noun));
        place::PLACES.iter().for_each(|(word, finder)| add(word, Rule::Place(*finder)));
        Self {
            words,
            tokens: TOKENS.iter().map(|_| OnceCell::new()).collect(),
            assigned: ASSIGNED.iter().map(|_| OnceCell::new()).collect(),
        }
    }
}

impl Redactor {
    /// Every credential in the text, in order, none inside another.
    pub fn secrets(&self, text: &str) -> Vec<Secret> {
        /// How far behind the noun that names it a token may be told.
        const TOLD: usize = 400;
        let bytes = text.as_bytes();
        let mut found: Vec<Secret> = Vec::new();
        let mut noun = None;
        for at in 0..bytes.len() {
            let starts =
                bytes[at].is_ascii_alphanumeric() && (at == 0 || !bytes[at - 1].is_ascii_alphanumeric());
            if starts {
                found.extend(place::opaque(text, at));
            }
            if starts && noun.is_some_and(|noun| at < noun + TOLD) {
                found.extend(place::told_token(text, at));
            }
            for (word, rule) in &self.words[usize::from(bytes[at].to_ascii_lowercase())] {
                let here = bytes.get(at..at + word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word));
                if here {
                    let names =
                        matches!(rule, Rule::Noun) && place::names_credentials(text, at..at + word.len());
                    noun = if names { Some(at) } else { noun };
                    found.extend(self.look(text, at, word.len(), *rule));
                }
            }
        }
        let pairs: Vec<Secret> = found.iter().filter_map(|secret| place::other_half(text, secret)).collect();
        found.extend(pairs);
        outermost(found)
    }

    /// The text with every credential replaced by the name of its rule.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let secrets = self.secrets(text);
        if secrets.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(without(text, &secrets)) }
    }

    /// What a rule finds at a word of its own.
    fn look(&self, text: &str, at: usize, length: usize, rule: Rule) -> Option<Secret> {
        match rule {
            Rule::Token(n) => self.token(text, at, n),
            Rule::Assigned(n) => self.assigned(text, at..at + length, n),
            Rule::Noun => named::find(text, at..at + length),
            Rule::Place(finder) => finder(text, at),
        }
    }

    fn token(&self, text: &str, at: usize, n: usize) -> Option<Secret> {
        let Token { rule, form, whole, digit, .. } = &TOKENS[n];
        if *whole && text[..at].ends_with(is_word) {
            return None;
        }
        let regex = self.tokens[n].get_or_init(|| compile(&format!("^(?:{form})")));
        let end = at + regex.find(reach(text, at))?.end();
        let found = &text[at..end];
        let is_name = *digit && !found.bytes().any(|byte| byte.is_ascii_digit());
        let runs_on = *whole && text[end..].starts_with(is_word);
        (!runs_on && !is_name && !is_filler(found)).then_some(Secret { range: at..end, rule })
    }

    fn assigned(&self, text: &str, word: Range<usize>, n: usize) -> Option<Secret> {
        let Assigned { rule, form, .. } = &ASSIGNED[n];
        if named::is_inside_word(text, &word) {
            return None;
        }
        let value = named::assignment(text, word.end)?.value;
        let regex = self.assigned[n].get_or_init(|| compile(&format!("^(?:{form})$")));
        let is_secret = regex.is_match(&text[value.clone()]) && !is_filler(&text[value.clone()]);
        is_secret.then_some(Secret { range: value, rule })
    }
}

/// The text with these credentials, as they were found in it, replaced by the names of their rules.
pub(crate) fn without(text: &str, secrets: &[Secret]) -> String {
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for secret in secrets {
        out.push_str(&text[from..secret.range.start]);
        out.push_str(&format!("‹secret:{}›", secret.rule));
        from = secret.range.end;
    }
    out.push_str(&text[from..]);
    out
}

fn compile(form: &str) -> Regex {
    Regex::new(form).expect("the rules compile: a test compiles them all")
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The stretch that a rule may look at.
fn reach(text: &str, at: usize) -> &str {
    &text[at..text.floor_char_boundary(at.saturating_add(REACH))]
}

/// Leaves out what lies in or across an earlier or longer find.
fn outermost(mut found: Vec<Secret>) -> Vec<Secret> {
    // Where two rules find the same, the one that knows its form names it.
    let is_told = |secret: &Secret| secret.rule.starts_with("told-");
    found.sort_by_key(|secret| (secret.range.start, std::cmp::Reverse(secret.range.end), is_told(secret)));
    let mut kept: Vec<Secret> = Vec::new();
    for secret in found {
        match kept.last_mut() {
            Some(last) if secret.range.start < last.range.end => {
                last.range.end = last.range.end.max(secret.range.end);
            }
            _ => kept.push(secret),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles() {
        for token in TOKENS {
            compile(&format!("^(?:{})", token.form));
        }
        for assigned in ASSIGNED {
            compile(&format!("^(?:{})$", assigned.form));
        }
    }

    #[test]
    fn words_of_rules_are_lower_case() {
        let words = TOKENS.iter().flat_map(|t| t.words).chain(ASSIGNED.iter().flat_map(|a| a.words));
        for word in words {
            assert!(word.is_ascii() && *word == word.to_ascii_lowercase(), "{word}");
        }
    }

    #[test]
    fn the_sentence_around_a_secret_stays() {
        let text =
            format!("CI logs in with {}_{} as the robot.", "ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        assert_eq!(redact(&text), "CI logs in with ‹secret:github-pat› as the robot.");
    }

    #[test]
    fn the_value_goes_and_the_name_stays() {
        let text = format!("started with `SECRET_KEY={}` in the shell", "9fk2j3h4".repeat(4));
        assert_eq!(redact(&text), "started with `SECRET_KEY=‹secret:generic-api-key›` in the shell");
    }

    #[test]
    fn a_password_in_an_address_goes() {
        let text = "`postgres://report_ro:Tr0ub4dor-3@replica.internal:5432/ledger`";
        assert_eq!(redact(text), "`postgres://report_ro:‹secret:url-password›@replica.internal:5432/ledger`");
    }

    #[test]
    fn a_password_typed_on_a_command_line_or_told_goes() {
        let typed = format!("Gr4nite{}", "-Lamp!");
        for (before, behind) in [
            ("mosquitto_sub -h broker -u ops -P ", " -t 'acks/#'"),
            ("`smbclient //nas/share -U robot%", "`"),
            ("ldapsearch -x -w '", "' -b dc=org"),
            ("The user is ops, the password ", "; ask before you use it."),
            ("log in with password ", " once"),
        ] {
            let told = redact(&format!("{before}{typed}{behind}")).into_owned();
            assert!(!told.contains("Gr4nite") && told.contains(before) && told.ends_with(behind), "{told}");
        }
        // Without a mark, but behind a name that logs in; and one that nobody typed, told behind its noun.
        let (plain, random) = (format!("Brook7{}", "-Sand-k2Xp"), "k7vq2xm4h6zw2t3r".repeat(30));
        for (before, secret, behind) in [
            ("pubsub -p 8883 -u ops -P '", &plain, "' -t acks"),
            ("docker login registry.example -u bob -p ", &plain, ""),
            ("`helm registry login reg -u bob -p ", &plain, "`"),
            ("smbclient -U bob -P ", &plain, ""),
            ("psql -U report -W ", &plain, " -d orders"),
            ("The token is **", &random, "**."),
            ("The token is _", &random, "_ for now"),
            ("its token <", &random, ">"),
            ("Its token: [", &random, "]"),
            ("authToken is ", &random, ""),
            ("The apiKey there is ", &random, ""),
            ("accesstoken is ", &random, ""),
            ("The token is ", &format!("{random}-{random}"), "."),
            ("The token is ", &format!("{random}_{random}"), "."),
            ("`feed add https://pkgs.example -u build -p ", &random, " --clear`"),
            ("The token expires every year, and its scope is easily forgotten. It is now ", &random, "."),
        ] {
            let told = redact(&format!("{before}{secret}{behind}")).into_owned();
            assert!(!told.contains(&secret[..8]) && !told.contains(&secret[secret.len() - 8..]), "{told}");
            assert!(told.contains(before) && told.ends_with(behind), "{told}");
        }
        for plain in [
            "ssh -p 2222 host",
            "cargo test -p rawko-core2",
            "mkdir -p Build/Out2",
            "grep -w Http2Server src",
            "tar -a out1",
            "The password policy asks for 12 signs.",
            "docker run -p 8080:80 Nginx1",
            "git log -p HEAD~3",
            "psql -U report -p 54321 -d Orders2024",
            "The key of the object is 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.",
            "The monkey patch of the tokenizer is at /nix/store/k7vq2xm4h6zw2t3rk7vq2xm4h6zw2t3r-py/x.py",
            "The key of the lock has integrity sha512-k7vq2xm4h6zw2t3rk7vq2xm4h6zw2t3r, h1:k7vq2xm4h6zw2t3rk7vq2xm4h6zw2t3r=",
            "mysql -u root -p Orders2024",
            "sudo -u postgres pg_restore -a Orders2024.dump",
            "git add -u && cargo test -p MyCrate2Core",
            "The cache key is build-linux-x86_64-node20-pnpm9-2026-01-31-a1b2c3.",
            "the password field is Password2Field's child",
        ] {
            assert_eq!(redact(plain), plain);
        }
    }

    #[test]
    fn a_password_goes_however_its_name_is_written() {
        let value = format!("RIBX9DL7{}", "Dxt2QzaK4wLm8s");
        for (before, behind) in [
            ("POSTGRES_PASSWORD: ", "\n"),
            ("      password: ", ""),
            ("db_password:  ", "\nport: 5432"),
            ("{\\\"user\\\": \\\"app\\\", \\\"password\\\": \\\"", "\\\"}"),
            ("{\\\\\\\"token\\\\\\\":\\\\\\\"", "\\\\\\\"}"),
            ("GET https://api.example.net/v1/items?api_key=", "&x=1"),
            ("GET https://api.example.net/v1/items?x=1&password=", "&page=2"),
            ("DB_PASS=", ""),
            ("export MYSQL_PWD='", "'"),
            ("db_pass: ", ""),
            ("mysql -u root -p", " orders"),
            ("mysqldump -h db -p'", "' orders"),
            ("sshpass -p ", " ssh deploy@host"),
            ("sshpass -p '", "' ssh deploy@host"),
            ("docker login -p ", " registry.example.net"),
            ("redis-cli -h cache -a ", " ping"),
        ] {
            let told = redact(&format!("{before}{value}{behind}")).into_owned();
            assert!(!told.contains("RIBX9DL7") && !told.contains("Lm8s"), "{told}");
            assert!(told.starts_with(before) && told.ends_with(behind), "{told}");
        }
        for typed in ["hunter2!", "tr0ub4dor"] {
            let told =
                redact(&format!("sshpass -p {typed} ssh host; redis-cli -a {typed} ping")).into_owned();
            assert!(!told.contains(typed), "{told}");
        }
    }

    #[test]
    fn what_logs_in_goes_however_it_is_told() {
        // Put together here, so that no scanner takes the test for a leak.
        let (made_up, phrase) = (["winter", "jacke24"].concat(), ["kiwi-Feather", "-22"].concat());
        let hex = "8f3a61c07e2b49d5".repeat(2);
        let issued = ["9fK2mQ7xLp3Rt8", "Vz1Nw6Yc4DhJk"].concat();
        for (before, secret, behind) in [
            ("the default password ", &made_up, " works"),
            ("the password there is still ", &made_up, ""),
            ("The password (", &made_up, ") is the same on both."),
            ("Das Passwort für Staging lautet ", &made_up, " und gilt nur hier."),
            ("La contraseña del usuario es ", &made_up, "."),
            ("machine git.internal login robot password ", &made_up, ""),
            ("user: tester, pass: ", &made_up, ""),
            ("Login demo/", &made_up, " works on staging."),
            ("Staging logs in as demo with ", &phrase, " for an hour."),
            ("Lab net: SSID `bench`, PSK `", &phrase, "`."),
            ("`backup --db-password ", &made_up, " --to s3`"),
            ("keytool -list -storepass ", &made_up, " -v"),
            ("echo ", &made_up, " | sudo -S systemctl restart shop"),
            ("sqlcmd -U sa -P ", &made_up, " -Q x"),
            ("ALTER USER report WITH PASSWORD '", &made_up, "'"),
            ("SSHPASS=", &made_up, " make deploy"),
            ("The SIM has PIN ", &"4821".to_owned(), ", three tries."),
            ("The AES key for the frames (", &hex, ") is on all boards."),
            ("the key is ", &"8F 3A 61 C0 7E 2B 49 D5".to_owned(), "."),
            ("`sessionid=", &hex, "` lasts a week"),
            ("Posted to https://chat.example/api/hooks/11/", &issued, " at night"),
            ("The feed is https://feed.example/x?k=", &issued, "&page=2 for now"),
            ("The pairing code of the lock is ", &"739104".to_owned(), " for good."),
            ("`ENCRYPTION_KEY` must be set to ", &hex, " on both."),
            ("credentials: `ops` / `", &made_up, "`"),
            ("Deploys use acme_", &issued, " alone."),
            ("The passphrase is \"", &"ember otter lamp quartz".to_owned(), "\"."),
        ] {
            let told = redact(&format!("{before}{secret}{behind}")).into_owned();
            assert!(!told.contains(secret.as_str()) && told.contains('‹'), "{told}");
            assert!(told.starts_with(before) && told.ends_with(behind), "{told}");
        }
        for plain in [
            "The PIN of the chip is 14, and pin 4821 is not connected.",
            "The error code is 739104, exit code 1024 is another, access code paths are in src.",
            "Seen at https://docs.example/pkg/v2/Some-Long-Title-Of-2024/AnotherLongTitle2025.html",
            "Das Passwort wird beim Start aus dem Tresor gelesen.",
            "`--password` is read from stdin, `--token must be set` says the help.",
            "Wi-Fi uses WPA2-PSK only, and PSK mode needs lib v2.4.1.",
            "The secret is mounted at /run/secrets/db2_password.",
            "Passwords are hashed with argon2id, the password hash is sha256-prefixed.",
            "pass: 12, fail: 3; echo done | tee out2.log",
            "xargs -P 4 and cp -P a b; use --bypass proxy22 there",
            "log in as ops@example.org at shop-db07:8080/login2",
            "The key fingerprint is MD5:16:27:ac:a5:76:28:2d:36:63:1b:56:4d:eb:df:a6:48.",
            "Encrypted with XChaCha20-Poly1305; the AES key is derived by HKDF-SHA256.",
        ] {
            assert_eq!(redact(plain), plain);
        }
    }

    #[test]
    fn what_programs_keep_and_take_goes() {
        let (typed, words) = (["brook7", "sandk2"].concat(), "ember otter lamp quartz ");
        for (before, secret, behind) in [
            ("`db.internal:5432:orders:report:", typed.as_str(), "` in ~/.pgpass"),
            ("*:*:*:backup:", &typed, ""),
            ("openssl enc -aes-256-cbc -d -k ", &typed, " -in dump.enc"),
            ("`openssl rsa -in key.pem -passin pass:", &typed, " -out x`"),
            ("snmpwalk -v2c -c ", &typed, " 10.0.4.2 sysDescr"),
            ("The SNMP community is still `", "brooksandk", "` on both."),
            ("rocommunity ", &typed, " 10.0.0.0/8"),
            ("mongosh -u ops -p ", &typed, " --host db"),
            ("The seed phrase of the test wallet is ", words.repeat(3).trim(), "."),
            (
                "Recovery phrase: 1. ",
                "ember 2. otter 3. lamp 4. quartz 5. ember 6. otter 7. lamp 8. quartz 9. ember 10. otter 11. lamp 12. quartz",
                "",
            ),
            ("Staging takes ", &typed, " as the password."),
            ("Use `", "brooksandk", "` as passphrase for the backups."),
        ] {
            let told = redact(&format!("{before}{secret}{behind}")).into_owned();
            assert!(!told.contains(secret) && told.contains('‹'), "{told}");
            assert!(told.starts_with(before) && told.ends_with(behind), "{told}");
        }
        for plain in [
            "src/main.c:120:5:note:unused2 and main.go:120:4: unused2",
            "fe80:1234:85a3:0db8:a2e8:03f0 and -L 8080:db.internal:5432:x",
            "curl -k https://host2/path and pytest -k test2_of_x, tar -c a2b3c4 -x d4",
            "openssl s_client -connect host:443 -k is no option",
            "snmpwalk -v2c -c public host; the SNMP community string is read from the vault",
            "The community edition has no SNMP, the community of 2024users is large.",
            "The seed phrase must be twelve words that nobody writes down and that are shown once.",
            "A mnemonic is made from entropy, then stretched with many rounds until the seed comes out.",
            "It takes argon2id as the password hash, and `param2` as the password.",
            "`DB_PASS2` as the password, and the vault2024 entry as password store.",
        ] {
            assert_eq!(redact(plain), plain);
        }
    }

    #[test]
    fn a_password_of_plain_words_goes_where_it_is_all_that_its_name_is_given() {
        let key = "k7Vq2xM4h6Zw2t3Rb8Yn5Pc1".repeat(4);
        for (before, secret, behind) in [
            ("export DB_PASSWORD=", "correcthorsebattery", ""),
            ("MYSQL_ROOT_PASSWORD=", "ilikecheese", " docker compose up"),
            ("`CLIENT_SECRET=", "wunderbaerchen", "` is set"),
            ("user: app\npassword: ", "sommersonne", "\nport: 5432"),
            ("{\"password\": \"", "sommersonne", "\"}"),
            ("POSTGRES_PASSWORD: ", "sommersonne", ""),
            ("The password for staging is ", "Vk9mPl3xQ7!", " and it is needed in server.cfg"),
            ("The password of the admin in staging was ", "Vk9mPl3xQ7zz", ", so ask."),
            ("passphrase ", "blauer-elefant-tanzt-77", ""),
            ("the deploy key's passphrase is \"", "quick-brown-fox-9", "\"."),
            ("the password is `", "sommersonne", "` there"),
            ("anthropic ", &format!("sk-ant-api03-{}", &key[..60]), ""),
            ("anthropic ", &format!("sk-ant-api03-{}aZ", key), " is used"),
            ("", &format!("ghp_{}abcdefghij", "a1B2c3D4e5F6g7H8i9J0k1L2m3"), ""),
        ] {
            let told = redact(&format!("{before}{secret}{behind}")).into_owned();
            assert!(!told.contains(secret) && told.contains('‹'), "{told}");
            assert!(told.starts_with(before) && told.ends_with(behind), "{told}");
        }
        for plain in [
            "password: string\nname: string",
            "password: required",
            "const login = ({ password: hashedPassword })",
            "connect(user=user, password=password)",
            "password = getpass()",
            "DB_PASSWORD=$STAGING_PASSWORD",
            "DB_PASSWORD=/run/secrets/db",
            "DB_PASSWORD=changeme",
            "passwd: files systemd",
            "The password for staging is in the vault.",
            "The password is base64-encoded there.",
            "The password of the admin is `DB_PASSWORD`.",
            "The password is stored in `server.cfg` and was rotated.",
            "the passphrase is \"required\"",
            "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        ] {
            assert_eq!(redact(plain), plain);
        }
    }

    #[test]
    fn what_nobody_typed_goes_where_a_credential_is_spoken_of() {
        let (hex, mixed) = ("8F3A61C07E2B49D5A104", "k7Vq2xM4h6Zw2t3Rb8Yn5Pc1");
        for (before, secret, behind) in [
            ("Reports go to https://", format!("b81f0c3de94a4f7d9e52{hex}"), "@errors.example/41."),
            ("`https://", format!("{mixed}:x-oauth-basic"), "@git.example/a.git`"),
            ("Its AppKey is ", format!("{hex}7CE93B58D21F"), ", burnt in."),
            ("The AES key `", format!("{hex}7CE93B58D21F"), "` is in the bootloader."),
            ("The signing secret for hooks (", format!("{hex}7CE93B58D21F"), ") is checked first."),
            ("Builds are signed by ", mixed.to_owned(), "."),
            ("`IMGTOOL_PW=", ["wabe", "-Honig!41"].concat(), " west sign`"),
            ("Log in as ops / ", ["Gr4vel", "-Pit!77"].concat(), " on the box."),
            ("Basic auth of the preview is team:", ["Gr4vel", "-Pit-77"].concat(), "."),
            ("The password on the runner: ", ["winter", "-Kelp-88"].concat(), ""),
        ] {
            let told = redact(&format!("{before}{secret}{behind}")).into_owned();
            assert!(!told.contains(&secret) && told.contains('‹'), "{told}");
            assert!(told.starts_with(before) && told.ends_with(behind), "{told}");
        }
        for plain in [
            "git@github.com:a/b.git and ssh://deploy@host/x",
            "The cache key is 9c1f0a7be3d24c58b6a2f90d17e4c3aa.",
            "The token is base64url-encoded, the key sha256-based.",
            "`./gradlew pixel6Api34atdDebugAndroidTest` runs one class.",
            "The login goes through OAuth2-Proxy, auth is done by Http2Server.",
            "Log in at https://auth.example/realms/Main2 first.",
            "Sign commits with the key of the release team, 2026-01-31.",
        ] {
            assert_eq!(redact(plain), plain);
        }
    }

    #[test]
    fn cookies_and_the_tokens_of_bots_and_storage_accounts_go() {
        let (long, id) = ("k7Vq2xM4h6Zw2t3Rb8Yn5Pc1", "ODc2NTQzMjEwOTg3NjU0MzIx");
        for (before, secret, behind) in [
            ("Cookie: ", format!("theme=dark; session={long}; csrftoken={long}"), ""),
            ("curl -H 'Cookie: ", format!("sid={long}"), "' https://shop.example.net"),
            ("{\"cookie\": \"", format!("sid={long}"), "\"}"),
            ("Set-Cookie: ", format!("sid={long}"), "; Path=/; HttpOnly"),
            ("client.login('", format!("{id}.GaBcDe.{long}{}", "x1Y2z3A4b5C6d7"), "')"),
            ("https://", format!("discord.com/api/webhooks/876543210987654321/{long}{long}{long}"), ""),
            ("bot = Bot('", format!("8765432109:AA{}", "H4k7Vq2xM4h6Zw2t3Rb8Yn5Pc1d9E0f7G"), "')"),
            (
                "https://acct.blob.core.windows.net/c/f?sv=2024-11-04&se=2027-01-01&sr=b&sp=r&sig=",
                format!("{long}%2B{long}%3D"),
                "",
            ),
        ] {
            let told = redact(&format!("{before}{secret}{behind}")).into_owned();
            assert!(!told.contains("k7Vq2xM4") && !told.contains(&secret), "{told}");
            assert!(told.starts_with(before) && told.ends_with(behind), "{told}");
        }
    }

    #[test]
    fn words_that_only_sound_like_a_password_stay() {
        for text in [
            "--- PASS: TestTokenizer2Handles (0.00s)",
            "PASS: tokenizer2_reads_utf8_input",
            "pass=12 fail=3 skip=0",
            "tests pass: 120of121 were run",
            "PWD=/home/ci2/build3",
            "password: see the vault entry db2-main",
            "The password: ask Ines, room 3.12",
            "password_hash: argon2id-v19-m65536",
            "bypass_list=10.0.0.0/8",
            "mysql -port 3306 -protocol=tcp",
            "sshpass -p reads it from the next word",
            "redis-cli -a is how it takes the password",
            "cookie: the banner of the shop",
            "Cookie: consent=yes; theme=dark",
            "Set-Cookie: lang=en; Path=/",
            "the cookies: sid=<id>",
            "int sig=12; se=3",
            "a.b.c and com.google.common.base.Strings",
            "https://host/p?key=name&sort=asc",
            "docker run -p 8080:80 img2",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn what_only_stands_for_a_secret_stays() {
        for text in [
            "export TOKEN=${GITHUB_TOKEN}",
            "curl -u user:password https://example.org",
            "postgres://user:<password>@localhost/db",
            "api_key: \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"",
            "The token is kept in SIEVE_TOKEN_FILE.",
            "primary_key = invoices_2024_v2_idx",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}
