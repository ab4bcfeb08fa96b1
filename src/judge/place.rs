//! Copying lines into the buffers of their partitions, and the proof that none was lost on the way.
//!
//! [`place`] copies each line with its LF to the buffer of the partition that its outcome names: 128 bytes in four wide
//! steps that need no length, more only where the line is longer. What is stored past a line's end, the next line
//! overwrites. [`prove`] then goes through the outcomes again and compares the buffers with the text, byte for byte: a line
//! that was changed, dropped, doubled, swapped, cut short or put into another partition does not come out.
//!
//! Copying whole runs of lines of one partition is as fast for lists that are sorted, and slower for others: there, a run
//! is three lines long, and its length is guessed wrong every time.

use super::isa::{self, Isa, Kernel, STEP};
use crate::outcome::{Outcome, Partition};

/// The partitions' buffers.
type Buffers = [Vec<u8>; Partition::ALL.len()];

/// Copies the lines of a text to the ends of the buffers of their partitions. `starts` says where each line begins, and
/// where one after the last would; a last line without LF stays without.
pub(crate) fn place(text: &[u8], starts: &[u32], outcomes: &[Outcome], buffers: &mut [Vec<u8>]) {
    isa::run(PlaceLines { text, starts, outcomes, buffers });
}

struct PlaceLines<'a> {
    text: &'a [u8],
    starts: &'a [u32],
    outcomes: &'a [Outcome],
    buffers: &'a mut [Vec<u8>],
}

impl Kernel for PlaceLines<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let PlaceLines { text, starts, outcomes, buffers } = self;
        let buffers: &mut Buffers = buffers.try_into().expect("a buffer for each partition");
        for buffer in buffers.iter_mut() {
            buffer.reserve(text.len() + STEP);
        }
        // The lines that have as much text after them as a copy reads.
        let wide = outcomes.len().min(starts.partition_point(|&start| start as usize + STEP <= text.len()));
        let mut ends = buffers.each_mut().map(|buffer| buffer.spare_capacity_mut().as_mut_ptr().cast::<u8>());
        for line in 0..wide {
            let (start, end) = (starts[line] as usize, (starts[line + 1] as usize).min(text.len()));
            let length = end - start;
            let to = &mut ends[outcomes[line].partition() as usize];
            if length > STEP {
                let whole = &text[start..end];
                // SAFETY: as below.
                unsafe { std::ptr::copy_nonoverlapping(whole.as_ptr(), *to, length) };
            } else {
                // SAFETY: 128 bytes can be read from `start` on, which lies as far before the end of the text. What goes
                // into a buffer is at most the text, and 128 bytes more have room in it.
                unsafe { I::copy_step(text.as_ptr().add(start), *to) };
            }
            // SAFETY: still within the buffer's room, see above.
            *to = unsafe { to.add(length) };
        }
        for (buffer, end) in buffers.iter_mut().zip(ends) {
            let start = buffer.spare_capacity_mut().as_mut_ptr().cast::<u8>();
            // SAFETY: both point into the spare room of the buffer, of which all up to `end` was written.
            unsafe { buffer.set_len(buffer.len() + end.offset_from_unsigned(start)) };
        }
        for line in wide..outcomes.len() {
            let end = (starts[line + 1] as usize).min(text.len());
            buffers[outcomes[line].partition() as usize].extend_from_slice(&text[starts[line] as usize..end]);
        }
    }
}

/// Whether the buffers hold each line of the text once, in its order and in the partition of its outcome, and nothing
/// else. Line ends are counted once more, by other code than the one that found the lines.
pub(crate) fn prove(text: &[u8], starts: &[u32], outcomes: &[Outcome], buffers: &[Vec<u8>]) -> bool {
    let ends = memchr::memchr_iter(b'\n', text).count();
    let unended = usize::from(text.last().is_some_and(|&byte| byte != b'\n'));
    outcomes.len() == ends + unended && isa::run(Prove { text, starts, outcomes, buffers })
}

struct Prove<'a> {
    text: &'a [u8],
    starts: &'a [u32],
    outcomes: &'a [Outcome],
    buffers: &'a [Vec<u8>],
}

