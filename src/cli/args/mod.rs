//! The command-line arguments.

mod check;
mod command;
mod compile;
mod crawler;
mod documentation;
mod export;
mod filter;
mod inspect;
mod lint;
mod long_runs;
mod merge;
mod output;
mod policy;
mod reading;
mod receipts;
mod report;
mod values;
mod watching;

pub use check::CheckArgs;
pub use command::{Args, Command};
pub use compile::CompileArgs;
pub use documentation::{CompletionsArgs, ManArgs};
pub use export::ExportArgs;
pub use filter::{FilterArgs, InputArgs, PolicySourceArgs};
pub use inspect::InspectArgs;
pub use lint::{Dialects, LintArgs};
pub use merge::MergeArgs;
pub use policy::{PolicyArgs, mapped};
pub use reading::ReadingArgs;
pub use receipts::{JoinArgs, VerifyArgs};
pub use report::ReportArgs;
pub use watching::{Log, WatchingArgs};
