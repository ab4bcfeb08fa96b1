//! Reads whole files, none of which may be endless.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;

use super::error::Failure;
use crate::dialect::Dialect;
use crate::formats::compression::DEFAULT_WINDOW;
use crate::formats::error::FileError;
use crate::input::STANDARD_INPUT;
use crate::policy::source::{Robots, body_limit};

/// The most bytes of a line with a URL.
const LINE: u64 = 64 << 20;

/// The text of one robots.txt, decompressed if it is compressed, as far as any of these dialects reads.
pub(super) fn robots_txt<'d>(path: &Path, dialects: impl IntoIterator<Item = &'d Dialect>) -> Result<Robots, Failure> {
    let read = || Robots::read(open(path)?, body_limit(dialects), DEFAULT_WINDOW);
    Ok(read().map_err(FileError::of("read", path))?)
}

/// Reads the next line of standard input, with its line feed; an empty one is the end.
pub(super) fn url_line(input: &mut impl BufRead) -> Result<Vec<u8>, Failure> {
    let mut line = Vec::new();
    let read = input.take(LINE + 1).read_until(b'\n', &mut line);
    let problem = (line.len() as u64 > LINE)
        .then(|| io::Error::new(io::ErrorKind::InvalidData, format!("it has a line of more than {LINE} bytes")));
    match read.err().or(problem) {
        Some(error) => Err(FileError::of("read", Path::new(STANDARD_INPUT))(error).into()),
        None => Ok(line),
    }
}

/// Opens a file, or standard input.
fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    Ok(match path.as_os_str() == STANDARD_INPUT {
        true => Box::new(io::stdin()),
        false => Box::new(File::open(path)?),
    })
}
