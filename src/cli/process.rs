//! What the program asks of the system and of its runtime.

/// Returns freed memory to the system.
///
/// Captures are millions of small blocks. When they are freed, the allocator keeps their pages for other small blocks, but a run
/// needs few of those; it mostly needs large ones, for which it asks the system. With 300,000 origins, 139 MiB stay allocated
/// while lists are filtered, but only 24 MiB if the memory is returned.
pub(super) fn return_free_memory() {
    // Other allocators return free memory by themselves, or cannot be asked to.
    // SAFETY: the call has no preconditions; any thread may make it at any time.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Raises the limit on open files to the maximum that the system allows; if that fails, it stays as it is.
///
/// A run opens all its lists at the start. Systems often allow no more than 1,024 open files, or 256, although a process may
/// raise that limit itself.
pub(super) fn raise_limit_of_open_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        if current != maximum {
            let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
        }
    }
}

/// Silences panics that are caught and become errors: a malformed file can violate assertions of the library that reads it.
pub(super) fn hide_caught_panics() {
    #[cfg(feature = "parquet")]
    {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !crate::formats::columnar::panics_are_caught() {
                others(panic);
            }
        }));
    }
}
