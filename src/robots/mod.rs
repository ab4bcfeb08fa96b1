//! From the bytes of a robots.txt to the rules of one crawler.
//!
//! [`Robots::parse`] reads a file in one pass: lines, then records (`key: value`), then groups. [`decode()`] comes first;
//! it handles byte order marks, UTF-16 and the size limit. Groups borrow slices of the text, so nothing is copied.
//! Everything that a dialect does not read as a rule is noted with its line number ([`Note`]), so nothing is dropped
//! silently. [`Robots::select`] then picks the groups of one crawler by the names it goes by ([`Agents`]).

mod agents;
mod groups;
mod parse;
mod record;

pub use agents::{AgentError, Agents, GroupOrigin, Selection};
pub(crate) use agents::{Named, lines_for};
pub use groups::{AgentName, Delay, Group, Note, NoteCounts, NoteKind, Robots, Rule, SideRecord, seconds};
pub use parse::decode;
pub(crate) use parse::lines;
pub use record::SideKey;
pub(crate) use record::{Key, Line, read};
