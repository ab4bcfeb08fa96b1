//! Captures from all sources together: the newest of each URL, and where redirects lead.

use hashbrown::hash_map::Entry as Slot;
use hashbrown::{HashMap, HashTable};
use rayon::prelude::*;
use serde::Serialize;
use std::cmp::Reverse;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

use super::capture::{Capture, Meaning, Reading};
use super::index::{Index, Record, TooManyOrigins};
use super::side_records::{ListPlace, NO_RECORDS, SideRecords};
use super::source::WarcCounts;
use super::standing::{Answered, Standing};
use super::{Policy, Statistics};
use crate::automaton::{Compiled, Engine};
use crate::dialect::{Dialect, StatusMeaning};
use crate::origin;
use crate::robots::Agents;

/// What became of the captures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CaptureCounts {
    /// All that were read.
    pub read: u64,
    /// Those replaced by a newer one of the same URL.
    pub older: u64,
    /// Those of the same URL and time as another; the smaller hash of the body decided.
    pub same_time: u64,
    /// Those whose URL is no robots.txt; they only serve redirects.
    pub not_robots_txt: u64,
    /// Files of a directory whose names are neither a host nor an origin, and were passed over.
    pub unnamed_files: u64,
    /// Origins whose last answer was a failure and whose rules are an earlier answer's.
    pub last_good_kept: u64,
}

/// An answer with what it means, when its automaton is in place.
#[derive(Debug, Clone)]
struct Entry {
    state: State,
    answered: Answered,
    exact: bool,
    hash: u128,
}

#[derive(Debug, Clone)]
enum State {
    Known { standing: Standing, automaton: u32, records: ListPlace },
    Redirect(Option<Box<str>>),
}

impl Entry {
    /// Newest first, exact names before shorthands, then by the hash, so that the order of the sources does not matter.
    fn precedence(&self) -> impl Ord + use<> {
        (self.answered.fetched_at, self.exact, Reverse(self.hash))
    }

    fn is_failure(&self) -> bool {
        matches!(self.state, State::Known { standing, .. } if !standing.is_definite())
    }

    fn is_redirect(&self) -> bool {
        matches!(self.state, State::Redirect(_))
    }
}

/// All that is known of one URL: there are millions, so what few have is boxed.
#[derive(Debug)]
struct Known {
    newest: Entry,
    /// Beside it, the newest that was an answer, and the newest that was a redirect, which may lead to one.
    answer: Option<Box<Entry>>,
    redirect: Option<Box<Entry>>,
    /// Whether the URL is a robots.txt: that of the origin which it begins with.
    is_robots_txt: bool,
}

/// Captures of many URLs, for one crawler and dialect.
#[derive(Debug)]
pub struct Captures {
    dialect: &'static Dialect,
    agents: Agents,
    /// Boxed, because half of a map's places are free.
    urls: HashMap<Box<str>, Box<Known>>,
    automata: Vec<u32>,
    /// Where each distinct automaton begins, by the hash of its words.
    distinct: HashTable<(u32, u32)>,
    records: SideRecords,
    statistics: Statistics,
}

impl Captures {
    /// No captures yet.
    pub fn new(agents: Agents, dialect: &'static Dialect) -> Captures {
        Captures {
            dialect,
            agents,
            urls: HashMap::new(),
            // Offset 0 says "no automaton".
            automata: vec![0],
            distinct: HashTable::new(),
            records: SideRecords::new(),
            statistics: Statistics::default(),
        }
    }

    /// The crawler.
    pub fn agents(&self) -> &Agents {
        &self.agents
    }

    /// The dialect.
    pub fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// Adds captures; their robots.txt files are compiled in parallel.
    pub fn add(&mut self, captures: Vec<Capture>) {
        let (agents, dialect) = (&self.agents, self.dialect);
        // Captures that share a body, as the origins of one file of a folder do, are read once.
        let shared = |a: &Capture, b: &Capture| {
            let same = |a: &Arc<[u8]>, b: &Arc<[u8]>| Arc::ptr_eq(a, b);
            a.body.as_ref().zip(b.body.as_ref()).is_some_and(|(a, b)| same(a, b))
                && a.answered.status == b.answered.status
                && (a.location.is_none() && b.location.is_none())
        };
        let groups: Vec<&[Capture]> = captures.chunk_by(shared).collect();
        let readings: Vec<Reading> = groups.par_iter().map(|group| group[0].read(agents, dialect)).collect();
        let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
        let mut captures = captures.into_iter();
        for (length, reading) in lengths.into_iter().zip(readings) {
            self.statistics.notes.add_all(&reading.notes);
            for capture in captures.by_ref().take(length) {
                self.add_reading(capture, &reading);
            }
        }
    }

