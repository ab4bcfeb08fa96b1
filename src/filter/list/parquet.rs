//! Lists that are Parquet: every row becomes a line, the URL.
//!
//! The URL is one column, or, as in Common Crawl's columnar index, five of them that are put together. A row without a URL
//! becomes an empty line. A line feed inside a URL, which would make two lines of it, is written `%0A`, and the line is
//! invalid: nothing that was not in the table is ever judged.

use parquet::data_type::ByteArray;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::SchemaDescriptor;
use std::fs::File;

use crate::columnar::{self, Column, Malformed, guarded};
use crate::filter::layout::{self, UrlField};
use crate::filter::outcome::Reason;

/// How many rows are read at a time.
const BATCH: usize = 1024;

/// The column that is the URL, if no other is named and it is there.
const URL: &str = "url";

/// The columns of Common Crawl's index that make up a URL.
const PARTS: [&str; 5] = ["url_protocol", "url_host_name", "url_port", "url_path", "url_query"];

/// Where the URLs are in a file.
#[derive(Debug, Clone, Copy)]
enum Place {
    Url(usize),
    Parts([usize; 5]),
}

impl Place {
    fn of(schema: &SchemaDescriptor, wanted: Option<&layout::Column>) -> Result<Place, Malformed> {
        let no_column = |wanted: &dyn std::fmt::Display| {
            let names = columnar::names(schema);
            Malformed(format!("it has no column {wanted}; its columns are {names}, and --column chooses one"))
        };
        match wanted {
            Some(layout::Column::Number(number)) if *number <= schema.num_columns() => Ok(Place::Url(number - 1)),
            Some(layout::Column::Number(number)) => Err(no_column(number)),
            Some(layout::Column::Name(name)) => {
                columnar::find(schema, name).map(Place::Url).ok_or_else(|| no_column(&format_args!("{name:?}")))
            }
            None => match (columnar::find(schema, URL), PARTS.map(|part| columnar::find(schema, part))) {
                (Some(url), _) => Ok(Place::Url(url)),
                (None, [Some(protocol), Some(host), Some(port), Some(path), Some(query)]) => {
                    Ok(Place::Parts([protocol, host, port, path, query]))
                }
                (None, _) => Err(no_column(&format_args!("{URL:?}, nor all of {}", PARTS.join(", ")))),
            },
        }
    }
}

/// The rows of a file, as lines.
pub(in crate::filter) struct Rows {
    file: SerializedFileReader<File>,
    place: Place,
    /// The row group that is read next.
    next_group: usize,
    group: Option<Group>,
    /// The octets of the row groups that were begun since somebody asked.
    taken: u64,
}

impl Rows {
    /// Opens a file.
    pub fn open(file: File, url_field: &UrlField) -> Result<Rows, String> {
        let opened = guarded(|| {
            let file = SerializedFileReader::new(file)?;
            let place = Place::of(file.metadata().file_metadata().schema_descr(), url_field.column.as_ref())?;
            Ok(Rows { file, place, next_group: 0, group: None, taken: 0 })
        });
        opened.map_err(|Malformed(problem)| problem)
    }

    /// How many octets of the file were taken since the last call, by row groups.
    pub fn taken(&mut self) -> u64 {
        std::mem::take(&mut self.taken)
    }

    /// Fills `chunk` with lines, at least `size` octets unless the rows end before; `flaws` gets the numbers in the chunk
    /// of lines whose URLs are not what they were. Returns false at the end, when there is nothing more. Behind an error,
    /// `chunk` has the lines before it, and the next call goes on with the next row group.
    pub fn fill(&mut self, size: usize, chunk: &mut Vec<u8>, flaws: &mut Vec<(u64, Reason)>) -> Result<bool, String> {
        chunk.clear();
        flaws.clear();
        let mut lines = 0;
        while chunk.len() < size {
            let number = self.next_group;
            let in_group = |number| move |Malformed(problem)| format!("in its row group {number}: {problem}");
            if let Some(group) = &mut self.group {
                let read = guarded(|| group.next_rows(chunk, lines, flaws)).map_err(in_group(number - 1));
                lines += *read.as_ref().unwrap_or(&0);
                // Behind rows that cannot be read, the next row group can be.
                if !matches!(read, Ok(1..)) {
                    self.group = None;
                }
                read?;
            } else if number < self.file.num_row_groups() {
                let (file, place) = (&self.file, self.place);
                self.next_group += 1;
                let group = guarded(|| Group::open(&*file.get_row_group(number)?, place));
                self.group = Some(group.map_err(in_group(number))?);
                self.taken += u64::try_from(file.metadata().row_group(number).compressed_size()).unwrap_or(0);
            } else {
                break;
            }
        }
        Ok(!chunk.is_empty())
    }
}

