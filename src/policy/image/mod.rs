//! The image of a policy: a sequence of bytes, the same in a mapped file and in memory.
//!
//! [`format`] defines the sections. [`record`], [`answers`] and [`pool`] define their contents, each with its writer
//! and reader side by side; `policy/lookup.rs` defines the look-up table. [`tables`] collects shared items, and
//! [`gather`] puts them into the order of an image. [`Writer`] takes origins one by one and assembles the sections;
//! [`validate`] checks all sections before any is used. FORMAT.md documents the image byte by byte.

mod answers;
pub(crate) mod format;
mod gather;
mod pool;
mod record;
mod sections;
mod spool;
mod tables;
mod validate;
mod writer;

pub(crate) use answers::{UrlRecord, UrlRecords, hash_of_target, push as push_url};
pub(crate) use format::POLICY_FILE;
pub(crate) use format::{ALIGNMENT, AUTOMATA_UNIT, Section};
pub(crate) use gather::compare_rules;
#[cfg(test)]
pub(crate) use pool::Starts;
pub(crate) use pool::{ItemSource, NONE, Pool, Problem};
pub use record::Record;
#[cfg(test)]
pub(crate) use record::push as push_record;
pub(crate) use record::{UNIT as RECORD_UNIT, starts as record_starts};
pub use sections::Trust;
pub(crate) use sections::{Content, Image, Meta};
pub(crate) use spool::{HELD, SpillFolder, Spool};
pub(crate) use tables::{Run, Tables};
pub(crate) use writer::Writer;
