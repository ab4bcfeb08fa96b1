//! The crawler, and the dialect of the files.

use crate::dialect::Dialect;
use crate::robots::Agents;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// The crawler, and how it reads robots.txt.
#[derive(Debug, clap::Args)]
pub struct CrawlerArgs {
    /// The crawler: a product token, `*`, or a list in order of preference; several times for several crawlers
    ///
    /// A list such as Googlebot-News,Googlebot is one crawler of several names: the first with a group of its own counts,
    /// then `*`. With --policy, crawlers that it was compiled for, or lists of them; needless if there is only one.
    #[arg(long, value_name = "NAME")]
    pub agent: Vec<Agents>,
    #[command(flatten)]
    pub dialect: DialectArgs,
}

/// The dialect of robots.txt files, which a policy has already.
#[derive(Debug, clap::Args)]
pub struct DialectArgs {
    /// How robots.txt is read: rfc9309, google...
    ///
    /// rfc9309, google, mandelbot, extended-2008, draft-1996 or original-1994.
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
    PossibleValuesParser::new(Dialect::names()).try_map(|name| Dialect::named(&name))
}
