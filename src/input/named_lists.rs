//! Files with the names of lists.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::list::STANDARD_INPUT;
use crate::error::About;
use crate::error::run::{Error, ErrorKind};
use crate::formats::{path_of, shown, text_file};

/// The most bytes of a file with the names of lists.
const NAMES: u64 = 1 << 30;

/// What follows each path in a file of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameEnd {
    /// A line feed, or CR and LF, which no path has then.
    Line,
    /// NUL, which no path can have, as `find -print0` writes it.
    Nul,
}

/// Longer paths cannot be opened, in bytes.
const LONGEST_PATH: usize = if cfg!(unix) { 4 << 10 } else { 32 << 10 };

/// The paths of lists in a file; empty ones are skipped. The file may be compressed; `-` is standard input.
///
/// # Errors
///
/// If the file cannot be read, is longer than 1 GiB, names no list, has NUL or too much in its lines, or, on a
/// system whose paths are UTF-8, names one that is not.
pub fn lists_named_in(file: &Path, end: NameEnd) -> Result<Vec<PathBuf>, Error> {
    let text = text(file).map_err(ErrorKind::List.with_file("read", file))?;
    let wrong = |problem: String| ErrorKind::List.of(format!("{}{problem}", shown(file)));
    let names: Vec<&[u8]> = match end {
        NameEnd::Nul => text.split(|&byte| byte == 0).collect(),
        NameEnd::Line if text.contains(&0) => {
            let problem = " has NUL in its lines: do its paths end in NUL instead of a line feed? Say so, then";
            return Err(wrong(problem.to_owned()).about(About::NameEnd));
        }
        NameEnd::Line => {
            let lines = text.split(|&byte| byte == b'\n');
            lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect()
        }
    };
    let named = names.into_iter().enumerate().filter(|(_, name)| !name.is_empty());
    let paths = named.map(|(place, name)| {
        let wrong = |problem| wrong(format!(", path {}: {problem}", place + 1));
        match name.len() {
            ..=LONGEST_PATH => {
                path_of(name.to_vec()).ok_or_else(|| wrong("it is not UTF-8, as this system requires".to_owned()))
            }
            bytes => Err(wrong(format!("{bytes} bytes are no path; is it a file of paths?"))),
        }
    });
    let paths: Vec<PathBuf> = paths.collect::<Result<_, _>>()?;
    if paths.is_empty() {
        return Err(wrong(" names no list; write one path per line, or end each with NUL".to_owned()));
    }
    Ok(paths)
}

fn text(file: &Path) -> io::Result<Vec<u8>> {
    let opened: Box<dyn Read + Send> = match file.as_os_str() == STANDARD_INPUT {
        true => Box::new(io::stdin()),
        false => Box::new(File::open(file)?),
    };
    text_file::of(opened, NAMES)
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn each_line_is_a_path() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("names");
        let named = |text: &str| {
            std::fs::write(&file, text).unwrap();
            lists_named_in(&file, NameEnd::Line)
        };
        assert_eq!(named("a b.txt\r\n\n-\nlists/*.gz").unwrap(), ["a b.txt", "-", "lists/*.gz"].map(PathBuf::from));
        assert!(named("\n\r\n").unwrap_err().to_string().contains(" names no list; write one path per line"));
        let long = named(&format!("a\n{}", "b".repeat(LONGEST_PATH + 1))).unwrap_err().to_string();
        assert!(long.contains(&format!(", path 2: {} bytes are no path", LONGEST_PATH + 1)), "{long}");
        assert!(named("a\0b\0").unwrap_err().is_about(About::NameEnd));
        let missing = lists_named_in(&folder.path().join("x"), NameEnd::Line);
        assert!(missing.unwrap_err().source().is_some());
        std::fs::write(&file, "a b\nc\r\n\0\0-\0d").unwrap();
        assert_eq!(lists_named_in(&file, NameEnd::Nul).unwrap(), ["a b\nc\r\n", "-", "d"].map(PathBuf::from));
    }
}
