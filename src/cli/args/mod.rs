//! The command-line arguments.

mod check;
mod command;
mod compile;
mod filter;
mod inspect;
mod keys;
mod long_runs;
mod output;
mod policy;
mod receipts;
mod values;

pub use check::{CheckArgs, Dialects, LintArgs, LintFormat};
pub use command::{Args, Command, CompletionsArgs, ManArgs};
pub use compile::{CompileArgs, MergeArgs};
pub use filter::{FilterArgs, InputArgs, PolicySourceArgs};
pub use inspect::{DiffArgs, ExportArgs, HistoryArgs, InspectArgs};
pub use keys::{KeysArgs, SeenArgs};
pub use long_runs::{Log, WatchingArgs};
pub use policy::{PolicyArgs, ReadingArgs, RequiredArgs, mapped};
pub use receipts::{JoinArgs, ReportArgs, VerifyArgs};
pub use values::joined;
