//! Walks a path through a table.
//!
//! A walk is total: whatever the words of the table are, it reads only the table and the path, and ends. So the tables
//! of a policy file need no check, and the file opens fast. A target beyond the end, a truncated record, and a cycle of
//! defaults settle the path as blocked; no compiled table has any of these.

use super::filter::{self, FILTER_BYTES, FILTER_WORDS, Filter};
use super::table::{
    COUNT_SHIFT, DEFAULT_EXPLICIT, DEFAULT_HERE, DEFAULT_MAIN_ROOT, DEFAULT_MASK, DEFAULT_SHIFT, END_BLOCKED,
    FIRST_RECORD, HAS_OUTPUT, KIND_MASK, MIDDLE_BLOCKED, NARROW, RUN, RUN_TARGET_EXPLICIT, RUN_TARGET_MASK,
    RUN_TARGET_SHIFT, Target, WIDE_WORDS, narrow_byte_words, verdict_of,
};
use crate::automaton::head::{MAIN_ROOT, word_if_any};
use crate::rules::Verdict;

/// Observes the steps of a walk.
pub(crate) trait Observer {
    /// Whether it wants to be called at all.
    const LISTENS: bool;

    /// Called when a record with this output is reached, after `at` bytes of the text. Returns whether to continue; if not, the
    /// verdict of the walk is meaningless.
    fn output(&mut self, output: u32, at: usize) -> bool;
}

/// Observes nothing: for walks that only need the verdict.
pub(crate) struct Silent;

impl Observer for Silent {
    const LISTENS: bool = false;

    #[inline(always)]
    fn output(&mut self, _output: u32, _at: usize) -> bool {
        true
    }
}

/// The verdict of a walk that leaves the table, or runs in a cycle.
pub(crate) const BROKEN: Verdict = Verdict::Blocked;

#[inline]
pub(crate) fn blocked_if(header: u32, bit: u32) -> Verdict {
    if header & bit != 0 { Verdict::Blocked } else { Verdict::Allowed }
}

/// Walks the path in `text` from `from` on, beginning at the record `start`, until it is settled; if the text or the
/// table ends first, the verdict is returned as an error. The bytes before the path only make room for wide loads.
#[inline(always)]
pub(crate) fn walk<O: Observer>(
    table: &[u32],
    start: Target,
    text: &[u8],
    from: usize,
    observer: &mut O,
) -> Result<Verdict, Verdict> {
    let (mut record, mut at) = (start, from);
    // A walk through a compiled table takes two steps a byte at most.
    for _ in 0..table.len() + 4 * text.len() {
        if record < FIRST_RECORD {
            return Ok(verdict_of(record));
        }
        (record, at) = step(table, record, text, at, observer)?;
    }
    Err(BROKEN)
}

/// One step of a walk: the next record and the offset reached, or the verdict if the text or the table ends.
#[inline(always)]
fn step<O: Observer>(
    table: &[u32],
    record: Target,
    text: &[u8],
    mut at: usize,
    observer: &mut O,
) -> Result<(Target, usize), Verdict> {
    let header = word(table, record as usize)?;
    if at >= text.len() {
        return Err(blocked_if(header, END_BLOCKED));
    }
    let default = header >> DEFAULT_SHIFT & DEFAULT_MASK;
    let count = (header >> COUNT_SHIFT) as usize;
    let found = if header & KIND_MASK == RUN {
        let payload = words_from(table, record as usize + head_words(header, default))?;
        let code = header >> RUN_TARGET_SHIFT & RUN_TARGET_MASK;
        let explicit = code == RUN_TARGET_EXPLICIT;
        let bytes = bytemuck::cast_slice(words_from(payload, usize::from(explicit))?).get(..count).ok_or(BROKEN)?;
        let same = common_prefix(&text[at..], bytes);
        at += same;
        if same < count && at == text.len() {
            return Err(blocked_if(header, MIDDLE_BLOCKED));
        }
        match same == count {
            true if explicit => Some(word(payload, 0)?),
            true => Some(code),
            false => None,
        }
    } else if default == DEFAULT_HERE {
        let payload = words_from(table, record as usize + 1)?;
        let filter: &Filter = bytemuck::cast_slice(payload).first_chunk::<FILTER_BYTES>().ok_or(BROKEN)?;
        at = filter::candidate(filter, text, at);
        if at == text.len() {
            return Err(blocked_if(header, END_BLOCKED));
        }
        at += 1;
        let target = branch(header, words_from(payload, FILTER_WORDS)?, count, text[at - 1])?;
        Some(target.unwrap_or(record))
    } else {
        let payload = words_from(table, record as usize + head_words(header, default))?;
        let target = branch(header, payload, count, text[at])?;
        at += usize::from(target.is_some());
        target
    };
    let Some(target) = found else {
        let target = match default {
            DEFAULT_EXPLICIT => word(table, record as usize + 1)?,
            DEFAULT_MAIN_ROOT => word(table, MAIN_ROOT)?,
            settled => settled,
        };
        return Ok((target, at));
    };
    if O::LISTENS && target >= FIRST_RECORD {
        let header = word(table, target as usize)?;
        let explicit = header >> DEFAULT_SHIFT & DEFAULT_MASK == DEFAULT_EXPLICIT;
        let output = target as usize + 1 + usize::from(explicit);
        if header & HAS_OUTPUT != 0 && !observer.output(word(table, output)?, at) {
            return Err(Verdict::Allowed);
        }
    }
    Ok((target, at))
}

