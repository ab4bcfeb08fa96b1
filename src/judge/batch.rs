//! The hot path: judges a batch of URLs, step by step.
//!
//! Each step runs over all URLs of a batch before the next step begins, with arrays in between. So the cache misses of
//! a step overlap, and its loop has no branch that depends on the data, except in step 2 on whether a host repeats:
//!
//! 1. *key*: takes the first 40 bytes up to the end of the authority;
//! 2. *probe*: hashes them and prefetches the pilot, which gives the slot of the look-up table; prefetches its entry;
//! 3. *look*: checks whether the entry is that of the URL's origin. URLs of known origins continue, all others take the
//!    slow way;
//! 4. *tidy*: for URLs of known origins that are not plain, finds the end of the path. URLs in normal form continue as
//!    well;
//! 5. *route*: looks up the decision for the origin's class, and the automaton that decides, if any; prefetches it;
//! 6. *closed*: allows `/robots.txt` of origins that are closed as a whole, in dialects that always allow it;
//! 7. *front*: checks whether the path's verdict may differ from the automaton's base, first by prefixes, then by
//!    triples;
//! 8. *walk*: runs the automaton itself, for these few paths.
//!
//! With several crawlers, the automaton is the one that applies to most of them; [`others`](super::others) judges for
//! the rest.
//!
//! Each step up to 7 is its own function, so that it has all registers for itself. `benches/README.md` lists the cost
//! of each.
//!
//! The slow way ([`JudgeView::judge_line`]) alone would give the same outcomes; tests use it as the oracle.

use std::ops::Range;
use std::slice;

use super::isa::{self, Isa, Kernel};
use super::others::Crawlers;
use super::outcomes::{Difference, Outcomes};
use super::required;
use super::scratch::{BATCH, BatchArrays, Changed, Scratch};
use super::steps::{ClosedStep, FrontStep, KeyStep, LookStep, ProbeStep, RouteStep, TidyStep};
use super::urls::{Readable, Urls};
use super::view::JudgeView;
use crate::outcome::Outcome;

