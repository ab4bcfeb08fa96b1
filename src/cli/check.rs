//! `robosieve check`.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use super::args::CheckArgs;
use super::failure::Failure;
use robosieve::compression::Reader;
use robosieve::filter::STANDARD_INPUT;
use robosieve::robots::GroupOrigin;
use robosieve::{RuleSet, Verdict, origin};

pub fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let file = read(&args.robots)?;
    let rules = RuleSet::compile(&file, &args.crawler.agent, args.crawler.dialect);
    let mut out = Some(io::stdout().lock());
    let mut print = |line: String| match out.as_mut().map_or(Ok(()), |out| writeln!(out, "{line}")) {
        // Nobody reads on; the exit status still tells the answer.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            out = None;
            Ok(())
        }
        other => other,
    };
    let (mut blocked, mut invalid) = (false, false);
    for url in &args.urls {
        let line = origin::trimmed(url.as_encoded_bytes());
        match origin::canonical(line) {
            Ok((_, end)) => {
                let path = origin::path(&line[end..]);
                let explanation = rules.explain(&path);
                blocked |= explanation.verdict == Verdict::Blocked;
                print(report(&url.to_string_lossy(), &rules, &explanation))?;
            }
            Err(reason) => {
                invalid = true;
                print(format!("invalid\t{}\t{reason}", url.to_string_lossy()))?;
            }
        }
    }
    Ok(match (invalid, blocked) {
        (true, _) => ExitCode::from(2),
        (false, true) => ExitCode::from(1),
        (false, false) => ExitCode::SUCCESS,
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = || {
        let mut file = Vec::new();
        if path.as_os_str() == STANDARD_INPUT {
            Reader::new(io::stdin())?.read_to_end(&mut file)?;
        } else {
            Reader::open(path)?.read_to_end(&mut file)?;
        }
        Ok(file)
    };
    read().map_err(|error| Failure::Unreadable { path: path.to_owned(), error })
}

/// One line: verdict, URL, and what decided.
fn report(url: &str, rules: &RuleSet, explanation: &robosieve::Explanation<'_>) -> String {
    let verdict = match explanation.verdict {
        Verdict::Allowed => "allowed",
        Verdict::Blocked => "blocked",
    };
    let why = match explanation.rule {
        Some(rule) => {
            let key = if rule.allow { "Allow" } else { "Disallow" };
            format!("line {}: {key}: {}", rule.line, String::from_utf8_lossy(&rule.value))
        }
        None if explanation.always_allowed => "/robots.txt is always allowed".to_owned(),
        None if rules.origin() == GroupOrigin::None => "no group applies".to_owned(),
        None => "no rule matches".to_owned(),
    };
    format!("{verdict}\t{url}\t{why}\t{}", group(rules, explanation))
}

/// The agent of the group: that of the deciding rule, or of all that apply.
fn group(rules: &RuleSet, explanation: &robosieve::Explanation<'_>) -> String {
    let before = |line: u32| explanation.rule.is_none_or(|rule| line < rule.line);
    let chosen = rules.agent_lines();
    match chosen.iter().rev().find(|(_, line)| before(*line)) {
        Some((name, line)) => format!("User-agent: {name} (line {line})"),
        None => "-".to_owned(),
    }
}
