//! `rawko mcp`: the store as an MCP server on standard input and output.
//!
//! Both eras of the protocol are one process and one code path: `rmcp` reads
//! the era from each request. Only here is there a runtime, of one thread; the
//! store's work is blocking and goes to a few threads beside it. The process
//! ends when its input ends, and also when its parent is gone.

mod arguments;
mod calls;
mod pipe;
mod server;
mod tools;

use std::process;
use std::thread;
use std::time::Duration;

use rmcp::service::{ServerInitializeError, serve_server};

use self::pipe::Pipe;
use self::server::Server;
use crate::error::Failure;
use crate::open::{self, Place};

/// Threads for the store's work: more would only wait for each other.
const WORKERS: usize = 8;
/// How long calls that are under way may go on after the input ended.
const GRACE: Duration = Duration::from_secs(2);
/// How often the parent is looked for.
const LOOK: Duration = Duration::from_millis(500);

/// Serves until the input ends.
pub(crate) fn run(place: &Place) -> Result<(), Failure> {
    watch_parent();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .max_blocking_threads(WORKERS)
        .build()
        .map_err(|error| Failure::wrong(format!("cannot start: {error}"), "try again"))?;
    let (pipe, written) = Pipe::open(|| {
        // Nobody is left to answer: what hangs now must not keep the process.
        let _ = thread::Builder::new().spawn(|| {
            thread::sleep(GRACE);
            process::exit(0);
        });
    });
    let server =
        Server::new(place.start.clone(), place.home.clone(), place.session.clone(), open::is_inside());
    runtime.block_on(async {
        loop {
            match serve_server(server.clone(), pipe.clone()).await {
                Ok(running) => {
                    let _ = running.waiting().await;
                    break;
                }
                Err(ServerInitializeError::ConnectionClosed(_)) => break,
                Err(ServerInitializeError::TransportError { .. }) => break,
                // A client that begins with something else may still begin well.
                Err(_) => {}
            }
        }
    });
    drop((server, pipe));
    runtime.shutdown_background();
    let _ = written.join();
    Ok(())
}

/// Ends the process when its parent is gone: another process may hold the pipe open.
fn watch_parent() {
    let parent = rustix::process::getppid();
    // Whoever starts with the machine's first process as parent has nobody to lose.
    if parent.is_none_or(|parent| parent.as_raw_nonzero().get() == 1) {
        return;
    }
    let _ = thread::Builder::new().stack_size(64 * 1024).spawn(move || {
        while rustix::process::getppid() == parent {
            thread::sleep(LOOK);
        }
        process::exit(0);
    });
}
