//! The crawler, and the dialect of the files.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use robosieve::dialect::Dialect;
use robosieve::robots::Agents;

/// The crawler, and how it reads robots.txt.
#[derive(Debug, clap::Args)]
pub struct CrawlerArgs {
    /// The crawler's product token, `*` for everybody, or a list in order of preference
    /// (Googlebot-News,Googlebot: the first with a group of its own counts, then *). With --policy, a crawler that it
    /// was compiled for, or a list of them; needless if there is only one
    #[arg(long, required_unless_present = "policy", value_name = "NAME")]
    pub agent: Option<Agents>,
    #[command(flatten)]
    pub dialect: DialectArgs,
}

/// The dialect of robots.txt files, which a policy has already.
#[derive(Debug, clap::Args)]
pub struct DialectArgs {
    /// How robots.txt is read
    #[arg(
        long,
        conflicts_with = "policy",
        default_value = "rfc9309",
        value_name = "NAME",
        value_parser = dialect()
    )]
    pub dialect: &'static Dialect,
}

impl CrawlerArgs {
    /// The crawler, where robots.txt files are read.
    pub fn agents(&self) -> &Agents {
        self.agent.as_ref().expect("required unless there is a policy")
    }
}

pub(super) fn dialect() -> impl TypedValueParser<Value = &'static Dialect> {
    PossibleValuesParser::new(Dialect::names()).try_map(|name| Dialect::named(&name))
}
