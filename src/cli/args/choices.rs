//! The operator's choices where robots.txt gives no definite verdict: one group for each command that judges lines or tells how they
//! are judged, and one construction of [`Choices`].

use clap::builder::TypedValueParser;
use clap::{Args, Command};
use std::path::PathBuf;

use super::values::{one_of, unreachable_for};
use crate::cli::error::Failure;
use crate::formats::time;
use crate::formats::time_text::timestamp;
use crate::judge::{Choices, Fallback, MaxAge, Statuses};
use crate::preferences::{Requirements, SignalScope};

/// All choices, for commands that judge URLs.
#[derive(Debug, Clone, clap::Args)]
pub struct ChoicesArgs {
    #[command(flatten)]
    pub of_origins: OriginChoicesArgs,
    /// Judge an unknown origin by the one with or without www.
    ///
    /// A URL of https://a.example is judged by the robots.txt of https://www.a.example, and the other way round, if its own origin is
    /// not in the policy at all. Scheme and port are the same. A receipt counts such lines.
    #[arg(long, hide_short_help = true)]
    pub www_fallback: bool,
    #[command(flatten)]
    pub preferences: RequiredArgs,
}

impl ChoicesArgs {
    /// Converts to the library's type, with ages judged at `now`. Reads the file of statuses, if there is one.
    pub fn choices(&self, now: i64) -> Result<Choices, Failure> {
        let RequiredArgs { require, content_signal } = self.preferences;
        let choices = self.of_origins.choices(now)?.www_fallback(self.www_fallback);
        Ok(choices.require(require.unwrap_or_default()).content_signal(content_signal.scope()))
    }
}

/// The choices by which a command about policies tells what is in them: those that concern whole origins, and how preferences are
/// read. What the other choices decide differs from page to page.
#[derive(Debug, Clone, clap::Args)]
pub struct ViewArgs {
    #[command(flatten)]
    pub of_origins: OriginChoicesArgs,
    #[command(flatten)]
    pub content_signal: SignalArgs,
}

impl ViewArgs {
    /// As [`ChoicesArgs::choices`].
    pub fn choices(&self, now: i64) -> Result<Choices, Failure> {
        Ok(self.of_origins.choices(now)?.content_signal(self.content_signal.scope()))
    }
}

/// The choices that concern whole origins, by the state of their robots.txt.
#[derive(Debug, Clone, clap::Args)]
pub struct OriginChoicesArgs {
    /// Never fetched: allow, block or defer [default: defer]
    ///
    /// The partition of URLs whose robots.txt was never fetched.
    #[arg(long, value_name = "WHAT", hide_possible_values = true, value_parser = one_of(DEFINITE))]
    pub on_unfetched: Option<Fallback>,
    /// Unreachable: allow, block, defer or use [default: defer]
    ///
    /// The partition of URLs whose robots.txt answers 5xx, "not now" (429, 408, 425) or not at all, does not arrive whole, is no
    /// text, or redirects to an unknown place. `use` applies the last good one.
    #[arg(long, value_name = "WHAT", hide_possible_values = true, value_parser = fallback())]
    pub on_unreachable: Option<Fallback>,
    /// Treat a robots.txt unreachable this long as missing
    ///
    /// A duration such as 30d, the example in RFC 9309. If no robots.txt has arrived for that long at the time of --now, only
    /// 5xx, "not now", incomplete responses or none, everything is allowed. Takes precedence over --on-unreachable. At most 90d:
    /// a policy knows no more of earlier failures [default: never].
    #[arg(long, value_name = "AGE", value_parser = unreachable_for)]
    pub unreachable_as_unavailable: Option<u64>,
    /// An HTML page: allow, block, defer or use [default: use]
    ///
    /// The partition of URLs whose robots.txt, with status 200, looks like an HTML page, as some servers send for every path.
    /// `use` reads it as a robots.txt, which mostly has no rules in it.
    #[arg(long, value_name = "WHAT", hide_possible_values = true, value_parser = fallback())]
    pub on_html: Option<Fallback>,
    /// Too old: allow, block, defer or use [default: use]
    ///
    /// The partition of URLs whose robots.txt is older than --max-age. `use` applies it anyway, and counts the lines as
    /// stale. Without --max-age, the limit is the dialect's own lifetime.
    #[arg(long, value_name = "WHAT", hide_possible_values = true, value_parser = fallback())]
    pub on_stale: Option<Fallback>,
    /// The maximum age of a robots.txt, such as 7d, or `dialect`
    ///
    /// A duration such as 36h or 7d, or `dialect` for the dialect's own lifetime [default: any age].
    #[arg(long, value_name = "AGE", value_parser = str::parse::<MaxAge>)]
    pub max_age: Option<MaxAge>,
    /// What statuses mean: a TOML file, or a name, such as common-crawl
    ///
    /// A file has a line for each status of a robots.txt that means something else than its dialect says, such as 403 = "defer" or
    /// "4xx" = "allow"; the words are allow, block and defer, the statuses 400 to 599. The names are common-crawl and nutch. Takes
    /// precedence over all but overrides, also over --on-unreachable and --unreachable-as-unavailable.
    #[arg(long, value_name = "FILE|NAME", hide_short_help = true)]
    pub statuses: Option<PathBuf>,
    /// The time at which ages are judged [default: now]
    ///
    /// An RFC 3339 time, such as 2026-01-12T12:00:00Z.
    #[arg(long, value_name = "TIME", hide_short_help = true, value_parser = timestamp)]
    pub now: Option<jiff::Timestamp>,
}

