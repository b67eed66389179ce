//! A program with everything that it starts: all of it ends when we are done with it, and when we are no more.
//!
//! No signal is handled for this. A second process is there before the program
//! and leads its group. It waits for the end of a pipe that only we hold open,
//! and whatever ends us closes it.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};

/// What the second process does: wait for our end, then end the group, gently and then for good. A program that
/// ends its own group gently does not end the watch.
const WATCH: &str = "trap '' HUP INT TERM; read _; kill -TERM 0; sleep 1; kill -KILL 0";

/// A group of processes, and all who stayed in it; they end when this goes.
#[derive(Debug)]
pub(crate) struct Group {
    watch: Child,
}

impl Group {
    /// A group that nobody but its watch is in. A Ctrl-C is for us, not for whoever is in it.
    pub(crate) fn new() -> io::Result<Self> {
        let mut watch = Command::new("sh");
        watch.args(["-c", WATCH]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self { watch: watch.process_group(0).spawn()? })
    }

    /// Starts a program in the group.
    pub(crate) fn start(&self, command: &mut Command) -> io::Result<Child> {
        command.process_group(Pid::from_child(&self.watch).as_raw_nonzero().get()).spawn()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.watch), Signal::KILL);
        let _ = self.watch.wait();
    }
}
