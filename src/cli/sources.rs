//! What a command judges by: the sources of a policy, the overrides over it, and its crawlers; and whole files that it reads,
//! none of which may be endless.

use std::ffi::OsStr;
use std::io::{self, BufRead, Read};
use std::path::Path;
use std::sync::Arc;

use super::error::{Failure, not_compiled};
use super::say::say;
use crate::dialect::Dialect;
use crate::error::Problem;
use crate::error::policy::Error;
use crate::formats::error::json_problem;
use crate::formats::{is_standard_input, shortened, shown, text_file};
use crate::input::STANDARD_INPUT;
use crate::origin::{self, InvalidUrl};
use crate::policy::source::{PassedOver, Robots};
use crate::policy::{Crawler, Overrides, Policy, Statistics};
use crate::robots::Agents;

/// Tells on standard error what was passed over in sources.
pub fn say_passed_over(passed: &PassedOver) {
    let kind = if passed.is_warning() { "warning: " } else { "" };
    say(format_args!("robosieve: {kind}{passed}"));
}

/// The warning about URLs of which only bytes could choose an answer, with what to do; `None` if there are no such URLs.
pub fn ties(statistics: &Statistics) -> Option<String> {
    let remedy = "--fetched-at TIME or mtime gives one to those without";
    let told = statistics.ties()?;
    Some(format!("{told}; compile answers with their times ({remedy}), or leave out one of each two"))
}

/// Tells on standard error of the [ties](ties()) in a policy that was just compiled.
pub fn say_ties(policy: &Policy) {
    if let Some(ties) = ties(policy.statistics()) {
        say(format_args!("robosieve: warning: {ties}"));
    }
}

/// A policy with the operator's overrides, if there are any.
pub fn with_overrides(policy: Policy, overrides: Option<&Path>) -> Result<Policy, Failure> {
    match overrides {
        Some(path) => policy.with_overrides(&Overrides::read(path)?, &std::env::temp_dir()).map_err(not_compiled),
        None => Ok(policy),
    }
}

/// The crawlers asked for; if none is, the only one of the policy.
pub(super) fn crawlers(agents: &[Agents], policy: &Policy) -> Result<Vec<Crawler>, Error> {
    match agents {
        [] => Ok(vec![policy.crawler(None)?]),
        several => policy.crawlers(several),
    }
}

/// The crawler asked for; if none is, all crawlers of the policy.
pub(super) fn crawlers_or_all(agents: Option<&Agents>, policy: &Policy) -> Result<Vec<Crawler>, Error> {
    crawlers(agents.map_or(policy.columns().all(), std::slice::from_ref), policy)
}

/// An origin, given as such or as a URL on it.
pub(super) fn origin_of(given: &OsStr) -> Result<String, Failure> {
    let found = origin::split(given.as_encoded_bytes()).map(|(origin, _)| origin.into_owned());
    found.map_err(|problem| no_origin(&given.to_string_lossy(), problem))
}

/// The failure that a text is no origin.
pub(super) fn no_origin(given: &str, problem: InvalidUrl) -> Failure {
    format!("{given:?} is neither an origin nor a URL: {problem}").into()
}

/// The most bytes of a file of crawlers' names.
const NAMES: u64 = 64 << 20;

/// The most bytes of a line with a URL.
const LINE: u64 = 64 << 20;

/// The text of a file of one robots.txt; an error says why it is none.
pub(super) fn text_of(path: &Path, robots: Robots) -> Result<Arc<[u8]>, Failure> {
    robots.text.map_err(|problem| format!("{} is no robots.txt: {problem}", shown(path)).into())
}

/// Reads the next line of standard input, with its line feed; an empty one is the end.
pub(super) fn url_line(input: &mut impl BufRead) -> Result<Vec<u8>, Failure> {
    let mut line = Vec::new();
    let read = input.take(LINE + 1).read_until(b'\n', &mut line);
    let problem = (line.len() as u64 > LINE)
        .then(|| io::Error::new(io::ErrorKind::InvalidData, format!("it has a line of more than {LINE} bytes")));
    match read.err().or(problem) {
        Some(error) => Err(Problem::with_file("read", Path::new(STANDARD_INPUT))(error).into()),
        None => Ok(line),
    }
}

/// Checks that no more than one of these paths is standard input, whatever they are of.
pub fn read_once<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<(), Failure> {
    match paths.into_iter().filter(|path| is_standard_input(path)).nth(1) {
        Some(_) => {
            let message = "standard input can be read only once, so - can be given once: as a list, as URLs, for --files-from \
                           or as a source";
            Err(message.into())
        }
        None => Ok(()),
    }
}

/// The crawlers that sources are read for: those named by options, which a robots.txt must be able to name, then those of a file, each
/// once.
pub(super) fn all(named: &[Agents], file: Option<&Path>, dialect: &Dialect) -> Result<Vec<Agents>, Failure> {
    named.iter().try_for_each(|agents| agents.ensure_nameable(dialect))?;
    of_policy(named, file, dialect)
}

