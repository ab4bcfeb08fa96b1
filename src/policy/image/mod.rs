//! The image of a policy: a sequence of bytes, the same in a mapped file and in memory.
//!
//! [`layout`] defines the sections; [`record`] and [`pool`] define their contents, each with its writer and reader side by
//! side. [`Writer`] takes origins one by one and assembles the sections; [`validate`] checks all of them before any is
//! used. FORMAT.md documents the whole, byte by byte.

mod answers;
mod error;
mod gather;
pub(crate) mod layout;
mod meta;
mod open;
mod pool;
mod record;
mod replace;
mod run;
mod spool;
mod tables;
mod validate;
mod view;
mod writer;

pub(crate) use answers::{UrlRecord, UrlRecords, hash_of_target, push as push_url};
pub use error::{ImageError, OpenError, WriteError};
pub(crate) use gather::Sources;
pub(crate) use layout::{ALIGNMENT, AUTOMATA_UNIT, MAGIC, Section};
pub use meta::Trust;
pub(crate) use meta::{Content, Meta};
pub(crate) use pool::{Pool, Problem};
pub use record::Record;
#[cfg(test)]
pub(crate) use record::push as push_record;
pub(crate) use record::{UNIT as RECORD_UNIT, starts as record_starts};
pub(crate) use replace::{POLICY_FILE, behind_links, folder_of, remove_partial_files, replace};
pub(crate) use run::Run;
pub(crate) use spool::{HELD, Home, Spool};
pub(crate) use tables::Tables;
pub(crate) use view::{Image, Parts};
pub(crate) use writer::Writer;
