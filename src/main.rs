//! The `robosieve` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    robosieve::cli::main(std::env::args_os())
}
