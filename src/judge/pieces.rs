//! Sorts lines into the pieces of their partitions, and proves that no line was lost.
//!
//! [`sort`] copies each line with its LF to the buffer of its outcome's partition. It always copies 128 bytes in four
//! wide steps that need no length, and more only if the line is longer; the next line overwrites the bytes past a
//! line's end. If the text stays in memory, as in a mapped file, long runs of lines of one partition are not copied,
//! but written from the text itself. [`prove`] then goes through the outcomes again and compares the pieces with the
//! text, copies byte for byte: it detects a line that was changed, dropped, duplicated, swapped, truncated or put into
//! another partition.

use std::ops::Range;

use super::isa::{self, Isa, Kernel, STEP};
use crate::outcome::{Outcome, Partition};

/// The lines of a text that go to one file: copies, and between them runs of lines that stay in the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pieces {
    /// The lines that were copied.
    pub copies: Vec<u8>,
    runs: Vec<LineRun>,
}

/// Consecutive lines of the text that belong to one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LineRun {
    /// How many bytes of copies come before them.
    before: usize,
    /// Their range in the text.
    text: Range<usize>,
}

impl Pieces {
    /// The pieces in order; `text` must be the text of the runs.
    pub fn of<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = &'t [u8]> {
        let copied = self.runs.iter().scan(0, |from, run| {
            let copies = &self.copies[*from..run.before];
            *from = run.before;
            Some([copies, &text[run.text.clone()]])
        });
        let rest = &self.copies[self.runs.last().map_or(0, |run| run.before)..];
        copied.flatten().chain([rest]).filter(|piece| !piece.is_empty())
    }

    /// Removes all pieces, and frees memory beyond `most` bytes.
    pub fn clear(&mut self, most: usize) {
        self.runs.clear();
        self.copies.clear();
        self.copies.shrink_to(most);
    }
}

/// The pieces of each partition.
type Partitions = [Pieces; Partition::COUNT];

/// Runs of lines of at least this many bytes are not copied; copying shorter runs costs less than writing them
/// separately.
const LONG: usize = 1024;

/// Appends the lines of a text to the pieces of their partitions. `starts` has the start of each line and of the one that would
/// follow; a last line without an LF stays without one. If the text `stays` in memory, long runs are not copied.
pub(crate) fn sort(text: &[u8], starts: &[u32], outcomes: &[Outcome], stays: bool, partitions: &mut [Pieces]) {
    isa::run(Sort { text, starts, outcomes, stays, partitions });
}

struct Sort<'a> {
    text: &'a [u8],
    starts: &'a [u32],
    outcomes: &'a [Outcome],
    stays: bool,
    partitions: &'a mut [Pieces],
}

impl Kernel for Sort<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Sort { text, starts, outcomes, stays, partitions } = self;
        let partitions: &mut Partitions = partitions.try_into().expect("pieces of each partition");
        let starts = &starts[..=outcomes.len()];
        assert!(starts.is_sorted() && starts[outcomes.len()] as usize <= text.len() + 1, "lines of another text");
        for pieces in partitions.iter_mut() {
            pieces.copies.reserve(text.len() + STEP);
        }
        let ends = partitions.each_mut().map(|pieces| pieces.copies.spare_capacity_mut().as_mut_ptr().cast::<u8>());
        // The lines that have as much text after their start as a copy reads.
        let wide = outcomes.len().min(starts.partition_point(|&start| start as usize + STEP <= text.len()));
        let mut copy = Copy { text, starts, outcomes, ends };
        let mut copied = 0;
        let mut from = if stays { 0 } else { wide };
        while let Some(lines) = next_run(&outcomes[..wide], from) {
            from = lines.end;
            let run = starts[lines.start] as usize..(starts[lines.end] as usize).min(text.len());
            if run.len() >= LONG {
                copy.lines::<I>(copied..lines.start);
                let partition = outcomes[lines.start].partition() as usize;
                let Pieces { copies, runs } = &mut partitions[partition];
                // SAFETY: the pointer is within this buffer, or at its end.
                let before = unsafe { copy.ends[partition].offset_from_unsigned(copies.as_ptr()) };
                runs.push(LineRun { before, text: run });
                copied = lines.end;
            }
        }
        copy.lines::<I>(copied..wide);
        for (pieces, end) in partitions.iter_mut().zip(copy.ends) {
            // SAFETY: the pointer is within the buffer, and everything up to it was written.
            unsafe { pieces.copies.set_len(end.offset_from_unsigned(pieces.copies.as_ptr())) };
        }
        for line in wide..outcomes.len() {
            let end = (starts[line + 1] as usize).min(text.len());
            partitions[outcomes[line].partition() as usize].copies.extend_from_slice(&text[starts[line] as usize..end]);
        }
    }
}