/// The columns of a row group.
enum Group {
    Url(Box<Column>),
    Parts(Box<Parts>),
}

struct Parts {
    protocol: Column,
    host: Column,
    port: Column,
    path: Column,
    query: Column,
}

impl Group {
    fn open(group: &dyn RowGroupReader, place: Place) -> Result<Group, Malformed> {
        let column = |at| Column::open(group, at);
        Ok(match place {
            Place::Url(url) => Group::Url(Box::new(column(url)?)),
            Place::Parts([protocol, host, port, path, query]) => Group::Parts(Box::new(Parts {
                protocol: column(protocol)?,
                host: column(host)?,
                port: column(port)?,
                path: column(path)?,
                query: column(query)?,
            })),
        })
    }

    /// Appends the next rows to a chunk that has so many lines; returns how many they are, 0 at the end.
    fn next_rows(
        &mut self,
        chunk: &mut Vec<u8>,
        before: u64,
        flaws: &mut Vec<(u64, Reason)>,
    ) -> Result<u64, Malformed> {
        let mut line = before;
        let mut end_line = |start: usize, chunk: &mut Vec<u8>| {
            if encode_line_feeds(chunk, start) {
                flaws.push((line, Reason::LineBreak));
            }
            chunk.push(b'\n');
            line += 1;
        };
        match self {
            Group::Url(column) => {
                for url in column.texts(BATCH)? {
                    let start = chunk.len();
                    chunk.extend_from_slice(url.as_ref().map_or(b"", ByteArray::data));
                    end_line(start, chunk);
                }
            }
            Group::Parts(parts) => {
                for url in parts.next_rows()? {
                    let start = chunk.len();
                    url.append_to(chunk);
                    end_line(start, chunk);
                }
            }
        }
        Ok(line - before)
    }
}

/// The parts of a URL.
struct Url {
    protocol: Option<ByteArray>,
    host: Option<ByteArray>,
    port: Option<i64>,
    path: Option<ByteArray>,
    query: Option<ByteArray>,
}

impl Parts {
    fn next_rows(&mut self) -> Result<Vec<Url>, Malformed> {
        let protocols = self.protocol.texts(BATCH)?;
        let hosts = self.host.texts(BATCH)?;
        let ports = self.port.integers(BATCH)?;
        let paths = self.path.texts(BATCH)?;
        let queries = self.query.texts(BATCH)?;
        let lengths = [hosts.len(), ports.len(), paths.len(), queries.len()];
        if lengths.iter().any(|&length| length != protocols.len()) {
            return Err(Malformed("its columns are not of one length".to_owned()));
        }
        let rest = hosts.into_iter().zip(ports).zip(paths).zip(queries);
        let url = |(protocol, (((host, port), path), query))| Url { protocol, host, port, path, query };
        Ok(protocols.into_iter().zip(rest).map(url).collect())
    }
}

impl Url {
    /// Appends the URL, if it has a protocol and a host.
    fn append_to(&self, text: &mut Vec<u8>) {
        let (Some(protocol), Some(host)) = (&self.protocol, &self.host) else { return };
        text.extend_from_slice(protocol.data());
        text.extend_from_slice(b"://");
        text.extend_from_slice(host.data());
        // The index has the port that is written, and -1 or nothing where none is.
        if let Some(port) = self.port.filter(|&port| port >= 0) {
            text.extend_from_slice(format!(":{port}").as_bytes());
        }
        text.extend_from_slice(self.path.as_ref().map_or(b"/", ByteArray::data));
        if let Some(query) = &self.query {
            text.push(b'?');
            text.extend_from_slice(query.data());
        }
    }
}

/// Writes the line feeds from `start` on as `%0A`; returns whether there were any.
fn encode_line_feeds(text: &mut Vec<u8>, start: usize) -> bool {
    if memchr::memchr(b'\n', &text[start..]).is_none() {
        return false;
    }
    let line = text.split_off(start);
    for (number, part) in line.split(|&octet| octet == b'\n').enumerate() {
        text.extend_from_slice(if number > 0 { b"%0A" } else { b"" });
        text.extend_from_slice(part);
    }
    true
}
