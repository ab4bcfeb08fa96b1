//! `robosieve man` and `robosieve completions`.

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::destination;
use super::error::Failure;
use super::help::OUTPUT;
use crate::error::Problem;
use crate::formats::replace::{FileKind, begins_with, replace};
use crate::formats::standard_output;

/// Print a completion script for a shell
///
/// It completes commands, options, their values, and file names. The examples show where each shell usually looks for it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve completions bash > ~/.bash_completion
  robosieve completions zsh > ~/.zfunc/_robosieve
  robosieve completions fish > ~/.config/fish/completions/robosieve.fish")]
pub struct CompletionsArgs {
    /// bash, elvish, fish, powershell or zsh
    #[arg(value_name = "SHELL", hide_possible_values = true)]
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
    /// The folder for all pages: robosieve.1, robosieve-filter.1...
    #[arg(short, long, help_heading = OUTPUT, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// How our manual pages begin: a comment.
const MARK: &str = ".\\\" Written by robosieve.\n";

/// Manual pages of this program that it wrote itself.
const MANUAL_PAGE: FileKind =
    FileKind { name: "a manual page of robosieve", is_ours: |file| begins_with(file, MARK.as_bytes()) };

pub fn man(args: &ManArgs, program: Command) -> Result<ExitCode, Failure> {
    let mut program = program.disable_help_subcommand(true);
    program.build();
    match (&args.out, &args.of) {
        (Some(folder), _) => write_all(program, folder)?,
        (None, None) => print(program)?,
        (None, Some(name)) => print(command(&program, name)?)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn command(program: &Command, name: &str) -> Result<Command, Failure> {
    let found = program.find_subcommand(name).cloned();
    found.ok_or_else(|| {
        let known = program.get_subcommands().map(Command::get_name).collect::<Vec<_>>().join(", ");
        format!("unknown command {name:?}; the commands are {known}").into()
    })
}

fn print(command: Command) -> Result<(), Failure> {
    print_bytes(&page(command)?)
}

fn write_all(program: Command, folder: &Path) -> Result<(), Failure> {
    let commands: Vec<Command> = program.get_subcommands().cloned().collect();
    fs::create_dir_all(folder).map_err(Problem::with_file("write", folder))?;
    for command in [program].into_iter().chain(commands) {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        let path = folder.join(format!("{name}.1"));
        destination::ensure(&path, &MANUAL_PAGE, &[])?;
        let page = page(command)?;
        let write = |file: &mut File| file.write_all(&page);
        replace(&path, &MANUAL_PAGE, write).map_err(Problem::with_file("write", &path))?;
    }
    Ok(())
}

/// The page of a command. Its footer names the program, not the command.
fn page(mut command: Command) -> io::Result<Vec<u8>> {
    let usage = command.render_usage().to_string();
    let synopsis = usage.trim_start_matches("Usage: ").lines().map(|line| roff(line.trim())).collect::<Vec<_>>();
    let man = Man::new(command).source(concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::from(MARK);
    man.render(&mut page)?;
    // clap_mangen's synopsis lists options without their values.
    let text = String::from_utf8_lossy(&page).into_owned();
    let Some((head, rest)) = text.split_once(".SH SYNOPSIS\n") else { return Ok(page) };
    let (_, rest) = rest.split_once("\n.SH ").unwrap_or(("", rest));
    Ok(format!("{head}.SH SYNOPSIS\n{}\n.SH {rest}", synopsis.join("\n.br\n")).into_bytes())
}

/// Escapes a line of text for roff.
fn roff(line: &str) -> String {
    line.replace('\\', "\\e").replace('-', "\\-")
}

pub fn completions(args: &CompletionsArgs, mut program: Command) -> Result<ExitCode, Failure> {
    // Into memory first: the generator panics if it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, env!("CARGO_PKG_NAME"), &mut script);
    print_bytes(&script)?;
    Ok(ExitCode::SUCCESS)
}

fn print_bytes(text: &[u8]) -> Result<(), Failure> {
    let mut out = standard_output::open()?.lock();
    Ok(out.write_all(text).and_then(|()| out.flush())?)
}
