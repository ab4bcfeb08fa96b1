//! The walk of a path through a table.

use super::table::{
    COUNT_SHIFT, DEFAULT_EXPLICIT, DEFAULT_HERE, DEFAULT_MASK, DEFAULT_SHIFT, END_BLOCKED, FIRST_RECORD, HAS_OUTPUT,
    KIND_MASK, MIDDLE_BLOCKED, NARROW, RUN, Target, WIDE_WORDS, narrow_octet_words, verdict_of,
};
use crate::pattern::Verdict;

/// What a walk tells on its way.
pub(super) trait Observer {
    /// A record with this output was reached; so many octets are left. Returns whether to go on.
    fn output(&mut self, output: u32, left: usize) -> bool;
}

/// A walk for the verdict alone.
pub(super) struct Silent;

impl Observer for Silent {
    #[inline(always)]
    fn output(&mut self, _output: u32, _left: usize) -> bool {
        true
    }
}

fn blocked_if(header: u32, bit: u32) -> Verdict {
    if header & bit != 0 { Verdict::Blocked } else { Verdict::Allowed }
}

/// Where an octet goes from a record.
enum Step {
    /// To this target, and the octet is used up.
    To(Target),
    /// Nowhere of its own.
    Default,
}

/// Walks `path` from the record at `start`, until it is settled or the path ends.
#[inline]
pub(super) fn walk<O: Observer>(table: &[u32], start: Target, path: &[u8], observer: &mut O) -> Verdict {
    let mut at = start;
    let mut rest = path;
    while at >= FIRST_RECORD {
        let header = table[at as usize];
        let Some(&octet) = rest.first() else { return blocked_if(header, END_BLOCKED) };
        let default = header >> DEFAULT_SHIFT & DEFAULT_MASK;
        let head = 1 + usize::from(default == DEFAULT_EXPLICIT) + usize::from(header & HAS_OUTPUT != 0);
        let payload = &table[at as usize + head..];
        let step = match header & KIND_MASK {
            RUN => {
                let octets = &bytemuck::cast_slice(&payload[1..])[..(header >> COUNT_SHIFT) as usize];
                let same = common_prefix(rest, octets);
                rest = &rest[same..];
                if same == octets.len() {
                    Step::To(payload[0])
                } else if rest.is_empty() {
                    return blocked_if(header, MIDDLE_BLOCKED);
                } else {
                    Step::Default
                }
            }
            NARROW => {
                let step = narrow(payload, (header >> COUNT_SHIFT) as usize, octet);
                rest = &rest[usize::from(matches!(step, Step::To(_)))..];
                step
            }
            _ => {
                if default == DEFAULT_HERE {
                    rest = &rest[staying(payload, rest)..];
                    let Some(&octet) = rest.first() else { return blocked_if(header, END_BLOCKED) };
                    rest = &rest[1..];
                    wide(payload, octet)
                } else {
                    let step = wide(payload, octet);
                    rest = &rest[usize::from(matches!(step, Step::To(_)))..];
                    step
                }
            }
        };
        match step {
            Step::To(target) => {
                at = target;
                if at >= FIRST_RECORD && table[at as usize] & HAS_OUTPUT != 0 {
                    let explicit = table[at as usize] >> DEFAULT_SHIFT & DEFAULT_MASK == DEFAULT_EXPLICIT;
                    if !observer.output(table[at as usize + 1 + usize::from(explicit)], rest.len()) {
                        break;
                    }
                }
            }
            Step::Default if default == DEFAULT_EXPLICIT => at = table[at as usize + 1],
            Step::Default if default == DEFAULT_HERE => rest = &rest[1..],
            Step::Default => at = default,
        }
    }
    verdict_of(at)
}

#[inline]
fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// The target of `octet` in a narrow record: the octets are compared all at once, in the lanes of a word.
#[inline]
fn narrow(payload: &[u32], count: usize, octet: u8) -> Step {
    const LOW: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = LOW << 7;
    let words = narrow_octet_words(count);
    let octets = if words == 1 {
        u64::from(payload[0]) | u64::from(payload[0]) << 32
    } else {
        u64::from(payload[0]) | u64::from(payload[1]) << 32
    };
    let differences = octets ^ (LOW * u64::from(octet));
    // The lowest lane of zero is exact; lanes above it may be false, but are never the lowest.
    let equal = differences.wrapping_sub(LOW) & !differences & HIGH;
    let lane = (equal.trailing_zeros() / 8) as usize;
    if lane < count { Step::To(payload[words + lane]) } else { Step::Default }
}

/// How many octets of `path` have no target in a wide record.
#[inline]
fn staying(payload: &[u32], path: &[u8]) -> usize {
    let bitmap: &[u32; 8] = payload[..8].try_into().expect("eight words");
    path.iter().take_while(|&&octet| bitmap[usize::from(octet >> 5)] >> (octet & 31) & 1 == 0).count()
}

/// The target of `octet` in a wide record: its rank among the bits of the bitmap.
#[inline]
fn wide(payload: &[u32], octet: u8) -> Step {
    let pair = usize::from(octet >> 6);
    let bits = u64::from(payload[2 * pair]) | u64::from(payload[2 * pair + 1]) << 32;
    let bit = 1u64 << (octet & 63);
    if bits & bit == 0 {
        return Step::Default;
    }
    let before = (payload[8] >> (8 * pair) & 0xff) + (bits & (bit - 1)).count_ones();
    Step::To(payload[WIDE_WORDS + before as usize])
}
