//! Who reads captures: threads, each of which parses and compiles one robots.txt after the other.
//!
//! What that takes of memory is not known before, but how much it can be at most is, by the octets of the file and those
//! that patterns are made of. Where memory is bounded, as many files are read at a time as have room at their worst; most
//! take far less.

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::capture::{Capture, Reading};
use super::columns::Columns;
use crate::automaton;
use crate::dialect::{Dialect, StatusMeaning};
use crate::pattern::most_text;

/// Octets of memory that reading takes at most for each octet of a file, beside what compiling does: lines, records, rules.
pub(super) const OF_OCTET: u64 = 32;

/// Octets of memory that the rules of a group take at most, encoded, for each octet of its patterns.
const OF_RULES: u64 = 4;

/// Threads that read captures.
#[derive(Debug)]
pub(super) struct Readers {
    /// Those of their own, if they have any: what compiling keeps for the next file goes with them.
    pool: Option<ThreadPool>,
}

/// A file that there is no memory for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TooLarge {
    pub url: String,
    pub octets: usize,
    /// How much memory is wanted.
    pub wanted: u64,
}

/// Octets of memory that reading a file takes at most, or some at a time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Needed {
    /// While it is read; of some, by the one that takes most.
    reading: u64,
    /// What it comes to; all of them.
    result: u64,
}

impl Readers {
    /// The threads that everybody shares.
    pub fn shared() -> Readers {
        Readers { pool: None }
    }

    /// So many threads of their own; where the system has none for them, those that everybody shares.
    pub fn new(threads: usize) -> Readers {
        Readers { pool: ThreadPoolBuilder::new().num_threads(threads).build().ok() }
    }

    /// Reads captures for some crawlers under a dialect: the first ones, as many as fit in so many octets of memory if that is
    /// bounded, but one at least.
    ///
    /// # Errors
    ///
    /// [`TooLarge`] where there is no room for one.
    pub fn read<'c>(
        &self,
        captures: impl Iterator<Item = &'c Capture>,
        columns: &Columns,
        dialect: &Dialect,
        room: Option<u64>,
    ) -> Result<Vec<Reading>, TooLarge> {
        let captures: Vec<&Capture> = match room {
            Some(room) => self.that_fit(captures, columns, dialect, room)?,
            None => captures.collect(),
        };
        let read = || captures.par_iter().map(|capture| capture.read(columns, dialect)).collect();
        Ok(self.pool.as_ref().map_or_else(read, |pool| pool.install(read)))
    }

    fn that_fit<'c>(
        &self,
        captures: impl Iterator<Item = &'c Capture>,
        columns: &Columns,
        dialect: &Dialect,
        room: u64,
    ) -> Result<Vec<&'c Capture>, TooLarge> {
        let threads =
            self.pool.as_ref().map_or_else(rayon::current_num_threads, ThreadPool::current_num_threads) as u64;
        let kept = threads * automaton::KEPT_OCTETS;
        let (mut fitting, mut needed) = (Vec::new(), Needed::default());
        for capture in captures {
            let with = needed.and(Needed::of(capture, columns.count() as u64, dialect));
            let at_a_time = threads.min(fitting.len() as u64 + 1);
            // What is not parsed needs nothing.
            if with == Needed::default()
                || kept + with.reading.saturating_mul(at_a_time).saturating_add(with.result) <= room
            {
                fitting.push(capture);
                needed = with;
                continue;
            }
            if fitting.is_empty() {
                // Looked at closely, few files have many patterns.
                let close = Needed::of_patterns(capture, columns, dialect);
                let wanted = kept + close.reading.saturating_add(close.result);
                if wanted > room {
                    let octets = capture.body.as_ref().map_or(0, |body| body.len());
                    return Err(TooLarge { url: capture.url.clone(), octets, wanted });
                }
                fitting.push(capture);
            }
            break;
        }
        Ok(fitting)
    }
}

