//! Lines written as they were rendered, or only counted.

use super::blocks::{Blocks, Made, Shape, Turn};
use crate::output::form::Rows;
use crate::output::table::FileRows;
use crate::run::error::FilterError;
use crate::run::worker::Judged;

/// Text that is not compressed.
pub(in crate::run) struct Text {
    /// The rows of the files; `None` if lines are only counted.
    pub rows: Option<Rows>,
}

impl Shape for Text {
    fn blocks(&self, turn: Turn<'_>, _: Vec<FileRows>, judged: &mut Judged) -> Result<Option<Made>, FilterError> {
        let blocks = match self.rows {
            Some(rows) => Blocks::Buffers(turn.set, judged.tallies(rows)),
            None => Blocks::Made(Vec::new()),
        };
        Ok(Some(Made { blocks, at_checkpoint: None }))
    }
}
