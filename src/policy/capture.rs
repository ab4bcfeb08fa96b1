//! One answer for one URL, its meaning to crawlers, and batches of them.
//!
//! Captures are read in batches, while their source is still being read. The threads of a pool share the work on a
//! batch, a few captures at a time; a thread that waits for a batch reads captures in the meantime. Outside a pool, the
//! thread that begins a batch reads it.

use hashbrown::HashMap;
use std::borrow::Cow;
use std::sync::Arc;

use super::crawlers::Crawlers;
use super::groups::{CrawlerClass, Group};
use super::image::Tables;
use super::resolve::status_alone;
use super::state::Answered;
use super::url_answers::{Content, Failures, StoredAnswer, StoredRules};
use super::{provenance, side_records};
use crate::dialect::{AnswerKind, Dialect};
use crate::error::policy::Error;
use crate::origin;
use crate::robots::{self, AgentName, BodyFlaw, BodyProblem, GroupOrigin, NoteCounts, NoteKind, Robots, Selection};
use crate::rules::redirected;
use crate::threads::Soon;

setters! {
    /// One answer to a request for a robots.txt, as given by a source.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct Capture {
        /// The requested URL.
        pub url: String,
        /// The origin, if the URL is its robots.txt; `None` for a URL that can only be the target of a redirect.
        pub origin: Option<String>,
        /// Whether the source named this exact origin rather than just its host. An exact capture wins over an inexact
        /// one.
        pub exact: bool,
        /// When and how it was answered, with the status of this answer.
        pub answered: Answered,
        /// Where a redirect leads, as the server wrote it.
        pub location: Option<String>,
        /// The body, if any; an empty file has an empty one. Captures of several origins may share it.
        pub body: Option<Arc<[u8]>>,
        /// Why the body is not a robots.txt, if that is known: for example, because it is incomplete. Compressed bodies
        /// and bodies that are not text need no flaw here: reading the capture detects them.
        pub flaw: Option<BodyFlaw>,
    }
}

/// The rules of a robots.txt for each crawler.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Selected {
    /// The automata of its groups, once [compiled](Selected::compile).
    automata: Vec<Vec<u32>>,
    /// The groups, each with the crawlers that it applies to.
    pub classes: Vec<CrawlerClass<SelectedGroup>>,
    pub side_records: Vec<u8>,
    html_page: bool,
}

/// A group that applies to crawlers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SelectedGroup {
    /// The index of its automaton in [`Selected::automata`]. Groups may be a crawler's own and everybody's: two classes with one
    /// automaton.
    pub automaton: usize,
    pub rules: Vec<u8>,
    pub own: bool,
}

/// The result of reading a capture, which no longer needs the body: its answer, without the status and the times,
/// which captures with the same body do not share.
pub(super) type Reading = StoredAnswer<Selected>;

impl Capture {
    /// A robots.txt that an origin, such as `https://example.com`, served with status 200 at an unknown time.
    pub fn found(origin: &str, body: impl AsRef<[u8]>) -> Capture {
        Capture {
            url: origin::robots_url(origin),
            origin: Some(origin.to_owned()),
            answered: Answered { status: Some(200), ..Answered::default() },
            body: Some(body.as_ref().into()),
            ..Capture::default()
        }
    }

    /// Reads the answer and determines its meaning to the crawlers under `dialect`. Its groups are not compiled.
    pub(super) fn read(&self, columns: &Crawlers, dialect: &Dialect) -> Reading {
        let mut notes = NoteCounts::default();
        let mut kind = self.kind();
        let mut flaw = self.flaw.filter(|_| kind == AnswerKind::Failed);
        let content = match kind {
            // Sources have read it before; others may have given any bytes.
            AnswerKind::RobotsTxt => match self.text(robots::body_limit([dialect])) {
                Ok(body) => {
                    let selected = select(&body, columns, dialect, &mut notes);
                    kind = if selected.html_page { AnswerKind::HtmlPage } else { kind };
                    Content::Rules(selected)
                }
                Err(problem) => {
                    // No coding is named, so there is none that is not known.
                    (kind, flaw) = (AnswerKind::Failed, problem.flaw().or(Some(BodyFlaw::NotText)));
                    Content::Nothing
                }
            },
            AnswerKind::Redirect => Content::Target(self.target().map(String::into_boxed_str)),
            _ => Content::Nothing,
        };
        let notes = (!notes.is_empty()).then(|| Box::new(notes));
        Reading { kind, exact: false, status: None, flaw, fetched_at: None, expires: None, content, notes }
    }

    /// Whether its status is that of a robots.txt, and its body is complete, as far as that is known.
    pub(super) fn is_file(&self) -> bool {
        self.kind() == AnswerKind::RobotsTxt
    }