/// The same for the crawlers of a policy, which may have been made for any names.
pub(super) fn of_policy(named: &[Agents], file: Option<&Path>, dialect: &Dialect) -> Result<Vec<Agents>, Failure> {
    let mut all = named.to_vec();
    let Some(path) = file else { return Ok(all) };
    let text = text_file::read(path, NAMES).map_err(Problem::with_file("read", path))?;
    let wrong = |problem: String| format!("--agents-file: {}: {}", shown(path), shortened(problem));
    let names = names(&text).map_err(wrong)?;
    if names.is_empty() {
        return Err(wrong("it names no crawler".to_owned()).into());
    }
    for (line, name) in names {
        let at = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        let agents = Agents::named(&name, dialect).map_err(|error| wrong(format!("{at}{error}")))?;
        let known = all.iter().any(|other| other.is_same(&agents));
        let is_cut = agents.to_string() != name.replace(", ", ",");
        let told = match (is_cut, known) {
            (false, false) => None,
            (true, false) => Some(format!("is read as {agents}, as in a robots.txt")),
            (true, true) => Some(format!("is read as {agents}, which is named before: they share a column")),
            (false, true) => Some("is named before: they share a column".to_owned()),
        };
        if let Some(told) = told {
            let told = shortened(format!("{at}{name:?} {told}"));
            say(format_args!("robosieve: warning: {}: {told}", shown(path)));
        }
        if !known {
            all.push(agents);
        }
    }
    Ok(all)
}

/// The names in a file, each with its line in a text: one a line, without comments; or JSON, a list of names or an object with an
/// object for each name. Anything else would be taken for a crawler that robots.txt files do not name, and be allowed much.
fn names(text: &[u8]) -> Result<Vec<(Option<usize>, String)>, String> {
    let text = std::str::from_utf8(text).map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to()))?;
    if text.trim_start().starts_with(['[', '{']) {
        return names_of_json(text);
    }
    let line = |(number, line): (usize, &str)| {
        let name = line.split_once('#').map_or(line, |(name, _)| name).trim();
        (!name.is_empty()).then(|| (Some(number + 1), name.to_owned()))
    };
    Ok(text.lines().enumerate().filter_map(line).collect())
}

fn names_of_json(text: &str) -> Result<Vec<(Option<usize>, String)>, String> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| json_problem(&error))?;
    let names = match value {
        serde_json::Value::Object(agents) => agents
            .into_iter()
            .map(|(name, about)| match about {
                serde_json::Value::Object(_) => Ok(name),
                _ => Err(format!("{name:?} has no object beside it, so it is no crawler's name")),
            })
            .collect::<Result<_, _>>()?,
        serde_json::Value::Array(names) => names
            .into_iter()
            .map(|name| match name {
                serde_json::Value::String(name) => Ok(name),
                other => Err(format!("the list has {other} where a name is expected")),
            })
            .collect::<Result<Vec<_>, _>>()?,
        _ => Vec::new(),
    };
    Ok(names.into_iter().map(|name| (None, name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_lines_or_json() {
        let of = |text: &str| names(text.as_bytes()).unwrap().into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        assert_eq!(of("GPTBot\r\n\n# AI\n  CCBot  # Common Crawl\n"), ["GPTBot", "CCBot"]);
        assert_eq!(of(" [\"GPTBot\", \"ChatGPT Agent\"]"), ["GPTBot", "ChatGPT Agent"]);
        assert_eq!(of("{\"GPTBot\": {\"operator\": 1}, \"AI2Bot\": {}}").len(), 2);
        assert!(names(br#"{"agents": ["GPTBot"]}"#).unwrap_err().contains("\"agents\" has no object"));
        assert!(names(b"[1]").unwrap_err().contains("where a name is expected"));
        assert!(names(b"[\"a\"").is_err() && names(b"a\xff").unwrap_err().contains("byte 1"));
    }

    #[test]
    fn a_name_is_cut_as_in_a_robots_txt() {
        let of = |name: &str, dialect: &str| {
            Agents::named(name, Dialect::named(dialect).unwrap()).map(|agents| agents.to_string())
        };
        let token = |name: &str| Ok(name.to_owned());
        assert_eq!(of("GPTBot/1.1", "rfc9309"), token("GPTBot"));
        assert_eq!(of("bigsur.ai", "rfc9309"), token("bigsur"));
        assert_eq!(of("ChatGPT Agent", "rfc9309"), token("ChatGPT"));
        assert_eq!(of("ChatGPT Agent", "mandelbot"), token("ChatGPT Agent"), "the whole value is the name");
        assert_eq!(of("Googlebot-News, Googlebot", "mandelbot"), token("Googlebot-News,Googlebot"));
        assert!(of(".ai", "rfc9309").unwrap_err().to_string().starts_with("nothing of \".ai\" names a crawler"));
        assert!(of("t\tq", "mandelbot").unwrap_err().is_about(crate::error::About::Character));
    }
}
