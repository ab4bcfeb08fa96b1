//! Standard output, which a program may be started without (`>&-`).
//!
//! Rust opens /dev/null in its place before `main`, and by then it looks like one that was meant to go there. What is printed would
//! be lost, with a status of success. So the system is asked before that, when it loads the program.

use std::io::{self, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether it was closed when the program was loaded. Elsewhere, and for other programs than this one, that is not known.
static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Standard output.
///
/// # Errors
///
/// If it is closed, or open only for reading.
pub(crate) fn open() -> io::Result<Stdout> {
    if WAS_CLOSED.load(Ordering::Relaxed) {
        return Err(io::Error::other("standard output is closed, or open only for reading"));
    }
    Ok(io::stdout())
}

/// Standard output, or, if it is closed, what fails when it is used.
pub(crate) fn writer() -> Box<dyn Write + Send> {
    open().map_or_else(|_| Box::new(Closed) as Box<dyn Write + Send>, |out| Box::new(out))
}

/// Standard output that is closed.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        open().map(|_| 0)
    }

    fn flush(&mut self) -> io::Result<()> {
        open().map(|_| ())
    }
}

#[cfg(all(
    feature = "cli",
    any(target_os = "linux", target_os = "android", target_os = "freebsd", target_vendor = "apple")
))]
mod at_start {
    use super::{Ordering, WAS_CLOSED};

    extern "C" fn look() {
        // SAFETY: the call has no preconditions, and only asks for the flags of a descriptor.
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFL) };
        // Rust takes a descriptor that is open only for reading for a closed one, and drops what is written.
        if flags == -1 || flags & libc::O_ACCMODE == libc::O_RDONLY {
            WAS_CLOSED.store(true, Ordering::Relaxed);
        }
    }

    // SAFETY: the section is an array of functions that the system calls when it loads the program, before Rust's own start. This
    // one needs nothing that starts with Rust: it makes one system call and stores a flag.
    #[used]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    static LOOK: extern "C" fn() = look;
}
