//! One answer for one robots.txt, and what it means.

use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

use super::side_records;
use super::standing::Answered;
use crate::automaton::{self, Compiled};
use crate::dialect::{Dialect, StatusMeaning};
use crate::pattern::Patterns;
use crate::robots::{self, Agents, GroupOrigin, Note, Robots};

/// One answer to a request for a robots.txt, as a source tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capture {
    /// The URL that was asked for, in canonical form.
    pub url: String,
    /// The origin whose robots.txt the URL is; `None` for a URL that can only be the target of a redirect.
    pub origin: Option<String>,
    /// Whether a source named this very origin, and not just its host: such a capture wins over one that did not.
    pub exact: bool,
    /// When and how it was answered; the status is that of this answer.
    pub answered: Answered,
    /// Where a redirect leads, as the server wrote it.
    pub location: Option<String>,
    /// The body, if there is one; captures of several origins may share it.
    pub body: Option<Arc<[u8]>>,
}

/// What an answer means to one crawler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Rules, compiled.
    Rules { automaton: Vec<u32>, compiled: Compiled },
    /// A robots.txt without a group for the crawler.
    NoGroup,
    /// No robots.txt.
    Unavailable,
    /// Everything is forbidden.
    Forbidden,
    /// No answer.
    Unreachable,
    /// The answer is elsewhere: at this URL, if the location makes sense.
    Redirect(Option<String>),
}

/// A capture, read: what is left of it when its body is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    pub meaning: Meaning,
    /// XXH3 (128 bits) of the body.
    pub body_hash: u128,
    pub notes: Vec<Note>,
    /// The records kept beside the rules, encoded.
    pub side_records: Vec<u8>,
}

impl Capture {
    /// Reads the answer: what it means to `agents` under `dialect`.
    ///
    /// A missing status counts as 200 where there is a body, else as no answer.
    pub(super) fn read(&self, agents: &Agents, dialect: &Dialect) -> Reading {
        let body = self.body.as_deref().unwrap_or_default();
        let (mut notes, mut records) = (Vec::new(), Vec::new());
        let status = match (self.answered.status, &self.body) {
            (Some(status), _) => status,
            (None, Some(_)) => 200,
            (None, None) => 0,
        };
        let meaning = match dialect.status_meaning(status) {
            StatusMeaning::Parse => compile(body, agents, dialect, &mut notes, &mut records),
            StatusMeaning::Redirect => Meaning::Redirect(self.target()),
            StatusMeaning::Unavailable => Meaning::Unavailable,
            StatusMeaning::Forbidden => Meaning::Forbidden,
            StatusMeaning::Unreachable => Meaning::Unreachable,
        };
        Reading { meaning, body_hash: xxh3_128(body), notes, side_records: records }
    }

    /// Decides between captures of one time: XXH3 (128 bits) of everything that matters of the answer, of its body by
    /// the hash. Two that differ have different hashes, so whatever comes first, the same one wins.
    pub(super) fn hash(&self, body_hash: u128) -> u128 {
        let Answered { status, expires, unreachable_since, .. } = self.answered;
        let facts = format!("{status:?} {expires:?} {unreachable_since:?} {:?}", self.location);
        xxh3_128(&[&body_hash.to_le_bytes(), facts.as_bytes()].concat())
    }

    /// The URL that a redirect leads to, in canonical form.
    pub(super) fn target(&self) -> Option<String> {
        let base = url::Url::parse(&self.url).ok()?;
        let mut target = base.join(self.location.as_deref()?).ok()?;
        target.set_fragment(None);
        Some(target.into())
    }
}

fn compile(body: &[u8], agents: &Agents, dialect: &Dialect, notes: &mut Vec<Note>, records: &mut Vec<u8>) -> Meaning {
    let text = robots::decode(body, dialect, notes);
    let robots = Robots::parse(&text, dialect);
    notes.extend_from_slice(&robots.notes);
    notes.extend(robots.agent_notes(dialect));
    let selection = robots.select(agents, dialect);
    *records = side_records::encode(selection.side_records(&robots));
    if selection.origin == GroupOrigin::None {
        return Meaning::NoGroup;
    }
    let patterns = Patterns::rank(selection.rules(&robots), dialect);
    let mut automaton = Vec::new();
    let compiled = automaton::compile(&patterns, &mut automaton);
    Meaning::Rules { automaton, compiled }
}