impl Needed {
    /// By a capture for so many crawlers, as its octets tell.
    fn of(capture: &Capture, columns: u64, dialect: &Dialect) -> Needed {
        let body = capture.body.as_deref().filter(|_| capture.means(dialect) == StatusMeaning::Parse);
        let Some(body) = body else { return Needed::default() };
        let of_text = Needed::of_text(most_text(body, dialect));
        Needed { result: of_text.result.saturating_mul(columns), ..of_text }.beside_body(capture)
    }

    /// The same, as its patterns tell.
    fn of_patterns(capture: &Capture, columns: &Columns, dialect: &Dialect) -> Needed {
        let texts = capture.pattern_octets(columns, dialect).into_iter().map(Needed::of_text);
        texts.fold(Needed::default(), Needed::and).beside_body(capture)
    }

    /// By patterns of so many octets.
    fn of_text(octets: usize) -> Needed {
        let automaton::Memory { compiling, automaton } = automaton::memory(octets);
        Needed { reading: compiling, result: automaton.saturating_add(OF_RULES.saturating_mul(octets as u64)) }
    }

    fn beside_body(self, capture: &Capture) -> Needed {
        let octets = capture.body.as_ref().map_or(0, |body| body.len()) as u64;
        Needed { reading: self.reading.saturating_add(OF_OCTET.saturating_mul(octets)), ..self }
    }

    fn and(self, other: Needed) -> Needed {
        Needed { reading: self.reading.max(other.reading), result: self.result.saturating_add(other.result) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Answered;
    use crate::robots::Agents;

    fn capture(status: u16, body: &str) -> Capture {
        let answered = Answered { status: Some(status), ..Answered::default() };
        Capture {
            url: "http://a.example/robots.txt".to_owned(),
            answered,
            body: Some(body.as_bytes().into()),
            ..Capture::default()
        }
    }

    #[test]
    fn as_many_are_read_as_have_room() {
        let (columns, dialect) = (Columns::from(Agents::everybody()), Dialect::DEFAULT);
        let rules = capture(200, &format!("User-agent: *\nDisallow: /{}\n", "x".repeat(1000)));
        let of_one = Needed::of(&rules, 1, dialect);
        assert_eq!(Needed::of(&rules, 3, dialect), Needed { result: 3 * of_one.result, ..of_one });
        let read = |threads, captures: &[Capture], room| {
            let read = Readers::new(threads).read(captures.iter(), &columns, dialect, room);
            read.map(|readings| readings.len()).map_err(|large| large.wanted)
        };
        let captures = vec![rules; 5];
        assert_eq!(read(1, &captures, None), Ok(5));
        for threads in [1, 2] {
            for fitting in 1..5 {
                let room = threads as u64 * automaton::KEPT_OCTETS
                    + of_one.reading * (threads as u64).min(fitting)
                    + of_one.result * fitting;
                assert_eq!(read(threads, &captures, Some(room)), Ok(fitting as usize), "{threads}");
            }
        }
        assert_eq!(read(2, &captures, Some(0)).unwrap_err() / automaton::KEPT_OCTETS, 2);
        assert_eq!(read(1, &vec![capture(404, "rules"); 5], Some(0)), Ok(5), "nothing is parsed");
    }

    #[test]
    fn files_with_few_patterns_need_little() {
        let (columns, dialect) = (Columns::from(Agents::everybody()), Dialect::DEFAULT);
        let page = capture(200, &"<p>A page, and no robots.txt</p>\n".repeat(50_000));
        let (far, close) = (Needed::of(&page, 1, dialect), Needed::of_patterns(&page, &columns, dialect));
        assert!(far.reading > 3 * close.reading && far.result > 10 * close.result, "{far:?} {close:?}");
        let room = close.reading + close.result + automaton::KEPT_OCTETS;
        let fits = |room| Readers::new(1).read([&page].into_iter(), &columns, dialect, Some(room));
        assert_eq!(fits(room).unwrap().len(), 1);
        assert_eq!(fits(room - 1).unwrap_err(), TooLarge { url: page.url.clone(), octets: 1_650_000, wanted: room });
    }
}
