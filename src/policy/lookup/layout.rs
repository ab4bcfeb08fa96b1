//! The layout of the section.

use super::entry::Entry;
use crate::policy::image::ALIGNMENT;

/// Length of the header in bytes.
pub(super) const HEADER: usize = 64;

/// The parts of the section, as the header counts them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sections<'p> {
    pub seed: u64,
    pub pilots: &'p [u16],
    pub entries: &'p [Entry],
    pub overflow: &'p [Entry],
}

/// Size of this many pilots in bytes, including the zeros after them.
pub(super) fn pilots_length(pilots: u64) -> u64 {
    (2 * pilots).next_multiple_of(ALIGNMENT)
}

/// The header of a table with these numbers of pilots, slots and overflow entries.
pub(super) fn header(seed: u64, pilots: usize, slots: usize, overflow: usize) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    let words = [seed, pilots as u64, slots as u64, overflow as u64];
    for (bytes, word) in header.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    header
}

/// Splits a section, which begins at a multiple of 64 bytes, into its parts.
///
/// # Errors
///
/// The problem of an invalid header, or of the zeros after the pilots.
pub(super) fn sections(section: &[u8]) -> Result<Sections<'_>, &'static str> {
    let (header, rest) = section.split_first_chunk::<HEADER>().ok_or("it is too short")?;
    let word = |at: usize| u64::from_le_bytes(header[8 * at..8 * at + 8].try_into().expect("8 bytes"));
    let counts = [word(1), word(2), word(3)];
    if header[32..].iter().any(|&byte| byte != 0) {
        return Err("its header does not end in zeros");
    }
    // The bound is far beyond what a policy can hold, and far from overflowing.
    if counts.iter().any(|&count| count > 1 << 40) || counts[0] == 0 || counts[1] == 0 {
        return Err("its header counts no pilots, no slots, or far too many");
    }
    let [pilots, slots, overflow] = counts;
    let padded = pilots_length(pilots);
    if padded + size_of::<Entry>() as u64 * (slots + overflow) != rest.len() as u64 {
        return Err("it is not as long as its header says");
    }
    let (pilot_bytes, entries) = rest.split_at(padded as usize);
    let (pilot_bytes, padding) = pilot_bytes.split_at(2 * pilots as usize);
    if padding.iter().any(|&byte| byte != 0) {
        return Err("there are bytes between pilots and entries");
    }
    let (entries, overflow) = bytemuck::cast_slice(entries).split_at(slots as usize);
    Ok(Sections { seed: word(0), pilots: bytemuck::cast_slice(pilot_bytes), entries, overflow })
}
