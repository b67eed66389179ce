//! Programs of languages that are compiled to machine code.

use super::{PLAIN, Reads, Tool};

#[rustfmt::skip]
const CARGO: &[&str] = &[
    "Cargo.toml", "Cargo.lock", "rust-toolchain", "rust-toolchain.toml", ".cargo/config.toml", "clippy.toml", "rustfmt.toml", "deny.toml", "build.rs",
];
const GO: &[&str] = &["go.mod", "go.sum", "go.work", ".golangci.yml", ".golangci.yaml", ".golangci.toml"];

#[rustfmt::skip]
pub(super) static TOOLS: &[Tool] = &[
    Tool { names: &["cargo"], sub: true, anyway: &["--profile=dev"], subs: &[("b", "build"), ("c", "check"), ("t", "test"), ("r", "run"), ("d", "doc"), ("rm", "remove")],
        flags: &[("-p", "--package"), ("-F", "--features"), ("-r", "--release"), ("--all", "--workspace"), ("-j", "--jobs"), ("-n", "--dry-run"), ("-q", "--quiet"), ("-v", "--verbose")],
        values: &["--package", "--features", "--test", "--bin", "--example", "--bench", "--target", "--manifest-path", "--profile", "--jobs", "--version", "--exclude", "--color", "--message-format", "--git", "--branch", "--tag", "--rev", "--path", "--registry", "--target-dir", "--config", "-Z", "-C", "--root", "--index", "-E", "--filter-expr"],
        bare: &["--locked", "--frozen", "--offline", "--release", "--workspace", "--all-targets", "--all-features", "--no-default-features", "--lib", "--bins", "--tests", "--examples", "--doc", "--no-run", "--no-fail-fast", "--dry-run", "--allow-dirty", "--no-verify", "--keep-going", "--check", "--fix", "--force"],
        shows: &["-vv", "--message-format", "--jobs", "--target-dir", "--nocapture", "--show-output"], folder: &["-C"], manifest: &["--manifest-path"], package: &["--package"], any_order: true,
        reads: Reads::SourcesFor(&["build", "check", "test", "run", "clippy", "doc", "bench", "fmt", "package", "publish", "nextest", "miri", "rustc", "fix", "llvm-cov", "tarpaulin"]), manifests: CARGO, ..PLAIN },
    Tool { names: &["cross", "trunk", "wasm-pack", "cargo-nextest"], sub: true, values: &["--target", "--package", "-p", "--features"], bare: &["--release"], any_order: true, reads: Reads::Sources, manifests: CARGO, ..PLAIN },
    Tool { names: &["rustfmt", "rustup"], sub: false, values: &["--edition", "--toolchain", "--target"], bare: &["--check"], manifests: CARGO, ..PLAIN },
    Tool { names: &["go"], sub: true, anyway: &["-count=1"], values: &["-run", "-count", "-timeout", "-tags", "-o", "-bench", "-C", "-p", "-ldflags", "-gcflags", "-coverprofile", "-covermode", "-coverpkg", "-mod", "-modfile", "-exec", "-parallel", "-cpu", "-skip", "-shuffle", "-fuzz", "-fuzztime", "-benchtime", "-vet"],
        bare: &["-race", "-short", "-failfast", "-a", "-n", "-u", "-d", "-benchmem", "-trimpath"], shows: &["-v", "-x", "-json", "-coverprofile", "-cover", "-p"], folder: &["-C"], any_order: true,
        reads: Reads::SourcesFor(&["build", "test", "run", "vet", "generate", "install"]), manifests: GO, ..PLAIN },
    Tool { anyway: &["./...", ".", "..."], names: &["golangci-lint", "staticcheck", "gofmt", "goimports", "gotestsum", "govulncheck", "revive", "gofumpt", "errcheck", "buf", "protoc", "sqlc", "goreleaser"], family: "go", values: &["--config", "-c", "--timeout", "--format", "--out-format", "-f"], bare: &["-l", "-w", "-d", "--fix", "--fast", "-checks"], shows: &["--out-format", "--format", "-v", "--timeout"], any_order: true, reads: Reads::Sources, manifests: GO, ..PLAIN },
    Tool { names: &["gcc", "cc", "clang", "g++", "clang++", "c++", "rustc", "javac", "kotlinc", "ghc", "nvcc", "zig", "dmd", "ldc2", "gfortran", "nim", "crystal", "ocamlfind", "odin", "nasm", "ld"], values: &["-o", "-I", "-L", "-D"], bare: &["-c", "-g", "-S", "-E", "-Wall", "-Wextra", "-Werror", "-O2", "-O0", "-O3", "-fPIC", "-pthread", "--release"], ..PLAIN },
    Tool { names: &["clang-tidy", "clang-format", "cppcheck", "cpplint", "valgrind", "gdb", "lldb"], values: &["-p", "--style", "-checks", "--error-exitcode"], bare: &["-i", "--dry-run", "-n", "--Werror", "-fix", "--batch", "-q"], manifests: &[".clang-tidy", ".clang-format"], ..PLAIN },
    Tool { names: &["swift", "xcodebuild", "xcrun"], sub: true, anyway: &["--configuration=debug", "-configuration=Debug"], flags: &[("-c", "--configuration")], values: &["--package-path", "-configuration", "--configuration", "--filter", "--skip", "--product", "--target", "--scratch-path", "--build-path", "-Xswiftc", "-scheme", "-project", "-workspace", "-destination", "-sdk", "-j", "--jobs"],
        bare: &["--parallel", "--build-tests", "--enable-code-coverage", "--skip-build", "--disable-sandbox"], shows: &["-q", "-v", "-j", "--jobs"], folder: &["--package-path"], any_order: true,
        reads: Reads::SourcesFor(&["build", "test", "run"]), manifests: &["Package.swift", "Package.resolved"], ..PLAIN },
    Tool { names: &["swiftlint", "swiftformat", "swift-format", "ktlint", "detekt"], default: "lint", subs: &[("autocorrect", "fix")], values: &["--config", "--reporter", "--path"], bare: &["--strict", "--fix", "--lenient", "-F"], shows: &["--reporter"], any_order: true, reads: Reads::Sources, manifests: &[".swiftlint.yml", ".swiftformat", ".swift-format", ".editorconfig", "detekt.yml"], ..PLAIN },
    Tool { names: &["stack", "cabal", "dune", "opam", "rebar3", "gleam", "elm", "spago", "shards", "nimble", "dub", "v", "idris2", "lake", "coqc", "agda", "purs", "roc", "raco", "alr", "fpm", "haxe"], sub: true, values: &["--stack-yaml", "--project-file", "--root", "--test-arguments", "-j"], bare: &["--fast", "--pedantic"], shows: &["-j", "-v"], any_order: true, folder: &["--root"],
        reads: Reads::SourcesFor(&["build", "test", "run", "bench", "check", "compile", "runtest", "eunit", "ct", "make", "exec"]), manifests: &["stack.yaml", "package.yaml", "cabal.project", "dune-project", "dune", "rebar.config", "rebar.lock", "gleam.toml", "manifest.toml", "elm.json", "spago.yaml", "shard.yml", "shard.lock", "dub.json", "lakefile.lean", "alire.toml", "fpm.toml"], ..PLAIN },
    Tool { names: &["dart", "flutter", "melos", "fvm"], sub: true, runs: &[], flags: &[("-d", "--device-id"), ("-N", "--plain-name"), ("-r", "--reporter")], values: &["--device-id", "--name", "-n", "--plain-name", "--reporter", "--flavor", "--target", "-t", "--dart-define", "-D", "--directory", "-C", "--tags"], bare: &["--release", "--debug", "--profile", "--coverage", "--fatal-infos", "--set-exit-if-changed"],
        shows: &["--reporter"], folder: &["--directory", "-C"], any_order: true, reads: Reads::SourcesFor(&["test", "run", "build", "analyze", "compile", "format", "fix"]), manifests: &["pubspec.yaml", "pubspec.lock", "analysis_options.yaml"], ..PLAIN },
];