/// The next run of at least eight lines of one partition, from a line on. It examines blocks of eight, because where partitions
/// alternate, going line by line mispredicts every other branch.
#[inline(always)]
fn next_run(outcomes: &[Outcome], mut from: usize) -> Option<Range<usize>> {
    while let Some(eight) = outcomes.get(from..).and_then(<[_]>::first_chunk) {
        let block = Outcome::partitions(eight);
        // A byte is nonzero if the next line has another partition.
        let boundaries = (block ^ block << 8) >> 8;
        if boundaries != 0 {
            from += 8 - boundaries.leading_zeros() as usize / 8;
            continue;
        }
        let mut end = from + 8;
        while let Some(eight) = outcomes.get(end..).and_then(<[_]>::first_chunk) {
            let others = Outcome::partitions(eight) ^ block;
            end += others.trailing_zeros() as usize / 8;
            if others != 0 {
                break;
            }
        }
        return Some(from..end);
    }
    None
}

/// Copies lines to the ends of buffers that have room for the whole text and [`STEP`] more bytes.
struct Copy<'a> {
    text: &'a [u8],
    starts: &'a [u32],
    outcomes: &'a [Outcome],
    ends: [*mut u8; Partition::COUNT],
}

impl Copy<'_> {
    /// Copies lines that have at least [`STEP`] bytes of text from their start on.
    #[inline(always)]
    fn lines<I: Isa>(&mut self, lines: Range<usize>) {
        for line in lines {
            let (start, end) = (self.starts[line] as usize, (self.starts[line + 1] as usize).min(self.text.len()));
            let length = end - start;
            let to = &mut self.ends[self.outcomes[line].partition() as usize];
            if length > STEP {
                let whole = &self.text[start..end];
                // SAFETY: as below.
                unsafe { std::ptr::copy_nonoverlapping(whole.as_ptr(), *to, length) };
            } else {
                // SAFETY: 128 bytes can be read from `start` on, because the text goes on for at least that long. Lines follow
                // each other within the text, so a buffer gets at most the whole text, and it has room for 128 bytes more.
                unsafe { I::copy_step(self.text.as_ptr().add(start), *to) };
            }
            // SAFETY: still within the room of the buffer, see above.
            *to = unsafe { to.add(length) };
        }
    }
}

/// Whether the pieces hold each line of the text exactly once, in order and in the partition of its outcome, and
/// nothing else. Line ends are counted again, by other code than the code that found the lines.
pub(crate) fn prove(text: &[u8], starts: &[u32], outcomes: &[Outcome], partitions: &[Pieces]) -> bool {
    let ends = memchr::memchr_iter(b'\n', text).count();
    let unended = usize::from(text.last().is_some_and(|&byte| byte != b'\n'));
    outcomes.len() == ends + unended && isa::run(Prove { text, starts, outcomes, partitions })
}

struct Prove<'a> {
    text: &'a [u8],
    starts: &'a [u32],
    outcomes: &'a [Outcome],
    partitions: &'a [Pieces],
}

