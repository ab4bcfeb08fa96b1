//! Shards: one job split into several runs, on as many machines.
//!
//! The files of the lists, one after the other, form one sequence of bytes. Shard I of N takes the lines that begin in the I-th
//! of its N equal parts. So shards do not overlap, leave nothing out, and need not know of each other; their partitions, one
//! after the other, are those of an undivided run. Dividing lists reads nothing but the lines at the two boundaries. A compressed
//! list or a table goes as a whole to the shard that its middle is in.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use super::list::List;
use crate::error::run::{Error, ErrorKind};
use crate::error::{About, ValueError, ValueErrorKind};
use crate::formats::shown;

/// The part of a job that a run does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    number: u32,
    of: u32,
}

impl Shard {
    /// The shard with this number, from 1, of so many; `None` if there is none.
    pub(crate) fn new(number: u32, of: u32) -> Option<Shard> {
        (1..=of).contains(&number).then_some(Shard { number, of })
    }

    /// The shard's number, from 1.
    pub fn number(self) -> u32 {
        self.number
    }

    /// How many shards there are.
    pub fn of(self) -> u32 {
        self.of
    }

    /// Cuts the lists down to the lines of this shard.
    ///
    /// # Errors
    ///
    /// If a list cannot be read again by other runs; other errors if one cannot be read.
    pub(crate) fn cut(self, lists: &mut [List]) -> Result<(), Error> {
        let lengths: Vec<usize> = lists.iter().map(length).collect::<Result<_, _>>()?;
        let total: u128 = lengths.iter().map(|&length| length as u128).sum();
        let boundary = |number: u32| total * u128::from(number) / u128::from(self.of);
        let mut before = 0u128;
        for (list, length) in lists.iter_mut().zip(lengths) {
            let within = |boundary: u128| match list.is_plain() {
                true => list.line_boundary(boundary.saturating_sub(before).min(length as u128) as usize),
                false if before + length as u128 / 2 < boundary => Ok(length),
                false => Ok(0),
            };
            let range: Range<usize> = within(boundary(self.number - 1))?..within(boundary(self.number))?;
            list.cut_to(range);
            before += length as u128;
        }
        Ok(())
    }
}

/// The length of a list's file.
fn length(list: &List) -> Result<usize, Error> {
    match (list.plain_length(), list.file_state()) {
        (Some(length), _) => Ok(length),
        _ if list.unreadable().is_some() => Ok(0),
        (None, Some(state)) => Ok(usize::try_from(state.length).unwrap_or(usize::MAX)),
        (None, None) => {
            let message = format!(
                "the list {} cannot be divided into shards: it is a stream, or a table compressed as a whole, which the other shards \
                 cannot read; store it as a plain file first",
                shown(&list.path)
            );
            Err(ErrorKind::List.of(message).about(About::Shard))
        }
    }
}

impl FromStr for Shard {
    type Err = ValueError;

    fn from_str(given: &str) -> Result<Shard, ValueError> {
        let parsed = given.split_once('/').and_then(|(number, of)| Shard::new(number.parse().ok()?, of.parse().ok()?));
        parsed.ok_or_else(|| {
            ValueErrorKind::List.of(format!("{given:?} is not a shard: expected I/N with I from 1 to N, such as 1/8"))
        })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl TryFrom<String> for Shard {
    type Error = ValueError;

    fn try_from(given: String) -> Result<Shard, ValueError> {
        given.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_its_number_and_how_many_there_are() {
        for given in ["1/1", "1/8", "8/8"] {
            assert_eq!(given.parse::<Shard>().unwrap().to_string(), given);
        }
        for given in ["", "1", "0/8", "9/8", "1/0", "-1/8", "1/8/2", "a/b", "1/99999999999"] {
            assert!(given.parse::<Shard>().is_err(), "{given}");
        }
    }

    #[test]
    fn shards_adjoin_and_cover_the_lists_at_line_ends() {
        let folder = tempfile::tempdir().unwrap();
        let texts = ["a\nbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n\nccc\nlast", "", "x\n", "\n\n\ny"];
        let paths = [0, 1, 2, 3].map(|place| folder.path().join(place.to_string()));
        for (path, text) in paths.iter().zip(texts) {
            std::fs::write(path, text).unwrap();
        }
        for of in 1..60 {
            let mut all = [0; 4];
            for number in 1..=of {
                let mut lists: Vec<List> = paths.iter().map(|path| List::open(path).unwrap()).collect();
                Shard { number, of }.cut(&mut lists).unwrap();
                for ((list, end), text) in lists.iter().zip(&mut all).zip(texts) {
                    let range = list.range();
                    assert_eq!(range.start, *end, "{number}/{of}");
                    assert!(range.end == text.len() || range.end == 0 || text.as_bytes()[range.end - 1] == b'\n');
                    *end = range.end;
                }
            }
            assert_eq!(all, texts.map(str::len), "{of}");
        }
    }
}
