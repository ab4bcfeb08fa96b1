//! Judges a column on several threads, without the interpreter's lock.
//!
//! The threads live for one call. A pool that outlived it would hang in a forked child, such as the workers of Spark and
//! of `multiprocessing`.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use arrow_array::{Array, GenericByteArray, OffsetSizeTrait, types::GenericBinaryType};
use robosieve::python_package::{at_once, check_stop};
use robosieve::{Matchers, Outcome, Outcomes, PagePreferences, Preference, PreferenceColumn, Refusals, Refused};

use crate::calls::Rows;
use crate::column::{Column, Texts};

/// URLs judged at a time.
const PIECE: usize = 1 << 16;

/// The fewest, where there are fewer for many crawlers.
const LEAST: usize = 1 << 10;

/// What is wanted of the rows of a column.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The outcome for each crawler.
    pub outcomes: bool,
    /// The crawlers that may not fetch the URL.
    pub refused: bool,
    /// What sites say about uses of the pages.
    pub said: Vec<PreferenceColumn>,
}

impl Wanted {
    /// URLs judged at a time for so many crawlers. What is said to each of them takes more than outcomes.
    fn piece(&self, crawlers: usize) -> usize {
        if self.said.is_empty() { PIECE } else { (PIECE / crawlers).max(LEAST) }
    }
}

/// What was found of the rows of a column.
#[derive(Default)]
pub struct Found {
    /// For each crawler, the outcome of each row.
    pub outcomes: Vec<Vec<Outcome>>,
    /// For each row, the number of its set.
    pub sets: Vec<u32>,
    pub refused: Sets,
    /// For each wanted column, what is said of each row to each crawler; that of one row is adjacent.
    pub said: Vec<Vec<Preference>>,
}

/// Sets of crawlers that may not fetch some URLs, each once.
#[derive(Default)]
pub struct Sets {
    /// For each, the crawlers that the URLs are blocked for, and deferred for.
    pub all: Vec<[Vec<u16>; 2]>,
    known: HashMap<[Vec<u16>; 2], u32>,
}

impl Sets {
    fn number(&mut self, set: &Refused) -> u32 {
        let set = [set.blocked.clone(), set.deferred.clone()];
        *self.known.entry(set).or_insert_with_key(|set| {
            self.all.push(set.clone());
            (self.all.len() - 1) as u32
        })
    }
}

/// Judges a column, and counts it as `rows`. Each value of a dictionary is judged once. `threads` is 0 for all processors.
pub fn judged(matchers: &Matchers, column: &Column, wanted: &Wanted, threads: usize, rows: Option<&Rows>) -> Found {
    let mut found = of_texts(matchers, &column.texts, wanted, threads, rows);
    if let Some(keys) = &column.keys {
        let of_rows = |of_values: &Vec<Outcome>| keys.iter().map(|&key| of_values[key]).collect();
        found.outcomes = found.outcomes.iter().map(of_rows).collect();
        if wanted.refused {
            found.sets = keys.iter().map(|&key| found.sets[key]).collect();
        }
        let crawlers = matchers.each().len();
        let said_of_rows = |of_values: &Vec<Preference>| {
            keys.iter().flat_map(|key| &of_values[key * crawlers..(key + 1) * crawlers]).copied().collect()
        };
        found.said = found.said.iter().map(said_of_rows).collect();
    }
    found
}

/// A piece of the rows, and where what is found goes.
struct Piece<'f> {
    rows: Range<usize>,
    outcomes: Vec<&'f mut [Outcome]>,
    sets: Option<&'f mut [u32]>,
    said: Vec<&'f mut [Preference]>,
}

