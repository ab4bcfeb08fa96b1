//! Renders judged chunks as text, and notes what blocked lines that become rows.

use super::memory::cause_bytes;
use crate::judge::explain::Explainer;
use crate::judge::matcher::{Matcher, PreferredLines};
use crate::judge::outcomes::{Outcomes, Refusals};
use crate::judge::place::{self, Pieces};
use crate::judge::urls::LineUrls;
use crate::outcome::{Outcome, Partition};
use crate::output::causes::{Causes, ChunkCauses};
use crate::output::form::{Form, Format, Rows, SEPARATOR, crawler_name, put_cause, put_no_cause, put_preferences};

/// Renders lines for output; each worker has its own. The rows of tables are made elsewhere, from outcomes and causes.
#[derive(Debug)]
pub(super) struct Renderer {
    /// The rows of the files; `None` if lines are only counted.
    rows: Option<Rows>,
    /// One for each crawler; none if causes are not wanted.
    explainers: Vec<Explainer>,
    /// For each explainer, what blocked the lines that become rows.
    causes: Vec<Causes>,
    /// Which crawlers may not fetch the lines, if columns name them.
    refusals: Option<Refusals>,
    /// What is said about uses of the lines' pages, if columns show it.
    preferred: Option<PreferredLines>,
}

impl Renderer {
    /// A renderer for files with these rows. `older` are the matchers of the policy that verdicts are compared with.
    pub fn new(matchers: &[Matcher], older: &[Matcher], rows: Option<Rows>) -> Renderer {
        let explained = rows.filter(|rows| rows.explain).map_or(0, |rows| rows.crawlers);
        let explainers: Vec<_> = matchers.iter().chain(older).take(explained).map(Matcher::explainer).collect();
        let causes = explainers.iter().map(|_| Causes::default()).collect();
        let names = || matchers.iter().map(|matcher| crawler_name(matcher.agents())).collect();
        let refusals = rows.filter(|rows| rows.form == Form::BlockedFor).map(|_| Refusals::new(names()));
        let preferred =
            rows.filter(|rows| !rows.preferences.is_empty()).map(|_| PreferredLines::new(&[matchers, older]));
        Renderer { rows, explainers, causes, refusals, preferred }
    }

    /// Renders the lines of a chunk's `text` into empty buffers, one for each file. If it `stays`, it stays in place until it is
    /// written. `outcomes` are those of its lines; `space` gets those of each crawler, unless only sets of crawlers are written.
    /// Returns whether the buffers were compared with the lines, and hold each where it belongs.
    pub fn render(
        &mut self,
        text: &[u8],
        stays: bool,
        urls: &LineUrls,
        outcomes: &Outcomes,
        space: &mut Vec<Vec<Outcome>>,
        buffers: &mut [Pieces],
    ) -> bool {
        let Renderer { rows: Some(rows), explainers, causes, refusals, preferred } = self else { return false };
        if let Some(refusals) = refusals {
            refusals.find(outcomes);
            if rows.format == Format::Parquet {
                return false;
            }
            put_refused(text, urls, refusals, &mut buffers[0].copies);
            return is_refused(text, urls, refusals, &buffers[0].copies);
        }
        let outcomes = outcomes.by_crawler(space);
        if let Some(preferred) = preferred {
            preferred.find(|line| urls.url(text, line), outcomes);
        }
        let said = |line, crawler, out: &mut Vec<u8>| {
            if let Some(preferred) = &*preferred {
                put_preferences(rows.preferences, preferred.of(line, crawler), out);
            }
        };
        match (rows.format, rows.form) {
            (Format::Text, Form::Partitions) if !rows.explain && preferred.is_none() => {
                return split(text, stays, urls, outcomes, buffers);
            }
            (Format::Text, Form::Partitions) => {
                split_with_columns(text, urls, outcomes, buffers, explainers, said);
            }
            (Format::Text, Form::Verdicts) => {
                let outcomes = &outcomes[..rows.crawlers];
                put_verdicts(text, urls, outcomes, &mut buffers[0].copies, explainers, said)
            }
            (Format::Text, Form::BlockedFor) => {}
            (Format::Parquet, _) => note_causes(text, urls, outcomes, explainers, causes),
        }
        false
    }

    /// Adds a line feed to the last line of a chunk in the buffers.
    pub fn end_line(&self, outcomes: &Outcomes, buffers: &mut [Pieces]) {
        match self.rows.map(|rows| (rows.format, rows.form)) {
            None | Some((Format::Parquet, _)) => {}
            Some((Format::Text, Form::Verdicts | Form::BlockedFor)) => buffers[0].copies.push(b'\n'),
            Some((Format::Text, Form::Partitions)) => {
                for (buffers, last) in buffers.chunks_exact_mut(Partition::COUNT).zip(outcomes.of_last()) {
                    buffers[last.partition() as usize].copies.push(b'\n');
                }
            }
        }
    }

