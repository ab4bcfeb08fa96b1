//! The commands.

use clap::{Parser, Subcommand};

use super::check::CheckArgs;
use super::compile::CompileArgs;
use super::documentation::{CompletionsArgs, ManArgs};
use super::export::ExportArgs;
use super::filter::FilterArgs;
use super::inspect::InspectArgs;
use super::lint::LintArgs;
use super::merge::MergeArgs;
use super::receipts::{JoinArgs, VerifyArgs};
use super::report::ReportArgs;

/// Split URL lists by robots.txt and prove that no line was lost
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    after_help = "Examples:
  robosieve filter --agent examplebot --robots robots/ --out split urls.txt
  robosieve compile --agent examplebot robots/ captures.jsonl -o policy.rsv
  robosieve check --policy policy.rsv https://example.com/private/x

Each command has examples of its own: robosieve help filter"
)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Filter(Box<FilterArgs>),
    Check(CheckArgs),
    Compile(CompileArgs),
    Merge(MergeArgs),
    Inspect(InspectArgs),
    Export(ExportArgs),
    Report(ReportArgs),
    Lint(LintArgs),
    Verify(VerifyArgs),
    Join(JoinArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}
