//! The footer of a file, put together from those of its frames.
//!
//! Each frame is followed by its length. So all frames are found by walking back from the end of the last one, and no list of
//! where they begin is kept. Offsets in a frame's footer count from the start of the frame, and are shifted to its place in the
//! file.

use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData,
};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::shared::{TAIL, TRAILER};
use crate::formats::regular_file::PARQUET_MARK;
use crate::output::counting_writer::CountingWriter;
use crate::output::folder::Written;

/// Completes the file at `path`, whose frames end at `part.end`: writes its footer, or `empty_end` if it has no frames. Returns its
/// length.
pub(crate) fn complete(path: &Path, part: &Written, empty_end: &[u8]) -> io::Result<u64> {
    let mut file = File::options().read(true).write(true).open(path)?;
    let footer = footer(&mut file, part.head, part.end)?;
    let footer = footer.as_deref().unwrap_or(empty_end);
    file.seek(SeekFrom::Start(part.end))?;
    CountingWriter::at(file, part.end).write_all(footer)?;
    Ok(part.end + footer.len() as u64)
}

/// The footer of a file with a head of this length, whose frames end at `end`; `None` if there are none.
fn footer(file: &mut File, head: u64, end: u64) -> io::Result<Option<Vec<u8>>> {
    let (mut at, mut backwards) = (end, Vec::new());
    while at > head {
        let (begins, footer) = frame_at(file, head, at)?;
        backwards.push((footer, begins));
        at = begins;
    }
    let mut whole = Whole::default();
    while let Some((footer, at)) = backwards.pop() {
        whole.add(&footer, at - PARQUET_MARK.len() as u64).map_err(io::Error::other)?;
    }
    whole.footer().map_err(io::Error::other)
}

/// Where the frame that ends at `end` begins, and its footer, without its tail.
fn frame_at(file: &mut File, head: u64, end: u64) -> io::Result<(u64, Vec<u8>)> {
    let broken = || io::Error::new(io::ErrorKind::InvalidData, format!("no row group ends at byte {end}"));
    let tail_at = end.checked_sub((TAIL + TRAILER) as u64).ok_or_else(broken)?;
    let (mut tail, mut length) = ([0; TAIL], [0; TRAILER]);
    file.seek(SeekFrom::Start(tail_at))?;
    file.read_exact(&mut tail)?;
    file.read_exact(&mut length)?;
    let [a, b, c, d, mark @ ..] = tail;
    let (footer_length, length) = (u32::from_le_bytes([a, b, c, d]), u64::from_le_bytes(length));
    let begins = end.checked_sub(length).filter(|&begins| begins >= head).ok_or_else(broken)?;
    let footer_at = tail_at.checked_sub(footer_length.into()).filter(|&at| at >= begins && mark == PARQUET_MARK);
    let mut footer = vec![0; footer_length as usize];
    file.seek(SeekFrom::Start(footer_at.ok_or_else(broken)?))?;
    file.read_exact(&mut footer)?;
    Ok((begins, footer))
}

/// The contents of a file's footer.
#[derive(Default)]
struct Whole {
    of_file: Option<FileMetaData>,
    groups: Vec<RowGroupMetaData>,
}

impl Whole {
    /// Adds the row groups of a footer, shifted by `shift` bytes.
    fn add(&mut self, footer: &[u8], shift: u64) -> Result<(), ParquetError> {
        let own = ParquetMetaDataReader::decode_metadata(footer)?;
        let shift = i64::try_from(shift)?;
        for group in own.row_groups() {
            let ordinal = i16::try_from(self.groups.len())?;
            self.groups.push(shifted(group, shift, ordinal)?);
        }
        self.of_file.get_or_insert_with(|| own.file_metadata().clone());
        Ok(())
    }

    /// The bytes of the footer; `None` if nothing was added.
    fn footer(self) -> Result<Option<Vec<u8>>, ParquetError> {
        let Some(of_file) = self.of_file else { return Ok(None) };
        let metadata = ParquetMetaData::new(of_file, self.groups);
        let mut bytes = Vec::new();
        ParquetMetaDataWriter::new(&mut bytes, &metadata).finish()?;
        if u32::try_from(bytes.len()).is_err() {
            return Err(ParquetError::General("its footer would have more than 4 GiB".to_owned()));
        }
        Ok(Some(bytes))
    }
}

/// The description of a row group, with all offsets shifted by `by` bytes.
fn shifted(group: &RowGroupMetaData, by: i64, ordinal: i16) -> Result<RowGroupMetaData, ParquetError> {
    let columns = group.columns().iter().map(|column: &ColumnChunkMetaData| {
        let shifted = |place: Option<i64>| place.map(|place| place + by);
        column
            .clone()
            .into_builder()
            .set_data_page_offset(column.data_page_offset() + by)
            .set_dictionary_page_offset(shifted(column.dictionary_page_offset()))
            .set_index_page_offset(shifted(column.index_page_offset()))
            .build()
    });
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let builder = group.clone().into_builder().set_column_metadata(columns).set_ordinal(ordinal.into());
    builder.set_file_offset(group.file_offset().unwrap_or(PARQUET_MARK.len() as i64) + by).build()
}