fn of_texts(matchers: &Matchers, texts: &Texts, wanted: &Wanted, threads: usize, rows: Option<&Rows>) -> Found {
    let (count, crawlers) = (texts.len(), matchers.each().len());
    let size = wanted.piece(crawlers);
    let mut found = Found::default();
    if wanted.outcomes {
        found.outcomes = vec![vec![Outcome::default(); count]; crawlers];
    }
    if wanted.refused {
        found.sets = vec![0; count];
    }
    found.said = wanted.said.iter().map(|_| vec![Preference::default(); count * crawlers]).collect();
    let pieces = count.div_ceil(size);
    // Only where there is work for several: to count the processors, the system's files on control groups are read.
    let threads = match threads {
        0 if pieces > 1 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads.max(1),
    };
    let Found { outcomes, sets, refused, said } = &mut found;
    // Piece by piece, each for all crawlers, so that a piece is read from memory only once.
    let mut parts: Vec<_> = outcomes.iter_mut().map(|outcomes| outcomes.chunks_mut(size)).collect();
    let mut sets = sets.chunks_mut(size);
    let mut said: Vec<_> = said.iter_mut().map(|said| said.chunks_mut(size * crawlers)).collect();
    let taken = (0..pieces).map(|piece| Piece {
        rows: piece * size..((piece + 1) * size).min(count),
        outcomes: parts.iter_mut().filter_map(Iterator::next).collect(),
        sets: sets.next(),
        said: said.iter_mut().filter_map(Iterator::next).collect(),
    });
    let jobs = Mutex::new(taken.collect::<Vec<_>>().into_iter());
    let refused = Mutex::new(refused);
    let work = || {
        let mut worker = Worker::new(crawlers);
        while let Some(piece) = { locked(&jobs).next() } {
            check_stop();
            let judged = piece.rows.clone();
            worker.judge(matchers, texts, piece, &wanted.said, &refused);
            if let Some(rows) = rows {
                rows.add(judged.len(), judged.map(|row| texts.get(row).len()).sum());
            }
        }
    };
    at_once(threads.min(pieces), work);
    drop(jobs);
    found
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The memory of a thread.
struct Worker {
    outcomes: Outcomes,
    refusals: Refusals,
    /// The numbers of the sets of `refusals` among those of all threads.
    numbers: Vec<u32>,
    preferences: PagePreferences,
}

impl Worker {
    fn new(crawlers: usize) -> Worker {
        let refusals = Refusals::new(vec![String::new(); crawlers]);
        let preferences = PagePreferences::default();
        Worker { outcomes: Outcomes::default(), refusals, numbers: Vec::new(), preferences }
    }

    fn judge(
        &mut self,
        matchers: &Matchers,
        texts: &Texts,
        piece: Piece<'_>,
        columns: &[PreferenceColumn],
        all: &Mutex<&mut Sets>,
    ) {
        let Worker { outcomes, refusals, numbers, preferences } = self;
        let (rows, first) = (piece.rows.clone(), piece.rows.start);
        match texts {
            Texts::Short(array) => judge_spans(matchers, array, rows, outcomes),
            Texts::Long(array) => judge_spans(matchers, array, rows, outcomes),
            Texts::Views(_) => {
                let urls: Vec<&[u8]> = rows.map(|row| texts.get(row)).collect();
                matchers.judge_all(&urls, outcomes);
            }
        }
        if !piece.outcomes.is_empty() {
            let each = outcomes.of_each();
            piece.outcomes.into_iter().zip(&each).for_each(|(part, outcomes)| part.copy_from_slice(outcomes));
        }
        if let Some(sets) = piece.sets {
            refusals.find(outcomes);
            // Sets may have been forgotten since the last piece.
            numbers.clear();
            let mut all = locked(all);
            numbers.extend(refusals.sets().iter().map(|set| all.number(set)));
            drop(all);
            sets.iter_mut().zip(refusals.of_urls()).for_each(|(number, &set)| *number = numbers[set as usize]);
        }
        if !columns.is_empty() {
            matchers.find_preferences(|at| texts.get(first + at), outcomes, preferences);
            for (part, &column) in piece.said.into_iter().zip(columns) {
                for (url, of_url) in part.chunks_mut(outcomes.crawlers()).enumerate() {
                    let each = of_url.iter_mut().enumerate();
                    each.for_each(|(crawler, said)| *said = preferences.get(column, url, crawler));
                }
            }
        }
    }
}

fn judge_spans<O: OffsetSizeTrait>(
    matchers: &Matchers,
    array: &GenericByteArray<GenericBinaryType<O>>,
    rows: Range<usize>,
    outcomes: &mut Outcomes,
) {
    debug_assert!(rows.end <= array.len());
    let offsets = &array.value_offsets()[rows.start..=rows.end];
    let spans = offsets.windows(2).map(|span| span[0].as_usize()..span[1].as_usize());
    matchers.judge_spans(array.value_data(), spans, outcomes);
}
