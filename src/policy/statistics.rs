//! Statistics of a policy and its sources.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::dialect::AnswerKind;
use crate::formats::{shortened, visible};
use crate::robots::NoteCounts;

/// How many captures were read, and how many were used or dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CaptureCounts {
    /// Captures read.
    pub read: u64,
    /// Captures that were replaced by another capture of the same URL and kind that is newer, or of the same time but
    /// exact.
    pub older: u64,
    /// URLs whose newest captures of one kind have the same time but differ; their bytes decided.
    pub same_time: u64,
    /// URLs whose captures of one kind all have no time and differ; their bytes decided.
    pub without_time: u64,
    /// Captures whose URL is not a robots.txt; they only serve redirects.
    pub not_robots_txt: u64,
    /// Entries of a directory passed over because they are not files named by a host or an origin.
    pub unnamed_files: u64,
    /// Files of a directory that are empty: robots.txt files without rules.
    pub empty_files: u64,
    /// Files of a directory that are damaged or cut short; their origins count as incomplete.
    pub damaged_files: u64,
    /// Bodies that are not text, such as an archive or an image, in a source of any kind; their origins have no
    /// verdict.
    pub not_text: u64,
    /// Bodies of JSON Lines, of Parquet and in memory whose compressed data is damaged or cut short; their origins count as incomplete.
    pub damaged_bodies: u64,
    /// Bodies of JSON Lines, of Parquet and in memory that are not text and not encoded as their headers say; they
    /// count as no answer.
    pub undecodable_bodies: u64,
    /// Lines of JSON Lines and rows of Parquet that were passed over because they are not answers.
    pub bad: u64,
    /// Sources whose rest was passed over because it is damaged.
    pub cut_sources: u64,
}

impl CaptureCounts {
    /// The counts of bodies that are not a robots.txt, which operators should see.
    pub fn flaws(&self) -> impl Iterator<Item = (&'static str, u64)> {
        [("not-text", self.not_text), ("damaged", self.damaged_bodies), ("undecodable", self.undecodable_bodies)]
            .into_iter()
            .filter(|&(_, count)| count > 0)
    }
}

/// The contents of a policy, and how it was made. A policy file has only counts that follow from its answers. It does
/// not count replaced captures and records that were passed over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Statistics {
    /// Captures read, and what became of them; only if the policy was just made from them.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) captures: CaptureCounts,
    /// The first URL with a tie that only the bytes of its answers could decide; likewise. Receipts have only the
    /// numbers of such URLs.
    #[serde(skip)]
    pub(crate) first_tie: Option<String>,
    /// Counts of WARC records; likewise.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) warc: WarcCounts,
    /// Origins with an entry.
    pub origins: u64,
    /// Origins with an override.
    pub overridden: u64,
    /// Origins whose last answer failed and whose rules are from an earlier one.
    pub last_good: u64,
    /// Requested URLs that are not the robots.txt of an origin; they only serve redirects.
    pub other_urls: u64,
    /// Stored answers, by kind.
    pub(crate) answers: BTreeMap<AnswerKind, u64>,
    /// Distinct automata.
    pub automata: u64,
    /// Automata whose verdict is the same for every path.
    pub constant: u64,
    /// Automata that are DFAs.
    pub dfa: u64,
    /// Automata that use cursors, because a DFA would exceed its budget.
    pub cursors: u64,
    /// Size of all automata in bytes.
    pub automata_bytes: u64,
    /// Counts of lines dropped or cut in the robots.txt files of the stored answers.
    pub(crate) notes: NoteCounts,
}

fn is_default<T: Default + PartialEq>(counts: &T) -> bool {
    *counts == T::default()
}

impl Statistics {
    /// A sentence about the URLs with ties that only the bytes of their answers could decide, so that the newer of two
    /// answers may be lost; `None` if there are no such URLs.
    pub fn ties(&self) -> Option<String> {
        let first = shortened(visible(self.first_tie.as_ref()?));
        let CaptureCounts { same_time, without_time, .. } = self.captures;
        let which = match (same_time, without_time) {
            (_, 0) => "of one time",
            (0, _) => "without a time",
            _ => "of one time, or without any,",
        };
        let count = same_time + without_time;
        let have = if count == 1 { "URL has" } else { "URLs have" };
        Some(format!(
            "{count} {have} different answers {which} of which the greater bytes are kept, whichever is right: the first is {first}"
        ))
    }

    /// Only the counts that follow from the stored answers.
    pub(super) fn of_file(&self) -> Statistics {
        let (captures, first_tie, warc) = Default::default();
        Statistics { captures, first_tie, warc, ..self.clone() }
    }
}

/// The progress of making a policy: first answers are read, then origins are sorted and written.
#[derive(Debug, Default)]
pub struct CompileProgress {
    pub(super) read: AtomicU64,
    pub(super) bytes: AtomicU64,
    pub(super) origins: AtomicU64,
    pub(super) written: AtomicU64,
}

impl CompileProgress {
    /// How many answers have been read and compiled.
    pub fn read(&self) -> u64 {
        self.read.load(Relaxed)
    }

    /// How many bytes their bodies have.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// How many origins there are; 0 while answers are being read.
    pub fn origins(&self) -> u64 {
        self.origins.load(Relaxed)
    }

    /// How many of them have been written.
    pub fn written(&self) -> u64 {
        self.written.load(Relaxed)
    }
}

/// Counts of WARC records, besides plain answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct WarcCounts {
    /// Records of any type.
    pub records: u64,
    /// Answers for URLs other than a robots.txt. Redirect targets among them are read and counted as captures.
    pub other_pages: u64,
    /// Answers that an archive does not repeat because it already has an identical one.
    pub revisits: u64,
    /// Revisits without an original: only the time of their answer is known.
    pub unresolved_revisits: u64,
    /// Files of which the archive keeps only the beginning, because they are too long; their whole lines are read.
    pub truncated: u64,
    /// Files that are incomplete or damaged; they have no verdict.
    pub incomplete: u64,
    /// Records without an HTTP answer; they count as no answer.
    pub not_http: u64,
    /// Files that are not text and not encoded as their headers say; they count as no answer.
    pub undecodable: u64,
    /// Records that are damaged or malformed; they count as incomplete answers.
    pub bad_records: u64,
}

impl WarcCounts {
    /// The counts that operators should see: answers that are incomplete or unknown.
    pub fn flaws(&self) -> impl Iterator<Item = (&'static str, u64)> {
        [
            ("truncated", self.truncated),
            ("incomplete", self.incomplete),
            ("unresolved-revisits", self.unresolved_revisits),
            ("not-http", self.not_http),
            ("undecodable", self.undecodable),
            ("bad-records", self.bad_records),
        ]
        .into_iter()
        .filter(|&(_, count)| count > 0)
    }
}
