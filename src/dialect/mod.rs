//! Dialects of robots.txt, as data.
//!
//! Thirty years of documents disagree about the meaning of a robots.txt. A [`Dialect`] is a plain value with one field for each point
//! of disagreement, an axis (module `axes`); the code that parses, normalises, ranks and judges reads the fields and never asks which
//! dialect it has. What statuses mean is one table (module `statuses`). [`Dialect::ALL`] lists the six dialects.

mod axes;
mod known;
mod statuses;

pub use axes::{
    AgentList, AgentValue, AllowLines, Axis, Boundary, CrawlDelay, DirectoryIndex, Encoding, FileStart, Groups, Keys,
    Lifetime, LineLimit, NulByte, Precedence, Redirects, RobotsTxtPath, RuleStart, UrlPath, Wildcards,
};
pub use known::Dialect;
pub use statuses::{AnswerKind, StatusMeaning};
