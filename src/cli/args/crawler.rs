//! The crawler and the dialect.

use crate::dialect::Dialect;
use crate::robots::Agents;
use clap::builder::TypedValueParser;

use super::values::one_of;

/// The crawler, and how it reads robots.txt.
#[derive(Debug, clap::Args)]
pub struct CrawlerArgs {
    /// The crawler: a product token, `*`, or a list in order of preference; repeat for more crawlers
    ///
    /// A list such as Googlebot-News,Googlebot is one crawler with several names: the first name that has its own group
    /// is used, then `*`. With --policy, name crawlers that it was compiled for, or lists of them; not needed if there
    /// is only one.
    #[arg(long, value_name = "NAME")]
    pub agent: Vec<Agents>,
    #[command(flatten)]
    pub dialect: DialectArgs,
}

/// The dialect of robots.txt files. A policy already has one.
#[derive(Debug, clap::Args)]
pub struct DialectArgs {
    /// The dialect of robots.txt files: rfc9309, google...
    ///
    /// One of rfc9309, google, mandelbot, extended-2008, draft-1996 or original-1994.
    #[arg(
        long,
        conflicts_with = "policy",
        default_value = "rfc9309",
        value_name = "NAME",
        hide_possible_values = true,
        value_parser = dialect()
    )]
    pub dialect: &'static Dialect,
}

pub(super) fn dialect() -> impl TypedValueParser<Value = &'static Dialect> {
    one_of(Dialect::ALL.iter().map(|dialect| (dialect.name, dialect)))
}