impl OriginChoicesArgs {
    /// The time at which ages are judged: the one given, or the present.
    pub fn time(&self) -> i64 {
        self.now.map_or_else(time::now, |now| now.as_second())
    }

    /// Converts to the library's type, with ages judged at `now`. Reads the file of statuses, if there is one.
    pub fn choices(&self, now: i64) -> Result<Choices, Failure> {
        let statuses = self.statuses.as_deref().map(Statuses::named_or_file).transpose()?.unwrap_or_default();
        let choices = Choices::at(now).stale(self.on_stale, self.max_age);
        Ok(Choices {
            on_unfetched: self.on_unfetched.unwrap_or(choices.on_unfetched),
            on_unreachable: self.on_unreachable.unwrap_or(choices.on_unreachable),
            unreachable_as_unavailable: self.unreachable_as_unavailable,
            on_html: self.on_html.unwrap_or(choices.on_html),
            statuses,
            ..choices
        })
    }

    /// Whether one of these arguments has this name.
    pub fn has(name: &str) -> bool {
        OriginChoicesArgs::augment_args(Command::new("")).get_arguments().any(|arg| arg.get_id().as_str() == name)
    }

    /// The options that are given, by their names.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        let options = [
            ("--on-unfetched", self.on_unfetched.is_some()),
            ("--on-unreachable", self.on_unreachable.is_some()),
            ("--unreachable-as-unavailable", self.unreachable_as_unavailable.is_some()),
            ("--on-html", self.on_html.is_some()),
            ("--on-stale", self.on_stale.is_some()),
            ("--max-age", self.max_age.is_some()),
            ("--statuses", self.statuses.is_some()),
            ("--now", self.now.is_some()),
        ];
        options.into_iter().filter(|(_, is_given)| *is_given).map(|(option, _)| option)
    }
}

/// What to do with lines whether or not there are earlier rules.
const DEFINITE: [(&str, Fallback); 3] =
    [("allow", Fallback::Allow), ("block", Fallback::Block), ("defer", Fallback::Defer)];

/// A parser for what to do with lines whose origin may have earlier rules.
fn fallback() -> impl TypedValueParser<Value = Fallback> {
    one_of(DEFINITE.into_iter().chain([("use", Fallback::Use)]))
}

/// What pages must say about uses, and how that is read.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(mut_arg("content_signal", |arg| arg.hide_short_help(true)))]
pub struct RequiredArgs {
    /// Keep pages only if what their sites say allows a use: train-ai!=n
    ///
    /// A use is train-ai, search or ai-input. USE!=n requires that the site does not refuse the use, USE=y that it permits it;
    /// separate several by commas. Both are read from Content-Usage and Content-Signal lines, and one n among them is a refusal. A
    /// line that is allowed but does not meet the requirement is blocked, with the reason `preference`. A preference that cannot be
    /// read meets no requirement.
    #[arg(long, value_name = "USE!=n", hide_short_help = true, value_parser = str::parse::<Requirements>)]
    pub require: Option<Requirements>,
    #[command(flatten)]
    pub content_signal: SignalArgs,
}

/// To whom signals speak. Each command that tells or judges preferences has it.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct SignalArgs {
    /// To which crawlers a Content-Signal line speaks: group or everybody [default: group]
    ///
    /// group: to the crawlers of its group, or to all if it stands before the first group. everybody: to all, wherever it stands.
    /// The choice changes which preferences are shown and required.
    #[arg(long, value_name = "SCOPE", hide_possible_values = true,
        value_parser = one_of(SignalScope::ALL.map(|scope| (scope.name(), scope))))]
    pub content_signal: Option<SignalScope>,
}

impl SignalArgs {
    /// The scope that is given, or that of the program.
    pub fn scope(self) -> SignalScope {
        self.content_signal.unwrap_or_default()
    }
}
