//! Streams that can be given up while they keep a reader waiting.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The longest wait before the flag is looked at again. A signal handler can set a flag, but not wake the thread that reads.
const LOOK_AGAIN: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// A stream that fails once a flag is set, even if it has nothing to read.
pub(super) struct Interruptible {
    pub stream: File,
    pub interrupt: Arc<AtomicBool>,
}

impl Read for Interruptible {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while !self.interrupt.load(Ordering::Relaxed) {
            match poll(&mut [PollFd::new(&self.stream, PollFlags::IN)], Some(&LOOK_AGAIN)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return self.stream.read(bytes),
                Err(error) => return Err(error.into()),
            }
        }
        // Not `ErrorKind::Interrupted`, after which readers try again.
        Err(io::Error::other("the run was asked to end"))
    }
}
