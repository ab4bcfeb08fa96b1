//! Renders judged chunks: as text or, for lines that become rows, as notes of what rows show besides outcomes.
//!
//! Each worker chooses a renderer once. [`Sorted`] writes lines unchanged to their partitions; [`AfterColumns`] writes
//! columns before them; [`Verdicts`] writes all lines after their verdicts; and [`Refused`] writes all lines after the
//! crawlers that may not fetch them. Rows are made elsewhere, from outcomes and [`Notes`].

use std::iter::repeat_n;

use crate::formats::memory_budget::CacheMemory;
use crate::judge::explain::Explainer;
use crate::judge::line_urls::LineUrls;
use crate::judge::matcher::{Matcher, PreferredLines};
use crate::judge::outcomes::{Outcomes, Refusals};
use crate::judge::pieces::{self, Pieces};
use crate::outcome::{Outcome, Partition};
use crate::output::causes::ChunkCauses;
use crate::output::columns::{CauseValue, put_cause, put_preferences};
use crate::output::form::{FileFormat, OutputMode, OutputOptions, SEPARATOR, crawler_name};

/// The lines of a judged chunk.
pub(super) struct JudgedLines<'c> {
    pub text: &'c [u8],
    /// Whether the text stays in place until it is written.
    pub stays: bool,
    pub urls: &'c LineUrls,
    pub outcomes: &'c Outcomes,
}

impl<'c> JudgedLines<'c> {
    fn url(&self, line: usize) -> &'c [u8] {
        self.urls.url(self.text, line)
    }

    fn whole(&self, line: usize) -> &'c [u8] {
        self.urls.lines().whole(self.text, line)
    }
}

/// Renders lines for output; each worker has its own.
pub(super) trait Render {
    /// Renders the lines of a chunk into empty buffers, one for each file. `by_crawler` gets the outcomes of each
    /// crawler, unless only sets of crawlers are written. Returns whether a comparison proved that the buffers hold
    /// each line in the right place.
    fn render(&mut self, lines: &JudgedLines<'_>, by_crawler: &mut Vec<Vec<Outcome>>, buffers: &mut [Pieces]) -> bool;

    /// Adds a line feed to the last line of a chunk in the buffers.
    fn end_line(&self, _outcomes: &Outcomes, buffers: &mut [Pieces]) {
        buffers[0].copies.push(b'\n');
    }

    /// The notes about a rendered chunk, if lines become rows.
    fn causes<'w>(&'w mut self, _text: &'w [u8], _urls: &'w LineUrls) -> Option<ChunkCauses<'w>> {
        None
    }
}

/// What renders lines for files of this style; `None` if lines are only counted. `older` are the matchers of the policy that verdicts
/// are compared with.
pub(super) fn renderer(
    matchers: &[Matcher],
    older: &[Matcher],
    style: Option<OutputOptions>,
    caches: &mut CacheMemory,
) -> Option<Box<dyn Render>> {
    let style = style?;
    let explained = if style.causes > 0 { style.crawlers } else { 0 };
    let explainers = matchers.iter().chain(older).take(explained);
    let explainers: Vec<_> = explainers.map(|matcher| matcher.explainer_within(caches)).collect();
    let preferred = (!style.preferences.is_empty()).then(|| PreferredLines::new(&[matchers, older], caches));
    let columns = Columns { style, values: style.cause_values(), explainers, preferred };
    let names = || matchers.iter().map(|matcher| crawler_name(matcher.agents())).collect();
    let refusals = || Refusals::new(names());
    Some(match (style.format, style.form) {
        (FileFormat::Parquet, form) => {
            Box::new(Notes { refusals: (form == OutputMode::BlockedFor).then(refusals), columns })
        }
        (FileFormat::Text, OutputMode::BlockedFor) => Box::new(Refused(refusals())),
        (FileFormat::Text, OutputMode::Verdicts) => Box::new(Verdicts(columns)),
        (FileFormat::Text, OutputMode::Partitions) if style.causes == 0 && columns.preferred.is_none() => {
            Box::new(Sorted)
        }
        (FileFormat::Text, OutputMode::Partitions) => Box::new(AfterColumns(columns)),
    })
}

