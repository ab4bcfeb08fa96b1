//! `robosieve compile` and `robosieve merge`.

use std::path::Path;
use std::process::ExitCode;

use super::args::{CompileArgs, MergeArgs, mapped};
use super::destination;
use super::error::Failure;
use super::journal::watch_compiling;
use super::say::{say, say_lines};
use super::sources::{self, say_passed_over};
use crate::formats::fit::wrapped;
use crate::formats::shown;
use crate::output::counted;
use crate::policy::source::PassedOver;
use crate::policy::{self, Captures, Crawlers, MergeError, Merged, Overrides, POLICY_FILE, Statistics, Trust};

pub fn compile(args: &CompileArgs) -> Result<ExitCode, Failure> {
    let mut inputs = args.sources.clone();
    inputs.extend(args.overrides.clone());
    destination::ensure(&args.out, &POLICY_FILE, &inputs)?;
    let columns = Crawlers::new(sources::all(&args.agent, args.agents_file.as_deref(), args.dialect)?)?;
    let (origin, overrides) = (args.origin.as_deref(), args.overrides.as_deref());
    let tell: &dyn Fn(&PassedOver) = if args.quiet { &|_| {} } else { &say_passed_over };
    let sources = args.reading.sources(&args.sources, origin, overrides, args.skip_bad, tell);
    let out = destination::lock(&args.out, args.quiet)?;
    let captures = Captures::for_file(&out, columns, args.dialect).with_memory(args.memory);
    let progress = captures.progress();
    let written = || {
        let written = sources.read(captures)?.write(&out);
        written.map_err(|error| Failure::Write { path: args.out.clone(), error })
    };
    if args.quiet {
        written()?;
    } else {
        report(&args.out, &watch_compiling(&progress, written)?);
    }
    Ok(ExitCode::SUCCESS)
}

/// Reports the contents of a new policy file.
fn report(path: &Path, statistics: &Statistics) {
    let notes: u64 = statistics.notes.iter().map(|(_, count)| count).sum();
    if notes > 0 {
        let lines = counted(notes, "line or part", "lines or parts");
        let had_none = format!("{lines} of robots.txt files had no effect;");
        say_lines(wrapped([had_none.as_str(), "`robosieve inspect` lists their kinds"]));
    }
    let size = std::fs::metadata(path).map(|metadata| metadata.len()).unwrap_or_default();
    let origins = counted(statistics.origins, "origin", "origins");
    let groups = counted(statistics.automata, "distinct group", "distinct groups");
    say_lines(wrapped([format!("{}:", shown(path)), format!("{origins}, {groups}, {size} bytes")]));
}

/// How many origins whose overrides contradict each other are named.
const NAMED: usize = 3;

pub fn merge(args: &MergeArgs) -> Result<ExitCode, Failure> {
    // The result may replace one of the policies.
    let others: Vec<_> = args.overrides.iter().cloned().collect();
    destination::ensure(&args.out, &POLICY_FILE, &others)?;
    let out = destination::lock(&args.out, args.quiet)?;
    let policies = args.policies.iter().map(|path| mapped(path, Trust::Nothing)).collect::<Result<Vec<_>, _>>()?;
    let overrides = args.overrides.as_deref().map(Overrides::read).transpose()?;
    let merged = policy::merge(&policies, overrides.as_ref(), &out).map_err(|error| match error {
        MergeError::Write(error) => Failure::Write { path: args.out.clone(), error },
        other => Failure::Merge(other),
    })?;
    if !args.quiet {
        tell(&merged);
        report(&args.out, &merged.statistics);
    }
    Ok(ExitCode::SUCCESS)
}

/// Tells what the policies disagree about.
fn tell(merged: &Merged) {
    if merged.without_time > 0 {
        let answers = counted(merged.without_time, "answer without a time differs", "answers without a time differ");
        say(format_args!("{answers} from another for the same URL; one of each two is kept, whichever is newer"));
    }
    let contradictions = &merged.contradictions;
    if !contradictions.is_empty() {
        let origins = counted(contradictions.len() as u64, "origin", "origins");
        let (named, more) =
            (contradictions.iter().take(NAMED), if contradictions.len() > NAMED { ", ..." } else { "" });
        let named = named.map(String::as_str).collect::<Vec<_>>().join(", ");
        say(format_args!("the overrides of {origins} contradict each other; the stricter ones count: {named}{more}"));
    }
}
