//! Rows of tables that are left out, because they cannot be read.
//!
//! Where rows go to tables, all columns of a row are needed, and whoever takes a chunk tries them before anything else is done
//! with its rows: what is left out then was never seen, judged or written. It is a span of a chunk, so it depends on the
//! list and the size of chunks alone. Who reads the list again cannot find out which rows these were, because a proof reads
//! no more than the columns of URLs; it is [told](SkippedRows).

use super::list::{Span, TableFile};
use super::skipped::{SkippedPart, SkippedRows};

/// The rows of these spans that can be read, and the others, with how many rows of the spans stand before them that can.
/// The first one is the row `at` of the file. Of their pages, so many octets may be there at a time.
pub(super) fn sorted_out(
    table: &TableFile,
    spans: &[Span],
    at: u64,
    pages: u64,
) -> (Vec<Span>, Vec<(usize, SkippedPart)>) {
    let (mut readable, mut damaged) = (Vec::new(), Vec::new());
    let (mut before, mut first) = (0, at);
    for span in spans {
        let count = span.rows as u64;
        match table.readable(span, pages) {
            Ok(()) => {
                readable.push(*span);
                before += span.rows;
            }
            Err(problem) => {
                let rows = Some(SkippedRows { first, count });
                damaged.push((before, SkippedPart { at: 0, file_at: None, file_next: None, rows, problem }));
            }
        }
        first += count;
    }
    (readable, damaged)
}

/// The rows of these spans without those that are `left_out`, which are in order. The first one is the row `at` of the
/// file.
pub(super) fn without(spans: Vec<Span>, mut at: u64, left_out: &[SkippedRows]) -> Vec<Span> {
    if left_out.is_empty() {
        return spans;
    }
    let mut kept = Vec::new();
    for span in spans {
        let (mut from, end) = (at, at + span.rows as u64);
        let mut keep = |rows: std::ops::Range<u64>| {
            if !rows.is_empty() {
                kept.push(span.part((rows.start - at) as usize..(rows.end - at) as usize));
            }
        };
        let gaps = left_out.iter().skip(left_out.partition_point(|gap| gap.end() <= at));
        for gap in gaps.take_while(|gap| gap.first < end) {
            keep(from..gap.first.clamp(from, end));
            from = gap.end().clamp(from, end);
        }
        keep(from..end);
        at = end;
    }
    kept
}

#[cfg(all(test, feature = "parquet"))]
mod tests {
    use super::*;

    fn span(group: usize, first: usize, rows: usize, ends: bool) -> Span {
        Span { group, first, rows, ends }
    }

    /// What stays of ten rows of a group behind four others of it, and of five of the next, the first of which is row 104.
    fn kept(left_out: &[(u64, u64)]) -> Vec<Span> {
        let spans = vec![span(1, 4, 10, true), span(2, 0, 5, false)];
        let left_out: Vec<_> = left_out.iter().map(|&(first, count)| SkippedRows { first, count }).collect();
        without(spans, 104, &left_out)
    }

    #[test]
    fn what_is_left_out_is_cut_out_of_spans() {
        let [first, second] = [span(1, 4, 10, true), span(2, 0, 5, false)];
        assert_eq!(kept(&[]), [first, second]);
        assert_eq!(kept(&[(0, 104), (119, 7)]), [first, second], "before and behind");
        assert_eq!(kept(&[(100, 6)]), [span(1, 6, 8, true), second]);
        assert_eq!(
            kept(&[(105, 2), (110, 1)]),
            [span(1, 4, 1, false), span(1, 7, 3, false), span(1, 11, 3, true), second]
        );
        assert_eq!(kept(&[(112, 3)]), [span(1, 4, 8, false), span(2, 1, 4, false)]);
        assert_eq!(kept(&[(104, 10)]), [second]);
        assert_eq!(kept(&[(0, u64::MAX)]), []);
        // Nobody writes such a receipt, but somebody may read one.
        assert_eq!(kept(&[(u64::MAX, u64::MAX), (106, 1)]), [first, second]);
    }
}
