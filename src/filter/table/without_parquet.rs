//! What stands for tables in a program that is built without Parquet.

use std::fs::File;
use std::io;
use std::path::Path;

use super::FilterError;
use super::causes::Causes;
use super::form::Rows;
use super::list::{List, Span};
use super::outcome::{Outcome, Partition};
use super::output::Block;
use super::receipt::Receipt;
use super::unique::Lines;
use crate::robots::Agents;

/// How a file would begin.
pub(super) const HEAD: &[u8] = b"";

/// A table that nobody can make.
#[derive(Debug, Clone)]
pub(super) enum Table {}

/// Where its columns would come from.
#[allow(dead_code)]
pub(super) enum Source<'s> {
    Text(Lines<'s>),
    Rows { list: &'s List, spans: &'s [Span], left_out: &'s [usize], pages: u64 },
}

impl Table {
    /// Says so.
    pub fn of(_lists: &[&List], _files: Rows, _agents: &[&Agents]) -> Result<Table, FilterError> {
        Err(FilterError::WithoutParquet)
    }

    /// Cannot be called.
    pub fn nothing(&self) -> Result<Vec<u8>, FilterError> {
        match *self {}
    }

    /// Cannot be called.
    pub fn blocks(
        &self,
        _set: usize,
        _source: &Source<'_>,
        _outcomes: &[Vec<Outcome>],
        _causes: &[Causes],
    ) -> Result<Vec<Block<'static>>, FilterError> {
        match *self {}
    }
}

/// Says so.
pub(super) fn footer(_file: &mut File, _head: u64, _end: u64) -> io::Result<Option<Vec<u8>>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The footer of a file that has the rows of others.
#[derive(Debug)]
pub(super) struct Concatenated {
    pub octets: Vec<u8>,
    pub ends: Vec<u64>,
}

/// Says so.
pub(super) fn concatenated(_files: &mut [File]) -> io::Result<Concatenated> {
    Err(io::ErrorKind::Unsupported.into())
}

/// There are no frames.
pub(super) fn frame_footer(_frame: &[u8]) -> u64 {
    0
}

/// What would be read of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Lines,
    Urls,
}

/// Some rows of a table.
#[derive(Debug, Default)]
pub(super) struct TableLines {
    pub text: Vec<u8>,
    pub verdicts: Vec<Vec<Option<Partition>>>,
}

/// Says so.
pub(super) fn reread<T: Default + Send>(
    _table: (&Path, Wanted),
    _receipt: &Receipt,
    _threads: usize,
    _of: impl Fn(&TableLines) -> T + Sync,
    _append: impl Fn(&mut T, &T) + Sync,
) -> Result<T, FilterError> {
    Err(FilterError::WithoutParquet)
}
