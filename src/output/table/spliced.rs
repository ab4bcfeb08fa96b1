//! Joins column chunks as they are.
//!
//! The pages of a column without a dictionary are self-contained: those of several row groups, one after the other, are the pages
//! of one. So they are copied without decompression, and only their descriptions in the footer are added up. Decoding them and
//! encoding them again would take a quarter of a run from Parquet to Parquet (3.45 s instead of 2.61 s for two million rows of
//! three columns).

use bytes::{Bytes, BytesMut};
use parquet::basic::SortOrder;
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::{ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::{Statistics, TypedStatistics};
use std::cmp::Ordering;
use std::ops::Range;

use crate::formats::columnar::{Malformed, ParquetFile};

/// The pages of a column of some row groups, described as those of one group; `None` if they must be encoded again.
pub(super) fn spliced(
    file: &ParquetFile,
    groups: &Range<usize>,
    column: usize,
) -> Result<Option<(Bytes, ColumnCloseResult)>, Malformed> {
    let groups = &file.metadata().row_groups()[groups.clone()];
    let chunks: Vec<&ColumnChunkMetaData> = groups.iter().map(|group| group.column(column)).collect();
    let is_plain = |chunk: &&ColumnChunkMetaData| {
        chunk.dictionary_page_offset().is_none() && chunk.encodings_mask() == chunks[0].encodings_mask()
    };
    let (true, Some(statistics)) = (chunks.iter().all(is_plain), joined(&chunks)) else { return Ok(None) };
    let sum = |of: fn(&ColumnChunkMetaData) -> i64| chunks.iter().map(|chunk| of(chunk)).sum::<i64>();
    let mut pages = BytesMut::with_capacity(sum(ColumnChunkMetaData::compressed_size).try_into().unwrap_or(0));
    for chunk in &chunks {
        let (start, length) = chunk.byte_range();
        pages.extend_from_slice(&file.bytes(start..start + length)?);
    }
    let text_bytes = chunks.iter().map(|chunk| chunk.unencoded_byte_array_data_bytes()).sum();
    let metadata = ColumnChunkMetaData::builder(chunks[0].column_descr_ptr())
        .set_compression_codec(chunks[0].compression_codec())
        .set_encodings_mask(*chunks[0].encodings_mask())
        .set_num_values(sum(ColumnChunkMetaData::num_values))
        .set_total_compressed_size(pages.len() as i64)
        .set_total_uncompressed_size(sum(ColumnChunkMetaData::uncompressed_size))
        .set_unencoded_byte_array_data_bytes(text_bytes)
        .set_data_page_offset(0)
        .set_statistics(statistics)
        .build()?;
    let close = ColumnCloseResult {
        bytes_written: pages.len() as u64,
        rows_written: groups.iter().map(|group| group.num_rows() as u64).sum(),
        metadata,
        bloom_filter: None,
        column_index: None,
        offset_index: None,
    };
    Ok(Some((pages.freeze(), close)))
}

/// The statistics of some chunks as those of one, for types that sort like their values in memory.
fn joined(chunks: &[&ColumnChunkMetaData]) -> Option<Statistics> {
    let statistics: Option<Vec<&Statistics>> = chunks.iter().map(|chunk| chunk.statistics()).collect();
    let (statistics, order) = (statistics?, chunks[0].column_descr().sort_order());
    match (statistics[0], order) {
        (Statistics::ByteArray(_), SortOrder::UNSIGNED) => joined_of::<ByteArrayType>(&statistics, |one| match one {
            Statistics::ByteArray(one) => Some(one),
            _ => None,
        }),
        (Statistics::Int32(_), SortOrder::SIGNED) => joined_of::<Int32Type>(&statistics, |one| match one {
            Statistics::Int32(one) => Some(one),
            _ => None,
        }),
        (Statistics::Int64(_), SortOrder::SIGNED) => joined_of::<Int64Type>(&statistics, |one| match one {
            Statistics::Int64(one) => Some(one),
            _ => None,
        }),
        _ => None,
    }
}

fn joined_of<T: DataType>(
    statistics: &[&Statistics],
    typed: fn(&Statistics) -> Option<&TypedStatistics<T>>,
) -> Option<Statistics> {
    let all: Vec<&TypedStatistics<T>> = statistics.iter().map(|one| typed(one)).collect::<Option<_>>()?;
    // A chunk of nulls alone has neither bound.
    let with = |order: Ordering| {
        let bounds = all.iter().filter_map(|one| match order {
            Ordering::Less => one.min_opt().map(|min| (min, one.min_is_exact())),
            _ => one.max_opt().map(|max| (max, one.max_is_exact())),
        });
        bounds.reduce(|best, bound| if bound.0.partial_cmp(best.0) == Some(order) { bound } else { best })
    };
    let (min, max) = (with(Ordering::Less), with(Ordering::Greater));
    let nulls = all.iter().map(|one| one.null_count_opt()).sum();
    let joined =
        TypedStatistics::<T>::new(min.map(|min| min.0.clone()), max.map(|max| max.0.clone()), None, nulls, false);
    let is_exact = |bound: Option<(_, bool)>| bound.is_some_and(|bound| bound.1);
    Some(joined.with_min_is_exact(is_exact(min)).with_max_is_exact(is_exact(max)).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::data_type::DoubleType;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
    use parquet::schema::parser::parse_message_type;
    use std::fs::File;
    use std::sync::Arc;

    const SCHEMA: &str = "message rows { optional binary text (UTF8); required int32 number; optional int64 time; required double real; }";

    type Rows = [(Option<String>, i32, Option<i64>)];

    /// A file with these row groups, without dictionaries.
    fn file(groups: &[&Rows]) -> ParquetFile {
        let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
        let properties = Arc::new(WriterProperties::builder().set_dictionary_enabled(false).build());
        let mut file = tempfile::tempfile().unwrap();
        let mut writer = SerializedFileWriter::new(&mut file, schema, properties).unwrap();
        fn column<T: DataType>(group: &mut SerializedRowGroupWriter<'_, &mut File>, values: Vec<Option<T::T>>) {
            let definitions: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
            let values: Vec<T::T> = values.into_iter().flatten().collect();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<T>().write_batch(&values, Some(&definitions), None).unwrap();
            column.close().unwrap();
        }
        for rows in groups {
            let mut group = writer.next_row_group().unwrap();
            column::<ByteArrayType>(&mut group, rows.iter().map(|row| row.0.as_deref().map(Into::into)).collect());
            column::<Int32Type>(&mut group, rows.iter().map(|row| Some(row.1)).collect());
            column::<Int64Type>(&mut group, rows.iter().map(|row| row.2).collect());
            column::<DoubleType>(&mut group, vec![Some(0.5); rows.len()]);
            group.close().unwrap();
        }
        writer.close().unwrap();
        ParquetFile::open(file).unwrap()
    }

    /// A bound of values, and whether it is one of them.
    type Bound<'c> = (Option<&'c [u8]>, bool);

    /// The bounds in the statistics, and the number of nulls.
    fn statistics_of(chunk: &ColumnChunkMetaData) -> ([Bound<'_>; 2], Option<u64>) {
        let statistics = chunk.statistics().unwrap();
        let (min, max) = (
            (statistics.min_bytes_opt(), statistics.min_is_exact()),
            (statistics.max_bytes_opt(), statistics.max_is_exact()),
        );
        ([min, max], statistics.null_count_opt())
    }

    #[test]
    fn chunks_that_are_joined_are_those_of_rows_written_at_once() {
        let text = |text: &str| Some(text.to_owned());
        // Texts too long to be stored as bounds, negative numbers, and nothing but nulls.
        let parts: [&Rows; 4] = [
            &[(text("middle"), 3, None), (None, -7, Some(i64::MAX))],
            &[(None, 0, None), (None, 0, None)],
            &[(text(&"a".repeat(100)), 2, Some(-1)), (text(&"z".repeat(100)), 9, Some(5))],
            &[(text(""), 1, Some(i64::MIN))],
        ];
        for some in [0..4, 0..2, 1..3, 1..2, 2..4] {
            let (apart, at_once) = (file(&parts), file(&[&parts[some.clone()].concat()]));
            let one = at_once.metadata().row_group(0);
            for column in 0..3 {
                let (pages, close) = spliced(&apart, &some, column).unwrap().expect("no dictionary");
                let expected = one.column(column);
                assert_eq!(statistics_of(&close.metadata), statistics_of(expected), "{some:?} {column}");
                assert_eq!(close.metadata.num_values(), expected.num_values());
                let text_bytes = close.metadata.unencoded_byte_array_data_bytes();
                assert_eq!(text_bytes, expected.unencoded_byte_array_data_bytes());
                assert_eq!((pages.len() as u64, close.rows_written), (close.bytes_written, one.num_rows() as u64));
            }
            assert!(spliced(&apart, &some, 3).unwrap().is_none(), "the order of real numbers is not that of memory");
        }
    }
}
