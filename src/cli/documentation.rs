//! `robosieve man` and `robosieve completions`.

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use super::args::{Args, CompletionsArgs, ManArgs};
use super::destination;
use super::error::Failure;
use crate::formats::error::FileError;
use crate::formats::replace::replace;
use crate::formats::replace::{FileKind, begins_with};

/// How our manual pages begin: a comment.
const MARK: &str = ".\\\" Written by robosieve.\n";

/// Manual pages of this program that it wrote itself.
const MANUAL_PAGE: FileKind =
    FileKind { name: "a manual page of robosieve", is_ours: |file| begins_with(file, MARK.as_bytes()) };

pub fn man(args: &ManArgs) -> Result<ExitCode, Failure> {
    let mut program = Args::command().disable_help_subcommand(true);
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
    found.ok_or_else(|| Failure::NoCommand {
        given: name.to_owned(),
        known: program.get_subcommands().map(Command::get_name).collect::<Vec<_>>().join(", "),
    })
}

fn print(command: Command) -> Result<(), Failure> {
    Ok(io::stdout().lock().write_all(&page(command)?)?)
}

fn write_all(program: Command, folder: &Path) -> Result<(), Failure> {
    let commands: Vec<Command> = program.get_subcommands().cloned().collect();
    fs::create_dir_all(folder).map_err(FileError::of("write", folder))?;
    for command in [program].into_iter().chain(commands) {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        let path = folder.join(format!("{name}.1"));
        destination::ensure(&path, &MANUAL_PAGE, &[])?;
        let page = page(command)?;
        let write = |file: &mut File| file.write_all(&page);
        replace(&path, &MANUAL_PAGE, write).map_err(FileError::of("write", &path))?;
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

pub fn completions(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    // Into memory first: the generator panics if it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), env!("CARGO_PKG_NAME"), &mut script);
    io::stdout().lock().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
