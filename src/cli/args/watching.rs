//! The arguments for progress and logs.

use clap::ValueEnum;
use std::path::PathBuf;
use std::time::Duration;

/// The options for progress and logs.
#[derive(Debug, clap::Args)]
pub struct WatchingArgs {
    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print more
    ///
    /// Shows the policy and the lists, the reasons with each line of progress, and the parts dropped from robots.txt
    /// files. JSON always has all of it.
    #[arg(short, long)]
    pub verbose: bool,
    /// The format of standard error: text or json
    ///
    /// Text is for people: a bar on a terminal, otherwise lines. JSON is for machines: an object per line, with `event`
    /// start, resume, progress, warning, finish or error.
    #[arg(long, default_value = "text", value_name = "FORMAT", hide_possible_values = true)]
    pub log: Log,
    /// The interval between lines of progress if there is no bar
    ///
    /// A duration such as 30s or 5m. A run that is shorter prints none.
    #[arg(long, hide_short_help = true, default_value = "10s", value_name = "DURATION", value_parser = interval)]
    pub progress_every: Duration,
    /// Write the metrics of the run to a file for Prometheus
    ///
    /// The file is in Prometheus's text format, for a textfile collector. It is rewritten every five seconds, or as
    /// often as --progress-every if that is shorter, and once more when the run ends, even in failure. It cannot be in
    /// the folder given by --out.
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
}

/// The format of standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Log {
    Text,
    Json,
}

fn interval(given: &str) -> Result<Duration, String> {
    // jiff accepts fractions, too: 0.5s, 100ms.
    let wanted = |_: jiff::Error| "expected a duration, such as 30s or 5m".to_owned();
    let duration: jiff::SignedDuration = given.parse().map_err(wanted)?;
    match Duration::try_from(duration) {
        // Longer than any run, but short enough to add to an `Instant`.
        Ok(duration) if !duration.is_zero() => Ok(duration.min(Duration::from_secs(1 << 32))),
        _ => Err("expected a duration above zero, such as 30s".to_owned()),
    }
}
