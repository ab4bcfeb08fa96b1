//! Answers: for each requested URL, its stored answers. Origins are derived from them.
//!
//! ```text
//! section   number of marks u64 | marks | records, ordered by origin, then path
//! mark      where a record in ORIGINS begins u64 | where the record here of the same origin begins u64, in bytes; for one
//!           origin in 32
//! record    tag u8 | origin, path, unless the tag says that they are those of the next origin in ORIGINS and /robots.txt |
//!           override, if the tag has one | kinds, a bit each | answers, in the order of their kinds | failures, if the tag
//!           has them
//! tag       bit 0 the robots.txt of the next origin, 1 override, 2 failures
//! answer    flags u8 | status | fetched at | expires | row, side records | target | notes; as far as they are there
//! flags     bit 0 exact; 1 status and times, and row and side records if it has rules, are those in ORIGINS; 2 status,
//!           3 fetched at, 4 expires, 5 incomplete, 6 notes, 7 target or, of a failed answer, no text
//! notes     how many kinds, and for each its number and its count
//! failures  number of windows | for each, the first failure, and how much later the last one was
//! override  flags u8 | paused until | crawl delay | row, side records, notes
//! flags     bits 0-1 the ruling or 0, 2 paused until, 3 crawl delay
//! ```
//!
//! Numbers are encoded as in [`bytes`](crate::formats::bytes), times in seconds of Unix time with the sign in the
//! lowest bit. If a record has a failed answer but no failures, this answer is the only failure.

use std::borrow::Cow;
use xxhash_rust::xxh3::xxh3_64;

use super::record::Record;
use crate::dialect::AnswerKind;
use crate::formats::bytes::{Reader, TOO_SHORT, push_number, push_text};
use crate::origin::ROBOTS_TXT;
use crate::policy::state::{OverrideState, Ruling};
use crate::policy::url_answers::{Answers, Content, Failures, StoredAnswer, StoredRules, UrlAnswers};
use crate::policy::urls::{StoredOverride, StoredUrl};
use crate::robots::{BodyFlaw, NoteCounts};
use crate::threads;

/// After how many origins a mark is set.
pub(super) const MARKED: u64 = 32;

// The tag of a record.
const OF_ORIGIN: u8 = 1;
const OVERRIDE: u8 = 2;
const FAILURES: u8 = 4;

// The flags of an answer.
const EXACT: u8 = 1;
const AS_IN_ORIGINS: u8 = 1 << 1;
const STATUS: u8 = 1 << 2;
const FETCHED_AT: u8 = 1 << 3;
const EXPIRES: u8 = 1 << 4;
const INCOMPLETE: u8 = 1 << 5;
const NOTES: u8 = 1 << 6;
const TARGET: u8 = 1 << 7;
/// Of a failed answer, which has no target.
const NOT_TEXT: u8 = TARGET;

// The flags of an override.
const RULING: u8 = 3;
const PAUSED: u8 = 4;
const DELAY: u8 = 8;

/// A URL with its answers and its override.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UrlRecord<'i> {
    pub origin: &'i [u8],
    pub path: &'i [u8],
    pub stored: Cow<'i, StoredUrl>,
}

impl UrlRecord<'_> {
    /// Whether the URL is the robots.txt of its origin.
    pub fn is_of_origin(&self) -> bool {
        self.path == ROBOTS_TXT.as_bytes()
    }
}

fn push_time(time: i64, out: &mut Vec<u8>) {
    push_number((time << 1 ^ time >> 63) as u64, out);
}