impl Kernel for Prove<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Isa>(self) -> bool {
        let Prove { text, starts, outcomes, buffers } = self;
        let Ok(buffers) = <&[Vec<u8>; Partition::ALL.len()]>::try_from(buffers) else { return false };
        let mut rests = buffers.each_ref().map(Vec::as_slice);
        let mut at = 0;
        for (line, outcome) in outcomes.iter().enumerate() {
            let (start, end) = (starts[line] as usize, (starts[line + 1] as usize).min(text.len()));
            let rest = &mut rests[outcome.partition() as usize];
            // Lines follow each other without a gap.
            if start != at || end < start || rest.len() < end - start {
                return false;
            }
            let (copy, others) = rest.split_at(end - start);
            let is_ended = text[end - 1] == b'\n' || end == text.len();
            if !is_ended || !I::is_same(copy, &text[start..end]) {
                return false;
            }
            *rest = others;
            at = end;
        }
        at == text.len() && rests.iter().all(|rest| rest.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::lines::Lines;
    use crate::outcome::Reason;

    struct Placed {
        text: Vec<u8>,
        lines: Lines,
        outcomes: Vec<Outcome>,
        buffers: Vec<Vec<u8>>,
    }

    impl Placed {
        fn new(text: Vec<u8>, outcomes: impl Fn(usize) -> Partition) -> Placed {
            let mut lines = Lines::default();
            lines.find(&text);
            let outcomes: Vec<Outcome> =
                (0..lines.count()).map(|line| Outcome::new(outcomes(line), Reason::Rules)).collect();
            let mut buffers = vec![Vec::new(); 4];
            place(&text, lines.starts(), &outcomes, &mut buffers);
            Placed { text, lines, outcomes, buffers }
        }

        fn is_proven(&self) -> bool {
            let portable = Prove {
                text: &self.text,
                starts: self.lines.starts(),
                outcomes: &self.outcomes,
                buffers: &self.buffers,
            };
            let proven = prove(&self.text, self.lines.starts(), &self.outcomes, &self.buffers);
            assert!(!proven || portable.run::<isa::Portable>(), "both instruction sets agree");
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

    fn partition(line: usize) -> Partition {
        Partition::ALL[(line * 7 / 3 + line / 5) % 4]
    }

    #[test]
    fn lines_go_to_their_partitions_whole_and_in_order() {
        for count in [0, 1, 2, 5, 12, 100] {
            for ended in [true, false] {
                if count == 0 && !ended {
                    continue;
                }
                let placed = Placed::new(text(count, ended), partition);
                let mut expected = vec![Vec::new(); 4];
                for line in 0..placed.lines.count() {
                    expected[partition(line) as usize].extend_from_slice(placed.lines.whole(&placed.text, line));
                }
                assert_eq!(placed.buffers, expected, "{count} {ended}");
                assert!(placed.is_proven());
            }
        }
        // A last line that is longer than what is copied at once, and has no LF.
        let placed = Placed::new([&b"a\n"[..], &[b'b'; 1000]].concat(), |_| Partition::Allowed);
        assert_eq!(placed.buffers[0], placed.text);
        assert!(placed.is_proven());
    }

    #[test]
    fn whatever_is_done_to_a_line_on_its_way_is_found() {
        type Change = (&'static str, fn(&mut Placed));
        let changes: [Change; 9] = [
            ("a byte flipped", |placed| placed.buffers[0][40] ^= 1),
            ("the last byte flipped", |placed| *placed.buffers[1].last_mut().unwrap() ^= 1),
            ("a line dropped", |placed| {
                let end = placed.buffers[2].iter().position(|&byte| byte == b'\n').unwrap();
                placed.buffers[2].drain(..=end);
            }),
            ("a line doubled", |placed| {
                let end = placed.buffers[2].iter().position(|&byte| byte == b'\n').unwrap();
                let line = placed.buffers[2][..=end].to_vec();
                placed.buffers[2].splice(0..0, line);
            }),
            ("two lines swapped", |placed| {
                let mut lines: Vec<Vec<u8>> =
                    placed.buffers[0].split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
                lines.swap(3, 4);
                placed.buffers[0] = lines.concat();
            }),
            ("a line in another partition", |placed| {
                let end = placed.buffers[3].iter().position(|&byte| byte == b'\n').unwrap();
                let line: Vec<u8> = placed.buffers[3].drain(..=end).collect();
                placed.buffers[0].extend(line);
            }),
            ("an LF lost", |placed| {
                let end = placed.buffers[1].iter().position(|&byte| byte == b'\n').unwrap();
                placed.buffers[1].remove(end);
            }),
            ("an LF added", |placed| placed.buffers[1].push(b'\n')),
            ("a line end missed", |placed| {
                // Two lines are taken for one, everywhere.
                let text = placed.text.clone();
                let mut starts = placed.lines.starts().to_vec();
                starts.remove(5);
                placed.outcomes.remove(5);
                placed.buffers.iter_mut().for_each(Vec::clear);
                place(&text, &starts, &placed.outcomes, &mut placed.buffers);
                assert!(!prove(&text, &starts, &placed.outcomes, &placed.buffers));
            }),
        ];
        for (name, change) in changes {
            let mut placed = Placed::new(text(100, true), partition);
            assert!(placed.is_proven());
            change(&mut placed);
            assert!(!placed.is_proven(), "{name}");
        }
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
