//! What people saw when they used it: one small shop's memories, and tasks in the words of the people who work there.

use super::*;

/// The shop's memories: slug, title, trigger, importance, body.
const SHOP: [[&str; 5]; 8] = [
    [
        "refunds",
        "Refunds go through the payment provider's queue",
        "refund",
        "high",
        "A refund is never sent at once. It is put on the provider's queue and answered by a webhook within a \
         day, so a second attempt must carry the same idempotency key or the customer gets the money twice.",
    ],
    [
        "graphql",
        "Moving the cart to GraphQL failed",
        "graphql",
        "medium",
        "We tried it in spring and gave up: the mobile apps pin the old REST answers, and the gateway could \
         not cache queries. Keep the cart on REST until the apps are retired.",
    ],
    [
        "cents",
        "Prices are stored in cents",
        "price|amount|currency",
        "high",
        "Every amount is an integer number of cents with its currency beside it. Never use floats, and round \
         only when printing an invoice.",
    ],
    [
        "pictures",
        "Product pictures are resized by the CDN",
        "image|picture|thumbnail",
        "low",
        "Do not store thumbnails. Ask the CDN for a width in the address and it makes and keeps them.",
    ],
    [
        "index",
        "Search index is rebuilt every night",
        "search index",
        "medium",
        "New articles show up in the search only after the job at two in the morning. To see one at once, \
         call the reindex endpoint with its number.",
    ],
    [
        "staging",
        "Staging shares its database with QA",
        "staging",
        "critical",
        "Running migrations on staging locks the tables the QA team is using. Tell them first, and never load \
         a dump there during the day.",
    ],
    [
        "mail",
        "Emails are sent by the notification service",
        "When a mail to a customer is written or changed",
        "medium",
        "Templates live in the notification repository, not here. The shop only publishes an event with the \
         data of the order.",
    ],
    [
        "clock",
        "Checkout tests need the fake clock",
        "checkout.*test|test.*checkout",
        "medium",
        "Vouchers expire at midnight, so tests that run late fail now and then. Use the frozen clock from the \
         fixtures.",
    ],
];

fn injected(task: &str) -> Vec<String> {
    let shop: Vec<Memory> = SHOP
        .iter()
        .map(|[slug, title, trigger, importance, body]| {
            let fields = format!("title: \"{title}\"\nwhenToUse: \"{trigger}\"\nimportance: {importance}");
            memory(slug, &fields, body)
        })
        .collect();
    chosen(&hybrid(&shop, task)).into_iter().map(str::to_owned).collect()
}

#[track_caller]
fn check(tasks: &[(&str, &str)]) {
    for (task, slug) in tasks {
        assert_eq!(injected(task), [*slug], "{task}");
    }
}

#[test]
fn no_second_memory_rides_along_on_a_generic_word() {
    check(&[
        ("Retry failed refunds", "refunds"),
        ("The refund of order 1834 failed twice, look into it", "refunds"),
        ("Rewrite the basket API in GraphQL", "graphql"),
        ("Apply the new migration on staging", "staging"),
    ]);
}

#[test]
fn a_memory_whose_own_pattern_matched_enters() {
    check(&[
        ("Load last week's orders into staging so that support can play with them", "staging"),
        ("The product page asks for a picture of the wrong width", "pictures"),
        ("Round the amount on the delivery note", "cents"),
        ("Make the test of the checkout run in less than a second", "clock"),
        (
            "Our partner's new app will talk to us from May on. Their people asked whether they may send one \
             GraphQL document for everything on their first screen, or whether we would rather see several \
             small calls with a delay between them. Prepare an answer, and a table of what each costs us.",
            "graphql",
        ),
    ]);
}

#[test]
fn a_task_in_other_words_finds_its_memory() {
    check(&[
        ("Change the wording of the order confirmation mail", "mail"),
        ("The vouchers in the checkout tests expire when CI runs around midnight", "clock"),
    ]);
}

#[test]
fn nothing_enters_where_only_everyday_words_are_shared() {
    for task in [
        "Upgrade the linter and fix what it complains about",
        "Add a dark theme to the settings page",
        "Write a script that lists unused feature flags",
        "Deployment failed because of a missing environment variable",
        "Rename the Order class to Purchase",
        "Explain how the retry decorator works",
    ] {
        assert_eq!(injected(task), [""; 0], "{task}");
    }
}