fn time(reader: &mut Reader<'_>) -> Result<i64, &'static str> {
    let number = reader.number()?;
    Ok((number >> 1) as i64 ^ -((number & 1) as i64))
}

fn push_notes(notes: &NoteCounts, out: &mut Vec<u8>) {
    push_number(notes.iter().count() as u64, out);
    for (kind, count) in notes.iter() {
        push_number(kind as u64, out);
        push_number(count, out);
    }
}

fn notes(reader: &mut Reader<'_>) -> Result<NoteCounts, &'static str> {
    let mut notes = NoteCounts::default();
    for _ in 0..reader.number()? {
        let (kind, count) = (reader.number()?, reader.number()?);
        notes.add(kind, count).ok_or("unknown kind of note")?;
    }
    Ok(notes)
}

fn push_rules(rules: StoredRules, out: &mut Vec<u8>) {
    push_number(u64::from(rules.row), out);
    push_number(u64::from(rules.side), out);
}

fn rules(source: u32, reader: &mut Reader<'_>) -> Result<StoredRules, &'static str> {
    Ok(StoredRules { source, row: reader.small()?, side: reader.small()? })
}

/// Appends a record. Its rules are already those of the image; `of_origin` is the origin's record in ORIGINS, if there is one.
pub(crate) fn push(url: &UrlRecord<'_>, of_origin: Option<&Record<'_>>, out: &mut Vec<u8>) {
    let StoredUrl { kept, placement } = &*url.stored;
    let answers = kept.answers();
    let failures = Some(kept.failures()).filter(|failures| **failures != implied(answers));
    let bit = |bit: u8, is_set: bool| if is_set { bit } else { 0 };
    out.push(
        bit(OF_ORIGIN, of_origin.is_some()) | bit(OVERRIDE, placement.is_some()) | bit(FAILURES, failures.is_some()),
    );
    if of_origin.is_none() {
        push_text(url.origin, out);
        push_text(url.path, out);
    }
    if let Some(placement) = placement {
        push_override(placement, out);
    }
    push_number(answers.iter().fold(0, |kinds, answer| kinds | answer.kind.bit()), out);
    answers.iter().for_each(|answer| push_answer(answer, of_origin, out));
    if let Some(failures) = failures {
        push_number(failures.windows().len() as u64, out);
        for &(first, last) in failures.windows() {
            push_time(first, out);
            push_number(last.abs_diff(first), out);
        }
    }
}

/// The failures that answers imply if nothing else is known.
fn implied(answers: &[StoredAnswer]) -> Failures {
    let failed = answers.iter().find(|answer| answer.kind == AnswerKind::Failed);
    failed.map_or_else(Failures::default, |failed| Failures::new(failed.fetched_at, None))
}

fn push_override(placement: &StoredOverride, out: &mut Vec<u8>) {
    let OverrideState { ruling, paused_until } = placement.operator_override;
    let bit = |bit: u8, is_set: bool| if is_set { bit } else { 0 };
    let delay = placement.crawl_delay.as_deref();
    out.push(
        ruling.map_or(0, |ruling| 1 + ruling as u8) | bit(PAUSED, paused_until.is_some()) | bit(DELAY, delay.is_some()),
    );
    paused_until.into_iter().for_each(|until| push_time(until, out));
    delay.into_iter().for_each(|delay| push_text(delay.as_bytes(), out));
    if ruling == Some(Ruling::RobotsTxt) {
        push_rules(placement.robots_txt, out);
        push_notes(&placement.notes, out);
    }
}

/// Whether an answer has the same status, times and rules as the record.
fn is_as_in(answer: &StoredAnswer, record: &Record<'_>) -> bool {
    let answered = record.state().answered;
    let rules = answer.rules();
    (answer.status, answer.fetched_at, answer.expires) == (answered.status, answered.fetched_at, answered.expires)
        && (!answer.kind.has_rules() || (rules.row, rules.side) == (record.row, record.side()))
}

fn push_answer(answer: &StoredAnswer, of_origin: Option<&Record<'_>>, out: &mut Vec<u8>) {
    let as_in_origins = of_origin.is_some_and(|record| is_as_in(answer, record));
    let bit = |bit: u8, is_set: bool| if is_set { bit } else { 0 };
    let own = |bit: u8, is_set: bool| if is_set && !as_in_origins { bit } else { 0 };
    let flags = bit(EXACT, answer.exact)
        | bit(AS_IN_ORIGINS, as_in_origins)
        | own(STATUS, answer.status.is_some())
        | own(FETCHED_AT, answer.fetched_at.is_some())
        | own(EXPIRES, answer.expires.is_some())
        | bit(INCOMPLETE, answer.flaw == Some(BodyFlaw::Incomplete))
        | bit(NOT_TEXT, answer.flaw == Some(BodyFlaw::NotText))
        | bit(NOTES, answer.notes.is_some())
        | bit(TARGET, answer.target().is_some());
    out.push(flags);
    if !as_in_origins {
        answer.status.into_iter().for_each(|status| push_number(u64::from(status), out));
        answer.fetched_at.into_iter().for_each(|at| push_time(at, out));
        answer.expires.into_iter().for_each(|at| push_time(at, out));
        if answer.kind.has_rules() {
            push_rules(answer.rules(), out);
        }
    }
    answer.target().into_iter().for_each(|target| push_text(target.as_bytes(), out));
    answer.notes.iter().for_each(|notes| push_notes(notes, out));
}

/// Splits a section into its marks and its records.
pub(super) fn split(section: &[u8]) -> Result<(&[[u8; 16]], &[u8]), &'static str> {
    const TOO_FEW: &str = "it is too short for its marks";
    let (count, rest) = section.split_first_chunk::<8>().ok_or(TOO_FEW)?;
    let length = usize::try_from(u64::from_le_bytes(*count)).ok().and_then(|count| count.checked_mul(16));
    let (marks, records) = length.and_then(|length| rest.split_at_checked(length)).ok_or(TOO_FEW)?;
    Ok((bytemuck::cast_slice(marks), records))
}

/// The places in a mark: where an origin's record in ORIGINS begins, and where its answers begin.
pub(super) fn places(mark: &[u8; 16]) -> [u64; 2] {
    [0, 8].map(|at| u64::from_le_bytes(mark[at..at + 8].try_into().expect("eight bytes")))
}

/// A redirect, by its target: an entry of POINTERS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub(crate) struct Pointer([u64; 3]);

impl Pointer {
    /// The pointer for the redirect of a URL, if it has one. The URL's record begins at `answers` after the marks, and
    /// the records of ORIGINS before it end at `origin`; both in bytes.
    pub fn of(kept: &UrlAnswers, answers: u64, origin: u64) -> Option<Pointer> {
        let target = kept.of_kind(AnswerKind::Redirect)?.target()?;
        Some(Pointer([hash_of_target(target.as_bytes()), answers, origin].map(u64::to_le)))
    }

    pub fn hash(self) -> u64 {
        u64::from_le(self.0[0])
    }

    /// Where the record begins, and the records of ORIGINS from there on.
    pub fn places(self) -> [u64; 2] {
        [self.0[1], self.0[2]].map(u64::from_le)
    }

    /// The order of the section.
    pub fn order(self) -> [u64; 3] {
        self.0.map(u64::from_le)
    }
}

/// The hash by which a target is found.
pub(crate) fn hash_of_target(url: &[u8]) -> u64 {
    xxh3_64(url)
}

/// Reads the records of a section, front to back.
pub(crate) struct UrlRecords<'i, O> {
    reader: Reader<'i>,
    /// The records of ORIGINS from the next one on.
    origins: O,
    source: u32,
}

impl<'i, O: Iterator<Item = Record<'i>>> UrlRecords<'i, O> {
    /// The records in `bytes`, for these `origins`. Their rules are in `source`.
    pub fn new(bytes: &'i [u8], origins: O, source: u32) -> UrlRecords<'i, O> {
        UrlRecords { reader: Reader(bytes), origins, source }
    }

    pub fn left(&self) -> usize {
        self.reader.0.len()
    }

    /// The bytes after the records that were read.
    pub fn rest(self) -> Reader<'i> {
        self.reader
    }

    pub fn has_origins(&mut self) -> bool {
        self.origins.next().is_some()
    }

    /// The next record; `None` at the end.
    pub fn read(&mut self) -> Result<Option<UrlRecord<'i>>, &'static str> {
        threads::check();
        if self.reader.0.is_empty() {
            return Ok(None);
        }
        let tag = self.reader.byte()?;
        if tag > OF_ORIGIN | OVERRIDE | FAILURES {
            return Err("unknown tag");
        }
        let of_origin = match tag & OF_ORIGIN {
            0 => None,
            _ => Some(self.origins.next().ok_or("there are more answers for origins than origins")?),
        };
        let (origin, path) = match &of_origin {
            Some(record) => (record.origin, ROBOTS_TXT.as_bytes()),
            None => (self.reader.text()?, self.reader.text()?),
        };
        let placement = if tag & OVERRIDE == 0 { None } else { Some(Box::new(self.placement()?)) };
        let kinds = self.reader.number()?;
        if kinds >= 1 << AnswerKind::ALL.len() {
            return Err("unknown kind of an answer");
        }
        let mut answers = Answers::with_capacity(kinds.count_ones() as usize);
        for kind in AnswerKind::ALL {
            if kinds & kind.bit() != 0 {
                answers.push(self.answer(kind, of_origin.as_ref())?);
            }
        }
        let failures = if tag & FAILURES == 0 { implied(&answers) } else { self.failures()? };
        let kept = UrlAnswers::of(answers, failures);
        Ok(Some(UrlRecord { origin, path, stored: Cow::Owned(StoredUrl { kept, placement }) }))
    }

    fn placement(&mut self) -> Result<StoredOverride, &'static str> {
        let (source, reader) = (self.source, &mut self.reader);
        let flags = reader.byte()?;
        if flags > RULING | PAUSED | DELAY {
            return Err("unknown flags of an override");
        }
        let ruling = usize::from(flags & RULING).checked_sub(1).map(|at| Ruling::ALL[at]);
        let paused_until = if flags & PAUSED == 0 { None } else { Some(time(reader)?) };
        let crawl_delay = match flags & DELAY {
            0 => None,
            _ => Some(std::str::from_utf8(reader.text()?).map_err(|_| "a crawl delay is not UTF-8")?.into()),
        };
        let (robots_txt, notes) = match ruling {
            Some(Ruling::RobotsTxt) => (rules(source, reader)?, notes(reader)?),
            _ => Default::default(),
        };
        Ok(StoredOverride { operator_override: OverrideState { ruling, paused_until }, robots_txt, crawl_delay, notes })
    }

    fn answer(&mut self, kind: AnswerKind, of_origin: Option<&Record<'i>>) -> Result<StoredAnswer, &'static str> {
        let (source, reader) = (self.source, &mut self.reader);
        let flags = reader.byte()?;
        let has = |bit: u8| flags & bit != 0;
        let mut answer = StoredAnswer {
            kind,
            exact: has(EXACT),
            status: None,
            flaw: match (has(INCOMPLETE), kind == AnswerKind::Failed && has(NOT_TEXT)) {
                (true, true) => return Err("an answer is both incomplete and no text"),
                (true, false) => Some(BodyFlaw::Incomplete),
                (false, true) => Some(BodyFlaw::NotText),
                (false, false) => None,
            },
            fetched_at: None,
            expires: None,
            content: if kind == AnswerKind::Redirect { Content::Target(None) } else { Content::Nothing },
            notes: None,
        };
        match (has(AS_IN_ORIGINS), of_origin) {
            (true, None) => return Err("an answer without an origin is as in ORIGINS"),
            (true, Some(_)) if has(STATUS | FETCHED_AT | EXPIRES) => {
                return Err("an answer has its times twice");
            }
            (true, Some(record)) => {
                let answered = record.state().answered;
                (answer.status, answer.fetched_at, answer.expires) =
                    (answered.status, answered.fetched_at, answered.expires);
                if kind.has_rules() {
                    answer.content = Content::Rules(StoredRules { source, row: record.row, side: record.side() });
                }
            }
            (false, _) => {
                if has(STATUS) {
                    answer.status = Some(u16::try_from(reader.number()?).map_err(|_| TOO_SHORT)?);
                }
                answer.fetched_at = if has(FETCHED_AT) { Some(time(reader)?) } else { None };
                answer.expires = if has(EXPIRES) { Some(time(reader)?) } else { None };
                if kind.has_rules() {
                    answer.content = Content::Rules(rules(source, reader)?);
                }
            }
        }
        if has(TARGET) && kind != AnswerKind::Failed {
            let target = std::str::from_utf8(reader.text()?).map_err(|_| "the target of a redirect is not UTF-8")?;
            match kind {
                AnswerKind::Redirect => answer.content = Content::Target(Some(target.into())),
                _ => return Err("an answer that is no redirect has a target"),
            }
        }
        answer.notes = if has(NOTES) { Some(Box::new(notes(reader)?)) } else { None };
        let expected = if answer.flaw.is_some() { AnswerKind::Failed } else { AnswerKind::of_status(answer.status) };
        let is_of_kind = expected == kind || (expected, kind) == (AnswerKind::RobotsTxt, AnswerKind::HtmlPage);
        if is_of_kind { Ok(answer) } else { Err("an answer is of another kind than its status") }
    }

    fn failures(&mut self) -> Result<Failures, &'static str> {
        let mut windows = Vec::new();
        for _ in 0..self.reader.number()?.min(AnswerKind::ALL.len() as u64) {
            let first = time(&mut self.reader)?;
            let later = i64::try_from(self.reader.number()?).map_err(|_| TOO_SHORT)?;
            windows.push((first, first.checked_add(later).ok_or(TOO_SHORT)?));
        }
        Failures::of_windows(windows)
    }
}
