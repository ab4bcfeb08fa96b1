//! The arguments of `filter`, and those that several commands have. Others stand beside their command.

mod choices;
mod filter;
mod memory;
mod output;
mod policy;
mod values;

pub use choices::{ChoicesArgs, OriginChoicesArgs, ViewArgs};
pub use filter::{FilterArgs, InputArgs, Log, LongRunArgs, PolicySourceArgs, WatchingArgs};
pub use memory::MEMORY;
pub use policy::{
    CrawlerArgs, DialectArgs, JudgedByArgs, NO_SOURCE, PolicyArgs, PolicyFileArgs, ReadingArgs, dialect, dialects,
    mapped,
};
pub use values::{bytes, number, one_of, published, workers};
