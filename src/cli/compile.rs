//! `robosieve compile`.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use super::args::CompileArgs;
use super::failure::Failure;
use super::journal::watch_compiling;
use super::sources::Sources;
use robosieve::policy::{Captures, Columns, Statistics};

pub fn run(args: &CompileArgs) -> Result<ExitCode, Failure> {
    let columns = Columns::new(args.agent.clone())?;
    let sources = Sources {
        paths: &args.sources,
        origin: args.origin.as_deref(),
        options: args.reading.options(),
        overrides: args.overrides.as_deref(),
        quiet: false,
    };
    let captures = Captures::for_file(&args.output, columns, args.dialect);
    let statistics = watch_compiling(&captures.progress(), || {
        let written = sources.read(captures)?.write(&args.output);
        written.map_err(|error| Failure::Write { path: args.output.clone(), error })
    })?;
    report(&args.output, &statistics);
    Ok(ExitCode::SUCCESS)
}

/// Says what is in a policy file that was written.
pub fn report(path: &Path, statistics: &Statistics) {
    let mut err = io::stderr().lock();
    // Nobody may be there to read it; the file has it all.
    for (kind, count) in statistics.notes.iter() {
        let _ = writeln!(err, "robots.txt: {} {count}", kind.name());
    }
    let size = std::fs::metadata(path).map(|metadata| metadata.len()).unwrap_or_default();
    let Statistics { origins, automata, .. } = statistics;
    let _ = writeln!(err, "{}: {origins} origins, {automata} distinct groups, {size} bytes", path.display());
}
