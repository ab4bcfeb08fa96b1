//! The threads of the library live no longer than the call that asked for them.
//!
//! One test in a process of its own, because the threads of other tests would be counted.
#![cfg(target_os = "linux")]

#[path = "threads/calls.rs"]
mod calls;

use std::fs;

/// A thread that is about to be gone, in the flags of Linux: threads that were joined may still be listed for a moment.
const EXITING: u64 = 0x4;

/// The number of threads of this process.
fn threads() -> usize {
    let stat = |task: fs::DirEntry| fs::read_to_string(task.path().join("stat")).ok();
    // The name, in parentheses, may have spaces; then come the state, five numbers, and the flags.
    let flags = |stat: String| stat.rsplit_once(") ")?.1.split(' ').nth(6)?.parse().ok();
    let tasks = fs::read_dir("/proc/self/task").expect("the threads of this process").flatten();
    tasks.filter_map(stat).filter_map(flags).filter(|flags: &u64| flags & EXITING == 0).count()
}

#[test]
fn no_call_leaves_a_thread() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = threads();
    let one_more = std::thread::scope(|scope| scope.spawn(threads).join().expect("no panic"));
    assert_eq!((before > 0, one_more), (true, before + 1), "threads are counted");
    let mut left = Vec::new();
    calls::each(folder.path(), |call| {
        if threads() > before {
            left.push((call.to_owned(), threads()));
        }
    });
    assert_eq!(left, [], "with {before} before");
    // It could not be made if a call had started it.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("nothing used rayon's global pool");
}
