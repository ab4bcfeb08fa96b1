//! What the program asks of the system for its own process: signals, limits and memory.

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Prepares the process, before a command runs.
pub(super) fn set_up() {
    #[cfg(unix)]
    {
        report_lost_pages();
        // Writing beyond the limit on the size of files (`ulimit -f`) is to fail as on a full disk. By default, a signal ends the
        // program then, which could neither say so nor remove its unfinished files.
        // SAFETY: to ignore a signal runs no code of this program, and has no preconditions.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
        raise_open_files();
    }
    #[cfg(feature = "parquet")]
    hide_caught_panics();
}

/// Handles files that shrink while they are mapped. Reading a page that the file no longer covers raises SIGBUS, which would kill the
/// process without a message. If the file is a list, the run ends by itself, and names the list and what is kept. Otherwise the
/// handler says what may have happened and ends the process with status 2; no file of the run has its final name then.
#[cfg(unix)]
fn report_lost_pages() {
    /// The codes of a SIGBUS that a thread gets for a page it reads: BUS_ADRALN to BUS_MCEERR_AR.
    const FAULTS: std::ops::RangeInclusive<libc::c_int> = 1..=4;

    extern "C" fn handler(_signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
        // SAFETY: a handler with SA_SIGINFO gets a valid pointer to the signal's data, which contains an address for
        // every SIGBUS from the system. These are the system's codes; any other sender of the signal uses other codes.
        let is_filled =
            unsafe { FAULTS.contains(&(*info).si_code) && crate::input::fill_lost_pages((*info).si_addr().addr()) };
        if is_filled {
            return;
        }
        const MESSAGE: &[u8] = b"robosieve: a policy file was truncated while in use, or the disk is full under the file of \
            --unique (SIGBUS); no result was written. Restore the file or free space, then use --resume; otherwise run again with \
            --force\n";
        // SAFETY: write and _exit are async-signal-safe, and the message is a live array of the given length.
        unsafe {
            libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
            libc::_exit(2);
        }
    }
    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = handler;
    // SAFETY: a zeroed sigaction is a valid value (no flags, empty mask), the handler has the signature with which
    // sa_sigaction is called under SA_SIGINFO, and both pointers are valid for the call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
    }
}

/// Raises the limit on open files to the maximum that the system allows; if that fails, it stays as it is. Tables and layers of a policy
/// stay open while they are used, and systems often allow no more than 1,024 open files, or 256.
#[cfg(unix)]
fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
}

/// Silences panics that are caught and become errors: a malformed file can violate assertions of the library that reads it.
#[cfg(feature = "parquet")]
fn hide_caught_panics() {
    let others = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !crate::formats::columnar::panics_are_caught() {
            others(panic);
        }
    }));
}

/// The exit status of an interrupted run, as shells have it for SIGINT.
pub const INTERRUPTED: u8 = 130;

/// A flag that is set when the program is asked to end, by Ctrl-C, SIGTERM, or the loss of the terminal. The first signal is only a
/// request: a run that keeps checkpoints completes the chunks it has begun, makes them durable, and says how to resume. A second
/// signal ends the program at once; what is durable stays so.
pub fn interruption() -> Arc<AtomicBool> {
    let asked = Arc::new(AtomicBool::new(false));
    let mut signals = vec![SIGINT, SIGTERM];
    #[cfg(unix)]
    if !is_ignored(SIGHUP) {
        signals.push(SIGHUP);
    }
    for signal in signals {
        // If a handler cannot be registered, the signal ends the program at once, as by default. The order matters: the
        // first signal must find the flag still unset.
        let _ = flag::register_conditional_shutdown(signal, i32::from(INTERRUPTED), Arc::clone(&asked));
        let _ = flag::register(signal, Arc::clone(&asked));
    }
    asked
}

/// Whether a signal was ignored when the program started, as under `nohup`.
#[cfg(unix)]
fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: a zeroed sigaction is a valid value to overwrite; without a new action the call only reads the old one;
    // and the pointer is valid for the call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Returns free memory to the system. Of what is freed from now on, it keeps a part of this budget for each thread. Other allocators
/// than glibc's return free memory by themselves, or cannot be asked to.
///
/// Captures are millions of small blocks, whose pages the allocator keeps for other small blocks, but a run mostly needs large ones,
/// for which it asks the system. A run that reads tables takes and frees some tens of MiB for every chunk; if these were returned
/// each time, the system would clear pages all the time. For both, benches/README.md has the figures.
#[cfg_attr(not(all(target_os = "linux", target_env = "gnu")), allow(unused_variables))]
pub(super) fn return_free_memory(budget: u64) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let kept = libc::c_int::try_from((budget / 16).min(64 << 20)).unwrap_or(0);
        // SAFETY: the calls have no preconditions; any thread may make them at any time.
        unsafe {
            libc::malloc_trim(0);
            libc::mallopt(libc::M_MMAP_THRESHOLD, kept);
            libc::mallopt(libc::M_TRIM_THRESHOLD, kept);
        }
    }
}