/// Lines go to their partitions as they are.
struct Sorted;

impl Render for Sorted {
    /// A comparison proves it right.
    fn render(&mut self, lines: &JudgedLines<'_>, by_crawler: &mut Vec<Vec<Outcome>>, buffers: &mut [Pieces]) -> bool {
        let starts = lines.urls.lines().starts();
        let mut is_proven = true;
        let outcomes = lines.outcomes.by_crawler(by_crawler);
        for (buffers, outcomes) in buffers.chunks_exact_mut(Partition::COUNT).zip(outcomes) {
            pieces::sort(lines.text, starts, outcomes, lines.stays, buffers);
            is_proven &= pieces::prove(lines.text, starts, outcomes, buffers);
        }
        is_proven
    }

    fn end_line(&self, outcomes: &Outcomes, buffers: &mut [Pieces]) {
        end_line_of_partitions(outcomes, buffers);
    }
}

/// Adds a line feed to the last line in its partition of each crawler.
fn end_line_of_partitions(outcomes: &Outcomes, buffers: &mut [Pieces]) {
    for (buffers, last) in buffers.chunks_exact_mut(Partition::COUNT).zip(outcomes.of_last()) {
        buffers[last.partition() as usize].copies.push(b'\n');
    }
}

/// The content of columns: what blocked the lines, and the preferences about uses of their pages.
struct Columns {
    style: OutputOptions,
    /// Those of the columns of causes.
    values: Vec<CauseValue>,
    /// One for each crawler; none if causes are not wanted.
    explainers: Vec<Explainer>,
    preferred: Option<PreferredLines>,
}

impl Columns {
    /// The outcomes of the lines for each crawler; also finds the preferences of their pages.
    fn outcomes<'s>(&mut self, lines: &JudgedLines<'s>, by_crawler: &'s mut Vec<Vec<Outcome>>) -> &'s [Vec<Outcome>] {
        let outcomes = lines.outcomes.by_crawler(by_crawler);
        if let Some(preferred) = &mut self.preferred {
            preferred.find(|line| lines.url(line), outcomes);
        }
        outcomes
    }

    /// Writes a crawler's preferences about uses of a line's page.
    fn put_said(&self, line: usize, crawler: usize, out: &mut Vec<u8>) {
        if let Some(preferred) = &self.preferred {
            put_preferences(self.style.preferences, preferred.of(line, crawler), out);
        }
    }
}

/// Lines go to their partitions: blocked lines after the cause, if causes are wanted, and allowed lines after the
/// preferences of their pages.
struct AfterColumns(Columns);

impl Render for AfterColumns {
    fn render(&mut self, lines: &JudgedLines<'_>, by_crawler: &mut Vec<Vec<Outcome>>, buffers: &mut [Pieces]) -> bool {
        let AfterColumns(columns) = self;
        let outcomes = columns.outcomes(lines, by_crawler);
        for (crawler, (buffers, outcomes)) in buffers.chunks_exact_mut(Partition::COUNT).zip(outcomes).enumerate() {
            for (line, outcome) in outcomes.iter().enumerate() {
                let buffer = &mut buffers[outcome.partition() as usize].copies;
                match (outcome.partition(), columns.explainers.get_mut(crawler)) {
                    (Partition::Blocked, Some(explainer)) => {
                        put_cause(&columns.values, &explainer.explain(lines.url(line)), buffer);
                    }
                    (Partition::Allowed, _) => columns.put_said(line, crawler, buffer),
                    _ => {}
                }
                buffer.extend_from_slice(lines.whole(line));
            }
        }
        false
    }

    fn end_line(&self, outcomes: &Outcomes, buffers: &mut [Pieces]) {
        end_line_of_partitions(outcomes, buffers);
    }
}

