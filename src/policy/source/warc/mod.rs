//! WARC archives (ISO 28500), as crawlers write them and Common Crawl publishes them.
//!
//! The `response` records of `/robots.txt` are captures, at the time of their `WARC-Date`. Everything else in an archive
//! is passed over, for there may be billions of pages; but a redirect of a robots.txt may lead to one of them, and a
//! `revisit` names an original that may stand anywhere. So an archive is read again for the few records that turned out
//! to be wanted, as long as those lead to more of them, and not more often than redirects are followed.
//!
//! A record that is malformed is an error. An answer that makes no sense is not: servers send all kinds of bytes. It
//! is counted, and counts as no answer, which never allows anything.

mod archive;
mod coding;
mod error;
mod head;
mod http;
mod page;
mod record;
mod revisit;

pub(crate) use archive::{Archive, Archives, START};
pub use error::RecordProblem;
