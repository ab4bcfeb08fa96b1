//! Judges a list with one of the compared crates: `--peer NAME --agent TOKEN --robots DIR --urls FILE --allowed FILE --blocked FILE
//! [--threads N]`. Without the two output files it measures calls.

use peers::Result;
use peers::args::Args;
use peers::matchers::PROGRAMS;

fn main() -> std::process::ExitCode {
    peers::exit_with(Args::from_env().and_then(|args| choose(&args)))
}

fn choose(args: &Args) -> Result<()> {
    let name = args.peer.as_deref().unwrap_or_default();
    match PROGRAMS.iter().find(|(known, _)| *known == name) {
        Some((_, program)) => program(args),
        None => Err(format!("no matcher '{name}' is built in").into()),
    }
}