impl Kernel for Prove<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Isa>(self) -> bool {
        let Prove { text, starts, outcomes, partitions } = self;
        let Ok(partitions) = <&Partitions>::try_from(partitions) else { return false };
        let mut rests = partitions.each_ref().map(Rest::of);
        let (mut line, mut at) = (0, 0);
        while line < outcomes.len() {
            let rest = &mut rests[outcomes[line].partition() as usize];
            if at == rest.run.start && rest.copies.is_empty() {
                let Some(lines) = lines_of_run(text, &starts[line..], &outcomes[line..], rest.run.end) else {
                    return false;
                };
                (at, line) = (rest.run.end, line + lines);
                rest.go_on();
                continue;
            }
            let (start, end) = (starts[line] as usize, (starts[line + 1] as usize).min(text.len()));
            // Lines follow each other without gaps.
            if start != at || end <= at || text[end - 1] != b'\n' && end != text.len() {
                return false;
            }
            let Some((copy, others)) = rest.copies.split_at_checked(end - start) else { return false };
            if !I::is_same(copy, &text[start..end]) {
                return false;
            }
            rest.copies = others;
            (at, line) = (end, line + 1);
        }
        at == text.len() && rests.iter().all(Rest::is_empty)
    }
}

/// How many of the lines from here on form the run that ends at `run_end`; `None` unless all are of one partition and the last
/// one ends there.
#[inline(always)]
fn lines_of_run(text: &[u8], starts: &[u32], outcomes: &[Outcome], run_end: usize) -> Option<usize> {
    let partition = outcomes[0].partition();
    let (mut lines, mut at, mut are_lines) = (0, starts[0] as usize, true);
    while at < run_end && lines < outcomes.len() {
        let end = (starts[lines + 1] as usize).min(text.len());
        are_lines &= (at < end) & (outcomes[lines].partition() == partition);
        are_lines &= (end == text.len()) | (text[end - 1] == b'\n');
        (at, lines) = (end, lines + 1);
    }
    (are_lines && at == run_end).then_some(lines)
}

/// The rest of a partition's pieces: bytes not yet matched to a line.
struct Rest<'p> {
    pieces: &'p Pieces,
    /// The rest of the copies before the next run.
    copies: &'p [u8],
    /// Where the copies continue after that run.
    from: usize,
    /// The next run; past the end of any text if there is none.
    run: Range<usize>,
    /// How many runs were begun, including this one.
    runs: usize,
}