/// A word of a table.
#[inline(always)]
pub(super) fn word(table: &[u32], at: usize) -> Result<u32, Verdict> {
    word_if_any(table, at).ok_or(BROKEN)
}

/// The words of a table from one on.
#[inline(always)]
pub(super) fn words_from(table: &[u32], at: usize) -> Result<&[u32], Verdict> {
    table.get(at..).ok_or(BROKEN)
}

/// The words before the payload of a record that is not a root.
#[inline(always)]
pub(super) fn head_words(header: u32, default: u32) -> usize {
    1 + usize::from(default == DEFAULT_EXPLICIT) + usize::from(header & HAS_OUTPUT != 0)
}

/// The target of a byte in a branch.
#[inline(always)]
pub(super) fn branch(header: u32, payload: &[u32], count: usize, byte: u8) -> Result<Option<Target>, Verdict> {
    if header & KIND_MASK == NARROW { narrow(payload, count, byte) } else { wide(payload, byte) }
}

/// How many bytes two texts have in common at their beginnings.
#[inline(always)]
pub(super) fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let length = a.len().min(b.len());
    let mut at = 0;
    // Eight bytes at a time, while that many are left.
    while at + 8 <= length {
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let differences = word(a) ^ word(b);
        if differences != 0 {
            return at + (differences.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while at < length && a[at] == b[at] {
        at += 1;
    }
    at
}

/// The target of `byte` in a narrow record: all bytes are compared at once, in the lanes of a word.
#[inline(always)]
fn narrow(payload: &[u32], count: usize, byte: u8) -> Result<Option<Target>, Verdict> {
    const LOW: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = LOW << 7;
    let words = narrow_byte_words(count);
    let bytes = u64::from(word(payload, 0)?) | u64::from(word(payload, words - 1)?) << 32;
    let differences = bytes ^ (LOW * u64::from(byte));
    // The lowest zero lane is exact; lanes above it may be false, but are never the lowest.
    let equal = differences.wrapping_sub(LOW) & !differences & HIGH;
    let lane = (equal.trailing_zeros() / 8) as usize;
    (lane < count).then(|| word(payload, words + lane)).transpose()
}

/// The target of `byte` in a wide record: its rank among the bits of the bitmap.
#[inline(always)]
fn wide(payload: &[u32], byte: u8) -> Result<Option<Target>, Verdict> {
    let pair = usize::from(byte >> 6);
    let bits = u64::from(word(payload, 2 * pair)?) | u64::from(word(payload, 2 * pair + 1)?) << 32;
    let bit = 1u64 << (byte & 63);
    if bits & bit == 0 {
        return Ok(None);
    }
    let before = (word(payload, 8)? >> (8 * pair) & 0xff) + (bits & (bit - 1)).count_ones();
    word(payload, WIDE_WORDS + before as usize).map(Some)
}

#[cfg(test)]
mod tests {
    use crate::automaton::compile::compiled;
    use crate::automaton::{Scratch, verdict};
    use crate::rules::Verdict;

    /// However many bytes continue, all others lead elsewhere.
    #[test]
    fn a_path_leaves_a_branch_at_any_other_byte() {
        for last in b'a'..=b'z' {
            let rules: Vec<String> = (b'a'..=last).map(char::from).map(|byte| format!("-/{byte}{byte}")).collect();
            let table = compiled(&rules.join(" "), usize::MAX);
            for byte in (0x21..0x7f).map(char::from) {
                let found = verdict(&table, format!("/{byte}{byte}").as_bytes(), &mut Scratch::default());
                let expected =
                    if ('a'..=char::from(last)).contains(&byte) { Verdict::Blocked } else { Verdict::Allowed };
                assert_eq!(found, expected, "{byte} of a to {}", char::from(last));
            }
        }
    }

    /// What follows the bytes that a path shares with a literal text is looked at from its first byte on.
    #[test]
    fn a_path_leaves_a_literal_text_at_any_byte() {
        const TEXT: &str = "bcdefghijklmnopqrst";
        for letter in 'u'..='z' {
            let table = compiled(&format!("-/{TEXT} -/*{letter}{letter}"), usize::MAX);
            for shared in 0..TEXT.len() {
                for (after, expected) in [(letter, Verdict::Blocked), ('a', Verdict::Allowed)] {
                    let path = format!("/{}{letter}{after}-long-enough", &TEXT[..shared]);
                    assert_eq!(verdict(&table, path.as_bytes(), &mut Scratch::default()), expected, "{path}");
                }
            }
        }
    }
}
