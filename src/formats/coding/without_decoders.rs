//! Stand-ins for the decoders in a program built without them: what is in their codings is missing.

use super::begins::{GZIP, agrees, may_be_zstd};
use super::part::{Ending, MISMATCH, Part};

const MISSING: Part = Part { bytes: Vec::new(), ending: Ending::Missing };

pub(super) fn gunzipped(raw: &[u8], _limit: usize) -> Part {
    if agrees(raw, GZIP) { MISSING } else { MISMATCH }
}

pub(super) fn unzstd(raw: &[u8], _limit: usize) -> Part {
    if may_be_zstd(raw) { MISSING } else { MISMATCH }
}

pub(super) fn unbzip2(_raw: &[u8], _limit: usize) -> Part {
    MISSING
}

pub(super) fn inflated(_raw: &[u8], _limit: usize) -> Part {
    MISSING
}

pub(super) fn unzlib(_raw: &[u8], _limit: usize) -> Part {
    MISSING
}

pub(super) fn unbrotli(_raw: &[u8], _limit: usize) -> Part {
    MISSING
}
