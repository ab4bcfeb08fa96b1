//! Merges the small row groups of a file once it gets no more rows.
//!
//! Each chunk adds a row group to every file, a small one if few of its rows go there, and engines read those slowly. So
//! consecutive row groups are merged until they are [large enough](is_large_enough). A group that needs no merging is copied as
//! it is, and so are the pages of [columns without a dictionary](super::spliced). Other columns are decoded and encoded again,
//! value for value.

use parquet::data_type::DataType;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::copy::write;
use super::footer::{Whole, footer};
use super::schema::properties;
use super::shared::Stop;
use super::spliced::spliced;
use crate::formats::columnar::{Malformed, ParquetFile, guarded};
use crate::formats::parquet_mark::PARQUET_MARK;
use crate::input::list::RowRange;
use crate::input::list::range_columns::{Read, TakeRead, each_read};
use crate::output::folder::{Written, remove};
use crate::output::front_to_back::FrontToBack;
use crate::threads;

/// Rows of a row group that is large enough; engines make groups of 100,000 to a million.
const MIN_ROWS: i64 = 100_000;

/// Bytes of a row group that is large enough, before compression.
const MIN_BYTES: i64 = 64 << 20;

/// Completes the file at `from`, whose frames end at `part.end`: writes its footer, or `empty_end` if it has no frames, and
/// writes the same with fewer row groups to `to`, if there is something to merge. Returns its length; `None` if asked to stop.
pub(crate) fn complete(
    from: &Path,
    to: &Path,
    part: &Written,
    empty_end: &[u8],
    threads: usize,
    stop: Stop<'_>,
) -> io::Result<Option<u64>> {
    let mut file = File::options().read(true).write(true).open(from)?;
    let footer = footer(&mut file, part.head, part.end)?;
    let footer = footer.as_deref().unwrap_or(empty_end);
    file.seek(SeekFrom::Start(part.end))?;
    FrontToBack::at(file, part.end).write_all(footer)?;
    merge_groups(from, to, threads, stop)
}

/// Writes a complete file at `from` to `to`, with fewer row groups. Leaves nothing at `to` if there is nothing to merge, or if
/// asked to `stop`.
fn merge_groups(from: &Path, to: &Path, threads: usize, stop: Stop<'_>) -> io::Result<Option<u64>> {
    let merged = guarded(|| merge(from, to, threads, stop));
    merged.map_err(|Malformed(problem)| io::Error::other(problem))
}

/// Merging can take a minute and more, so `stop` is called before each group.
fn merge(from: &Path, to: &Path, threads: usize, stop: Stop<'_>) -> Result<Option<u64>, Malformed> {
    let file = ParquetFile::open(File::open(from)?)?;
    let merges = merges(file.metadata().row_groups());
    if merges.iter().all(|merge| merge.len() == 1) {
        // A file left by a run that died while merging would be taken for this one.
        remove(to)?;
        return Ok(Some(from.metadata()?.len()));
    }
    let properties = Arc::new(properties(&file.schema().root_schema_ptr(), plain_columns(&file)).build());
    let mut out = File::create(to)?;
    out.write_all(PARQUET_MARK)?;
    let mut whole = Whole::of(file.metadata().file_metadata());
    let mut at = PARQUET_MARK.len() as u64;
    for some in merges.chunks(threads) {
        if stop() {
            fs::remove_file(to)?;
            return Ok(None);
        }
        let made = threads::on(some.len(), || threads::map(some, |merge| guarded(|| group(&file, merge, &properties))));
        for made in made {
            let MadeGroup { bytes, metadata, start } = made?;
            out.write_all(&bytes)?;
            whole.push(&metadata, at as i64 - start as i64)?;
            at += bytes.len() as u64;
        }
    }
    let footer = whole.footer()?.unwrap_or_default();
    out.write_all(&footer)?;
    Ok(Some(at + footer.len() as u64))
}

/// The ranges of row groups that are merged into one, in order.
fn merges(groups: &[RowGroupMetaData]) -> Vec<Range<usize>> {
    let (mut merges, mut begins) = (Vec::new(), 0);
    for end in 1..=groups.len() {
        if end == groups.len() || is_large_enough(&groups[begins..end]) {
            merges.push(begins..end);
            begins = end;
        }
    }
    merges
}

/// Whether these row groups together are as large as engines like them.
fn is_large_enough(groups: &[RowGroupMetaData]) -> bool {
    let rows: i64 = groups.iter().map(RowGroupMetaData::num_rows).sum();
    let bytes: i64 = groups.iter().map(RowGroupMetaData::total_byte_size).sum();
    rows >= MIN_ROWS || bytes >= MIN_BYTES
}

