//! What `check` judges URLs by: a policy or one robots.txt.

use std::ffi::OsStr;
use std::path::Path;

use super::answer::{Answer, by_policy, by_rules};
use crate::cli::args::CheckArgs;
use crate::cli::crawlers;
use crate::cli::error::Failure;
use crate::cli::read;
use crate::cli::say::say;
use crate::cli::sources::{say_passed_over, with_overrides};
use crate::dialect::Dialect;
use crate::formats::shown;
use crate::judge::RuleSet;
use crate::origin;
use crate::policy::source::{Robots as RobotsFile, SourceError, SourceKind};
use crate::policy::{Captures, Columns, Crawler, Policy};
use crate::robots::{self, Agents, NoteKind, Robots};

/// What judges URLs: a policy or one robots.txt.
pub enum RuleSource {
    /// The rules of one robots.txt, for each crawler.
    Rules(Vec<(Agents, RuleSet)>),
    /// A policy, searched by the origin of each URL.
    Policy(Box<Policy>, Vec<Crawler>),
}

impl RuleSource {
    pub fn new(args: &CheckArgs) -> Result<RuleSource, Failure> {
        if let Some(policy) = args.policy.open()? {
            let policy = with_overrides(policy, args.overrides.as_deref())?;
            let crawlers = crawlers::asked(&args.crawlers.agent, &policy)?;
            return Ok(RuleSource::Policy(Box::new(policy), crawlers));
        }
        let (agents, dialect) = (&args.crawlers.agent, args.crawlers.dialect.dialect);
        // Names of columns and times are of use only in a source of answers.
        let is_plain = args.reading.columns.is_none() && args.reading.fetched_at.is_none();
        if let ([single], None, None, true) = (args.robots.as_slice(), &args.origin, &args.overrides, is_plain)
            && let Some(text) = robots_txt(single, dialect)?
        {
            let text = &text.body;
            warn_without_records(single, text, dialect);
            let rules = agents.iter().map(|agents| (agents.clone(), RuleSet::compile(text, agents, dialect)));
            return Ok(RuleSource::Rules(rules.collect()));
        }
        let (origin, overrides) = (args.origin.as_deref(), args.overrides.as_deref());
        let sources = args.reading.sources(&args.robots, origin, overrides, false, &say_passed_over);
        let policy = sources.read(Captures::new(Columns::new(agents.clone())?, dialect))?.policy()?;
        let crawlers = crawlers::asked(agents, &policy)?;
        Ok(RuleSource::Policy(Box::new(policy), crawlers))
    }

    /// The answers for a URL, one for each crawler.
    pub fn answers(&self, url: &OsStr) -> Vec<(String, Answer)> {
        let line = origin::trimmed(url.as_encoded_bytes());
        let place = origin::canonical(line).map(|(origin, end)| (origin, &line[end..]));
        let of = |by: &dyn Fn(&str, &[u8]) -> Answer| match &place {
            Ok((origin, rest)) => by(origin, rest),
            Err(reason) => Answer::invalid(*reason),
        };
        match self {
            RuleSource::Rules(rules) => {
                let answer = |(agents, rules): &(Agents, RuleSet)| {
                    let rules = rules.chosen();
                    (agents.to_string(), of(&|_, rest| by_rules(rules, &rules.dialect.url_path.of(rest))))
                };
                rules.iter().map(answer).collect()
            }
            RuleSource::Policy(policy, crawlers) => {
                let answer = |crawler: &Crawler| {
                    let url_path = policy.dialect().url_path;
                    let answer = of(&|origin, rest| by_policy(policy, crawler, origin, &url_path.of(rest)));
                    (crawler.agents().to_string(), answer)
                };
                crawlers.iter().map(answer).collect()
            }
        }
    }
}

/// The text of a single robots.txt; `None` if the source names its origins itself.
fn robots_txt(path: &Path, dialect: &Dialect) -> Result<Option<RobotsFile>, Failure> {
    // Only files and folders can be examined before they are read: a pipe can be read once.
    if std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() || metadata.is_dir()) {
        return match SourceKind::of(path)? {
            SourceKind::RobotsTxt => Ok(Some(read::robots_txt(path, [dialect])?)),
            SourceKind::Policy => Err(SourceError::Policy { path: path.to_owned() }.into()),
            _ => Ok(None),
        };
    }
    let text = read::robots_txt(path, [dialect])?;
    match SourceKind::of_text(&text.body) {
        SourceKind::RobotsTxt => Ok(Some(text)),
        kind => Err(Failure::Piped { path: path.to_owned(), kind: kind.name() }),
    }
}

/// Warns of a text that is not a robots.txt: it forbids nothing, which looks like permission.
fn warn_without_records(path: &Path, file: &[u8], dialect: &Dialect) {
    let text = robots::decode(file, dialect, &mut Vec::new());
    let robots = Robots::parse(&text, dialect);
    let is_record = |kind| matches!(kind, NoteKind::RuleOutsideGroup | NoteKind::AllowIgnored | NoteKind::MisspeltKey);
    let has_record = !robots.groups.is_empty()
        || !robots.side_records.is_empty()
        || robots.notes.iter().any(|note| is_record(note.kind));
    if !has_record && !robots.notes.is_empty() {
        say(format_args!(
            "robosieve: warning: {} has no robots.txt lines, so it forbids nothing; is it a robots.txt?",
            shown(path)
        ));
    }
}
