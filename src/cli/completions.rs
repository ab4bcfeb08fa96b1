//! `robosieve completions`.

use clap::CommandFactory;
use std::io::{self, Write};
use std::process::ExitCode;

use super::args::{Args, CompletionsArgs};
use super::error::Failure;

pub fn run(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    // Into memory first: the generator panics if it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), env!("CARGO_PKG_NAME"), &mut script);
    io::stdout().lock().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