/// The columns without a dictionary in any row group.
fn plain_columns(file: &ParquetFile) -> impl Iterator<Item = usize> {
    let is_plain = |&at: &usize| {
        file.metadata().row_groups().iter().all(|group| group.column(at).dictionary_page_offset().is_none())
    };
    (0..file.schema().num_columns()).filter(is_plain)
}

/// A row group of the new file.
struct MadeGroup {
    bytes: Vec<u8>,
    /// Its description, as if its first byte were at offset `start`.
    metadata: RowGroupMetaData,
    start: u64,
}

/// Makes one row group of several.
fn group(file: &ParquetFile, groups: &Range<usize>, properties: &WriterPropertiesPtr) -> Result<MadeGroup, Malformed> {
    if groups.len() == 1 {
        let metadata = file.metadata().row_group(groups.start).clone();
        let stored = stored(&metadata);
        return Ok(MadeGroup { bytes: file.bytes(stored.clone())?.into(), metadata, start: stored.start });
    }
    let mut writer = SerializedFileWriter::new(Vec::new(), file.schema().root_schema_ptr(), Arc::clone(properties))?;
    let start = writer.bytes_written();
    let mut row_group = writer.next_row_group()?;
    for column in 0..file.schema().num_columns() {
        if let Some((pages, described)) = spliced(file, groups, column)? {
            row_group.append_column(&pages, described)?;
            continue;
        }
        let mut to =
            row_group.next_column()?.ok_or_else(|| Malformed("it has fewer columns than its schema".to_owned()))?;
        for number in groups.clone() {
            let rows = usize::try_from(file.metadata().row_group(number).num_rows()).unwrap_or(0);
            let range = RowRange { group: number, first: 0, rows, ends: true };
            each_read(file, &range, column, usize::MAX, CopyTo(&mut to))?;
        }
        to.close()?;
    }
    let metadata = RowGroupMetaData::clone(&*row_group.close()?);
    let end = writer.bytes_written();
    let mut bytes = writer.into_inner()?;
    bytes.truncate(end);
    bytes.drain(..start);
    Ok(MadeGroup { bytes, metadata, start: start as u64 })
}

/// The byte range of a row group.
fn stored(group: &RowGroupMetaData) -> Range<u64> {
    let ranges = group.columns().iter().map(|column| column.byte_range());
    let (start, end) = ranges.fold((u64::MAX, 0), |(start, end), (at, length)| (start.min(at), end.max(at + length)));
    start.min(end)..end
}

/// Writes values as they are read.
struct CopyTo<'c, 'w>(&'c mut SerializedColumnWriter<'w>);

impl TakeRead for CopyTo<'_, '_> {
    fn take<T: DataType>(&mut self, _rows: usize, read: &Read<T>) -> Result<(), Malformed> {
        write(read, self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::data_type::Int32Type;
    use parquet::schema::parser::parse_message_type;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn groups_are_merged_unless_it_is_asked_to_stop() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let schema = Arc::new(parse_message_type("message rows { required int32 number; }").unwrap());
        let mut writer = SerializedFileWriter::new(File::create(&from).unwrap(), schema, Default::default()).unwrap();
        for group in 0..10 {
            let mut row_group = writer.next_row_group().unwrap();
            let mut column = row_group.next_column().unwrap().unwrap();
            let values: Vec<i32> = (0..30_000).map(|row| 30_000 * group + row).collect();
            column.typed::<Int32Type>().write_batch(&values, None, None).unwrap();
            column.close().unwrap();
            row_group.close().unwrap();
        }
        writer.close().unwrap();
        // Each time, `stop` says no once more.
        let written = (0..).find(|&most| {
            let asked = AtomicUsize::new(0);
            let merged = merge_groups(&from, &to, 2, &|| asked.fetch_add(1, Ordering::Relaxed) >= most).unwrap();
            assert_eq!(to.exists(), merged.is_some(), "{most}");
            merged.is_some()
        });
        assert!(written.is_some_and(|asked| asked > 1), "it is asked more than once: {written:?}");
        let rows = |path| -> Vec<i64> {
            let file = ParquetFile::open(File::open(path).unwrap()).unwrap();
            file.metadata().row_groups().iter().map(RowGroupMetaData::num_rows).collect()
        };
        assert_eq!((rows(&from), rows(&to)), (vec![30_000; 10], vec![120_000, 120_000, 60_000]));
    }
}