    /// Marks the body as one with this problem.
    pub(super) fn set_problem(&mut self, problem: BodyProblem) {
        self.body = None;
        self.flaw = problem.flaw();
        if self.flaw.is_none() {
            // The content is unknown, as if there had been no answer.
            let Answered { fetched_at, unreachable_since, .. } = self.answered;
            self.answered = Answered { fetched_at, unreachable_since, ..Answered::default() };
            self.location = None;
        }
    }

    /// The text of its body, of which no more than about `limit` bytes are decoded.
    pub(super) fn text(&self, limit: usize) -> Result<Cow<'_, [u8]>, BodyProblem> {
        robots::body_text(Cow::Borrowed(self.body.as_deref().unwrap_or_default()), &[], limit)
    }

    /// Its kind by its status, and by whether a body arrived.
    pub(super) fn kind(&self) -> AnswerKind {
        match AnswerKind::of_status(self.answered.status) {
            AnswerKind::RobotsTxt if self.flaw.is_some() || self.body.is_none() => AnswerKind::Failed,
            kind => kind,
        }
    }

    /// The target of a redirect, in canonical form. An invalid location has no target, so that it does not become a
    /// loop.
    pub(super) fn target(&self) -> Option<String> {
        redirected(&self.url, self.location.as_deref()?).map(String::from)
    }

    /// The answer as it is stored, given what [reading](Reading::stored) it says, and the failures that it tells of.
    pub(super) fn stored(&self, read: StoredAnswer, dialect: &Dialect) -> (StoredAnswer, Failures) {
        let Answered { status, fetched_at, expires, unreachable_since } = self.answered;
        let is_failure = status_alone(read.kind, status, read.flaw, dialect).is_unreachable();
        let failures = if is_failure { Failures::new(fetched_at, unreachable_since) } else { Failures::default() };
        (StoredAnswer { exact: self.exact, status, fetched_at, expires, ..read }, failures)
    }
}

impl Reading {
    /// The same with stored groups; `store` stores them, and returns their places.
    pub(super) fn stored(
        self,
        store: impl FnOnce(Selected) -> Result<StoredRules, Error>,
    ) -> Result<StoredAnswer, Error> {
        let Reading { kind, exact, status, flaw, fetched_at, expires, content, notes } = self;
        let content = match content {
            Content::Rules(selected) => Content::Rules(store(selected)?),
            Content::Target(target) => Content::Target(target),
            Content::Nothing => Content::Nothing,
        };
        Ok(StoredAnswer { kind, exact, status, flaw, fetched_at, expires, content, notes })
    }

    /// The same with compiled groups.
    fn compiled(mut self, dialect: &Dialect) -> Reading {
        if let Content::Rules(selected) = &mut self.content {
            selected.compile(dialect);
        }
        self
    }
}

impl Selected {
    /// Compiles its groups.
    pub(super) fn compile(&mut self, dialect: &Dialect) {
        for SelectedGroup { automaton, rules, .. } in self.classes.iter().filter_map(|class| class.group.as_ref()) {
            if *automaton == self.automata.len() {
                self.automata.push(provenance::compiled(rules, dialect));
            }
        }
    }

    /// Stores the groups, which are compiled, and side records in tables.
    pub(super) fn store(self, tables: &mut Tables) -> Result<StoredRules, Error> {
        let automata = self.automata.iter().map(|words| tables.pools.automata.intern(bytemuck::cast_slice(words)));
        let automata: Vec<u32> = automata.collect::<Result<_, _>>()?;
        let mut stored = |SelectedGroup { automaton, rules, own }: SelectedGroup| {
            Ok::<_, Error>(Group { automaton: automata[automaton], rules: tables.pools.rules.intern(&rules)?, own })
        };
        let classes = self.classes.into_iter().map(|CrawlerClass { group, columns }| {
            Ok(CrawlerClass { group: group.map(&mut stored).transpose()?, columns })
        });
        let classes = classes.collect::<Result<_, Error>>()?;
        let row = tables.row(classes)?;
        let side = tables.pools.side.intern(&self.side_records)?;
        Ok(StoredRules { source: 0, row, side })
    }
}

