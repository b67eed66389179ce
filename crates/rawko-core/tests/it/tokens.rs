//! The token estimate against what real tokenizers counted.
//!
//! The counts were taken once, from the packages `gpt-tokenizer` (encodings
//! `cl100k_base` and `o200k_base`) and `@anthropic-ai/tokenizer`; the texts are
//! of the kinds that memories hold. No tokenizer is the right one for every
//! model, and they differ among themselves by up to a half: the estimate has
//! to lie near all of them, and to err on the side that keeps a budget.

use rawko_core::tokens;

/// What a text is, the text, and its tokens by `cl100k_base`, by `o200k_base` and by Anthropic's tokenizer.
const COUNTED: &[(&str, &str, [usize; 3])] = &[
    (
        "a paragraph of English",
        r#"The retry queue drops the last message of a batch when the worker restarts, because the offset is written before the handler returns. We moved the write behind the handler and added a test that kills the worker in between. Nobody should move it back for speed."#,
        [52, 52, 52],
    ),
    (
        "Markdown with a list",
        r#"## Releasing

1. Run `cargo test --workspace` and wait for it.
2. Change the version in `Cargo.toml` and in `CHANGELOG.md`.
3. Tag with `git tag -s v1.4.2` and push the tag.

- **Never** publish from a branch.
- The package is built in CI; what you build at home is not what is shipped."#,
        [85, 85, 94],
    ),
    (
        "Rust",
        r#"pub fn merge(left: &[u32], right: &[u32]) -> Vec<u32> {
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        if left[i] <= right[j] {
            merged.push(left[i]);
            i += 1;
        } else {
            merged.push(right[j]);
            j += 1;
        }
    }
    merged.extend_from_slice(&left[i..]);
    merged
}
"#,
        [123, 123, 143],
    ),
    (
        "TypeScript",
        r#"export async function loadSession(id: string): Promise<Session | undefined> {
  const row = await db.query.sessions.findFirst({ where: eq(sessions.id, id) });
  if (!row || row.expiresAt < Date.now()) {
    return undefined;
  }
  return { ...row, user: await loadUser(row.userId) };
}
"#,
        [72, 74, 83],
    ),
    (
        "shell",
        r#"set -euo pipefail
for file in $(git diff --name-only origin/main -- '*.sql'); do
  psql "$DATABASE_URL" --single-transaction -f "$file" || exit 1
done
docker compose up -d --wait postgres redis && npm run migrate -- --to=20260114_0930
"#,
        [71, 71, 73],
    ),
    (
        "JSON",
        r#"{
  "name": "billing-worker",
  "timeout": 30000,
  "retries": { "max": 5, "backoff": [100, 400, 1600] },
  "queues": ["invoices", "refunds", "dunning"],
  "enabled": true
}
"#,
        [66, 67, 61],
    ),
    (
        "a log with a stack trace",
        r#"2026-01-14T09:30:11.482Z ERROR checkout-7f9c: TypeError: Cannot read properties of undefined (reading 'amount')
    at computeTotal (/srv/app/dist/checkout/total.js:41:27)
    at async handler (/srv/app/dist/routes/checkout.js:112:19)
    at async /srv/app/node_modules/fastify/lib/handleRequest.js:136:12
exit code 134, request 5b0e2c1a-77d3-4f5e-9a41-0c2f6f1d9e88
"#,
        [131, 133, 142],
    ),
    (
        "paths and names",
        r#"src/checkout/total.rs, crates/store/src/index/pages.rs, tests/it/checkout_total_rounds_half_even.rs, packages/web/app/(shop)/cart/page.tsx, getServerSideProps, MAX_RETRY_COUNT, kube-system/coredns-5d78c9869d-x7k2p"#,
        [63, 65, 84],
    ),
    (
        "German",
        r#"Die Warteschlange verliert beim Neustart die letzte Nachricht eines Stapels, weil der Zeiger geschrieben wird, bevor die Verarbeitung fertig ist. Größere Überweisungen müssen außerdem von zwei Personen bestätigt werden."#,
        [56, 42, 64],
    ),
    (
        "Chinese",
        r#"重启工作进程时，队列会丢失一批消息中的最后一条，因为偏移量在处理程序返回之前就已写入。请不要为了速度把它移回去。"#,
        [57, 44, 48],
    ),
];

#[test]
fn the_estimate_is_near_what_tokenizers_count() {
    for (name, text, counts) in COUNTED {
        for count in counts {
            let ratio = tokens(text) as f32 / *count as f32;
            assert!((0.75..=1.4).contains(&ratio), "{name}: {ratio} of {count}");
        }
    }
}

#[test]
fn over_many_texts_the_estimate_keeps_a_budget_and_wastes_little_of_it() {
    let estimated: usize = COUNTED.iter().map(|(_, text, _)| tokens(text)).sum();
    for tokenizer in 0..3 {
        let counted: usize = COUNTED.iter().map(|(_, _, counts)| counts[tokenizer]).sum();
        let ratio = estimated as f32 / counted as f32;
        assert!((1.0..=1.25).contains(&ratio), "tokenizer {tokenizer}: {ratio}");
    }
}
