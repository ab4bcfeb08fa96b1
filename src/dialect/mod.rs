//! Dialects of robots.txt, as data.
//!
//! Thirty years of documents disagree about the meaning of a robots.txt. A [`Dialect`] is a plain value with one field for
//! each point of disagreement; the code that parses, normalises, ranks and judges reads the fields and never asks which
//! dialect it has. [`Dialect::ALL`] lists the six values. Each variant of an axis cites the text that defines it, or says
//! "ours: unstated" if no text does.

mod axes;
mod reading;
mod table;

pub use axes::{
    AgentList, AgentValue, AllowLines, Boundary, CrawlDelay, Encoding, FileStart, Groups, Keys, Lifetime, LineLimit,
    NulByte, Precedence, Redirects, RobotsTxtPath, RuleStart, StatusMeaning, UrlPath, Wildcards,
};
pub use reading::{Dialect, UnknownDialect};
