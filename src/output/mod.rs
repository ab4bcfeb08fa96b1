//! The output of a run: partitions as text, compressed frames or tables, and the receipt, in a folder of its own.

pub(crate) mod causes;
pub(crate) mod columns;
pub(crate) mod error;
pub(crate) mod file_layout;
pub(crate) mod folder;
pub(crate) mod form;
pub(crate) mod missing_robots;
pub(crate) mod partitions;
pub(crate) mod receipt;
pub(crate) mod same_folders;
pub(crate) mod table;

pub use form::{FileFormat, FrameCompression, OutputMode};
pub use receipt::Receipt;
pub(crate) use receipt::TabbedLines;
#[cfg(feature = "cli")]
pub(crate) use receipt::{ListPart, counted};
