//! Tests with a mapped list that another program changes while it is judged: between any two steps, and between any two
//! reads in a step. `Mapped` in `input/list/regular.rs` says why that does no harm.

use std::cell::RefCell;
use std::fs::File;
use std::marker::PhantomData;

use memmap2::{Mmap, MmapMut};
use rustix::mm::{MprotectFlags, mprotect};

use super::batch;
use super::isa::{BLOCK, Isa, Kernel, Key};
use super::line_urls::LineUrls;
use super::matcher::Matcher;
use super::outcomes::Outcomes;
use super::pieces::{self, Pieces};
use super::scratch::Scratch;
use super::tally::{CrawlerCounts, count};
use super::tests::{origins, policy, text};
use super::view::JudgeView;
use crate::automaton::front::Prefixes;
use crate::dialect::Dialect;
use crate::formats::memory;
use crate::input::chunks::Chunk;
use crate::input::layout::Layout;
use crate::judge::choices::Choices;
use crate::rng::Rng;
use crate::robots::Agents;

thread_local! {
    /// The list that a thread is judging.
    static CHANGED: RefCell<Option<Changed>> = const { RefCell::new(None) };
}

/// What another program changes.
struct Changed {
    /// Its own map of the file.
    map: MmapMut,
    /// The original text, which is the end of the file.
    text: Vec<u8>,
    dice: Rng,
    changes: usize,
}

/// Whether this thread is judging a list that changes.
pub(super) fn is_on() -> bool {
    CHANGED.with_borrow(Option::is_some)
}

/// Changes the list that this thread is judging: puts other bytes into it, and sometimes all the old ones.
fn change() {
    CHANGED.with_borrow_mut(|changed| {
        let Some(Changed { map, text, dice, changes }) = changed else { return };
        let start = FILE - text.len();
        if dice.below(16) == 0 {
            map[start..FILE].copy_from_slice(text);
        }
        for _ in 0..dice.below(4) {
            // Often where a byte order mark may be.
            let within = dice.of(&[4, text.len(), text.len()]);
            let at = dice.below(within);
            map[start + at] = dice.of(b"\n\n\n/#.%\t\r\\\"{},: \xc3\xff\0ax");
        }
        *changes += 1;
    });
}

/// An instruction set that changes the list before each operation.
pub(super) struct Changing<I>(PhantomData<I>);

impl<I: Isa> Isa for Changing<I> {
    fn apart<K: Kernel>(kernel: K) -> K::Output {
        change();
        kernel.run::<Changing<I>>()
    }

    fn masks(block: &[u8; 1 + BLOCK]) -> (u64, u64) {
        change();
        I::masks(block)
    }

    unsafe fn key(url: *const u8, length: usize) -> Key {
        change();
        // SAFETY: ensured by the caller, as in all others.
        unsafe { I::key(url, length) }
    }

    unsafe fn copy_step(from: *const u8, to: *mut u8) {
        change();
        // SAFETY: as above.
        unsafe { I::copy_step(from, to) };
    }

    fn is_same(one: &[u8], other: &[u8]) -> bool {
        change();
        I::is_same(one, other)
    }

    fn differences(one: &[u64; 4], other: &[u64; 4]) -> u64 {
        I::differences(one, other)
    }

    unsafe fn begins(item: &[u8], path: &[u8]) -> bool {
        change();
        // SAFETY: as above.
        unsafe { I::begins(item, path) }
    }

    unsafe fn prefixes(item: &[u8], path: &[u8]) -> Prefixes {
        change();
        // SAFETY: as above.
        unsafe { I::prefixes(item, path) }
    }

    unsafe fn triples(item: &[u8], path: &[u8], lanes: u8) -> bool {
        change();
        // SAFETY: as above.
        unsafe { I::triples(item, path, lanes) }
    }
}

/// A list that changes from now on, followed by memory that no one may read.
struct ChangingList {
    map: Mmap,
    length: usize,
}

/// The length of the file of a list.
const FILE: usize = 1 << 17;

