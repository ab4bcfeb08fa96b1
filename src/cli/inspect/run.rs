//! The command `inspect`.

use crate::cli::crawlers;
use crate::formats::json::to_string_pretty;
use crate::origin;
use crate::policy::{Policy, Record};
use crate::show::inspect::{self, OriginEntry, Summary};
use std::process::ExitCode;

use super::{entry, summary};
use crate::cli::args::InspectArgs;
use crate::cli::error::Failure;
use crate::cli::printer::print;

pub fn run(args: &InspectArgs) -> Result<ExitCode, Failure> {
    let policy = args.policy.open()?;
    let now = args.now.unwrap_or_else(jiff::Timestamp::now).as_second();
    let crawlers = crawlers::asked_or_all(args.agent.as_ref(), &policy)?;
    let Some(given) = &args.origin else {
        let summary = Summary::of(&policy, &crawlers, now, args.top);
        print(&if args.json { to_string_pretty(&summary)? } else { summary::text(&summary, args.top) })?;
        return Ok(ExitCode::SUCCESS);
    };
    let line = origin::trimmed(given.as_encoded_bytes());
    let wrong = |problem| Failure::Origin { given: given.to_string_lossy().into_owned(), problem };
    let (origin, _) = origin::canonical(line).map_err(wrong)?;
    let Some(record) = policy.lookup().get(origin.as_bytes()) else {
        print(&if args.json { "null".to_owned() } else { format!("{origin} is not in the policy") })?;
        return Ok(ExitCode::from(1));
    };
    if args.dot {
        print(drawing(args, &policy, &record)?.trim_end())?;
    } else {
        let entry = OriginEntry::of(&policy, &record, &crawlers, now);
        print(&if args.json { to_string_pretty(&entry)? } else { entry::text(&entry) })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Draws the automaton of one crawler's group.
fn drawing(args: &InspectArgs, policy: &Policy, record: &Record<'_>) -> Result<String, Failure> {
    let crawler = policy.crawler(args.agent.as_ref())?;
    inspect::dot(policy, record, &crawler).ok_or_else(|| Failure::NoAutomaton {
        origin: String::from_utf8_lossy(record.origin).into_owned(),
        agent: crawler.agents().to_string(),
    })
}
