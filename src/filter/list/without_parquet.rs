//! What stands for Parquet in a program that is built without it.

use std::fs::File;

use crate::filter::layout::UrlField;
use crate::filter::outcome::Reason;

/// Rows that nobody can read.
pub(in crate::filter) enum Rows {}

impl Rows {
    /// Says so.
    pub fn open(_file: File, _url_field: &UrlField) -> Result<Rows, String> {
        Err("it is a Parquet file, which this program was built without (cargo feature `parquet`)".to_owned())
    }

    /// Cannot be called.
    pub fn taken(&mut self) -> u64 {
        match *self {}
    }

    /// Cannot be called.
    pub fn fill(
        &mut self,
        _size: usize,
        _chunk: &mut Vec<u8>,
        _flaws: &mut Vec<(u64, Reason)>,
    ) -> Result<bool, String> {
        match *self {}
    }
}
