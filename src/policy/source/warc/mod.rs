//! WARC archives (ISO 28500), as crawlers write them and Common Crawl publishes them.
//!
//! The `response` records for `/robots.txt` are captures, with the time of their `WARC-Date`, as are those for other URLs that end
//! so. All other records are passed over, for there may be billions of pages. But a redirect of a robots.txt may lead to one of
//! them, and a `revisit` names an original that may be anywhere. So an archive is read again for the few records that turned out to be
//! wanted, as long as those lead to more of them, but no more often than redirects are followed.
//!
//! A malformed record is an error. A meaningless answer is not, because servers send all kinds of bytes: it is counted, and
//! treated as no answer, which never allows anything.

mod archive;
mod http;
mod record;
mod revisit;
mod text;
mod transfer;

pub(crate) use archive::Archives;
