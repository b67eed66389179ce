//! Programs that look at, ask for and change files, wherever they are started.

use super::{ASKS, PLAIN, Tool};

/// A program that shows or changes files that it is given, wherever it is started.
const FILES: Tool = Tool {
    flags: &[("-R", "-r"), ("--recursive", "-r"), ("--force", "-f")],
    bundles: true,
    anywhere: true,
    ..PLAIN
};

#[rustfmt::skip]
pub(super) static TOOLS: &[Tool] = &[
    Tool { names: &["grep", "egrep", "fgrep", "zgrep"], values: &["-e", "-f", "-A", "-B", "-C", "-m", "--include", "--exclude", "--exclude-dir"], flags: &[("--recursive", "-r"), ("--ignore-case", "-i"), ("--line-number", "-n"), ("--count", "-c"), ("--quiet", "-q"), ("--files-with-matches", "-l"), ("--invert-match", "-v"), ("--extended-regexp", "-E"), ("--fixed-strings", "-F"), ("--word-regexp", "-w")], shows: &["-n", "-H", "-h", "-A", "-B", "-C"], answers: ASKS, script: true, ..FILES },
    Tool { names: &["rg", "ag", "ack"], values: &["-e", "-f", "-A", "-B", "-C", "-m", "-g", "-t", "-T"], flags: &[("--glob", "-g"), ("--type", "-t"), ("--ignore-case", "-i"), ("--files-with-matches", "-l"), ("--count", "-c"), ("--quiet", "-q")], shows: &["-n", "-H", "-A", "-B", "-C"], answers: ASKS, script: true, ..FILES },
    Tool { names: &["test", "["], answers: ASKS, ..FILES },
    Tool { names: &["diff", "cmp", "colordiff", "sdiff", "comm", "delta", "dyff"], shows: &["-u", "-c", "-y", "--side-by-side", "--unified", "-U"], values: &["-U"], answers: ASKS, ..FILES },
    Tool { names: &["nc", "ncat", "pgrep", "pidof", "which", "type", "hash", "lsof", "fuser", "expr", "false", "let", "cksum", "getent", "whereis", "man", "pkill", "killall", "kill", "mountpoint", "tty", "locate", "dpkg-query"], answers: ASKS, ..PLAIN },
    Tool { names: &["command"], answers: ASKS, ..PLAIN },
    Tool { names: &["sed", "awk", "gawk", "gsed", "jq", "yq", "gron", "xq"], values: &["-e", "-f"], script: true, answers: &[super::Answer { with: &["-e", "jq"], codes: &[1, 4] }], ..FILES },
    Tool { names: &["cat", "less", "more", "bat", "head", "tail", "nl", "tac", "rev", "wc", "cut", "sort", "uniq", "tr", "paste", "column", "od", "hexdump", "xxd", "strings", "file", "md5sum", "sha256sum", "sha1sum", "tee", "base64", "gzip", "gunzip", "zcat", "unzip", "zip", "tar", "touch", "mkdir", "rmdir", "chmod", "chown", "ln", "cp", "mv", "rm", "ls", "stat", "du", "find", "fd", "tree", "realpath", "readlink", "basename", "dirname", "patch", "shellcheck", "xmllint", "source", ".", "split", "join", "fold", "fmt", "expand", "iconv", "dos2unix", "zstd", "xz", "bzip2", "7z", "install", "truncate", "dd", "shred", "openssl", "gpg", "csvcut", "csvstat", "mlr", "xsv", "qsv", "eza", "ffmpeg", "ffprobe", "convert", "magick", "identify", "pandoc"], ..FILES },
    Tool { names: &["sh", "bash", "zsh", "dash", "ksh", "fish", "pwsh"], shows: &["-x", "-e", "-u"], ..PLAIN },
];
