//! A program with everything that it starts: all of it ends when we are done with it, and when we are no more.
//!
//! No signal is handled for this. A second process waits for the end of a pipe
//! that only we hold open, and whatever ends us closes it.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};

/// What the second process does: wait for our end, then end the group, gently and then for good.
const WATCH: &str = "read _; kill -TERM -$0; sleep 1; kill -KILL -$0";

/// A child that leads a process group, and all who stayed in it; they end when this goes.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Pid,
    watch: Option<Child>,
}

impl Group {
    /// The group of a child that was started with `process_group(0)`.
    pub(crate) fn of(child: &Child) -> Self {
        let leader = Pid::from_child(child);
        let mut watch = Command::new("sh");
        watch.args(["-c", WATCH, &leader.as_raw_nonzero().to_string()]);
        watch.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A Ctrl-C is for us, not for whoever watches us.
        Self { leader, watch: watch.process_group(0).spawn().ok() }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = kill_process_group(self.leader, Signal::KILL);
        if let Some(watch) = &mut self.watch {
            let _ = watch.kill();
            let _ = watch.wait();
        }
    }
}
