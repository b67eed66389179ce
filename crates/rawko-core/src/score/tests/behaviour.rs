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

fn shop() -> Vec<Memory> {
    let written = SHOP.iter().map(|[slug, title, trigger, importance, body]| {
        let fields = format!("title: \"{title}\"\nwhenToUse: \"{trigger}\"\nimportance: {importance}");
        memory(slug, &fields, body)
    });
    written.collect()
}

fn injected(task: &str) -> Vec<String> {
    chosen(&hybrid(&shop(), task)).into_iter().map(str::to_owned).collect()
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

#[test]
fn a_memory_that_its_own_trigger_called_is_not_kept_out_by_what_else_its_text_says() {
    let mut shop = shop();
    // The pattern names a command and no word that a search would find.
    let fields =
        "whenToUse: [{command: \"[k]ubectl (get|logs)\"}]\nimportance: low\ntitle: Ask the harbour office";
    shop.push(memory("harbour", fields, "They know the tides."));
    let task = TaskContext {
        command: "kubectl get pods".to_owned(),
        ..TaskContext::of(
            "The refund in the invoice mail shows a wrong amount, find out why the price has no currency",
        )
    };
    let judged = judge(&shop, &task, &Settings::default());
    assert_eq!(gate(&judged, "harbour"), "chosen", "{:?}", of(&judged, "harbour"));
}

/// Memories and tasks of small stores in other scripts: slug, title, trigger, body; task, and what it wants.
type Store = (&'static [[&'static str; 4]], &'static [(&'static str, &'static str)]);

const RUSSIAN: Store = (
    &[
        [
            "deploy",
            "Перед выкладкой нужно запустить миграции базы данных",
            "выкладк|релиз",
            "Перед выпуском на боевой сервер выполните миграции на стенде, иначе сервис падает при старте.",
        ],
        [
            "cache",
            "Ключ кэша должен содержать номер арендатора",
            "Когда меняется логика кэширования",
            "Ключи в Redis начинаются с номера арендатора, иначе данные разных клиентов перезаписывают друг друга.",
        ],
        [
            "invoice",
            "Суммы счетов хранятся в копейках",
            "счёт|счета",
            "Все суммы хранятся целым числом копеек, в рубли они переводятся только при печати счёта.",
        ],
    ],
    &[
        ("Подготовить выкладку сервиса заказов на боевой сервер", "deploy"),
        ("Изменить формат ключей кэша", "cache"),
        ("Неправильная сумма в счетах клиента", "invoice"),
        ("Добавить тёмную тему на главную страницу", ""),
        ("Исправить стили кнопок на мобильных устройствах", ""),
        ("Переписать модуль логирования, чтобы он был проще", ""),
    ],
);

const CHINESE: Store = (
    &[
        [
            "deploy",
            "发布前必须先运行数据库迁移",
            "发布|部署",
            "生产环境发布之前,先在预发环境执行数据库迁移脚本,否则服务启动时会因为缺少字段而崩溃。",
        ],
        [
            "auth",
            "登录令牌十五分钟后过期",
            "登录|令牌|认证",
            "访问令牌只有十五分钟有效期,前端要用刷新令牌自动续期,不要延长有效期。",
        ],
        [
            "queue",
            "消息队列重复投递时要保证幂等",
            "当处理消息队列时",
            "消费者可能收到同一条消息两次,处理前先检查消息编号是否已经处理过。",
        ],
    ],
    &[
        ("把订单服务部署到生产环境", "deploy"),
        ("消息被重复处理了,修复消费者", "queue"),
        ("用户登录后令牌很快失效怎么办", "auth"),
        ("给首页添加一个深色主题", ""),
        ("请添加一个新的接口返回用户列表", ""),
        ("检查搜索结果的排序是否正确", ""),
    ],
);

#[test]
fn a_small_store_in_another_script_speaks_when_it_should_and_only_then() {
    for (memories, tasks) in [RUSSIAN, CHINESE] {
        let written = memories.iter().map(|[slug, title, trigger, body]| {
            let fields = format!("title: \"{title}\"\nwhenToUse: \"{trigger}\"");
            memory(slug, &fields, &format!("# {title}\n\n{body}"))
        });
        let written: Vec<Memory> = written.collect();
        for (task, wanted) in tasks {
            let judged = hybrid(&written, task);
            assert_eq!(chosen(&judged).join(" "), *wanted, "{task}");
        }
    }
}

#[test]
fn small_talk_calls_nothing_but_by_a_trigger() {
    let memories = [
        memory("runs", "title: Migrations run before the service", "Migrations run in their own job."),
        memory("edits", "title: Never edit generated types", "They are written by the build."),
        memory("needs", "title: Integration tests need Redis", "Start it first."),
        memory("going", "title: Deploys\nwhenToUse: \"go live\"", "Deploys go through the pipeline."),
    ];
    let asked = |task: &str| {
        let task = TaskContext { task: task.to_owned(), ..TaskContext::default() };
        chosen(&judge(&memories, &task, &Settings::default())).len()
    };
    for task in ["run it", "edit it", "what is needed?", "go on"] {
        assert_eq!(asked(task), 0, "{task}");
    }
    assert_eq!(asked("run the migrations"), 1);
    assert_eq!(asked("go live"), 1);
}
