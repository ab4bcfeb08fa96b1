//! `robosieve compile`.

use std::path::Path;
use std::process::ExitCode;

use super::args::CompileArgs;
use super::destination;
use super::error::Failure;
use super::journal::watch_compiling;
use super::say::say;
use super::sources::say_passed_over;
use crate::formats::shown;
use crate::output::counted;
use crate::policy::source::PassedOver;
use crate::policy::{Captures, Columns, POLICY_FILE, Statistics};

pub fn run(args: &CompileArgs) -> Result<ExitCode, Failure> {
    let mut inputs = args.sources.clone();
    inputs.extend(args.overrides.clone());
    destination::ensure(&args.out, &POLICY_FILE, &inputs)?;
    let columns = Columns::new(args.agent.clone())?;
    let (origin, overrides) = (args.origin.as_deref(), args.overrides.as_deref());
    let tell: &dyn Fn(&PassedOver) = if args.quiet { &|_| {} } else { &say_passed_over };
    let sources = args.reading.sources(&args.sources, origin, overrides, args.skip_bad, tell);
    let out = destination::lock(&args.out, args.quiet)?;
    let captures = Captures::for_file(&out, columns, args.dialect).with_memory(args.memory);
    let progress = captures.progress();
    let compile = || {
        let written = sources.read(captures)?.write(&out);
        written.map_err(|error| Failure::Write { path: args.out.clone(), error })
    };
    if args.quiet {
        compile()?;
    } else {
        report(&args.out, &watch_compiling(&progress, compile)?);
    }
    Ok(ExitCode::SUCCESS)
}

/// Reports the contents of a new policy file.
pub fn report(path: &Path, statistics: &Statistics) {
    let notes: u64 = statistics.notes.iter().map(|(_, count)| count).sum();
    if notes > 0 {
        let lines = counted(notes, "line or part", "lines or parts");
        say(format_args!("{lines} of robots.txt files had no effect; `robosieve inspect` lists their kinds"));
    }
    let size = std::fs::metadata(path).map(|metadata| metadata.len()).unwrap_or_default();
    let origins = counted(statistics.origins, "origin", "origins");
    let groups = counted(statistics.automata, "distinct group", "distinct groups");
    say(format_args!("{}: {origins}, {groups}, {size} bytes", shown(path)));
}
