//! One POST of JSON: retried as the vendors' own programs do, within one time limit.

use std::io::Read;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{ProviderError, quoted};

/// Most bytes of an answer.
pub(super) const BODY: usize = 4 * 1024 * 1024;
/// How often a call that fails is made in all.
pub(super) const TRIES: u32 = 3;
/// Longest time that a provider is left alone because it asked for it.
const LONGEST: Duration = Duration::from_secs(24 * 3_600);
/// Longest pause between two calls, where the provider names none.
const PAUSE: Duration = Duration::from_secs(8);

/// Posts `body` and gives the JSON that comes back.
pub(super) fn post(
    url: &str,
    headers: &[(&str, &str)],
    body: &Value,
    timeout: Duration,
) -> Result<Value, ProviderError> {
    post_at_most(url, headers, body, timeout, TRIES)
}

/// As [`post`], made at most so many times.
pub(super) fn post_at_most(
    url: &str,
    headers: &[(&str, &str)],
    body: &Value,
    timeout: Duration,
    tries: u32,
) -> Result<Value, ProviderError> {
    let start = Instant::now();
    for tried in 0.. {
        let left = timeout.saturating_sub(start.elapsed());
        if left.is_zero() {
            break;
        }
        let failed = match once(url, headers, body, left) {
            Ok(value) => return Ok(value),
            // What was left of the time says nothing to anybody.
            Err(Failed { error: ProviderError::Late(_), .. }) => break,
            Err(failed) => failed,
        };
        let pause = failed.pause.unwrap_or_else(|| backoff(tried, start));
        if tried + 1 >= tries || !failed.again || pause >= timeout.saturating_sub(start.elapsed()) {
            return Err(failed.error);
        }
        std::thread::sleep(pause);
    }
    Err(ProviderError::Late(timeout))
}

/// A call that failed, and whether and when to make it again.
struct Failed {
    error: ProviderError,
    again: bool,
    pause: Option<Duration>,
}

fn once(url: &str, headers: &[(&str, &str)], body: &Value, left: Duration) -> Result<Value, Failed> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(left))
        .http_status_as_error(false)
        // A redirect would carry the run to an address that nobody chose.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .user_agent(concat!("rawko/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    let mut request = agent.post(url).header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut response = request.send(body.to_string().as_bytes()).map_err(|error| lost(error, left))?;
    let status = response.status().as_u16();
    let told =
        |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let should = told("x-should-retry");
    let pause = pause(told("retry-after-ms"), told("retry-after"), told("date"));
    let mut bytes = Vec::new();
    let read = response.body_mut().as_reader().take(BODY as u64 + 1).read_to_end(&mut bytes);
    if let Err(error) = read {
        let late = error.kind() == std::io::ErrorKind::TimedOut || error.to_string().contains("timeout");
        let error =
            if late { ProviderError::Late(left) } else { ProviderError::Connection(error.to_string()) };
        return Err(Failed { again: !late, error, pause: None });
    }
    if status == 200 && bytes.len() > BODY {
        return Err(Failed { error: ProviderError::Long, again: false, pause: None });
    }
    if status == 200 {
        return serde_json::from_slice(&bytes).map_err(|error| Failed {
            error: ProviderError::Form(error.to_string()),
            again: false,
            pause: None,
        });
    }
    let again = match should.as_deref() {
        Some("true") => true,
        Some("false") => false,
        _ => matches!(status, 408 | 409 | 429) || status >= 500,
    };
    let error = ProviderError::Status { status, message: message(&bytes), after: pause };
    Err(Failed { error, again, pause })
}

fn lost(error: ureq::Error, left: Duration) -> Failed {
    match error {
        ureq::Error::Timeout(_) => Failed { error: ProviderError::Late(left), again: false, pause: None },
        other => Failed { error: ProviderError::Connection(other.to_string()), again: true, pause: None },
    }
}

/// What the provider says went wrong.
fn message(bytes: &[u8]) -> String {
    let value: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let said = value["error"]["message"].as_str().or_else(|| value["error"].as_str()).unwrap_or_default();
    let text = if said.is_empty() { String::from_utf8_lossy(bytes).into_owned() } else { said.to_owned() };
    quoted(&text)
}

/// The pause that the provider asks for: milliseconds, or seconds, or until a date.
fn pause(millis: Option<String>, after: Option<String>, date: Option<String>) -> Option<Duration> {
    let millis = millis.and_then(|text| text.trim().parse::<u64>().ok()).map(Duration::from_millis);
    let after = || {
        let after = after.as_deref()?.trim();
        let pause = match after.parse::<f64>() {
            Ok(seconds) => Duration::try_from_secs_f64(seconds).ok()?,
            Err(_) => {
                // By the clock of the machine that said so: ours may differ.
                let now = date.as_deref().and_then(instant).unwrap_or_else(jiff::Timestamp::now);
                instant(after)?.duration_since(now).try_into().unwrap_or_default()
            }
        };
        Some(pause)
    };
    millis.or_else(after).map(|pause| pause.min(LONGEST))
}

/// A date as headers have it: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn instant(text: &str) -> Option<jiff::Timestamp> {
    jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text.trim()).ok()
}

/// Half a second, doubled each time, less up to a quarter so that many do not come back at once.
fn backoff(tried: u32, start: Instant) -> Duration {
    let whole = Duration::from_millis(500 << tried.min(4)).min(PAUSE);
    let chance = start.elapsed().subsec_nanos() % 1_000;
    whole - whole.mul_f64(f64::from(chance) / 4_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_told_in_milliseconds_seconds_or_as_a_date() {
        let told = |millis: &str, after: &str, date: &str| {
            let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            pause(some(millis), some(after), some(date)).map(|pause| pause.as_millis())
        };
        assert_eq!(told("250", "7", ""), Some(250));
        assert_eq!(told("", "7200", ""), Some(7_200_000));
        assert_eq!(told("", "1.5", ""), Some(1_500));
        let said = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(told("", "Sun, 06 Nov 1994 08:49:42 GMT", said), Some(5_000));
        assert_eq!(told("", "Sun, 06 Nov 1994 08:49:07 GMT", said), Some(0), "it has passed");
        assert_eq!(told("", "1e300", ""), None);
        assert_eq!(told("", "-3", ""), None);
        assert_eq!(told("", "soon", ""), None);
    }

    #[test]
    fn a_secret_in_an_error_is_taken_out_even_where_the_text_is_cut() {
        let secret = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
        for before in [0, 270, 290] {
            let text = format!("{} {secret}", "a ".repeat(before / 2));
            let said = message(serde_json::json!({ "error": text }).to_string().as_bytes());
            assert!(!said.contains("ghp_") && said.chars().count() <= 300, "{before}: {said}");
        }
    }
}
