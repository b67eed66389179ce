//! Programs of Ruby, PHP, Elixir and others that are run as they are written.

use super::{PLAIN, Reads, Tool};

#[rustfmt::skip]
const RUBY: &[&str] = &[
    "Gemfile", "Gemfile.lock", "Rakefile", ".rspec", ".rubocop.yml", ".ruby-version", ".tool-versions", "config/database.yml", "spec/spec_helper.rb",
    "spec/rails_helper.rb", "test/test_helper.rb",
];
#[rustfmt::skip]
const PHP: &[&str] = &[
    "composer.json", "composer.lock", "phpunit.xml", "phpunit.xml.dist", "phpstan.neon", "phpstan.neon.dist", "psalm.xml", ".php-cs-fixer.php",
    ".php-cs-fixer.dist.php", "phpcs.xml",
];
#[rustfmt::skip]
const MIX: &[&str] = &[
    "mix.exs", "mix.lock", "config/config.exs", "config/dev.exs", "config/test.exs", "config/prod.exs", "config/runtime.exs", ".formatter.exs",
    ".credo.exs", ".tool-versions", "test/test_helper.exs",
];
const TEST: Tool = Tool { family: "ruby", any_order: true, reads: Reads::Sources, manifests: RUBY, ..PLAIN };

#[rustfmt::skip]
pub(super) static TOOLS: &[Tool] = &[
    Tool { names: &["bundle", "bundler"], family: "ruby", sub: true, default: "install", runs: &["exec", "e"], subs: &[("i", "install"), ("e", "exec")], flags: &[("-j", "--jobs")], values: &["--gemfile", "--jobs", "--path", "--without", "--with", "--retry"], bare: &["--local", "--deployment", "--frozen", "--full-index"], shows: &["--jobs", "--retry"], manifest: &["--gemfile"], reads: Reads::Named, manifests: &["Gemfile", "Gemfile.lock", ".ruby-version"], ..PLAIN },
    Tool { names: &["gem"], family: "ruby", sub: true, values: &["--version", "-v", "--source", "-s"], bare: &["--no-document", "-N", "--user-install"], shows: &["-q", "--no-document", "-N"], any_order: true, ..PLAIN },
    Tool { names: &["rspec"], flags: &[("-f", "--format"), ("-e", "--example"), ("-t", "--tag"), ("-o", "--out")], values: &["--format", "--example", "--tag", "--out", "--seed", "-P", "--pattern", "-I", "-r", "--require", "--order"], bare: &["--fail-fast", "--only-failures", "--next-failure"], shows: &["--format", "--out", "--seed", "--profile", "--backtrace", "-b", "-c", "--no-profile", "--order"], ..TEST },
    Tool { names: &["rubocop", "standardrb", "reek", "brakeman", "srb", "sorbet", "haml-lint", "erblint", "steep"], flags: &[("-f", "--format")], values: &["--format", "--config", "-c", "--only", "--except"], bare: &["-a", "-A", "--autocorrect", "--autocorrect-all", "--parallel", "-P"], shows: &["--format", "--parallel", "-P", "--display-cop-names", "-D"], ..TEST },
    Tool { names: &["rake", "rails"], flags: &[("-e", "--environment")], values: &["-f", "--rakefile", "--environment", "-n", "--name", "-p", "--port", "-b", "--binding"], bare: &["--trace", "-t", "--force", "-f", "-P", "--pretend", "--skip"], shows: &["--trace", "-t", "-s", "-q", "--backtrace", "-v"], manifest: &["--rakefile"], reads: Reads::Sources, family: "ruby", manifests: RUBY, ..PLAIN },
    Tool { names: &["minitest", "m", "cucumber", "spring", "puma", "sidekiq", "jekyll", "kamal", "cap", "fastlane", "pod"], ..TEST },
    Tool { names: &["ruby", "irb"], family: "ruby", values: &["-e", "-I", "-r"], shows: &["-w", "-W0", "-W"], ..PLAIN },
    Tool { names: &["composer"], family: "php", sub: true, runs: &["exec"], subs: &[("i", "install"), ("u", "update"), ("upgrade", "update"), ("r", "require"), ("rm", "remove"), ("run", "run-script")], flags: &[("-d", "--working-dir"), ("-n", "--no-interaction"), ("-o", "--optimize-autoloader")], values: &["--working-dir"], bare: &["--dev", "--no-dev", "--no-scripts", "--prefer-dist", "--optimize-autoloader", "--ignore-platform-reqs", "-W", "--dry-run"], shows: &["--no-interaction", "-q", "-v", "-vv", "-vvv", "--profile"], folder: &["--working-dir"], any_order: true, reads: Reads::SourcesFor(&["test", "run-script", "exec", "dump-autoload"]), manifests: &["composer.json", "composer.lock"], ..PLAIN },
    Tool { names: &["phpunit", "pest", "phpstan", "psalm", "phpcs", "phpcbf", "php-cs-fixer", "pint", "rector", "infection", "paratest", "codecept", "behat", "deptrac"], default: "analyse", subs: &[("analyze", "analyse")], flags: &[("-c", "--configuration")], values: &["--configuration", "--filter", "--testsuite", "--group", "--level", "-l", "--memory-limit", "--standard", "--config", "--coverage-html", "--coverage-clover", "--log-junit"], bare: &["--stop-on-failure", "--dry-run", "--test", "--parallel"], shows: &["--testdox", "--no-coverage", "--error-format", "--log-junit", "-v", "--diff", "--coverage-html", "--coverage-clover", "--display-warnings"], family: "php", any_order: true, reads: Reads::Sources, manifests: PHP, ..PLAIN },
    Tool { names: &["artisan", "console", "symfony", "drush", "wp", "laravel", "sail"], family: "php", sub: true, values: &["--env", "-e", "--path", "--database", "--class", "--filter", "--connection"], bare: &["--force", "--seed", "--pretend"], shows: &["--no-interaction", "-n", "-q", "-v", "-vv", "-vvv"], reads: Reads::SourcesFor(&["test"]), manifests: &["composer.json", "composer.lock", ".env", "config/database.php", "phpunit.xml"], ..PLAIN },
    Tool { names: &["php"], family: "php", values: &["-r", "-d", "-c", "-S", "-t"], manifests: &[], ..PLAIN },
    Tool { names: &["mix"], sub: true, values: &["--seed", "--only", "--exclude", "--include", "--max-failures", "--repo", "-r", "--step", "-n", "--to", "--max-cases", "-e", "--eval", "--timeout", "--migrations-path"], bare: &["--force", "--stale", "--failed", "--trace", "--cover", "--warnings-as-errors", "--check-formatted", "--strict", "--no-start", "--no-compile", "--all", "--only-prod"], shows: &["--seed", "--trace", "--slowest", "--formatter", "--max-cases"],
        any_order: true, reads: Reads::SourcesFor(&["test", "compile", "run", "credo", "dialyzer", "format", "release", "phx.server", "xref", "docs", "sobelow"]), manifests: MIX, ..PLAIN },
    Tool { names: &["elixir", "iex", "escript", "erl"], family: "mix", values: &["-e", "-S", "-r"], ..PLAIN },
    Tool { names: &["Rscript", "R", "julia", "octave", "lua", "luajit", "tclsh", "guile", "racket", "sbcl"], values: &["-e", "-l"], bare: &["--project", "--vanilla", "--no-save"], shows: &["-q"], manifests: &["renv.lock", "DESCRIPTION", "Project.toml", "Manifest.toml"], ..PLAIN },
    Tool { names: &["perl"], values: &["-e", "-I"], shows: &["-w"], ..PLAIN },
    Tool { names: &["busted", "luacheck", "perlcritic", "prove", "cpanm", "carton", "luarocks"], any_order: true, reads: Reads::Sources, manifests: &["cpanfile", ".luacheckrc"], ..PLAIN },
];
