//! Programs of JavaScript and TypeScript.

use super::{Answer, PLAIN, Reads, Tool};

#[rustfmt::skip]
pub(super) const NODE: &[&str] = &[
    "package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", "yarn.lock", "bun.lockb", "bun.lock",
    ".npmrc", ".yarnrc.yml", ".nvmrc", ".node-version", ".babelrc", "babel.config.js", "tsconfig.json", "tsconfig.base.json", "turbo.json", "nx.json",
    "deno.json", "deno.jsonc", "deno.lock",
];
const RUNS: &[&str] =
    &["test", "run", "start", "exec", "build", "lint", "pack", "publish", "ci", "check", "bench", "task"];
const ANSWERS: &[Answer] =
    &[Answer { with: &["outdated"], codes: &[1] }, Answer { with: &["audit"], codes: &[1] }];
const CHECKER: Tool =
    Tool { family: "node", any_order: true, reads: Reads::Sources, manifests: NODE, ..PLAIN };

#[rustfmt::skip]
pub(super) static TOOLS: &[Tool] = &[
    Tool { names: &["npm"], family: "node", sub: true, runs: &["exec", "x"],
        subs: &[("i", "install"), ("in", "install"), ("add", "install"), ("isntall", "install"), ("t", "test"), ("tst", "test"), ("run-script", "run"), ("rum", "run"),
            ("rm", "uninstall"), ("remove", "uninstall"), ("un", "uninstall"), ("unlink", "uninstall"), ("r", "uninstall"), ("up", "update"), ("upgrade", "update"), ("ls", "list"), ("ll", "list"), ("la", "list"), ("info", "view"), ("show", "view"), ("v", "view"), ("x", "exec"), ("clean-install", "ci"), ("ic", "ci"), ("ddp", "dedupe"), ("rb", "rebuild"), ("c", "config"), ("create", "init")],
        flags: &[("-D", "--save-dev"), ("-P", "--save-prod"), ("-S", "--save"), ("-O", "--save-optional"), ("-E", "--save-exact"), ("-C", "--prefix"), ("--dev", "--save-dev"), ("--production", "--omit=dev"), ("-w", "--workspace"), ("-g", "--global"), ("-s", "--silent"), ("-ws", "--workspaces")],
        values: &["--workspace", "--prefix", "--tag", "--registry", "--loglevel", "--otp", "--omit", "--include", "--access", "--script-shell", "--cache"],
        bare: &["--global", "--save-dev", "--save-exact", "--save-prod", "--force", "--yes", "--legacy-peer-deps", "--ignore-scripts", "--dry-run", "--workspaces", "--if-present", "--prefer-offline", "--offline"],
        shows: &["-q", "-d", "-dd", "-s", "--no-fund", "--fund", "--no-audit", "--save", "--foreground-scripts"],
        folder: &["--prefix"], package: &["--workspace"], any_order: true, reads: Reads::SourcesFor(RUNS), manifests: NODE, answers: ANSWERS, ..PLAIN },
    Tool { names: &["pnpm"], family: "node", sub: true, runs: &["exec", "dlx"],
        subs: &[("i", "install"), ("rm", "remove"), ("un", "remove"), ("uninstall", "remove"), ("up", "update"), ("upgrade", "update"), ("ls", "list"), ("t", "test"), ("tst", "test"), ("run-script", "run"), ("recursive", "-r"), ("multi", "-r"), ("m", "-r")],
        flags: &[("-D", "--save-dev"), ("-P", "--save-prod"), ("-F", "--filter"), ("-C", "--dir"), ("-w", "--workspace-root"), ("-s", "--silent"), ("--recursive", "-r"), ("-g", "--global")],
        values: &["--filter", "--dir", "--reporter", "--loglevel", "--registry", "--tag", "--access"],
        bare: &["--save-dev", "--global", "--workspace-root", "-r", "--frozen-lockfile", "--no-frozen-lockfile", "--force", "--offline", "--if-present", "--parallel"],
        shows: &["--reporter", "--stream", "--aggregate-output"],
        folder: &["--dir"], package: &["--filter"], any_order: true, reads: Reads::SourcesFor(RUNS), manifests: NODE, answers: ANSWERS, ..PLAIN },
    Tool { names: &["yarn", "yarnpkg"], family: "node", sub: true, default: "install", runs: &["exec", "dlx"], subs: &[("upgrade", "up"), ("why", "explain")],
        flags: &[("-D", "--dev"), ("-s", "--silent")], values: &["--cwd", "--registry"], bare: &["--dev", "--frozen-lockfile", "--immutable", "--check-cache"], shows: &["--non-interactive"],
        folder: &["--cwd"], package: &["workspace"], any_order: true, reads: Reads::SourcesFor(RUNS), manifests: NODE, answers: ANSWERS, ..PLAIN },
    Tool { names: &["bun"], family: "node", sub: true, runs: &["x"], subs: &[("i", "install"), ("a", "add"), ("rm", "remove")], values: &["--cwd", "--filter"], bare: &["--watch", "--hot", "--bun", "-b", "--dev", "-d", "--frozen-lockfile"],
        flags: &[("-F", "--filter")], folder: &["--cwd"], package: &["--filter"], any_order: true, reads: Reads::SourcesFor(RUNS), manifests: NODE, answers: ANSWERS, ..PLAIN },
    Tool { names: &["deno"], family: "node", sub: true, flags: &[("-A", "--allow-all"), ("-c", "--config"), ("-R", "--allow-read"), ("-W", "--allow-write"), ("-N", "--allow-net"), ("-E", "--allow-env")], values: &["--config", "--import-map", "--filter", "--lock", "--cwd"],
        bare: &["--allow-all", "--allow-read", "--allow-write", "--allow-net", "--allow-env", "--allow-run", "--no-check", "--watch"], folder: &["--cwd"], any_order: true, reads: Reads::SourcesFor(&["test", "task", "check", "lint", "bench", "compile"]), manifests: NODE, answers: ANSWERS, ..PLAIN },
    Tool { names: &["npx", "bunx", "pnpx"], family: "node", runs: &[""], values: &["--package", "-p", "--call", "-c"], bare: &["--yes", "-y", "--no-install", "--bun"], shows: &["--yes", "-y", "-q"],
        reads: Reads::Sources, manifests: NODE, ..PLAIN },
    Tool { names: &["jest", "vitest", "mocha", "ava", "karma", "tap", "cypress", "wtr"], flags: &[("-t", "--testNamePattern"), ("-i", "--runInBand"), ("-g", "--grep"), ("-w", "--watch")],
        values: &["--testNamePattern", "--config", "-c", "--reporter", "--grep", "--project", "--maxWorkers", "-w", "--spec", "--environment"], bare: &["--runInBand", "--ci", "--watch", "--coverage", "--bail", "--run"], shows: &["--reporter", "--reporters", "--ci", "--passWithNoTests=false"], ..CHECKER },
    Tool { names: &["playwright"], sub: true, flags: &[("-g", "--grep"), ("-j", "--workers")], values: &["--grep", "--project", "--config", "-c", "--reporter", "--workers", "--retries", "--timeout"], bare: &["--headed", "--with-deps", "--debug"], shows: &["--reporter"],
        reads: Reads::SourcesFor(&["test"]), ..CHECKER },
    Tool { names: &["eslint", "prettier", "stylelint", "biome", "oxlint", "xo", "standard"], flags: &[("-f", "--format")], values: &["--config", "-c", "--format", "--ext", "--max-warnings", "--parser", "--rule"],
        bare: &["--fix", "--check", "--write", "--list-different", "-l", "-w", "--cache"], shows: &["--format", "--cache"], ..CHECKER },
    Tool { anyway: &["-p=.", "--project=."], names: &["tsc", "vite", "webpack", "next", "rollup", "esbuild", "turbo", "nx", "vue-tsc", "ng", "astro", "nuxt", "svelte-check", "tsup", "parcel", "storybook", "remix", "lerna"], values: &["--project", "-p", "--config", "-c", "--mode", "-m", "--filter", "-F", "--outDir", "--port", "--scope", "--cwd", "--target", "-t"],
        flags: &[("-F", "--filter"), ("-b", "--build")], bare: &["--noEmit", "--build", "--watch", "-w", "--strict"], shows: &["--pretty"], folder: &["--cwd"], package: &["--filter", "--scope"], ..CHECKER },
    Tool { anyway: &["--schema=prisma/schema.prisma"], names: &["prisma", "drizzle-kit", "knex", "sequelize", "typeorm", "wrangler", "serverless", "sls", "expo", "eas", "cdk", "changeset", "semantic-release", "graphql-codegen"], family: "node", sub: true, values: &["--schema", "--name", "--env", "-e", "--config", "-c", "--stage", "-s", "--region", "--profile", "--app"], bare: &["--force", "--remote", "--local"],
        reads: Reads::Named, manifests: NODE, ..PLAIN },
    Tool { names: &["node", "nodejs", "tsx", "ts-node"], values: &["-e", "--eval", "-r", "--require", "--import", "--loader", "-p", "--env-file"], shows: &["--no-warnings", "--trace-warnings", "--enable-source-maps"], manifests: NODE, ..PLAIN },
];