impl ChangingList {
    fn new(text: &[u8], seed: u64) -> ChangingList {
        let file: File = tempfile::tempfile().unwrap();
        file.set_len(2 * FILE as u64).unwrap();
        // SAFETY: the file has no name. This map changes the other one, which is what is tested.
        let (mut map, read) = unsafe { (memory::map_mut(&file).unwrap(), memory::map(&file).unwrap()) };
        map[FILE - text.len()..FILE].copy_from_slice(text);
        // SAFETY: nothing refers to the second half.
        unsafe { mprotect(read.as_ptr().add(FILE).cast_mut().cast(), FILE, MprotectFlags::empty()) }.unwrap();
        let changed = Changed { map, text: text.to_vec(), dice: Rng(seed), changes: 0 };
        CHANGED.set(Some(changed));
        ChangingList { map: read, length: text.len() }
    }

    fn text(&self) -> &[u8] {
        &self.map[FILE - self.length..FILE]
    }
}

impl Drop for ChangingList {
    fn drop(&mut self) {
        let changed = CHANGED.take().unwrap();
        assert!(changed.changes > 10);
    }
}

/// Judges and writes a chunk like a worker. Returns whether its copies were proven.
fn judged(chunk: &Chunk<'_>, matcher: &Matcher, stays: bool) -> bool {
    let (text, judge): (_, JudgeView<'_>) = (chunk.text(), matcher.view());
    let (mut urls, mut outcomes) = (LineUrls::default(), Outcomes::default());
    // After its mark and its last LF were found.
    (0..8).for_each(|_| change());
    urls.find(chunk);
    change();
    let (judges, mut scratch) = ([judge.clone()], [Scratch::default()]);
    outcomes.clear(1);
    batch::judge(&judges, urls.urls(text), &mut outcomes, &mut scratch);
    change();
    for (line, url) in urls.apart(text) {
        batch::judge_apart(&judges, &[line], &[url], &mut outcomes, &mut scratch);
        change();
    }
    let counted = count(text, urls.lines(), &outcomes, true, &mut [CrawlerCounts::default()]);
    assert_eq!(counted.lines, outcomes.urls() as u64);
    let mut explainer = matcher.explainer();
    for line in 0..outcomes.urls() {
        change();
        explainer.explain(urls.url(text, line));
        change();
        let _ = crate::origin::split(urls.url(text, line));
    }
    change();
    let mut partitions = vec![Pieces::default(); 4];
    pieces::sort(text, urls.lines().starts(), outcomes.most(), stays, &mut partitions);
    change();
    let is_proven = pieces::prove(text, urls.lines().starts(), outcomes.most(), &partitions);
    change();
    let written: usize = partitions.iter().flat_map(|pieces| pieces.of(text)).map(<[u8]>::len).sum();
    assert_eq!(written, text.len());
    is_proven
}

#[test]
#[cfg_attr(miri, ignore = "maps files")]
fn a_list_that_changes_between_every_two_reads_does_no_harm() {
    let mut dice = Rng(5);
    let policy = policy(Dialect::DEFAULT, vec![Agents::everybody()]);
    let matcher = Matcher::new(&policy, policy.crawler(None).unwrap(), Choices::at(0));
    let mut proven = [0, 0];
    for round in 0..100 {
        let mut text = text(&mut dice, &origins());
        text.truncate(FILE / 8);
        let (layout, [before, after]): (_, [&[u8]; 2]) = match dice.below(4) {
            0 => (Layout::Whole, [b"", b"\n"]),
            1 => (Layout::delimited(b'\t', 1), [b"a\t", b"\tb\n"]),
            2 => (Layout::delimited(b',', 1), [b"a,\"", b"\"\n"]),
            _ => (Layout::Cdxj, [b"com,a) 2024 {\"url\": \"", b"\"}\n"]),
        };
        text = text.split(|&byte| byte == b'\n').flat_map(|url| [before, url, after].concat()).collect();
        let mark = 3 * dice.below(2);
        text.splice(..0, b"\xef\xbb\xbf"[..mark].iter().copied());
        let list = ChangingList::new(&text, round);
        let chunk = Chunk::of_lines(list.text(), &layout, mark);
        proven[usize::from(judged(&chunk, &matcher, dice.below(2) == 0))] += 1;
    }
    assert!(proven[0] > 50, "a change is found: {proven:?}");
}
