//! WARC archives (ISO 28500), as crawlers write them and Common Crawl publishes them.
//!
//! The `response` records for URLs that end in `/robots.txt` are captures, with the time of their `WARC-Date`. All
//! other records are passed over, because there may be billions of pages. But a redirect of a robots.txt may lead to
//! one of them, and a `revisit` names an original that may be anywhere. So an archive is read again for the few records
//! that a redirect or a revisit needs, and again if these need further records, but at most as often as redirects are
//! followed.
//!
//! A malformed record is an error. An invalid answer is not an error, because servers send all kinds of bytes: it is
//! counted, and treated as no answer, which never allows anything.

mod archive;
mod http;
mod record;
mod revisit;
mod text;
mod transfer;

pub(crate) use archive::Archives;
