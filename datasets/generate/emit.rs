//! Numbered items made by several threads and written in order.
//!
//! A thread takes the next batch of numbers, fills its own buffer, waits until all earlier batches
//! are written, and writes. There are as many buffers as threads, whatever the length of the list.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Shared by the writers: the number of batches written, and the output.
struct Turn<'a> {
    written: u64,
    out: &'a mut (dyn Write + Send),
}

/// Writes items `0..count` in order; `make` appends a range of them to a buffer, and may run on any
/// thread.
///
/// # Errors
///
/// Returns the first error of the output; nothing more is written after it.
pub fn ordered(
    count: u64,
    batch: u64,
    threads: usize,
    out: &mut (dyn Write + Send),
    make: &(dyn Fn(Range<u64>, &mut Vec<u8>) + Sync),
) -> io::Result<()> {
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let turn = Mutex::new(Turn { written: 0, out });
    let moved = Condvar::new();
    let work = || -> io::Result<()> {
        let mut buffer = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let from = number.saturating_mul(batch);
            if from >= count {
                return Ok(());
            }
            buffer.clear();
            make(from..(from + batch).min(count), &mut buffer);
            let turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            let waiting = |turn: &mut Turn<'_>| turn.written != number && !stop.load(Ordering::Relaxed);
            let mut turn = moved.wait_while(turn, waiting).unwrap_or_else(PoisonError::into_inner);
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let result = turn.out.write_all(&buffer);
            stop.store(result.is_err(), Ordering::Relaxed);
            turn.written += 1;
            moved.notify_all();
            result?;
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker thread panicked"))
    })
}

#[cfg(test)]
mod tests {
    use super::ordered;

    #[test]
    fn threads_do_not_change_the_order() {
        let mut out = Vec::new();
        ordered(1000, 7, 3, &mut out, &|range, buffer| range.for_each(|i| buffer.extend(format!("{i}\n").bytes())))
            .unwrap();
        let expected: String = (0..1000).map(|i| format!("{i}\n")).collect();
        assert_eq!(out, expected.as_bytes());
    }
}
