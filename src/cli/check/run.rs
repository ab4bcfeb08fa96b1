//! The command `check`.

use serde::Serialize;
use std::ffi::OsString;
use std::io::{self, BufRead};
use std::process::ExitCode;

use super::answer::Answer;
use super::judge::RuleSource;
use crate::cli::args::CheckArgs;
use crate::cli::error::Failure;
use crate::cli::printer::Printer;
use crate::cli::read::url_line;
use crate::formats::{json, visible};
use crate::input::STANDARD_INPUT;
use crate::outcome::Partition;

pub fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let is_standard_input = |name: &OsString| name == STANDARD_INPUT;
    let reads_urls = args.urls.iter().filter(|url| is_standard_input(url)).count();
    if reads_urls > 1 || reads_urls == 1 && args.robots.iter().any(|path| is_standard_input(&path.clone().into())) {
        return Err(Failure::StandardInputForTwo);
    }
    if args.policy.policy.is_empty() && args.robots.is_empty() {
        return Err(Failure::NoSource);
    }
    if args.policy.policy.is_empty() && args.crawlers.agent.is_empty() {
        return Err(Failure::NoAgent);
    }
    let judge = RuleSource::new(args)?;
    let mut checker = Checker { judge, json: args.json, printer: Printer::new(), worst: 0 };
    for url in &args.urls {
        if is_standard_input(url) {
            checker.check_lines(io::stdin().lock())?;
        } else {
            checker.check(url.clone())?;
        }
    }
    checker.printer.finish()?;
    Ok(ExitCode::from(checker.worst))
}

struct Checker {
    judge: RuleSource,
    json: bool,
    printer: Printer,
    /// The exit status of the worst answer.
    worst: u8,
}

/// An answer as JSON.
#[derive(Serialize)]
struct AnswerLine<'a> {
    url: &'a str,
    agent: &'a str,
    #[serde(flatten)]
    answer: &'a Answer,
}

impl Checker {
    /// Answers each line of a text that is not blank.
    fn check_lines(&mut self, mut text: impl BufRead) -> Result<(), Failure> {
        loop {
            let line = url_line(&mut text)?;
            if line.is_empty() {
                return Ok(());
            }
            if !line.trim_ascii().is_empty() {
                self.check(url_of(line.trim_ascii()))?;
            }
        }
    }

    fn check(&mut self, url: OsString) -> Result<(), Failure> {
        let answers = self.judge.answers(&url);
        let (several, url) = (answers.len() > 1, url.to_string_lossy());
        for (agent, answer) in answers {
            self.worst = self.worst.max(match answer.verdict {
                Partition::Allowed => 0,
                Partition::Blocked | Partition::Deferred => 1,
                Partition::Invalid => 2,
            });
            let line = if self.json {
                json::to_string(&AnswerLine { url: &url, agent: &agent, answer: &answer })?
            } else {
                text(&url, several.then_some(&*agent), &answer)
            };
            self.printer.line(&line)?;
        }
        Ok(())
    }
}

/// An answer for people, which names the crawler if `agent` is given.
fn text(url: &str, agent: Option<&str>, answer: &Answer) -> String {
    let group = match answer.verdict {
        Partition::Invalid => String::new(),
        _ => format!("\t{}", visible(answer.group())),
    };
    let agent = agent.map(|agent| format!("\tfor {agent}")).unwrap_or_default();
    format!("{}\t{}\t{}{group}{agent}", answer.verdict.name(), visible(url), visible(&answer.why))
}

/// A line as a command-line argument.
#[cfg(unix)]
fn url_of(line: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(line.to_vec())
}

/// A line as a command-line argument.
#[cfg(not(unix))]
fn url_of(line: &[u8]) -> OsString {
    String::from_utf8_lossy(line).into_owned().into()
}
