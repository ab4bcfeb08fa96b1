//! The program `robosieve`.

mod cli;

use clap::Parser;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run(cli::Args::parse()) {
        Ok(status) => status,
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            let _ = writeln!(io::stderr(), "robosieve: {failure}");
            ExitCode::from(failure.status())
        }
    }
}
