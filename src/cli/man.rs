//! `robosieve man`.

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use super::args::{Args, ManArgs};
use super::failure::Failure;

pub fn run(args: &ManArgs) -> Result<ExitCode, Failure> {
    let mut program = Args::command().disable_help_subcommand(true);
    program.build();
    match (&args.output, &args.of) {
        (Some(folder), _) => write_all(program, folder)?,
        (None, None) => print(program)?,
        (None, Some(name)) => print(command(&program, name)?)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The command of a name.
fn command(program: &Command, name: &str) -> Result<Command, Failure> {
    let found = program.find_subcommand(name).cloned();
    found.ok_or_else(|| Failure::NoCommand {
        given: name.to_owned(),
        known: program.get_subcommands().map(Command::get_name).collect::<Vec<_>>().join(", "),
    })
}

fn print(command: Command) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    page(command).render(&mut bytes)?;
    Ok(io::stdout().lock().write_all(&bytes)?)
}

fn write_all(program: Command, folder: &Path) -> Result<(), Failure> {
    let commands: Vec<Command> = program.get_subcommands().cloned().collect();
    let write = || {
        fs::create_dir_all(folder)?;
        [program].into_iter().chain(commands).try_for_each(|command| page(command).generate_to(folder).map(drop))
    };
    write().map_err(|error| Failure::Output { path: folder.to_owned(), error })
}

/// The page of a command. Its foot names the program, not the command.
fn page(command: Command) -> Man {
    Man::new(command).source(concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")))
}
