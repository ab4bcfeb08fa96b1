//! The arguments of `filter`, and those that several commands have. Others stand beside their command.

mod filter;
mod output;
mod policy;
mod values;

pub use filter::{FilterArgs, InputArgs, Log, PolicySourceArgs, WatchingArgs};
pub use policy::{
    AgentsFileArgs, CrawlerArgs, PolicyArgs, PolicyFileArgs, ReadingArgs, RequiredArgs, SignalArgs, StatusesArgs,
    ViewArgs, dialect, mapped, trust,
};
pub use values::{bytes, joined, number, one_of, published, workers};
