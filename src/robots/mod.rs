//! From the bytes of a robots.txt to the rules of one crawler.
//!
//! A body is read first (module `body`): decoded, if it is compressed, and told from what is no text. [`Robots::parse`] reads a text in one
//! pass: lines, then records (`key: value`), then groups. [`decode()`] comes before; it handles byte order marks, UTF-16 and the size limit. Groups borrow slices of the text, so nothing is copied.
//! Everything that a dialect does not read as a rule is noted with its line number ([`Note`]), so nothing is dropped
//! silently. [`Robots::select`] then picks the groups of one crawler by the names it goes by ([`Agents`]).

mod agents;
mod body;
mod groups;
mod parse;
mod record;

pub(crate) use agents::proposed_token;
pub use agents::{Agents, GroupOrigin, Selection};
pub(crate) use agents::{Named, lines_for};
pub use body::BodyFlaw;
pub use body::BodyProblem;
pub(crate) use body::text_of;
pub use body::{body_limit, text as body_text};
#[cfg(feature = "warc")]
pub(crate) use body::{keep_whole_lines, read as read_body};
pub use groups::{AgentName, Delay, Group, Note, NoteCounts, NoteKind, Robots, Rule, SideRecord, seconds};
pub use parse::decode;
pub(crate) use parse::lines;
pub use record::SideKey;
pub(crate) use record::{Key, Line, read};
