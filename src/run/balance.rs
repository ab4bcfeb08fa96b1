//! The balance of lines read, left out, judged and written. A run checks its totals by it; `verify` and `join` check receipts by it.

use crate::judge::tally::Tally;

/// The tally of consecutive parts.
pub(super) fn consecutive<'t>(parts: impl IntoIterator<Item = &'t Tally>) -> Tally {
    parts.into_iter().fold(Tally::default(), |mut whole, part| {
        whole.append(part);
        whole
    })
}

/// How the lines of a crawler's partitions, and those left out, differ from the input. They are not consecutive, so their order is not
/// compared; it follows from that of each file.
pub(super) fn difference<'t>(
    input: &Tally,
    added_line_feeds: u64,
    parts: impl IntoIterator<Item = &'t Tally>,
) -> Option<String> {
    let expected = Tally { bytes: input.bytes.wrapping_add(added_line_feeds), ..*input };
    let mut found = consecutive(parts);
    found.order = expected.order;
    expected.difference(&found)
}
