//! `robosieve join`.

use std::io::{self, Write};
use std::process::ExitCode;

use super::args::JoinArgs;
use super::failure::Failure;
use crate::run;

pub fn run(args: &JoinArgs) -> Result<ExitCode, Failure> {
    let receipt = run::join(&args.shards, &args.out, args.concat, args.force)?;
    if !args.quiet {
        // Write errors are ignored: the receipt has all of it.
        let _ = writeln!(io::stderr(), "{receipt}");
    }
    Ok(ExitCode::SUCCESS)
}