    /// What blocked the lines of a rendered chunk.
    pub fn causes<'w>(&'w mut self, text: &'w [u8], urls: &'w LineUrls) -> ChunkCauses<'w> {
        let Renderer { causes, explainers, refusals, preferred, .. } = self;
        let (refusals, preferred) = (refusals.as_ref(), preferred.as_ref());
        ChunkCauses { kept: causes, explainers, refusals, preferred, text, urls }
    }

    /// Frees the memory that grows with chunks.
    pub fn release(&mut self) {
        self.causes.iter_mut().for_each(|causes| *causes = Causes::default());
        self.preferred.iter_mut().for_each(PreferredLines::release);
        self.refusals = self.refusals.take().map(|refusals| Refusals::new(refusals.names().to_vec()));
    }
}

/// Puts lines into their partitions, and returns whether a comparison proved it right.
fn split(text: &[u8], stays: bool, urls: &LineUrls, outcomes: &[Vec<Outcome>], buffers: &mut [Pieces]) -> bool {
    let starts = urls.lines().starts();
    let mut is_proven = true;
    for (buffers, outcomes) in buffers.chunks_exact_mut(Partition::COUNT).zip(outcomes) {
        place::place(text, starts, outcomes, stays, buffers);
        is_proven &= place::prove(text, starts, outcomes, buffers);
    }
    is_proven
}

/// Copies lines to their partitions: blocked ones after what blocked them, if that is wanted, and allowed ones after what `put_said`
/// writes.
fn split_with_columns(
    text: &[u8],
    urls: &LineUrls,
    outcomes: &[Vec<Outcome>],
    buffers: &mut [Pieces],
    explainers: &mut [Explainer],
    put_said: impl Fn(usize, usize, &mut Vec<u8>),
) {
    for (crawler, (buffers, outcomes)) in buffers.chunks_exact_mut(Partition::COUNT).zip(outcomes).enumerate() {
        for (line, outcome) in outcomes.iter().enumerate() {
            let buffer = &mut buffers[outcome.partition() as usize].copies;
            match (outcome.partition(), explainers.get_mut(crawler)) {
                (Partition::Blocked, Some(explainer)) => put_cause(&explainer.explain(urls.url(text, line)), buffer),
                (Partition::Allowed, _) => put_said(line, crawler, buffer),
                _ => {}
            }
            buffer.extend_from_slice(urls.lines().whole(text, line));
        }
    }
}

/// Copies each line after its verdict for every crawler, with what blocked it if causes are wanted; `put_said` writes what is said of
/// it to a crawler.
fn put_verdicts(
    text: &[u8],
    urls: &LineUrls,
    outcomes: &[Vec<Outcome>],
    buffer: &mut Vec<u8>,
    explainers: &mut [Explainer],
    put_said: impl Fn(usize, usize, &mut Vec<u8>),
) {
    for line in 0..urls.lines().count() {
        for (crawler, outcomes) in outcomes.iter().enumerate() {
            let partition = outcomes[line].partition();
            buffer.extend_from_slice(partition.name().as_bytes());
            buffer.push(SEPARATOR);
            match explainers.get_mut(crawler) {
                Some(explainer) if partition == Partition::Blocked => {
                    put_cause(&explainer.explain(urls.url(text, line)), buffer);
                }
                Some(_) => put_no_cause(buffer),
                None => {}
            }
            put_said(line, crawler, buffer);
        }
        buffer.extend_from_slice(urls.lines().whole(text, line));
    }
}

/// Copies each line after the crawlers that may not fetch its URL.
fn put_refused(text: &[u8], urls: &LineUrls, refusals: &Refusals, buffer: &mut Vec<u8>) {
    // Exactly as much as is needed: names may be many times as long as the lines.
    let columns = (0..urls.lines().count()).map(|line| refusals.of(line).columns.len());
    buffer.reserve_exact(text.len() + 1 + columns.sum::<usize>());
    for line in 0..urls.lines().count() {
        buffer.extend_from_slice(&refusals.of(line).columns);
        buffer.extend_from_slice(urls.lines().whole(text, line));
    }
}

/// Whether a buffer has each line, whole and in order, after the crawlers that may not fetch its URL.
fn is_refused(text: &[u8], urls: &LineUrls, refusals: &Refusals, buffer: &[u8]) -> bool {
    let lines = urls.lines();
    let mut rest = Some(buffer);
    for line in 0..lines.count() {
        let whole = lines.whole(text, line);
        let is_one = memchr::memchr(b'\n', whole).is_none_or(|end| end + 1 == whole.len());
        let of_line = rest.filter(|_| is_one).and_then(|rest| rest.strip_prefix(&*refusals.of(line).columns));
        rest = of_line.and_then(|rest| rest.strip_prefix(whole));
    }
    rest.is_some_and(<[u8]>::is_empty)
}

/// Records what blocked the lines.
fn note_causes(
    text: &[u8],
    urls: &LineUrls,
    outcomes: &[Vec<Outcome>],
    explainers: &mut [Explainer],
    causes: &mut [Causes],
) {
    for ((causes, outcomes), explainer) in causes.iter_mut().zip(outcomes).zip(explainers) {
        causes.clear(cause_bytes(text.len()));
        for (line, outcome) in outcomes.iter().enumerate() {
            let is_blocked = outcome.partition() == Partition::Blocked;
            causes.push(is_blocked.then(|| explainer.explain(urls.url(text, line))).as_ref());
        }
    }
}