    /// Counts a file that names no origin.
    pub fn count_unnamed_file(&mut self) {
        self.statistics.captures.unnamed_files += 1;
    }

    /// Counts of what was met in WARC files.
    pub(super) fn warc_counts(&mut self) -> &mut WarcCounts {
        &mut self.statistics.warc
    }

    fn add_reading(&mut self, capture: Capture, reading: &Reading) {
        let counts = &mut self.statistics.captures;
        counts.read += 1;
        counts.not_robots_txt += u64::from(capture.origin.is_none());
        let records = self.records.intern(&reading.side_records);
        let known = |standing| State::Known { standing, automaton: 0, records };
        let state = match &reading.meaning {
            Meaning::Rules { automaton, compiled } => {
                State::Known { standing: Standing::Rules, automaton: self.intern(automaton, *compiled), records }
            }
            Meaning::NoGroup => known(Standing::NoGroup),
            Meaning::Unavailable => known(Standing::Unavailable),
            Meaning::Forbidden => known(Standing::Forbidden),
            Meaning::Unreachable => known(Standing::Unreachable),
            Meaning::Redirect(target) => State::Redirect(target.as_deref().map(Box::from)),
        };
        let hash = capture.hash(reading.body_hash);
        let entry = Entry { state, answered: capture.answered, exact: capture.exact, hash };
        let is_robots_txt = capture.origin.is_some();
        match self.urls.entry(capture.url.into_boxed_str()) {
            Slot::Vacant(slot) => {
                slot.insert(Box::new(Known { newest: entry, answer: None, redirect: None, is_robots_txt }));
            }
            Slot::Occupied(mut slot) => slot.get_mut().insert(entry, &mut self.statistics.captures),
        }
    }

    /// Where an automaton stands: a copy of one that is there already is not stored again.
    fn intern(&mut self, automaton: &[u32], compiled: Compiled) -> u32 {
        let hash_of = |words: &[u32]| xxh3_64(bytemuck::cast_slice(words));
        let hash = hash_of(automaton);
        let words = &self.automata;
        let range = |at: u32, length: u32| at as usize..(at + length) as usize;
        let same = |&(at, length): &(u32, u32)| words[range(at, length)] == *automaton;
        if let Some(&(at, _)) = self.distinct.find(hash, same) {
            return at;
        }
        let at = self.automata.len() as u32;
        self.automata.extend_from_slice(automaton);
        let words = &self.automata;
        self.distinct
            .insert_unique(hash, (at, automaton.len() as u32), |&(at, length)| hash_of(&words[range(at, length)]));
        let statistics = &mut self.statistics;
        statistics.automata += 1;
        statistics.automata_bytes += 4 * automaton.len() as u64;
        match compiled.engine {
            Engine::Constant => statistics.constant += 1,
            Engine::Dfa => statistics.dfa += 1,
            Engine::Pointers => statistics.pointers += 1,
        }
        at
    }

    /// The policy of all origins: redirects followed, failures beside the last good answer.
    ///
    /// # Errors
    ///
    /// [`TooManyOrigins`], beyond 16 GiB of index.
    pub fn policy(mut self) -> Result<Policy, TooManyOrigins> {
        let mut known: Vec<(&str, &Known)> = self
            .urls
            .iter()
            .filter(|(_, known)| known.is_robots_txt)
            .filter_map(|(url, known)| Some((origin::of_robots_url(url)?, &**known)))
            .collect();
        // Sorted, so that the same captures make the same policy in whatever order they came.
        known.sort_unstable_by_key(|&(origin, _)| origin);
        let (mut answered, mut record_lists, mut kept) = (Vec::new(), Vec::new(), 0);
        let records = known.iter().map(|(origin, known)| {
            let resolved = self.resolve(known);
            answered.push(resolved.answered);
            record_lists.push(resolved.records);
            kept += u64::from(resolved.last_good.is_some());
            Record {
                origin: origin.as_bytes(),
                number: 0,
                automaton: resolved.automaton,
                standing: resolved.standing,
                last_good: resolved.last_good,
            }
        });
        let index = Index::build(records)?;
        self.statistics.captures.last_good_kept = kept;
        self.statistics.origins = index.len() as u64;
        Ok(Policy {
            dialect: self.dialect,
            agents: self.agents,
            index,
            automata: self.automata,
            answered,
            records: self.records,
            record_lists,
            statistics: self.statistics,
        })
    }

