//! `robosieve inspect`.

mod entry;
mod summary;

use std::process::ExitCode;

use super::args::InspectArgs;
use super::failure::Failure;
use super::printer::Printer;
use robosieve::inspect::{self, Entry, Summary};
use robosieve::origin;
use robosieve::policy::{Policy, Record};

pub fn run(args: &InspectArgs) -> Result<ExitCode, Failure> {
    let policy = args.policy.open()?;
    let now = args.now.unwrap_or_else(jiff::Timestamp::now).as_second();
    let crawlers = super::crawlers(args.agent.as_ref(), &policy)?;
    let Some(given) = &args.origin else {
        let summary = Summary::of(&policy, &crawlers, now, args.top);
        let text = if args.json { json(&summary)? } else { summary::text(&summary, args.top) };
        return print(&text);
    };
    let line = origin::trimmed(given.as_encoded_bytes());
    let wrong = |problem| Failure::Origin { given: given.to_string_lossy().into_owned(), problem };
    let (origin, _) = origin::canonical(line).map_err(wrong)?;
    let Some(record) = policy.index().get(origin.as_bytes()) else {
        print(&if args.json { "null".to_owned() } else { format!("{origin}: the policy has no entry for it") })?;
        return Ok(ExitCode::from(1));
    };
    if args.dot {
        return print(drawing(args, &policy, &record)?.trim_end());
    }
    let entry = Entry::of(&policy, &record, &crawlers, now);
    print(&if args.json { json(&entry)? } else { entry::text(&entry) })
}

/// A drawing is of one crawler's automaton.
fn drawing(args: &InspectArgs, policy: &Policy, record: &Record<'_>) -> Result<String, Failure> {
    let crawler = policy.crawler(args.agent.as_ref())?;
    inspect::dot(policy, record, &crawler).ok_or_else(|| Failure::NoAutomaton {
        origin: String::from_utf8_lossy(record.origin).into_owned(),
        agent: crawler.agents().to_string(),
    })
}

fn json(value: &impl serde::Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(value)
}

fn print(text: &str) -> Result<ExitCode, Failure> {
    let mut printer = Printer::new();
    printer.line(text)?;
    printer.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// A duration in the two largest units that it has, such as `1 d 12 h`.
fn duration(seconds: u64) -> String {
    let units = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")];
    let mut rest = seconds;
    let parts = units.iter().map(|&(length, unit)| {
        let count = rest / length;
        rest %= length;
        (count, unit)
    });
    let parts: Vec<String> = parts
        .skip_while(|(count, _)| *count == 0)
        .take(2)
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count} {unit}"))
        .collect();
    if parts.is_empty() { "0 s".to_owned() } else { parts.join(" ") }
}

/// A number with at most two decimals.
fn number(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_numbers_are_short() {
        let expected = ["0 s", "59 s", "1 min", "1 h", "1 d 12 h", "365 d"];
        assert_eq!([0, 59, 60, 3600, 129_600, 31_536_000].map(duration), expected);
        assert_eq!(duration(86_401), "1 d");
        assert_eq!([8640.0, 0.5, 100.0, 1.234].map(number), ["8640", "0.5", "100", "1.23"]);
    }
}
