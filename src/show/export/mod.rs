//! Tables of what a policy has besides rules, for other parts of a crawler: schedulers, sitemap readers, dashboards.
//!
//! A [`Table`] is read from the policy origin by origin, in order, so that memory does not grow with it. A [`Format`] determines
//! how rows are written.
//!
//! ```
//! use robosieve::export::{Export, Format, Table};
//! use robosieve::policy::{Captures, Policy};
//! use robosieve::{Agents, Dialect};
//!
//! let policy = Captures::new(Agents::everybody(), Dialect::DEFAULT).policy()?;
//! let mut out = Vec::new();
//! Export::new(&policy, Table::Sitemaps, &[policy.crawler(None)?]).write(Format::Tsv, &mut out)?;
//! assert_eq!(out, b"origin\tsitemap\tline\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod format;
#[cfg(feature = "parquet")]
mod parquet;
pub(crate) mod tables;

pub use format::Format;
pub(crate) use format::write_file;
pub(super) use format::write_rows;
#[cfg(feature = "cli")]
pub(crate) use format::{file_kind, is_text};
pub(super) use tables::table;
pub(crate) use tables::{Column, Kind, Value};
pub use tables::{Export, Table};