/// Parses a robots.txt once, then selects the groups of each crawler.
fn select(body: &[u8], columns: &Crawlers, dialect: &Dialect, notes: &mut NoteCounts) -> Selected {
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
    let (mut automata, mut classes): (HashMap<&[u32], usize>, HashMap<_, usize>) = (HashMap::new(), HashMap::new());
    for (column, selection) in selections.iter().enumerate() {
        let kind = std::mem::discriminant(&selection.origin);
        let class = *classes.entry((kind, &selection.groups)).or_insert_with(|| {
            let group = (selection.origin != GroupOrigin::None).then(|| {
                let next = automata.len();
                let automaton = *automata.entry(&*selection.groups).or_insert(next);
                SelectedGroup { automaton, rules: Vec::new(), own: selection.origin != GroupOrigin::Everybody }
            });
            selected.classes.push(CrawlerClass { group, columns: Vec::new() });
            selected.classes.len() - 1
        });
        selected.classes[class].columns.push(column);
    }
    for CrawlerClass { group, columns: members } in &mut selected.classes {
        let Some(group) = group else { continue };
        // One crawler suffices for everybody's group, whose lines are the same for all.
        let named = if group.own { &members[..] } else { &members[..1] };
        let lines = |&column: &usize| selections[column].agent_lines(&robots, &columns.all()[column], dialect).copied();
        let mut lines: Vec<AgentName<'_>> = named.iter().flat_map(lines).collect();
        lines.sort_unstable_by_key(|agent| agent.line);
        lines.dedup_by_key(|agent| agent.line);
        group.rules = provenance::encode(&robots, &selections[members[0]], &lines);
    }
    selected
}

/// How many captures a thread reads at a time: about a millisecond's work.
const AT_ONCE: usize = 16;

pub(super) struct Batch {
    work: Arc<Work>,
    /// The number of each capture's reading. Numbers are assigned in order of first use.
    which: Vec<usize>,
    parts: Vec<Soon<Vec<Reading>>>,
}

/// The work shared by the threads of the pool.
struct Work {
    captures: Vec<Capture>,
    /// The indices of the captures to read: the first with each body.
    firsts: Vec<usize>,
    columns: Arc<Crawlers>,
    dialect: &'static Dialect,
}

type Body = (Arc<[u8]>, Option<u16>);

/// The body and status of a capture, if they determine its meaning.
fn body_alone(capture: &Capture) -> Option<Body> {
    let body = capture.body.as_ref().filter(|_| capture.location.is_none() && capture.flaw.is_none())?;
    Some((Arc::clone(body), capture.answered.status))
}

/// Whether two [bodies](body_alone) are one allocation with one status: true for the captures of one file in a folder, and for
/// revisits of one original.
fn share_body(one: &Option<Body>, other: &Option<Body>) -> bool {
    one.as_ref().zip(other.as_ref()).is_some_and(|(one, other)| Arc::ptr_eq(&one.0, &other.0) && one.1 == other.1)
}

impl Batch {
    /// Starts reading captures.
    ///
    /// Many sites have the same file as another site. A file that repeats within a batch is read
    /// once; across batches of thousands, a file that all sites have is read once for each batch.
    pub fn begin(captures: Vec<Capture>, columns: &Arc<Crawlers>, dialect: &'static Dialect) -> Batch {
        let (mut firsts, mut known, mut before) = (Vec::new(), HashMap::new(), None);
        let mut which: Vec<usize> = Vec::with_capacity(captures.len());
        for (at, capture) in captures.iter().enumerate() {
            let (body, next) = (body_alone(capture), firsts.len());
            let number = match (&body, which.last()) {
                // Saves hashing the body.
                (_, Some(&last)) if share_body(&before, &body) => last,
                (Some(body), _) => *known.entry(body.clone()).or_insert(next),
                (None, _) => next,
            };
            if number == next {
                firsts.push(at);
            }
            which.push(number);
            before = body;
        }
        let parts = firsts.len().div_ceil(AT_ONCE);
        let work = Arc::new(Work { captures, firsts, columns: Arc::clone(columns), dialect });
        let of_part = |part| {
            let work = Arc::clone(&work);
            Soon::begin(move || work.read(part))
        };
        let parts = (0..parts).map(of_part).collect();
        Batch { work, which, parts }
    }

    pub fn is_read(&mut self) -> bool {
        self.parts.iter_mut().all(Soon::is_done)
    }

    /// Waits until all captures are read; returns them, the number of each one's reading, and the readings.
    pub fn wait(mut self) -> (Vec<Capture>, Vec<usize>, Vec<Reading>) {
        let readings = self.parts.into_iter().flat_map(Soon::wait).collect();
        let work = Arc::get_mut(&mut self.work).expect("readers drop the work before they are done");
        (std::mem::take(&mut work.captures), self.which, readings)
    }
}

impl Work {
    fn read(&self, part: usize) -> Vec<Reading> {
        let firsts = self.firsts.chunks(AT_ONCE).nth(part).unwrap_or_default();
        firsts.iter().map(|&at| self.captures[at].read(&self.columns, self.dialect).compiled(self.dialect)).collect()
    }
}
