//! `robosieve filter`.

use std::io::{self, Write};
use std::process::ExitCode;

use super::args::FilterArgs;
use super::failure::Failure;
use robosieve::filter::{self, Choices, Destination, Job, MaxAge};
use robosieve::policy::{Captures, Policy, source};

pub fn run(args: &FilterArgs) -> Result<ExitCode, Failure> {
    let job = job(args)?;
    let policy = policy(args)?;
    let receipt = filter::run(&policy, &job)?;
    // Nobody may be there to read the table; the receipt has it all.
    let _ = writeln!(io::stderr(), "{receipt}");
    if args.count {
        let mut out = io::stdout().lock();
        serde_json::to_writer_pretty(&mut out, &receipt)?;
        writeln!(out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn policy(args: &FilterArgs) -> Result<Policy, Failure> {
    let mut captures = Captures::new(args.crawler.agent.clone(), args.crawler.dialect);
    let options = source::Options {
        #[cfg(feature = "parquet")]
        columns: args.columns.clone(),
    };
    match (&args.origin, args.robots.as_slice()) {
        (Some(origin), [single]) => source::add_single(single, origin, &mut captures)?,
        (Some(_), several) => return Err(Failure::OneRobots { given: several.len() }),
        (None, several) => source::add(several, &options, &mut captures)?,
    }
    Ok(captures.policy()?)
}

fn job(args: &FilterArgs) -> Result<Job, Failure> {
    let choices = Choices {
        on_unfetched: args.on_unfetched.into(),
        on_unreachable: args.on_unreachable.into(),
        on_stale: args.on_stale.into(),
        max_age: args.max_age.as_deref().map(max_age).transpose()?,
        now: args.now.unwrap_or_else(jiff::Timestamp::now).as_second(),
    };
    let destination = args.out.as_ref().map(|directory| Destination {
        directory: directory.clone(),
        force: args.force,
        per_input: args.per_input,
    });
    let (threads, chunk_size) = (args.threads, args.chunk_size);
    Ok(Job { lists: args.lists.clone(), destination, choices, threads, chunk_size })
}

fn max_age(given: &str) -> Result<MaxAge, Failure> {
    if given == "dialect" {
        return Ok(MaxAge::Dialect);
    }
    let wrong = |problem: String| Failure::MaxAge { given: given.to_owned(), problem };
    let span: jiff::Span = given.parse().map_err(|error: jiff::Error| wrong(error.to_string()))?;
    let relative = jiff::SpanRelativeTo::days_are_24_hours();
    let duration = span.to_duration(relative).map_err(|error| wrong(error.to_string()))?;
    u64::try_from(duration.as_secs()).map(MaxAge::Seconds).map_err(|_| wrong("it is negative".to_owned()))
}
