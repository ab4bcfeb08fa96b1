//! The arguments of the commands that print documentation.

use clap_complete::Shell;
use std::path::PathBuf;

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
