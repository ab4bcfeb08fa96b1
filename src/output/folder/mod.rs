//! The folder of a run: only one run uses it at a time, file names describe the contents, and no file has its final
//! name before it is complete.

mod commit;
mod earlier;
mod names;

pub(crate) use commit::FolderLock;
pub(crate) use commit::{make_durable, name_files};
pub(crate) use earlier::{extra_files, make_room, remove_checkpoint, remove_folders, remove_leftovers, replaced};
#[cfg(test)]
pub(crate) use names::FOLDERS_NAMED;
#[cfg(feature = "cli")]
pub(crate) use names::run_of;
pub(crate) use names::{
    CHECKPOINT, FileName, REPORT_START, VERDICT, Written, in_folders, is_file_of_run, is_list_folder, list_folder,
    partial, split_list_folder, table_part,
};
#[cfg(feature = "parquet")]
pub(crate) use names::{CRAWLER, WAITING_ROWS};
pub use names::{NEEDED, RECEIPT, REPORT};
