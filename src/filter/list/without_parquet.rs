//! What stands for Parquet in a program that is built without it.

use std::fs::File;
use std::ops::Range;

use super::Unfit;
use crate::filter::layout::UrlField;
use crate::filter::outcome::Reason;

/// A file that nobody can open.
pub(in crate::filter) enum TableFile {}

/// Rows that there are none of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::filter) struct Span {
    pub rows: usize,
}

impl Span {
    /// There are none.
    pub fn part(&self, rows: Range<usize>) -> Span {
        Span { rows: rows.len() }
    }
}

impl TableFile {
    /// Says so.
    pub fn open(_file: File, _url_field: &UrlField, _memory: u64) -> Result<TableFile, Unfit> {
        let problem = "it is a Parquet file, which this program was built without (cargo feature `parquet`)";
        Err(Unfit::Malformed(problem.to_owned()))
    }

    /// Cannot be called.
    pub fn footer_octets(&self) -> u64 {
        match *self {}
    }

    /// Cannot be called.
    pub fn spans(&self, _from: u64, _size: usize) -> (Vec<Span>, u64) {
        match *self {}
    }

    /// Cannot be called.
    pub fn readable(&self, _span: &Span, _pages: u64) -> Result<(), String> {
        match *self {}
    }

    /// Cannot be called.
    pub fn lines(
        &self,
        _spans: &[Span],
        _limits: (usize, u64),
        _text: &mut Vec<u8>,
        _flaws: &mut Vec<(u64, Reason)>,
    ) -> Result<(), String> {
        match *self {}
    }
}

/// The rows of such a file.
pub(in crate::filter) struct Rows<'t>(&'t TableFile);

impl<'t> Rows<'t> {
    /// Cannot be called.
    pub fn of(table: &'t TableFile, _pages: u64) -> Rows<'t> {
        Rows(table)
    }

    /// Cannot be called.
    pub fn taken(&mut self) -> u64 {
        match *self.0 {}
    }

    /// Cannot be called.
    pub fn fill(
        &mut self,
        _size: usize,
        _chunk: &mut Vec<u8>,
        _flaws: &mut Vec<(u64, Reason)>,
    ) -> Result<bool, String> {
        match *self.0 {}
    }
}
