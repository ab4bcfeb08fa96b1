//! One answer for one robots.txt, and its meaning.

use hashbrown::HashMap;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

use super::columns::Columns;
use super::state::{Answered, OriginStatus};
use super::{provenance, side_records};
use crate::automaton;
use crate::dialect::{Dialect, StatusMeaning};
use crate::origin;
use crate::robots::{self, GroupOrigin, NoteCounts, NoteKind, Robots, Selection};
use crate::rules::Patterns;

/// One answer to a request for a robots.txt, as given by a source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capture {
    /// The requested URL, in canonical form.
    pub url: String,
    /// The origin, if the URL is its robots.txt; `None` for a URL that can only be the target of a redirect.
    pub origin: Option<String>,
    /// Whether the source named this exact origin rather than just its host. An exact capture wins over one that is not.
    pub exact: bool,
    /// When and how it was answered, with the status of this answer.
    pub answered: Answered,
    /// Where a redirect leads, as the server wrote it.
    pub location: Option<String>,
    /// The body, if any; captures of several origins may share it.
    pub body: Option<Arc<[u8]>>,
    /// Whether the body did not arrive whole, or could not be decoded to its end. The lines that did arrive are no robots.txt.
    pub incomplete: bool,
}

/// The meaning of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A robots.txt.
    RobotsTxt(Selected),
    /// An answer without rules.
    NoRules(OriginStatus),
    /// A redirect to this URL; `None` if its location makes no sense.
    Redirect(Option<String>),
}

/// The rules of a robots.txt for each crawler.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Selected {
    /// The distinct automata of its groups.
    pub automata: Vec<Vec<u32>>,
    /// The group that applies, by column.
    pub groups: Vec<Option<SelectedGroup>>,
    /// The side records, encoded.
    pub side_records: Vec<u8>,
    /// Whether it looks like an HTML page.
    pub html_page: bool,
}

/// A group that applies to a crawler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SelectedGroup {
    /// The index of its automaton in [`Selected::automata`].
    pub automaton: usize,
    /// Its rules, encoded.
    pub rules: Vec<u8>,
    /// Whether it is the crawler's own.
    pub own: bool,
}

/// The result of reading a capture, which no longer needs the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    pub meaning: Meaning,
    /// XXH3 (128 bits) of the body.
    pub body_hash: u128,
    pub notes: NoteCounts,
}

impl Capture {
    /// A robots.txt that an origin served with status 200 at an unknown time.
    pub fn found(origin: &str, body: impl AsRef<[u8]>) -> Capture {
        Capture {
            url: origin::robots_url(origin),
            origin: Some(origin.to_owned()),
            answered: Answered { status: Some(200), ..Answered::default() },
            body: Some(body.as_ref().into()),
            ..Capture::default()
        }
    }

    /// Reads the answer and determines its meaning to the crawlers under `dialect`.
    pub(super) fn read(&self, columns: &Columns, dialect: &Dialect) -> Reading {
        let body = self.body.as_deref().unwrap_or_default();
        let mut notes = NoteCounts::default();
        let meaning = match self.means(dialect) {
            StatusMeaning::Parse if self.incomplete => Meaning::NoRules(OriginStatus::Incomplete),
            StatusMeaning::Parse => Meaning::RobotsTxt(select(body, columns, dialect, &mut notes)),
            StatusMeaning::Redirect => Meaning::Redirect(self.target()),
            StatusMeaning::NotModified => Meaning::NoRules(OriginStatus::NotModified),
            StatusMeaning::Unavailable => Meaning::NoRules(OriginStatus::Unavailable),
            StatusMeaning::Forbidden => Meaning::NoRules(OriginStatus::Forbidden),
            StatusMeaning::Unreachable => Meaning::NoRules(OriginStatus::Unreachable),
        };
        Reading { meaning, body_hash: xxh3_128(body), notes }
    }

    /// The meaning of its status; without one, nothing answered.
    pub(super) fn means(&self, dialect: &Dialect) -> StatusMeaning {
        self.answered.status.map_or(StatusMeaning::Unreachable, |status| dialect.status_meaning(status))
    }

    /// XXH3 (128 bits) of everything that matters in the answer, with the body represented by its hash. It decides between
    /// captures of the same time: different answers have different hashes, so the winner does not depend on their order.
    pub(super) fn hash(&self, body_hash: u128) -> u128 {
        let Answered { status, expires, unreachable_since, .. } = self.answered;
        let mut facts = Vec::with_capacity(64);
        facts.extend(body_hash.to_le_bytes());
        facts.push(u8::from(self.incomplete));
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

/// Parses a robots.txt once, then selects and compiles the groups of each crawler.
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
    // Crawlers with the same groups, mostly those of `*`, share an automaton.
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
