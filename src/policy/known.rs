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

    /// Whether it says that the crawler has the robots.txt.
    pub fn is_not_modified(&self) -> bool {
        self.kind() == Kind::NotModified
    }

    fn kind(&self) -> Kind {
        match &self.meaning {
            StoredMeaning::Redirect(_) => Kind::Redirect,
            StoredMeaning::Answer(answer) => match answer.origin_status {
                OriginStatus::RobotsTxt => Kind::RobotsTxt,
                OriginStatus::NotModified => Kind::NotModified,
                definite if definite.is_definite() => Kind::NoRobotsTxt,
                _ => Kind::Failure,
            },
        }
    }
}

/// What an answer is to those that fail after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    RobotsTxt,
    NoRobotsTxt,
    Redirect,
    /// It confirms a robots.txt before it.
    NotModified,
    Failure,
}

/// Everything known about one URL.
#[derive(Debug)]
pub(super) struct Known {
    pub newest: KnownEntry,
    /// Of the others, the newest of each kind but failures, the newer first.
    earlier: Vec<KnownEntry>,
    /// How many others are as new as the newest.
    same_time: u32,
    /// Whether the URL is the robots.txt of its origin.
    pub(super) is_robots_txt: bool,
}

/// The answers known for all URLs; boxed, because half of a map's slots are free.
pub(super) type Urls = HashMap<Box<str>, Box<Known>>;

impl Known {
    /// What is known after the first answer of a URL.
    pub fn new(newest: KnownEntry, is_robots_txt: bool) -> Known {
        Known { newest, earlier: Vec::new(), same_time: 0, is_robots_txt }
    }

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
        self.keep(loser);
    }

    /// Keeps an answer that is not the newest, if it is the newest other one of its kind. Failures are of no use.
    fn keep(&mut self, entry: KnownEntry) {
        let kind = entry.kind();
        if kind == Kind::Failure {
            return;
        }
        if let Some(at) = self.earlier.iter().position(|other| other.kind() == kind) {
            if self.earlier[at].precedence() >= entry.precedence() {
                return;
            }
            self.earlier.remove(at);
        }
        let at = self.earlier.partition_point(|other| other.precedence() > entry.precedence());
        // There are millions of URLs.
        self.earlier.reserve_exact(1);
        self.earlier.insert(at, entry);
    }

    /// The answers before the newest that may still count, the newer first.
    pub fn earlier(&self) -> impl Iterator<Item = &KnownEntry> {
        self.earlier.iter()
    }
}
