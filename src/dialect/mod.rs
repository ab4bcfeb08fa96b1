//! Dialects of robots.txt, as data.
//!
//! Thirty years of documents disagree about what a robots.txt means. A [`Dialect`] is a plain value with one field for
//! every point on which they disagree; the code that parses, normalises, ranks and judges reads the fields and never
//! asks which dialect it has. The six values are in [`Dialect::ALL`]; every variant of an axis cites the text that
//! defines it, or says "ours: unstated" where no text decides.

mod axes;
mod error;
mod reading;
mod table;

pub use axes::{
    AgentLine, AgentList, AllowLines, Boundary, CrawlDelay, Encoding, FileStart, Groups, Keys, Lifetime, LineLimit,
    NulByte, Precedence, Redirects, RobotsTxtPath, RuleStart, StatusMeaning, Wildcards,
};
pub use error::UnknownDialect;
pub use reading::Dialect;
