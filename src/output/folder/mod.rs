//! The folder of a run: only one run uses it at a time, file names say what is in the files, and no file has its final name
//! before it is complete.

mod commit;
mod earlier;
mod list_folder;
mod lock;
mod names;
mod strays;
mod written;

pub(crate) use commit::{name_files, sync, sync_folder, sync_folders};
pub(crate) use earlier::{make_room, remove_folders, replaced};
#[cfg(test)]
pub(crate) use list_folder::FOLDERS_NAMED;
#[cfg(feature = "cli")]
pub(crate) use list_folder::run_of;
pub(crate) use list_folder::{is_file_of_run, is_list_folder, list_folder, split_list_folder};
pub(crate) use lock::FolderLock;
pub(crate) use names::{CHECKPOINT, FileName, REPORT_START, partial, partition_names, table_part};
#[cfg(feature = "parquet")]
pub(crate) use names::{CRAWLER, VERDICT, WAITING_ROWS, crawler_labels};
pub use names::{NEEDED, RECEIPT, REPORT};
pub(crate) use strays::{extra_files, remove, remove_leftovers};
pub(crate) use written::Written;
