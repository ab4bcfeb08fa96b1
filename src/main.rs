//! The program `robosieve`.

mod cli;

use clap::Parser;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match cli::Args::try_parse() {
        Ok(args) => args,
        Err(problem) => return cli::usage(&problem),
    };
    match cli::run(args) {
        Ok(status) => status,
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            let _ = writeln!(io::stderr(), "robosieve: {failure}");
            ExitCode::from(failure.status())
        }
    }
}
