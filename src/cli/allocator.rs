//! When freed memory goes back to the system.
//!
//! Captures are millions of small blocks. When they are freed, the allocator keeps their pages for other small blocks,
//! but a run needs few of those; it mostly needs large ones, for which it asks the system. With 300,000 origins, 139
//! MiB stay allocated while lists are filtered, but only 24 MiB if the memory is returned.
//!
//! A run that reads tables takes and frees some tens of MiB for every chunk. If the allocator returned these each time, the system
//! would spend a fifth of the run on clearing pages: 1.25 instead of 1.06 core seconds for two million rows of two columns.

/// The part of the budget of a run that the allocator keeps for each thread when it is freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: u64 = 16;

/// Returns free memory to the system. Of what is freed from now on, it keeps a part of this budget for each thread.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn return_free_memory(budget: u64) {
    let kept = libc::c_int::try_from((budget / KEPT).min(64 << 20)).unwrap_or(0);
    // SAFETY: the calls have no preconditions; any thread may make them at any time.
    unsafe {
        libc::malloc_trim(0);
        libc::mallopt(libc::M_MMAP_THRESHOLD, kept);
        libc::mallopt(libc::M_TRIM_THRESHOLD, kept);
    }
}

/// Other allocators return free memory by themselves, or cannot be asked to.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn return_free_memory(_budget: u64) {}
