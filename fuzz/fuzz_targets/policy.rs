//! Any bytes as a policy file: rejected, or harmless whatever the queries.
//!
//! The first byte selects the meaning of the rest. 0 and 1: changes to one of two policies that use every feature, four
//! bytes each: an offset of three bytes, and a number to add to the byte there. Otherwise: the lengths of the sections, two
//! bytes each, and their bytes; a header is added, since a random one would hardly ever be valid.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve::internals;
use robosieve::internals::policy::Trust;
use robosieve::policy::Policy;
use std::sync::LazyLock;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

#[path = "../../tests/library/policy/everything.rs"]
mod everything;

static BASES: LazyLock<[Vec<u8>; 2]> =
    LazyLock::new(|| [everything::complete(), everything::with_wildcards()].map(|policy| policy.bytes().to_vec()));

/// Byte offsets in the header, from FORMAT.md: its length, the lengths of the sections, and its own hash.
const HEADER: usize = 256;
const TABLE: usize = 40;
const HASHED: usize = HEADER - 8;
const ALIGNMENT: usize = 64;
const SECTIONS: usize = 11;

/// A policy that uses every feature, with changes.
fn changed(base: &[u8], changes: &[u8]) -> Vec<u8> {
    let mut image = base.to_vec();
    for change in changes.chunks_exact(4) {
        let place = u32::from_le_bytes([change[0], change[1], change[2], 0]) as usize % image.len();
        image[place] = image[place].wrapping_add(change[3]);
    }
    image
}

/// An image with sections of these lengths.
fn image_of(lengths: [usize; SECTIONS], mut bytes: &[u8]) -> Vec<u8> {
    let mut image = header_start();
    image.resize(HEADER.next_multiple_of(ALIGNMENT), 0);
    for (section, length) in lengths.into_iter().enumerate() {
        let (content, rest) = bytes.split_at(length.min(bytes.len()));
        bytes = rest;
        let entry = TABLE + 16 * section;
        let (start, length) = (image.len() as u64, content.len() as u64);
        image[entry..entry + 8].copy_from_slice(&start.to_le_bytes());
        image[entry + 8..entry + 16].copy_from_slice(&length.to_le_bytes());
        image.extend_from_slice(content);
        image.resize(image.len().next_multiple_of(ALIGNMENT), 0);
    }
    sealed(image)
}

/// The start of every header: magic, version, the number of sections.
fn header_start() -> Vec<u8> {
    BASES[0][..HEADER].to_vec()
}

/// The image with correct length and checksums.
fn sealed(mut image: Vec<u8>) -> Vec<u8> {
    let length = image.len() as u64;
    image[16..24].copy_from_slice(&length.to_le_bytes());
    let checksum = xxh3_128(&image[HEADER..]);
    image[24..40].copy_from_slice(&checksum.to_le_bytes());
    let hash = xxh3_64(&image[..HASHED]);
    image[HASHED..HEADER].copy_from_slice(&hash.to_le_bytes());
    image
}

fuzz_target!(|input: &[u8]| {
    let Some((&kind, rest)) = input.split_first() else { return };
    let image = match (BASES.get(usize::from(kind)), rest.split_at_checked(2 * SECTIONS)) {
        (Some(base), _) => changed(base, rest),
        (None, Some((lengths, bytes))) => {
            let length =
                |section: usize| usize::from(u16::from_le_bytes([lengths[2 * section], lengths[2 * section + 1]]));
            image_of(std::array::from_fn(length), bytes)
        }
        (None, None) => rest.to_vec(),
    };
    if image.len() >= HEADER {
        // As if the writer had intended these bytes.
        if let Ok(policy) = Policy::from_bytes(sealed(image.clone())) {
            everything::use_all_of(&policy);
        }
    }
    if let Ok(policy) = internals::policy_from(&image, Trust::Checksum) {
        everything::use_all_of(&policy);
    }
});
