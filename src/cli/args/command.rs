//! The commands.

use clap::{Parser, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;

use super::check::{CheckArgs, LintArgs};
use super::compile::{CompileArgs, MergeArgs};
use super::filter::FilterArgs;
use super::inspect::{DiffArgs, ExportArgs, HistoryArgs, InspectArgs};
use super::keys::{KeysArgs, SeenArgs};
use super::receipts::{JoinArgs, ReportArgs, VerifyArgs};

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
    Diff(DiffArgs),
    History(HistoryArgs),
    Report(ReportArgs),
    Lint(LintArgs),
    Verify(VerifyArgs),
    Join(JoinArgs),
    Keys(KeysArgs),
    Seen(SeenArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Print a completion script for a shell
///
/// With it, the shell completes commands, options, their values, and file names. The examples show where each shell
/// usually looks for the script.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve completions bash > ~/.local/share/bash-completion/completions/robosieve
  robosieve completions zsh > ~/.zfunc/_robosieve
  robosieve completions fish > ~/.config/fish/completions/robosieve.fish")]
pub struct CompletionsArgs {
    /// The shell to complete for
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// Print the manual page of the program or of one of its commands
///
/// The pages contain the text of --help, formatted for man(1).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve man | man -l -
  robosieve man filter | man -l -
  robosieve man -o ~/.local/share/man/man1")]
pub struct ManArgs {
    /// The command to document [default: the program itself]
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    pub of: Option<String>,
    /// Write all pages (robosieve.1, robosieve-filter.1 and so on) to a folder
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
