//! The command `inspect`.

use crate::cli::crawlers::crawlers;
use crate::origin;
use crate::policy::{Policy, Record};
use crate::show::inspect::{self, OriginEntry, Summary};
use std::process::ExitCode;

use super::{entry, summary};
use crate::cli::args::InspectArgs;
use crate::cli::failure::Failure;
use crate::cli::printer::Printer;

pub fn run(args: &InspectArgs) -> Result<ExitCode, Failure> {
    let policy = args.policy.open()?;
    let now = args.now.unwrap_or_else(jiff::Timestamp::now).as_second();
    let crawlers = crawlers(args.agent.as_ref(), &policy)?;
    let Some(given) = &args.origin else {
        let summary = Summary::of(&policy, &crawlers, now, args.top);
        let text = if args.json { json(&summary)? } else { summary::text(&summary, args.top) };
        return print(&text);
    };
    let line = origin::trimmed(given.as_encoded_bytes());
    let wrong = |problem| Failure::Origin { given: given.to_string_lossy().into_owned(), problem };
    let (origin, _) = origin::canonical(line).map_err(wrong)?;
    let Some(record) = policy.lookup().get(origin.as_bytes()) else {
        print(&if args.json { "null".to_owned() } else { format!("{origin} is not in the policy") })?;
        return Ok(ExitCode::from(1));
    };
    if args.dot {
        return print(drawing(args, &policy, &record)?.trim_end());
    }
    let entry = OriginEntry::of(&policy, &record, &crawlers, now);
    print(&if args.json { json(&entry)? } else { entry::text(&entry) })
}

/// Draws the automaton of one crawler's group.
fn drawing(args: &InspectArgs, policy: &Policy, record: &Record<'_>) -> Result<String, Failure> {
    let crawler = policy.crawler(args.agent.as_ref())?;
    inspect::dot(policy, record, &crawler).ok_or_else(|| Failure::NoAutomaton {
        origin: String::from_utf8_lossy(record.origin).into_owned(),
        agent: crawler.agents().to_string(),
    })
}

pub(super) fn json(value: &impl serde::Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(value)
}

pub(super) fn print(text: &str) -> Result<ExitCode, Failure> {
    let mut printer = Printer::new();
    printer.line(text)?;
    printer.finish()?;
    Ok(ExitCode::SUCCESS)
}
