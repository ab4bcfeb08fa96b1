//! The answers known for each URL.

use hashbrown::HashMap;
use std::cmp::Reverse;

use super::state::{Answered, OriginStatus};
use super::statistics::CaptureCounts;

/// An answer and its meaning, once its groups are stored.
#[derive(Debug, Clone)]
pub(super) struct KnownEntry {
    pub meaning: StoredMeaning,
    pub answered: Answered,
    pub(super) exact: bool,
    pub(super) hash: u128,
}

/// The meaning of an answer.
#[derive(Debug, Clone)]
pub(super) enum StoredMeaning {
    Answer(StoredAnswer),
    Redirect(Option<Box<str>>),
}

/// The meaning of an answer that is no redirect; row and side records are those of the captures' tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredAnswer {
    pub origin_status: OriginStatus,
    pub row: u32,
    pub side: u32,
    pub html_page: bool,
}

impl StoredAnswer {
    /// An answer without rules.
    pub fn without_rules(origin_status: OriginStatus) -> StoredAnswer {
        StoredAnswer { origin_status, row: 0, side: 0, html_page: false }
    }
}

impl KnownEntry {
    /// The greatest wins: the newest, then exact names over shorthands, then the smaller hash. So the order of the sources does
    /// not matter.
    fn precedence(&self) -> impl Ord + use<> {
        (self.time(), Reverse(self.hash))
    }

    /// The part that decides before the hash.
    fn time(&self) -> impl Ord + use<> {
        (self.answered.fetched_at, self.exact)
    }

    fn is_failure(&self) -> bool {
        matches!(self.meaning, StoredMeaning::Answer(answer) if !answer.origin_status.is_definite())
    }

    fn is_redirect(&self) -> bool {
        matches!(self.meaning, StoredMeaning::Redirect(_))
    }
}

/// Everything known about one URL. There are millions of them, so parts that few have are boxed.
#[derive(Debug)]
pub(super) struct Known {
    pub newest: KnownEntry,
    /// The newest good answer besides `newest`, and the newest other redirect, which may lead to a good answer.
    pub(super) answer: Option<Box<KnownEntry>>,
    pub(super) redirect: Option<Box<KnownEntry>>,
    /// How many others are as new as the newest.
    pub(super) same_time: u32,
    /// Whether the URL is the robots.txt of its origin.
    pub(super) is_robots_txt: bool,
}

/// The answers known for all URLs; boxed, because half of a map's slots are free.
pub(super) type Urls = HashMap<Box<str>, Box<Known>>;

impl Known {
    pub(crate) fn insert(&mut self, entry: KnownEntry, counts: &mut CaptureCounts) {
        let current = &mut self.newest;
        // The counts do not depend on which came first.
        if entry.time() == current.time() {
            counts.same_time += 1;
            self.same_time += 1;
        } else {
            counts.older += 1;
            if entry.time() > current.time() {
                let outdated = u64::from(std::mem::take(&mut self.same_time));
                counts.older += outdated;
                counts.same_time -= outdated;
            }
        }
        let mut loser = entry;
        if loser.precedence() > current.precedence() {
            std::mem::swap(current, &mut loser);
        }
        // Anything but a failure may become the last good answer.
        if !loser.is_failure() {
            let kept = if loser.is_redirect() { &mut self.redirect } else { &mut self.answer };
            if kept.as_ref().is_none_or(|kept| loser.precedence() > kept.precedence()) {
                *kept = Some(Box::new(loser));
            }
        }
    }

    /// The candidates for the last good answer, the newer first.
    pub fn earlier(&self) -> impl Iterator<Item = &KnownEntry> {
        let redirect_first = match (&self.redirect, &self.answer) {
            (Some(redirect), Some(answer)) => redirect.precedence() > answer.precedence(),
            _ => false,
        };
        let (first, second) =
            if redirect_first { (&self.redirect, &self.answer) } else { (&self.answer, &self.redirect) };
        first.iter().chain(second).map(|entry| &**entry)
    }
}
