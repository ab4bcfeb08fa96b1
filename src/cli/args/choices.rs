//! The operator's choices where robots.txt gives no definite verdict: one group for each command that judges lines or tells how they
//! are judged, and one construction of [`Choices`].

use clap::builder::TypedValueParser;
use clap::{Args, Command};
use std::path::PathBuf;

use super::values::one_of;
use crate::cli::error::Failure;
use crate::cli::help::CHOICES;
use crate::formats::time;
use crate::formats::time_text::timestamp;
use crate::judge::choices_text::unreachable_for;
use crate::judge::{Choices, Fallback, MaxAge, Statuses};
use crate::preferences::{Requirements, SignalScope};

/// All choices, for commands that judge URLs.
#[derive(Debug, Clone, clap::Args)]
pub struct ChoicesArgs {
    #[command(flatten)]
    pub of_origins: OriginChoicesArgs,
    /// Judge an origin that is not in the policy by the one with or without www
    #[arg(long, help_heading = CHOICES, hide_short_help = true)]
    pub www_fallback: bool,
    /// Block pages whose sites refuse a use: train-ai!=n
    ///
    /// USE!=n: the site does not refuse it; USE=y: it permits it. Uses are train-ai, search and ai-input; separate several by
    /// commas. Lines that are allowed otherwise are blocked, with the reason `preference`.
    #[arg(long, help_heading = CHOICES, value_name = "USE!=n", value_parser = str::parse::<Requirements>)]
    pub require: Option<Requirements>,
    #[command(flatten)]
    pub content_signal: SignalArgs,
}

impl ChoicesArgs {
    /// Converts to the library's type, with ages judged at `now`. Reads the file of statuses, if there is one.
    pub fn choices(&self, now: i64) -> Result<Choices, Failure> {
        let choices = self.of_origins.choices(now)?.www_fallback(self.www_fallback);
        Ok(choices.require(self.require.unwrap_or_default()).content_signal(self.content_signal.scope()))
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
#[command(next_help_heading = CHOICES)]
pub struct OriginChoicesArgs {
    /// Never fetched: defer (default), allow or block
    ///
    /// The partition of such URLs.
    #[arg(long, value_name = "WHAT", hide_possible_values = true, value_parser = one_of(DEFINITE))]
    pub on_unfetched: Option<Fallback>,
    /// Unreachable: defer (default), allow, block or use
    ///
    /// 5xx, 429, 408, 425, no or an incomplete answer, no text, or a redirect to an unknown place. `use` applies the last good one.
    #[arg(long, value_name = "WHAT", hide_possible_values = true, value_parser = fallback())]
    pub on_unreachable: Option<Fallback>,
    /// Allow everything if a robots.txt was unreachable this long [default: never]
    ///
    /// A duration up to 90d, such as 30d, the example of RFC 9309. Takes precedence over --on-unreachable.
    #[arg(long, value_name = "DURATION", hide_short_help = true, value_parser = unreachable_for)]
    pub unreachable_as_unavailable: Option<u64>,
    /// HTML page: use (default), allow, block or defer
    ///
    /// With status 200, as some servers send it for every path. `use` reads it as a robots.txt, and mostly finds no rules.
    #[arg(long, value_name = "WHAT", hide_possible_values = true, value_parser = fallback())]
    pub on_html: Option<Fallback>,
    /// Too old: use (default), allow, block or defer
    ///
    /// Older than --max-age or, without it, than the dialect's own lifetime. `use` counts the lines as stale.
    #[arg(long, value_name = "WHAT", hide_possible_values = true, value_parser = fallback())]
    pub on_stale: Option<Fallback>,
    /// How old a robots.txt may be: 7d, or `dialect`
    ///
    /// A duration (10s, 100ms, 2h, 7d, or seconds), or the dialect's own lifetime [default: any age]
    #[arg(long, value_name = "DURATION", value_parser = str::parse::<MaxAge>)]
    pub max_age: Option<MaxAge>,
    /// What statuses mean: TOML, common-crawl or nutch
    ///
    /// Lines such as 403 = "defer" or "4xx" = "allow": allow, block or defer, for 400 to 599. Takes precedence over all but
    /// overrides.
    #[arg(long, value_name = "FILE|NAME")]
    pub statuses: Option<PathBuf>,
    /// The time at which ages are judged [default: now]
    ///
    /// RFC 3339, such as 2026-01-12T12:00:00Z.
    #[arg(long, value_name = "TIME", value_parser = timestamp)]
    pub now: Option<jiff::Timestamp>,
}

impl OriginChoicesArgs {
    /// The time at which ages are judged: the one given, or the present.
    pub fn time(&self) -> i64 {
        self.now.map_or_else(time::now, |now| now.as_second())
    }

    /// Converts to the library's type, with ages judged at `now`. Reads the file of statuses, if there is one.
    pub fn choices(&self, now: i64) -> Result<Choices, Failure> {
        let statuses = self.statuses.as_deref().map(Statuses::named_or_read).transpose()?.unwrap_or_default();
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

/// To whom signals speak. Each command that tells or judges preferences has it.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct SignalArgs {
    /// To which crawlers a Content-Signal line speaks: group or everybody [default: group]
    ///
    /// group: to those of its group, or to all if it stands before the first one.
    #[arg(long, help_heading = CHOICES, value_name = "SCOPE", hide_possible_values = true, hide_short_help = true,
        value_parser = one_of(SignalScope::ALL.map(|scope| (scope.name(), scope))))]
    pub content_signal: Option<SignalScope>,
}

impl SignalArgs {
    /// The scope that is given, or that of the program.
    pub fn scope(self) -> SignalScope {
        self.content_signal.unwrap_or_default()
    }
}
