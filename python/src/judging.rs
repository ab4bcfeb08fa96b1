//! Judges a column on several threads, without the interpreter's lock.
//!
//! The threads live for one call. A pool that outlived it would hang in a forked child, such as the workers of Spark and
//! of `multiprocessing`.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::thread;

use arrow_array::{Array, GenericByteArray, OffsetSizeTrait, types::GenericBinaryType};
use robosieve::{Matcher, Outcome};

use crate::urls::{Column, Texts};

/// URLs judged at a time.
const PIECE: usize = 1 << 16;

/// For each matcher, an outcome for each row. Each value of a dictionary is judged once. `threads` is 0 for all processors.
pub fn outcomes(matchers: &[Matcher], column: &Column, threads: usize) -> Vec<Vec<Outcome>> {
    let all = of_texts(matchers, &column.texts, threads);
    match &column.keys {
        Some(keys) => all.iter().map(|outcomes| keys.iter().map(|&key| outcomes[key]).collect()).collect(),
        None => all,
    }
}

fn of_texts(matchers: &[Matcher], texts: &Texts, threads: usize) -> Vec<Vec<Outcome>> {
    let mut all = vec![vec![Outcome::default(); texts.len()]; matchers.len()];
    let pieces = texts.len().div_ceil(PIECE);
    // Only where there is work for several: to count the processors, the system's files on control groups are read.
    let threads = match threads {
        0 if pieces > 1 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads.max(1),
    };
    {
        // Piece by piece, each for all matchers, so that a piece is read from memory only once.
        let mut parts: Vec<_> = all.iter_mut().map(|outcomes| outcomes.chunks_mut(PIECE)).collect();
        let rows = |piece: usize| piece * PIECE..((piece + 1) * PIECE).min(texts.len());
        let taken = (0..pieces).map(|piece| (rows(piece), parts.iter_mut().filter_map(Iterator::next).collect()));
        let jobs: Vec<(Range<usize>, Vec<&mut [Outcome]>)> = taken.collect();
        let jobs = Mutex::new(jobs.into_iter());
        let work = || {
            let mut some = Vec::new();
            loop {
                let next = jobs.lock().expect("no thread panics with it").next();
                let Some((rows, parts)) = next else { return };
                for (matcher, part) in matchers.iter().zip(parts) {
                    judge(matcher, texts, rows.clone(), &mut some);
                    part.copy_from_slice(&some);
                }
            }
        };
        thread::scope(|scope| {
            // If the system has no more threads, the existing ones do the work.
            let others = (1..threads.min(pieces)).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok());
            let others: Vec<_> = others.collect();
            work();
            // Otherwise, only their work would have ended.
            others.into_iter().for_each(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        });
    }
    all
}

fn judge(matcher: &Matcher, texts: &Texts, rows: Range<usize>, outcomes: &mut Vec<Outcome>) {
    match texts {
        Texts::Short(array) => judge_spans(matcher, array, rows, outcomes),
        Texts::Long(array) => judge_spans(matcher, array, rows, outcomes),
        Texts::Views(_) => {
            let urls: Vec<&[u8]> = rows.map(|row| texts.get(row)).collect();
            matcher.judge_all(&urls, outcomes);
        }
    }
}

fn judge_spans<O: OffsetSizeTrait>(
    matcher: &Matcher,
    array: &GenericByteArray<GenericBinaryType<O>>,
    rows: Range<usize>,
    outcomes: &mut Vec<Outcome>,
) {
    debug_assert!(rows.end <= array.len());
    let offsets = &array.value_offsets()[rows.start..=rows.end];
    let spans = offsets.windows(2).map(|span| span[0].as_usize()..span[1].as_usize());
    matcher.judge_spans(array.value_data(), spans, outcomes);
}
