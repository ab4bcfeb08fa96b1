//! One answer for one robots.txt, and what it means.

use hashbrown::HashMap;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

use super::columns::Columns;
use super::state::Answered;
use super::{provenance, side_records};
use crate::automaton;
use crate::dialect::{Dialect, StatusMeaning};
use crate::origin;
use crate::robots::{self, GroupOrigin, NoteCounts, NoteKind, Robots, Selection};
use crate::rules::Patterns;

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

/// The meaning of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A robots.txt.
    RobotsTxt(Selected),
    /// No robots.txt.
    Unavailable,
    /// Everything is forbidden.
    Forbidden,
    /// No answer.
    Unreachable,
    /// The answer is elsewhere: at this URL, if the location makes sense.
    Redirect(Option<String>),
}

/// The rules of a robots.txt for each crawler.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Selected {
    /// The distinct automata of its groups.
    pub automata: Vec<Vec<u32>>,
    /// By column: the group that applies.
    pub groups: Vec<Option<SelectedGroup>>,
    /// The records kept beside the rules, encoded.
    pub side_records: Vec<u8>,
    /// Whether it looks like an HTML page.
    pub html_page: bool,
}

/// A group that applies to a crawler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SelectedGroup {
    /// Which of the automata is its.
    pub automaton: usize,
    /// Its rules, encoded.
    pub rules: Vec<u8>,
    /// Whether it is the crawler's own.
    pub own: bool,
}

/// A capture, read: what is left of it when its body is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    pub meaning: Meaning,
    /// XXH3 (128 bits) of the body.
    pub body_hash: u128,
    pub notes: NoteCounts,
}

impl Capture {
    /// The robots.txt that an origin answered with status 200, at an unknown time.
    pub fn found(origin: &str, body: impl AsRef<[u8]>) -> Capture {
        Capture {
            url: origin::robots_url(origin),
            origin: Some(origin.to_owned()),
            answered: Answered { status: Some(200), ..Answered::default() },
            body: Some(body.as_ref().into()),
            ..Capture::default()
        }
    }

    /// Reads the answer: what it means to the crawlers under `dialect`.
    ///
    /// A missing status counts as 200 where there is a body, else as no answer.
    pub(super) fn read(&self, columns: &Columns, dialect: &Dialect) -> Reading {
        let body = self.body.as_deref().unwrap_or_default();
        let mut notes = NoteCounts::default();
        let meaning = match self.means(dialect) {
            StatusMeaning::Parse => Meaning::RobotsTxt(select(body, columns, dialect, &mut notes)),
            StatusMeaning::Redirect => Meaning::Redirect(self.target()),
            StatusMeaning::Unavailable => Meaning::Unavailable,
            StatusMeaning::Forbidden => Meaning::Forbidden,
            StatusMeaning::Unreachable => Meaning::Unreachable,
        };
        Reading { meaning, body_hash: xxh3_128(body), notes }
    }

    /// The meaning of its status.
    pub(super) fn means(&self, dialect: &Dialect) -> StatusMeaning {
        dialect.status_meaning(match (self.answered.status, &self.body) {
            (Some(status), _) => status,
            (None, Some(_)) => 200,
            (None, None) => 0,
        })
    }

    /// Decides between captures of one time: XXH3 (128 bits) of everything that matters of the answer, of its body by
    /// the hash. Two that differ have different hashes, so whatever comes first, the same one wins.
    pub(super) fn hash(&self, body_hash: u128) -> u128 {
        let Answered { status, expires, unreachable_since, .. } = self.answered;
        let mut facts = Vec::with_capacity(64);
        facts.extend(body_hash.to_le_bytes());
        for number in [status.map(i64::from), expires, unreachable_since] {
            facts.push(u8::from(number.is_some()));
            facts.extend(number.unwrap_or(0).to_le_bytes());
        }
        if let Some(location) = &self.location {
            facts.push(1);
            facts.extend(location.as_bytes());
        }
        xxh3_128(&facts)
    }

    /// The URL that a redirect leads to, in canonical form.
    pub(super) fn target(&self) -> Option<String> {
        let base = url::Url::parse(&self.url).ok()?;
        let mut target = base.join(self.location.as_deref()?).ok()?;
        target.set_fragment(None);
        Some(target.into())
    }
}

/// Reads a robots.txt once, and selects and compiles the groups of each crawler.
fn select(body: &[u8], columns: &Columns, dialect: &Dialect, notes: &mut NoteCounts) -> Selected {
    let mut of_file = Vec::new();
    let text = robots::decode(body, dialect, &mut of_file);
    let robots = Robots::parse(&text, dialect);
    for made in [&of_file, &robots.notes, &robots.agent_notes(dialect)] {
        notes.add_all(made);
    }
    let selections: Vec<Selection> = columns.all().iter().map(|agents| robots.select(agents, dialect)).collect();
    let mut selected = Selected {
        side_records: side_records::encode(&robots, &selections),
        html_page: robots.notes.iter().any(|note| note.kind == NoteKind::LooksLikeHtml),
        ..Selected::default()
    };
    // Crawlers of the same groups, mostly everybody's, share an automaton.
    let mut compiled: HashMap<&[u32], usize> = HashMap::new();
    for (agents, selection) in columns.all().iter().zip(&selections) {
        let group = (selection.origin != GroupOrigin::None).then(|| SelectedGroup {
            automaton: *compiled.entry(&selection.groups).or_insert_with(|| {
                let mut automaton = Vec::new();
                automaton::compile_item(&Patterns::rank(selection.rules(&robots), dialect), &mut automaton);
                selected.automata.push(automaton);
                selected.automata.len() - 1
            }),
            rules: provenance::encode(&robots, selection, agents, dialect),
            own: selection.origin != GroupOrigin::Everybody,
        });
        selected.groups.push(group);
    }
    selected
}
