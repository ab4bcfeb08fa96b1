//! Judges a list with one of the compared crates: `--peer NAME --agent TOKEN --robots DIR --urls FILE --allowed FILE --blocked FILE
//! [--threads N]`. Without the two output files it measures calls.

use peers::Result;
use peers::args::Args;
use peers::engines::{AhoCorasickVerified, DenseDfa};
use peers::matchers::{Fast, Robotstxt, Robotxt, Texting};
use peers::run;
use peers::table::Peer;

fn main() -> std::process::ExitCode {
    peers::exit_with(Args::from_env().and_then(|args| choose(&args)))
}

fn choose(args: &Args) -> Result<()> {
    match args.peer.as_deref().unwrap_or_default() {
        Texting::NAME => run::main::<Texting>(args),
        Fast::NAME => run::main::<Fast>(args),
        Robotstxt::NAME => run::main::<Robotstxt>(args),
        Robotxt::NAME => run::main::<Robotxt>(args),
        DenseDfa::NAME => run::main::<DenseDfa>(args),
        AhoCorasickVerified::NAME => run::main::<AhoCorasickVerified>(args),
        name => Err(format!("unknown peer '{name}'").into()),
    }
}