    fn resolve(&self, known: &Known) -> Resolved {
        let newest = &known.newest;
        let end = self.follow(newest);
        let mut answered = newest.answered;
        if end.standing.is_definite() {
            let EndOfRedirects { standing, automaton, records, .. } = end;
            return Resolved { standing, last_good: None, automaton, records, answered };
        }
        // The last good answer of the origin itself, else that of where its redirects end.
        let mut goods = known.earlier().chain(end.at.into_iter().flat_map(Known::earlier));
        let good = goods.find_map(|good| Some((good, self.follow(good))).filter(|(_, end)| end.standing.is_definite()));
        let Some((good, last)) = good else {
            let (automaton, records) = (0, NO_RECORDS);
            return Resolved { standing: end.standing, last_good: None, automaton, records, answered };
        };
        // What is used is as old as the answer that it came with.
        answered.fetched_at = good.answered.fetched_at;
        answered.expires = good.answered.expires;
        let EndOfRedirects { automaton, records, .. } = last;
        Resolved { standing: end.standing, last_good: Some(last.standing), automaton, records, answered }
    }

    /// What an entry comes to, at the end of its redirects.
    fn follow(&self, entry: &Entry) -> EndOfRedirects<'_> {
        let mut end =
            EndOfRedirects { standing: Standing::RedirectUnresolved, automaton: 0, records: NO_RECORDS, at: None };
        let mut state = &entry.state;
        for _ in 0..=self.dialect.redirects.hops {
            let target = match state {
                &State::Known { standing, automaton, records } => {
                    return EndOfRedirects { standing, automaton, records, ..end };
                }
                State::Redirect(target) => target.as_deref(),
            };
            end.at = target.and_then(|url| self.urls.get(url)).map(|known| &**known);
            let Some(next) = end.at else { return end };
            state = &next.newest.state;
        }
        if self.dialect.redirects.beyond == StatusMeaning::Unavailable {
            end.standing = Standing::Unavailable;
        }
        end
    }
}

/// Where redirects end.
struct EndOfRedirects<'c> {
    standing: Standing,
    automaton: u32,
    records: ListPlace,
    /// The last URL, if redirects led to one that is known.
    at: Option<&'c Known>,
}

impl Known {
    fn insert(&mut self, entry: Entry, counts: &mut CaptureCounts) {
        let current = &mut self.newest;
        if current.answered.fetched_at == entry.answered.fetched_at && current.exact == entry.exact {
            counts.same_time += 1;
        } else {
            counts.older += 1;
        }
        let mut loser = entry;
        if loser.precedence() > current.precedence() {
            std::mem::swap(current, &mut loser);
        }
        // Any answer that is no failure may be the last good one.
        if !loser.is_failure() {
            let kept = if loser.is_redirect() { &mut self.redirect } else { &mut self.answer };
            if kept.as_ref().is_none_or(|kept| loser.precedence() > kept.precedence()) {
                *kept = Some(Box::new(loser));
            }
        }
    }

    /// What may be the last good answer, the newer one first.
    fn earlier(&self) -> impl Iterator<Item = &Entry> {
        let redirect_first = match (&self.redirect, &self.answer) {
            (Some(redirect), Some(answer)) => redirect.precedence() > answer.precedence(),
            _ => false,
        };
        let (first, second) =
            if redirect_first { (&self.redirect, &self.answer) } else { (&self.answer, &self.redirect) };
        first.iter().chain(second).map(|entry| &**entry)
    }
}

struct Resolved {
    standing: Standing,
    last_good: Option<Standing>,
    automaton: u32,
    records: ListPlace,
    answered: Answered,
}
