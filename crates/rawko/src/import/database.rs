//! claude-mem's own database, read by the `sqlite3` program: read-only, in its safe mode, and only so much.
//!
//! A database can be somebody else's. SQLite's program has functions that start others, and a view in the file may
//! call them: the safe mode and the distrust of the file's own schema each forbid that.
//!
//! Its columns come and go, so whole rows are asked for; they come as JSON, as
//! in the tool's own export, and are read as that is.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Its tables, and what the export calls them.
const TABLES: [(&str, &str); 4] = [
    ("observations", "observations"),
    ("session_summaries", "summaries"),
    ("sdk_sessions", "sessions"),
    ("user_prompts", "prompts"),
];
/// Most bytes of a table's rows.
const MOST: u64 = 256 * 1024 * 1024;
/// How long a table may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whether a file is a database.
pub(super) fn is_database(file: &Path) -> bool {
    let mut head = [0; 16];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == *b"SQLite format 3\0"
}

/// The rows of a database as JSON; the error says what to do.
pub(super) fn rows(file: &Path) -> Result<String, String> {
    let (mut lists, mut found) = (Vec::new(), 0);
    for (table, name) in TABLES {
        let rows = match ask(file, &format!("select * from {table}"))? {
            Answer::Rows(rows) => {
                found += 1;
                rows
            }
            Answer::NoTable => String::new(),
        };
        let rows = if rows.trim().is_empty() { "[]" } else { rows.trim() };
        lists.push(format!("\"{name}\": {rows}"));
    }
    if found == 0 {
        return Err("a database without the tables of claude-mem".to_owned());
    }
    Ok(format!("{{{}}}", lists.join(",\n")))
}

enum Answer {
    Rows(String),
    NoTable,
}

fn ask(file: &Path, query: &str) -> Result<Answer, String> {
    let program = Command::new("sqlite3")
        .args(["-safe", "-batch", "-init", "/dev/null", "-readonly", "-json"])
        .args(["-cmd", "pragma trusted_schema = off"])
        .arg(address(file))
        .arg(query)
        // Not in a folder whose files somebody else may have written.
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = program.map_err(|_| by_hand(file))?;
    let (out, errors) = (read(child.stdout.take(), MOST + 1), read(child.stderr.take(), 4096));
    let rows = out.recv_timeout(PATIENCE);
    // Behind what is asked for nothing is of use: too long or too late, it ends here.
    let is_whole = rows.as_ref().is_ok_and(|rows| rows.len() as u64 <= MOST);
    if !is_whole {
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| format!("`sqlite3` was lost: {error}"))?;
    let said = errors.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
    let said = String::from_utf8_lossy(&said).trim().chars().take(200).collect::<String>();
    match rows {
        Ok(rows) if is_whole && status.success() => {
            Ok(Answer::Rows(String::from_utf8_lossy(&rows).into_owned()))
        }
        Ok(_) if !is_whole => Err(format!("`{query}` gives more than {} MB", MOST >> 20)),
        Ok(_) if said.contains("no such table") => Ok(Answer::NoTable),
        Ok(_) => Err(format!("`sqlite3` cannot read the database: {said}")),
        Err(_) => Err(format!("`{query}` takes more than {} s", PATIENCE.as_secs())),
    }
}

/// Reads an output to its end, beside whoever waits for it.
fn read(from: Option<impl Read + Send + 'static>, most: u64) -> mpsc::Receiver<Vec<u8>> {
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.map(|from| from.take(most).read_to_end(&mut bytes));
        let _ = done.send(bytes);
    });
    wait
}

/// The file as an address that opens it and changes nothing, not even beside it where no log waits to be read.
fn address(file: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let mut path = String::from("file:");
    for byte in file.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' => path.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => path.push(char::from(*byte)),
            byte => path.push_str(&format!("%{byte:02x}")),
        }
    }
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    let unchanging = if Path::new(&log).exists() { "" } else { "&immutable=1" };
    format!("{path}?mode=ro{unchanging}")
}

/// What a person can do where there is no such program.
fn by_hand(file: &Path) -> String {
    let shown = file.display();
    format!(
        "a database, and the program `sqlite3` that reads it is not here; where it is: \
         `sqlite3 -safe -readonly -json '{shown}' 'select * from observations' > observations.json`, \
         the same with session_summaries, and import both"
    )
}
