//! The shape of a run's output: how judged chunks become blocks of files.
//!
//! A shape is chosen once, when a run starts: lines are written as text, text is compressed into [frames], or lines
//! become [rows](row_groups). The pipeline knows only [their common interface](blocks).

mod blocks;
mod frames;
mod gather;
mod row_groups;

pub(super) use blocks::{BlockBuilder, PlainText, Turn};
pub(super) use frames::Frames;
pub(super) use gather::{Gatherer, Held};
pub(super) use row_groups::RowGroups;
