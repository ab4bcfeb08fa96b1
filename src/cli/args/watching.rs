//! How a run is watched.

use clap::ValueEnum;
use std::path::PathBuf;
use std::time::Duration;

/// The options for progress and logs.
#[derive(Debug, clap::Args)]
pub struct WatchingArgs {
    /// Say nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more
    ///
    /// The policy and the lists, the reasons with each line of progress, and what was dropped from robots.txt files.
    /// (JSON has it all anyway.)
    #[arg(short, long)]
    pub verbose: bool,
    /// How the standard error is written: text or json
    ///
    /// For people, a bar on a terminal, otherwise lines; for machines, a JSON object a line, with `event` start, progress, finish
    /// or error.
    #[arg(long, default_value = "text", value_name = "FORMAT", hide_possible_values = true)]
    pub log: Log,
    /// How often progress is told where there is no bar
    ///
    /// A duration such as 30s or 5m. A run that is shorter tells none.
    #[arg(long, hide_short_help = true, default_value = "10s", value_name = "DURATION", value_parser = interval)]
    pub progress_every: Duration,
    /// Keep the numbers of the run in a file for Prometheus
    ///
    /// In its text format, for a collector of text files. It is renewed every five seconds, or as often as --progress-every if
    /// that is shorter, and a last time when the run ends, well or not. It cannot be in the folder given by --out.
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
}

/// How the standard error is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Log {
    Text,
    Json,
}

fn interval(given: &str) -> Result<Duration, String> {
    // Fractions are as jiff writes them: 0.5s, 100ms.
    let wanted = |_: jiff::Error| "a duration is wanted, such as 30s or 5m".to_owned();
    let duration: jiff::SignedDuration = given.parse().map_err(wanted)?;
    match Duration::try_from(duration) {
        // Longer than any run, and what clocks can add.
        Ok(duration) if !duration.is_zero() => Ok(duration.min(Duration::from_secs(1 << 32))),
        _ => Err("it is not positive; a duration such as 30s is wanted".to_owned()),
    }
}
