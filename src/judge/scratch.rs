//! Memory for judging, besides the policy.

use super::batch_arrays::BatchArrays;
use super::changed::Changed;
use super::lines::{LONGEST, Lines, find_second_looks};
use super::outcomes::Outcomes;
use super::preferred::KnownPreferences;
use super::urls::{PADDING, Places, UrlCounts};
use crate::automaton;
use std::cell::Cell;
use std::iter::Peekable;
use std::ops::Range;

/// A thread's memory for judging, reused.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) walk: automaton::Scratch,
    pub(super) arrays: Box<BatchArrays>,
    /// For the URLs whose origins layers change.
    pub(super) changed: Option<Box<Changed>>,
    pub(super) lines: Lines,
    /// The URLs that are judged together, and where they are.
    pub(super) text: Vec<u8>,
    pub(super) places: Places,
    /// Their outcomes.
    pub(super) found: Outcomes,
    /// What sites say about uses of pages, if that is asked.
    pub(crate) preferences: KnownPreferences,
    /// Odd URLs.
    pub counts: UrlCounts,
}

/// Bytes of URLs that are judged together.
const TOGETHER: usize = 1 << 18;

/// Spans that are judged together.
const SPANS: usize = 4096;

impl Scratch {
    /// Takes the next URLs, as many as are judged together; none if the first is too long for 32-bit offsets.
    pub(super) fn take<'u>(&mut self, urls: &mut Peekable<impl Iterator<Item = &'u [u8]>>) {
        let Places { starts, ends, second_looks } = &mut self.places;
        self.text.clear();
        starts.clear();
        ends.clear();
        let fits = |text: &[u8], url: &[u8]| {
            if text.is_empty() { url.len() <= LONGEST - PADDING } else { text.len() + url.len() < TOGETHER }
        };
        while let Some(url) = urls.next_if(|url| fits(&self.text, url)) {
            starts.push(self.text.len() as u32);
            self.text.extend_from_slice(url);
            ends.push(self.text.len() as u32);
        }
        find_second_looks(&self.text, starts, ends, second_looks);
        self.text.resize(self.text.len() + PADDING, 0);
    }
}

impl Places {
    /// Takes the next spans, as long as their offsets from `base` fit in 32 bits; returns the text from there on.
    pub(super) fn take<'t>(
        &mut self,
        text: &'t [u8],
        base: usize,
        spans: &mut Peekable<impl Iterator<Item = Range<usize>>>,
    ) -> &'t [u8] {
        let Places { starts, ends, second_looks } = self;
        let window = &text[base.min(text.len())..text.len().min(base.saturating_add(LONGEST))];
        starts.clear();
        ends.clear();
        let fits =
            |span: &Range<usize>| base <= span.start && span.start <= span.end && span.end - base <= window.len();
        while starts.len() < SPANS
            && let Some(span) = spans.next_if(fits)
        {
            starts.push((span.start - base) as u32);
            ends.push((span.end - base) as u32);
        }
        find_second_looks(window, starts, ends, second_looks);
        window
    }
}

/// Lends out the thread's scratches. Their cell is empty meanwhile, because a caller's own `as_ref` may call this function again.
pub(super) fn with_scratches<T>(judge: impl FnOnce(&mut [Scratch; 2]) -> T) -> T {
    thread_local!(static SCRATCHES: Cell<Option<[Scratch; 2]>> = const { Cell::new(None) });
    let mut scratches = SCRATCHES.take().unwrap_or_default();
    let judged = judge(&mut scratches);
    SCRATCHES.set(Some(scratches));
    judged
}