impl<'p> Rest<'p> {
    fn of(pieces: &'p Pieces) -> Rest<'p> {
        let mut rest = Rest { pieces, copies: &[], from: 0, run: 0..0, runs: 0 };
        rest.go_on();
        rest
    }

    /// Advances to the next copies, and the run after them.
    fn go_on(&mut self) {
        let Pieces { copies, runs } = self.pieces;
        let (before, text) = match runs.get(self.runs) {
            Some(run) => (run.before, run.text.clone()),
            None => (copies.len(), usize::MAX..usize::MAX),
        };
        self.copies = copies.get(self.from..before).unwrap_or_default();
        (self.from, self.run) = (before, text);
        self.runs += 1;
    }

    fn is_empty(&self) -> bool {
        self.copies.is_empty() && self.runs > self.pieces.runs.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::lines::Lines;
    use crate::outcome::Reason;

    struct Sorted {
        text: Vec<u8>,
        lines: Lines,
        outcomes: Vec<Outcome>,
        partitions: Vec<Pieces>,
    }

    /// The texts of the partitions.
    fn texts(text: &[u8], partitions: &[Pieces]) -> Vec<Vec<u8>> {
        partitions.iter().map(|pieces| pieces.of(text).collect::<Vec<_>>().concat()).collect()
    }

    impl Sorted {
        fn new(text: Vec<u8>, stays: bool, outcomes: impl Fn(usize) -> Partition) -> Sorted {
            let mut lines = Lines::default();
            lines.find(&text);
            let outcomes: Vec<Outcome> =
                (0..lines.count()).map(|line| Outcome::new(outcomes(line), Reason::Rules)).collect();
            let mut partitions = vec![Pieces::default(); 4];
            sort(&text, lines.starts(), &outcomes, stays, &mut partitions);
            let mut portable = vec![Pieces::default(); 4];
            let (starts, partitions_too) = (lines.starts(), &mut portable);
            Sort { text: &text, starts, outcomes: &outcomes, stays, partitions: partitions_too }.run::<isa::Portable>();
            assert_eq!(partitions, portable);
            Sorted { text, lines, outcomes, partitions }
        }

        fn is_proven(&self) -> bool {
            let portable = Prove {
                text: &self.text,
                starts: self.lines.starts(),
                outcomes: &self.outcomes,
                partitions: &self.partitions,
            };
            let proven = prove(&self.text, self.lines.starts(), &self.outcomes, &self.partitions);
            assert_eq!(proven, portable.run::<isa::Portable>());
            proven
        }
    }

    /// Lines of all lengths, some of them empty, some long.
    fn text(lines: usize, ended: bool) -> Vec<u8> {
        let mut text = Vec::new();
        for line in 0..lines {
            let length = [0, 1, 31, 32, 33, 62, 63, 64, 127, 128, 129, 300][line % 12] + line / 12 % 3;
            text.extend((0..length).map(|at| b'a' + ((line * 7 + at) % 26) as u8));
            text.push(b'\n');
        }
        if !ended {
            text.pop();
        }
        text
    }

    /// Lines whose partitions alternate, and lines of one partition that form a run.
    fn partition(line: usize) -> Partition {
        Partition::ALL[if line % 60 < 30 { line * 7 / 3 + line / 5 } else { line / 60 + line % 60 / 58 } % 4]
    }

    #[test]
    fn lines_go_to_their_partitions_whole_and_in_order() {
        let mut runs = 0;
        for count in [0, 1, 2, 5, 12, 31, 59, 60, 61, 100, 1000] {
            for (ended, stays) in [(true, true), (false, true), (true, false), (false, false)] {
                if count == 0 && !ended {
                    continue;
                }
                let sorted = Sorted::new(text(count, ended), stays, partition);
                let mut expected = vec![Vec::new(); 4];
                for line in 0..sorted.lines.count() {
                    expected[partition(line) as usize].extend_from_slice(sorted.lines.whole(&sorted.text, line));
                }
                assert_eq!(texts(&sorted.text, &sorted.partitions), expected, "{count} {ended} {stays}");
                assert!(sorted.is_proven());
                runs += sorted.partitions.iter().map(|pieces| pieces.runs.len()).sum::<usize>();
            }
        }
        assert!(runs > 30, "{runs}");
        // A last line that is longer than a copy step, and has no LF.
        for stays in [true, false] {
            let sorted = Sorted::new([&b"a\n"[..], &[b'b'; 3000]].concat(), stays, |_| Partition::Allowed);
            assert_eq!(texts(&sorted.text, &sorted.partitions)[0], sorted.text);
            assert!(sorted.is_proven());
        }
    }

    #[test]
    fn a_run_is_all_lines_of_one_partition_that_follow_each_other() {
        for length in [0, 7, 8, 9, 15, 16, 17, 100] {
            for before in 0..20 {
                let partitions = (0..before).map(|line| Partition::ALL[line % 4]);
                let run = std::iter::repeat_n(Partition::Deferred, length);
                let after = (0..20).map(|line| Partition::ALL[line % 2]);
                let outcomes: Vec<_> =
                    partitions.chain(run).chain(after).map(|to| Outcome::new(to, Reason::Rules)).collect();
                let from = before - usize::from(before % 4 == 3);
                let end = before + length;
                assert_eq!(next_run(&outcomes, 0), (end - from >= 8).then_some(from..end), "{before} {length}");
                assert_eq!(next_run(&outcomes, end), None);
            }
        }
    }

    #[test]
    fn every_altered_line_is_found() {
        type Change = (&'static str, fn(&mut Sorted));
        let changes: [Change; 14] = [
            ("a byte flipped", |sorted| sorted.partitions[0].copies[40] ^= 1),
            ("the last byte flipped", |sorted| *sorted.partitions[1].copies.last_mut().unwrap() ^= 1),
            ("a line dropped", |sorted| {
                let copies = &mut sorted.partitions[2].copies;
                let end = copies.iter().position(|&byte| byte == b'\n').unwrap();
                copies.drain(..=end);
            }),
            ("a line doubled", |sorted| {
                let copies = &mut sorted.partitions[2].copies;
                let end = copies.iter().position(|&byte| byte == b'\n').unwrap();
                let line = copies[..=end].to_vec();
                copies.splice(0..0, line);
            }),
            ("two lines swapped", |sorted| {
                let copies = &mut sorted.partitions[0].copies;
                let mut lines: Vec<Vec<u8>> =
                    copies.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
                lines.swap(3, 4);
                *copies = lines.concat();
            }),
            ("a line in another partition", |sorted| {
                let end = sorted.partitions[3].copies.iter().position(|&byte| byte == b'\n').unwrap();
                let line: Vec<u8> = sorted.partitions[3].copies.drain(..=end).collect();
                sorted.partitions[0].copies.extend(line);
            }),
            ("an LF lost", |sorted| {
                let copies = &mut sorted.partitions[1].copies;
                let end = copies.iter().position(|&byte| byte == b'\n').unwrap();
                copies.remove(end);
            }),
            ("an LF added", |sorted| sorted.partitions[1].copies.push(b'\n')),
            ("a run without its last line", |sorted| run(sorted).text.end -= 1),
            ("a run with a line more", |sorted| run(sorted).text.end += 1),
            ("a run that begins a line later", |sorted| run(sorted).text.start += 1),
            ("a run between other copies", |sorted| run(sorted).before -= 1),
            ("a run lost", |sorted| runs(sorted).clear()),
            ("a run doubled", |sorted| {
                let run = run(sorted).clone();
                runs(sorted).push(run);
            }),
        ];
        for (name, change) in changes {
            let mut sorted = Sorted::new(text(100, true), true, partition);
            assert!(sorted.is_proven());
            change(&mut sorted);
            assert!(!sorted.is_proven(), "{name}");
        }
    }

    /// The runs of the partition that has some.
    fn runs(sorted: &mut Sorted) -> &mut Vec<LineRun> {
        &mut sorted.partitions.iter_mut().find(|pieces| !pieces.runs.is_empty()).expect("a run").runs
    }

    fn run(sorted: &mut Sorted) -> &mut LineRun {
        &mut runs(sorted)[0]
    }

    #[test]
    fn a_line_end_that_was_missed_is_found() {
        let Sorted { text, lines, outcomes, .. } = Sorted::new(text(100, true), true, partition);
        for line in 0..outcomes.len() - 1 {
            // Two lines are taken for one, throughout.
            let (mut starts, mut outcomes) = (lines.starts().to_vec(), outcomes.clone());
            starts.remove(line + 1);
            outcomes.remove(line);
            let mut partitions = vec![Pieces::default(); 4];
            sort(&text, &starts, &outcomes, true, &mut partitions);
            assert!(!prove(&text, &starts, &outcomes, &partitions), "{line}");
        }
    }

    #[test]
    fn a_line_of_another_partition_in_a_run_is_found() {
        let mut sorted = Sorted::new(text(100, true), true, partition);
        let lines = next_run(&sorted.outcomes, 0).expect("a run");
        for line in lines {
            let outcome = sorted.outcomes[line];
            let other = Partition::ALL[(outcome.partition() as usize + 1) % 4];
            sorted.outcomes[line] = Outcome::new(other, Reason::Rules);
            assert!(!sorted.is_proven(), "{line}");
            sorted.outcomes[line] = outcome;
        }
        assert!(sorted.is_proven());
    }

    #[test]
    fn texts_of_one_length_are_compared_to_the_last_byte() {
        for length in 0..200 {
            let one: Vec<u8> = (0..length).map(|at| at as u8).collect();
            assert!(isa::run(Same(&one, &one)));
            for at in 0..length {
                let mut other = one.clone();
                other[at] ^= 128;
                assert!(!isa::run(Same(&one, &other)), "{length} {at}");
            }
        }
    }

    struct Same<'t>(&'t [u8], &'t [u8]);

    impl Kernel for Same<'_> {
        type Output = bool;

        #[inline(always)]
        fn run<I: Isa>(self) -> bool {
            assert_eq!(I::is_same(self.0, self.1), self.0 == self.1);
            I::is_same(self.0, self.1)
        }
    }
}