/// Each line after its verdict for every crawler, with the cause if causes are wanted, and the preferences of its page.
struct Verdicts(Columns);

impl Render for Verdicts {
    fn render(&mut self, lines: &JudgedLines<'_>, by_crawler: &mut Vec<Vec<Outcome>>, buffers: &mut [Pieces]) -> bool {
        let (Verdicts(columns), buffer) = (self, &mut buffers[0].copies);
        let outcomes = columns.outcomes(lines, by_crawler);
        for line in 0..lines.urls.lines().count() {
            for (crawler, outcomes) in outcomes[..columns.style.crawlers].iter().enumerate() {
                let partition = outcomes[line].partition();
                buffer.extend_from_slice(partition.name().as_bytes());
                buffer.push(SEPARATOR);
                match columns.explainers.get_mut(crawler) {
                    Some(explainer) if partition == Partition::Blocked => {
                        put_cause(&columns.values, &explainer.explain(lines.url(line)), buffer);
                    }
                    Some(_) => buffer.extend(repeat_n(SEPARATOR, columns.values.len())),
                    None => {}
                }
                columns.put_said(line, crawler, buffer);
            }
            buffer.extend_from_slice(lines.whole(line));
        }
        false
    }
}

/// Each line after the crawlers that may not fetch its URL.
struct Refused(Refusals);

impl Render for Refused {
    /// A comparison proves it right.
    fn render(&mut self, lines: &JudgedLines<'_>, _: &mut Vec<Vec<Outcome>>, buffers: &mut [Pieces]) -> bool {
        let (Refused(refusals), buffer) = (self, &mut buffers[0].copies);
        refusals.find(lines.outcomes);
        // Exactly as much as is needed: names may be many times as long as the lines.
        let columns = (0..lines.urls.lines().count()).map(|line| refusals.of(line).columns.len());
        buffer.reserve_exact(lines.text.len() + 1 + columns.sum::<usize>());
        for line in 0..lines.urls.lines().count() {
            buffer.extend_from_slice(&refusals.of(line).columns);
            buffer.extend_from_slice(lines.whole(line));
        }
        is_refused(lines, refusals, buffer)
    }
}

/// Whether a buffer has each line, complete and in order, after the crawlers that may not fetch its URL.
fn is_refused(lines: &JudgedLines<'_>, refusals: &Refusals, buffer: &[u8]) -> bool {
    let mut rest = Some(buffer);
    for line in 0..lines.urls.lines().count() {
        let whole = lines.whole(line);
        let is_one = memchr::memchr(b'\n', whole).is_none_or(|end| end + 1 == whole.len());
        let of_line = rest.filter(|_| is_one).and_then(|rest| rest.strip_prefix(&*refusals.of(line).columns));
        rest = of_line.and_then(|rest| rest.strip_prefix(whole));
    }
    rest.is_some_and(<[u8]>::is_empty)
}

/// The content of rows besides outcomes: explainers of what blocked the lines, the crawlers that may not fetch them, and the
/// preferences of their pages, each if it is wanted.
struct Notes {
    columns: Columns,
    refusals: Option<Refusals>,
}

impl Render for Notes {
    fn render(&mut self, lines: &JudgedLines<'_>, by_crawler: &mut Vec<Vec<Outcome>>, _: &mut [Pieces]) -> bool {
        match &mut self.refusals {
            Some(refusals) => refusals.find(lines.outcomes),
            None => drop(self.columns.outcomes(lines, by_crawler)),
        }
        false
    }

    fn end_line(&self, _: &Outcomes, _: &mut [Pieces]) {}

    fn causes<'w>(&'w mut self, text: &'w [u8], urls: &'w LineUrls) -> Option<ChunkCauses<'w>> {
        let Notes { columns: Columns { explainers, preferred, .. }, refusals } = self;
        Some(ChunkCauses { explainers, refusals: refusals.as_ref(), preferred: preferred.as_ref(), text, urls })
    }
}
