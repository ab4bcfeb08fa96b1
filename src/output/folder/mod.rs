//! The folder of a run: only one run uses it at a time, file names say what is in the files, and no file has its final name
//! before it is complete.

mod commit;
mod earlier;
mod extra;
mod file_name;
mod leftovers;
mod list_folder;
mod lock;
mod names;
mod sync;
mod written;

pub(crate) use commit::name_files;
pub(crate) use earlier::{make_room, remove_folders, replaced};
pub(crate) use extra::extra_files;
#[cfg(feature = "parquet")]
pub(crate) use file_name::crawler_labels;
#[cfg(feature = "parquet")]
pub(crate) use file_name::{CRAWLER, VERDICT};
pub(crate) use file_name::{FileName, partition_names, table_part};
pub(crate) use leftovers::{remove, remove_leftovers};
#[cfg(test)]
pub(crate) use list_folder::FOLDERS_NAMED;
#[cfg(feature = "cli")]
pub(crate) use list_folder::run_of;
pub(crate) use list_folder::{is_file_of_run, is_list_folder, list_folder, split_list_folder};
pub(crate) use lock::FolderLock;
#[cfg(feature = "parquet")]
pub(crate) use names::WAITING_ROWS;
pub(crate) use names::{CHECKPOINT, REPORT_START, partial};
pub use names::{NEEDED, RECEIPT, REPORT};
pub(crate) use sync::{sync, sync_folder, sync_folders};
pub(crate) use written::Written;
