//! Judges a list with robosieve's library by its public calls, as `matcher` does with the compared crates: `--agent TOKEN --robots
//! DIR --urls FILE --allowed FILE --blocked FILE` gives it one URL at a time. Without the two output files it measures calls: parsing
//! all files, one URL at a time, how long single calls take, and many URLs at a time.

use std::hint::black_box;

use peers::args::Args;
use peers::calls::{Latency, in_rounds, median_after};
use peers::report::Report;
use peers::sink::{Files, Sink};
use peers::table::{Bodies, Verdict, read_bodies};
use peers::{Result, clock, list};
use robosieve::policy::{Capture, Captures};
use robosieve::{Agents, Dialect, Matcher, Outcome, Partition};

/// URLs of one call for many.
const MANY: usize = 1_000;

fn main() -> std::process::ExitCode {
    peers::exit_with(Args::from_env().and_then(|args| judge(&args)))
}

fn judge(args: &Args) -> Result<()> {
    let (Some(allowed), Some(blocked)) = (&args.allowed, &args.blocked) else {
        return measure(args);
    };
    let matcher = matcher(args, &read_bodies(args.robots()?)?)?;
    let data = list::map(args.urls()?)?;
    let mut files = Files::create(allowed, blocked)?;
    for line in list::lines(&data) {
        files.put(verdict(matcher.judge(list::text(line))), line)?;
    }
    files.finish()
}

/// A matcher of all files; each applies to both schemes.
fn matcher(args: &Args, bodies: &Bodies) -> Result<Matcher> {
    let mut captures = Captures::new(args.agent.parse::<Agents>()?, Dialect::DEFAULT);
    let of = |scheme: &str| bodies.iter().map(|(name, body)| Capture::found(&origin(scheme, name), *body)).collect();
    captures.add(of("http"))?;
    captures.add(of("https"))?;
    Ok(captures.policy()?.matcher(&args.agent)?)
}

/// The origin that a file is named for: a host, or a whole origin with its `:` and `/` escaped, as generated data has some.
fn origin(scheme: &str, name: &str) -> String {
    let name = name.replace("%3A", ":").replace("%2F", "/");
    if name.contains("://") { name } else { format!("{scheme}://{name}") }
}

fn verdict(outcome: Outcome) -> Verdict {
    match outcome.partition() {
        Partition::Allowed => Verdict::Allowed,
        Partition::Blocked => Verdict::Blocked,
        _ => Verdict::Other,
    }
}

fn measure(args: &Args) -> Result<()> {
    let bodies = read_bodies(args.robots()?)?;
    let parse = || -> Result<f64> {
        let start = clock::seconds();
        black_box(matcher(args, &bodies)?);
        Ok(clock::seconds() - start)
    };
    let parsing = median_after(parse()?, args.rounds, parse)?;
    let matcher = matcher(args, &bodies)?;
    let data = list::map(args.urls()?)?;
    let urls: Vec<&[u8]> = list::lines(&data).map(list::text).collect();
    let allowed = |outcome: &Outcome| outcome.partition() == Partition::Allowed;
    let judge = |url: &&[u8]| allowed(&matcher.judge(url));
    let one = || black_box(&urls).iter().filter(|url| judge(url)).count();
    let many = || {
        let mut outcomes = Vec::new();
        let mut sum = 0;
        for part in black_box(&urls).chunks(MANY) {
            matcher.judge_all(part, &mut outcomes);
            sum += outcomes.iter().filter(|outcome| allowed(outcome)).count();
        }
        sum
    };
    let (ns_one, first) = in_rounds(urls.len(), args.rounds, one)?;
    let latency = Latency::of(&urls, judge);
    let (ns_many, second) = in_rounds(urls.len(), args.rounds, many)?;
    if first != second {
        return Err(format!("one at a time {first} URLs are allowed, many at a time {second}").into());
    }
    let report = Report::new("library")
        .number("urls", urls.len())
        .number("allowed", first)
        .number("parse_seconds", parsing)
        .number("ns_one", format!("{ns_one:.1}"))
        .number("ns_many", format!("{ns_many:.1}"));
    latency.add_to(report).memory().print();
    Ok(())
}
