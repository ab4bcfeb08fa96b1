//! The program `robosieve`.

use std::process::ExitCode;

fn main() -> ExitCode {
    robosieve::cli::main(std::env::args_os())
}