impl JudgeView<'_> {
    /// Judges many URLs; fills `outcomes` with one outcome for each, in order.
    pub fn judge_all<U: AsRef<[u8]>>(&self, urls: &[U], outcomes: &mut Vec<Outcome>, scratch: &mut Scratch) {
        self.judge_into(outcomes, scratch, |judges, found, scratches| judge_all(judges, urls, found, scratches));
    }

    /// Judges URLs within a text; fills `outcomes` with one outcome for each, in order.
    ///
    /// # Panics
    ///
    /// If a span is not within the text.
    pub fn judge_spans(
        &self,
        text: &[u8],
        spans: impl IntoIterator<Item = Range<usize>>,
        outcomes: &mut Vec<Outcome>,
        scratch: &mut Scratch,
    ) {
        self.judge_into(outcomes, scratch, |judges, found, scratches| {
            judge_spans(judges, text, spans, found, scratches)
        });
    }

    /// Judges the lines of a text; fills `outcomes` with one outcome for each, in order.
    ///
    /// # Panics
    ///
    /// If the text is 4 GiB or longer.
    pub fn judge_lines(&self, text: &[u8], outcomes: &mut Vec<Outcome>, scratch: &mut Scratch) {
        let mut lines = std::mem::take(&mut scratch.lines);
        lines.find(text);
        self.judge_into(outcomes, scratch, |judges, found, scratches| {
            found.clear(1);
            judge(judges, Urls::of_lines(text, &lines), found, scratches);
        });
        scratch.lines = lines;
    }

    /// Judges for one crawler.
    fn judge_into(
        &self,
        outcomes: &mut Vec<Outcome>,
        scratch: &mut Scratch,
        judge: impl FnOnce(&[JudgeView<'_>], &mut Outcomes, &mut [Scratch]),
    ) {
        let mut found = Outcomes::of_one(std::mem::take(outcomes));
        judge(slice::from_ref(self), &mut found, slice::from_mut(scratch));
        *outcomes = found.most;
    }
}

/// Judges many URLs for crawlers of one policy; fills `outcomes` with those of each URL, in order.
pub(super) fn judge_all<U: AsRef<[u8]>>(
    judges: &[JudgeView<'_>],
    urls: &[U],
    outcomes: &mut Outcomes,
    scratches: &mut [Scratch],
) {
    outcomes.clear(judges.len());
    let mut urls = urls.iter().map(AsRef::as_ref).peekable();
    while let Some(&first) = urls.peek() {
        scratches[0].take(&mut urls);
        if scratches[0].places.starts.is_empty() {
            append_one(judges, first, outcomes, scratches);
            urls.next();
            continue;
        }
        let text = std::mem::take(&mut scratches[0].text);
        judge_places(judges, &text, outcomes, scratches);
        scratches[0].text = text;
    }
}

/// Judges URLs within a text, in the same way.
///
/// # Panics
///
/// If a span is not within the text.
pub(super) fn judge_spans(
    judges: &[JudgeView<'_>],
    text: &[u8],
    spans: impl IntoIterator<Item = Range<usize>>,
    outcomes: &mut Outcomes,
    scratches: &mut [Scratch],
) {
    outcomes.clear(judges.len());
    let mut spans = spans.into_iter().peekable();
    while let Some(base) = spans.peek().map(|span| span.start) {
        let window = scratches[0].places.take(text, base, &mut spans);
        if scratches[0].places.starts.is_empty() {
            // The span is too long for 32-bit offsets, or not within the text.
            let span = spans.next().expect("it was peeked at");
            append_one(judges, &text[span], outcomes, scratches);
        } else {
            judge_places(judges, window, outcomes, scratches);
        }
    }
}

/// Appends the outcomes of one URL.
fn append_one(judges: &[JudgeView<'_>], url: &[u8], outcomes: &mut Outcomes, scratches: &mut [Scratch]) {
    let Some(first) = judges.first() else { return };
    let (at, crawlers) = (outcomes.urls(), (judges.len() > 1).then(|| Crawlers::new(judges)));
    let most = crawlers.as_ref().map_or(first, |crawlers| &crawlers.most);
    outcomes.most.push(most.judge_line(url, &mut scratches[0]));
    if let Some(crawlers) = crawlers {
        outcomes.differences.begin(at);
        crawlers.judge_line(url, 0, &mut scratches[1], &mut outcomes.differences);
        outcomes.sort(at);
    }
    required::block(judges, at, |_| url, outcomes, &mut scratches[0]);
}

/// Appends the outcomes of the URLs whose places in a text are in the first scratch.
fn judge_places(judges: &[JudgeView<'_>], text: &[u8], outcomes: &mut Outcomes, scratches: &mut [Scratch]) {
    let places = std::mem::take(&mut scratches[0].places);
    judge(judges, places.urls(text), outcomes, scratches);
    scratches[0].places = places;
}

/// Judges URLs, each for a line that was judged as an empty line, and sets the outcomes of these lines.
pub(crate) fn judge_apart(
    judges: &[JudgeView<'_>],
    lines: &[usize],
    urls: &[&[u8]],
    outcomes: &mut Outcomes,
    scratches: &mut [Scratch],
) {
    let mut found = Outcomes::default();
    judge_all(judges, urls, &mut found, scratches);
    for (&line, &outcome) in lines.iter().zip(found.most()) {
        outcomes.most[line] = outcome;
    }
    outcomes.differences.add(found.differences().iter().map(|difference| {
        let url = lines[difference.url as usize] as u32;
        Difference { url, ..*difference }
    }));
    outcomes.sort(0);
}

/// Judges URLs for crawlers of one policy; appends the outcomes of each.
pub(crate) fn judge(judges: &[JudgeView<'_>], urls: Urls<'_>, outcomes: &mut Outcomes, scratches: &mut [Scratch]) {
    let from = outcomes.urls();
    judge_paths(judges, urls, outcomes, scratches);
    required::block(judges, from, |url| urls.get(url), outcomes, &mut scratches[0]);
}

/// The same, regardless of preferences.
fn judge_paths(judges: &[JudgeView<'_>], urls: Urls<'_>, outcomes: &mut Outcomes, scratches: &mut [Scratch]) {
    let before = scratches[0].refuses_tabs;
    scratches.iter_mut().for_each(|scratch| scratch.refuses_tabs = urls.refuses_tabs);
    let mut arrays = scratches[0].arrays.take().unwrap_or_default();
    isa::run(JudgeAll { judges, urls, outcomes, scratches, arrays: &mut arrays });
    scratches[0].arrays = Some(arrays);
    // URLs that are judged one by one are not from a list.
    scratches.iter_mut().for_each(|scratch| scratch.refuses_tabs = before);
}

/// Judging as a kernel.
pub(super) struct JudgeAll<'a, 'p> {
    pub judges: &'a [JudgeView<'p>],
    pub urls: Urls<'a>,
    pub outcomes: &'a mut Outcomes,
    pub scratches: &'a mut [Scratch],
    pub arrays: &'a mut BatchArrays,
}

/// Judges the unknown URLs of a batch whose origins layers over the policy change.
#[cold]
fn judge_changed(
    judges: &[JudgeView<'_>],
    batch: &Readable<'_>,
    arrays: &mut BatchArrays,
    scratches: &mut [Scratch],
) -> Option<Box<Changed>> {
    let over: Vec<JudgeView<'_>> =
        judges.iter().filter_map(|judge| Some(judge.over?.view().answered_by(judge.groups.columns()))).collect();
    let mut changed = scratches[0].changed.take().unwrap_or_default();
    if !changed.take(&over.first()?.lookup, batch, arrays) {
        scratches[0].changed = Some(changed);
        return None;
    }
    let Changed { places, outcomes, arrays, .. } = &mut *changed;
    let urls = Urls { gap: batch.gap, refuses_tabs: batch.refuses_tabs, ..places.urls(batch.text) };
    outcomes.clear(over.len());
    scratches[0].arrays = arrays.take();
    judge_paths(&over, urls, outcomes, scratches);
    *arrays = scratches[0].arrays.take();
    Some(changed)
}

impl Kernel for JudgeAll<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let JudgeAll { judges, urls, outcomes, scratches, arrays } = self;
        let Some((first, count)) = judges.first().zip(Some(urls.count())) else { return };
        let crawlers = (judges.len() > 1).then(|| Crawlers::new(judges));
        let judge = crawlers.as_ref().map_or(first, |crawlers| &crawlers.most);
        let base = outcomes.most.len();
        outcomes.most.resize(base + count, Outcome::NONE);
        let (most, others) = (&mut outcomes.most[base..], &mut outcomes.differences);
        let mut from = 0;
        while from < count {
            let batch = urls.readable(from, count.min(from + BATCH));
            others.begin(base + from);
            if batch.count() == 0 {
                let url = urls.get(from);
                most[from] = judge.judge_line(url, &mut scratches[0]);
                crawlers.iter().for_each(|crawlers| crawlers.judge_line(url, 0, &mut scratches[1], others));
                from += 1;
                continue;
            }
            I::apart(KeyStep { arrays, urls: &batch });
            I::apart(ProbeStep { arrays, lookup: judge.lookup, count: batch.count() });
            I::apart(LookStep { arrays, lookup: judge.lookup, urls: &batch });
            let is_layered = first.over.is_some() && arrays.unknown.count > 0;
            let changed = if is_layered { judge_changed(judges, &batch, arrays, scratches) } else { None };
            I::apart(TidyStep { arrays, judge, urls: &batch });
            I::apart(RouteStep { arrays, judge });
            if judge.spares_robots_txt() {
                I::apart(ClosedStep { arrays, judge, urls: &batch });
            }
            I::apart(FrontStep { arrays, judge, urls: &batch });
            arrays.walk(judge, &batch, &mut scratches[0]);
            arrays.rest(judge, &batch, &mut scratches[0]);
            let found = &mut most[from..from + batch.count()];
            found.copy_from_slice(&arrays.outcomes[..batch.count()]);
            crawlers.iter().for_each(|crawlers| crawlers.judge::<I>(arrays, &batch, &mut scratches[1], others));
            if let Some(changed) = changed {
                changed.most().for_each(|(url, outcome)| found[usize::from(url)] = outcome);
                changed.differences().for_each(|(url, crawler, outcome)| others.put(crawler, url, outcome));
                scratches[0].changed = Some(changed);
            }
            from += batch.count();
        }
        if crawlers.is_some() {
            outcomes.sort(base);
        }
    }
}
