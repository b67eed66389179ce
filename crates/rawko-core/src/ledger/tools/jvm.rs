//! Programs of the Java and .NET machines.

use super::{Answer, PLAIN, Reads, Tool};

const MAVEN: &[&str] = &["pom.xml", ".mvn/maven.config", ".mvn/jvm.config"];
#[rustfmt::skip]
const GRADLE: &[&str] = &[
    "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradle.properties", "gradle/libs.versions.toml",
    "gradle/wrapper/gradle-wrapper.properties", "gradle.lockfile",
];
#[rustfmt::skip]
const DOTNET: &[&str] = &[
    "global.json", "nuget.config", "NuGet.Config", "Directory.Build.props", "Directory.Build.targets", "Directory.Packages.props",
    "packages.lock.json",
];

#[rustfmt::skip]
pub(super) static TOOLS: &[Tool] = &[
    Tool { names: &["mvn", "mvnw", "mvnd"], family: "jvm", flags: &[("--quiet", "-q"), ("--file", "-f"), ("--projects", "-pl"), ("--batch-mode", "-B"), ("--activate-profiles", "-P"), ("--also-make", "-am"), ("--offline", "-o"), ("--update-snapshots", "-U"), ("--settings", "-s"), ("--threads", "-T"), ("--define", "-D"), ("--no-transfer-progress", "-ntp"), ("--errors", "-e"), ("--debug", "-X"), ("--fail-at-end", "-fae")],
        values: &["-f", "-pl", "-P", "-s", "-T", "-rf"], bare: &["-o", "-U", "-am", "-fae", "-ff", "-N"], shows: &["-q", "-B", "-ntp", "-e", "-X", "-T", "--show-version", "-V"], manifest: &["-f"], package: &["-pl"], reads: Reads::Sources, manifests: MAVEN, ..PLAIN },
    Tool { names: &["gradle", "gradlew"], family: "jvm", flags: &[("--project-dir", "-p"), ("--quiet", "-q"), ("--info", "-i"), ("--debug", "-d"), ("--stacktrace", "-s"), ("--full-stacktrace", "-S"), ("--exclude-task", "-x"), ("--build-file", "-b"), ("--offline", "-o"), ("--warn", "-w"), ("--dry-run", "-m"), ("--refresh-dependencies", "-U")],
        values: &["-p", "--tests", "-x", "-b", "-c", "-I", "-g", "--console", "--warning-mode", "--max-workers", "--configuration"], bare: &["-o", "--rerun-tasks", "--continue", "--no-build-cache", "--build-cache", "--parallel", "--no-configuration-cache", "--configuration-cache", "-t", "-m", "-U"],
        shows: &["-q", "-i", "-d", "-s", "-S", "-w", "--console", "--no-daemon", "--daemon", "--warning-mode", "--scan", "--no-scan", "--max-workers", "--parallel", "--no-parallel", "--profile"], folder: &["-p"], any_order: true, reads: Reads::Sources, manifests: GRADLE, ..PLAIN },
    Tool { names: &["sbt", "mill", "ant", "scala-cli", "lein", "clojure", "clj", "kotlin", "scala", "bb", "amper"], values: &["-f", "-M"], shows: &["--batch", "-batch"], reads: Reads::Sources, manifests: &["build.sbt", "project/build.properties", "project/plugins.sbt", "build.sc", "build.mill", "build.xml", "project.clj", "deps.edn", "bb.edn"], ..PLAIN },
    Tool { names: &["java"], values: &["-cp", "-classpath", "--class-path"], bare: &["-ea"], ..PLAIN },
    Tool { names: &["dotnet"], sub: true, anyway: &["--configuration=Debug"], flags: &[("-c", "--configuration"), ("-f", "--framework"), ("-o", "--output"), ("-r", "--runtime"), ("-l", "--logger"), ("-p", "-p")], values: &["--verbosity", "--configuration", "--framework", "--project", "--filter", "--output", "--runtime", "--logger", "--results-directory", "--startup-project", "--context", "--source", "-s", "--version", "--launch-profile", "--collect", "--settings"],
        bare: &["--no-build", "--no-restore", "--nologo", "--blame", "--list-tests", "--verify-no-changes", "--self-contained", "--locked-mode", "--force", "--no-launch-profile"],
        shows: &["--logger", "--results-directory", "--tl", "-tl", "--interactive", "-clp", "--consoleLoggerParameters"], any_order: true,
        reads: Reads::SourcesFor(&["build", "test", "run", "publish", "pack", "watch", "format", "ef", "msbuild"]), manifests: DOTNET, answers: &[Answer { with: &["list", "--outdated"], codes: &[1] }], ..PLAIN },
    Tool { names: &["msbuild", "nuget", "paket", "fake"], values: &["-Source"], reads: Reads::Sources, manifests: DOTNET, family: "dotnet", ..PLAIN },
];
