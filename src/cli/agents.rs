//! The crawlers that a command is for: those named by options, and those of a file of names.

use std::path::Path;

use super::error::Failure;
use super::say::say;
use crate::dialect::Dialect;
use crate::formats::error::FileError;
use crate::formats::plain::json_problem;
use crate::formats::shown;
use crate::robots::{AgentError, Agents};

/// The crawlers named by options, then those of a file, each once.
///
/// # Errors
///
/// [`Failure::File`] if the file cannot be read, [`Failure::AgentsFile`] if it names no crawler or what is none.
pub(super) fn all(named: &[Agents], file: Option<&Path>, dialect: &Dialect) -> Result<Vec<Agents>, Failure> {
    let mut all = named.to_vec();
    let Some(path) = file else { return Ok(all) };
    let text = std::fs::read(path).map_err(FileError::of("read", path))?;
    let wrong = |problem: String| Failure::AgentsFile { path: path.to_owned(), problem };
    let names = names(&text).map_err(wrong)?;
    if names.is_empty() {
        return Err(wrong("it names no crawler".to_owned()));
    }
    for (line, name) in names {
        let at = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        let (agents, is_cut) = published(&name, dialect).map_err(|error| wrong(format!("{at}{error}")))?;
        let known = all.iter().any(|other| other.is_same(&agents));
        if is_cut || known {
            let same = if known { ", which is named before: they share a column" } else { "" };
            say(format_args!(
                "robosieve: warning: {}: {at}{name:?} is read as {agents}, as in a robots.txt{same}",
                shown(path)
            ));
        }
        if !known {
            all.push(agents);
        }
    }
    Ok(all)
}

/// The crawler of a published name, and whether the name was cut as the dialect cuts it in a robots.txt.
fn published(name: &str, dialect: &Dialect) -> Result<(Agents, bool), AgentError> {
    match name.parse::<Agents>() {
        Ok(agents) => Ok((agents, false)),
        Err(AgentError::Empty) => Err(AgentError::Empty),
        Err(_) => Agents::published(name, dialect).map(|agents| (agents, true)),
    }
}

/// The names in a file, each with its line in a text: one a line, without comments; or JSON, a list of names or an object with an
/// object for each name. Anything else would be taken for a crawler that robots.txt files do not name, and be allowed much.
fn names(text: &[u8]) -> Result<Vec<(Option<usize>, String)>, String> {
    let text = std::str::from_utf8(text).map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
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
        assert_eq!(of("\u{feff}GPTBot\r\n\n# AI\n  CCBot  # Common Crawl\n"), ["GPTBot", "CCBot"]);
        assert_eq!(of(" [\"GPTBot\", \"ChatGPT Agent\"]"), ["GPTBot", "ChatGPT Agent"]);
        assert_eq!(of("{\"GPTBot\": {\"operator\": 1}, \"AI2Bot\": {}}").len(), 2);
        assert!(names(br#"{"agents": ["GPTBot"]}"#).unwrap_err().contains("\"agents\" has no object"));
        assert!(names(b"[1]").unwrap_err().contains("where a name is expected"));
        assert!(names(b"[\"a\"").is_err() && names(b"a\xff").unwrap_err().contains("byte 1"));
    }

    #[test]
    fn a_name_is_cut_as_in_a_robots_txt() {
        let of = |name: &str, dialect: &str| {
            let (agents, is_cut) = published(name, Dialect::named(dialect).unwrap())?;
            Ok::<_, AgentError>((agents.to_string(), is_cut))
        };
        let cut = |name: &str| Ok((name.to_owned(), true));
        assert_eq!(of("GPTBot/1.1", "rfc9309"), Ok(("GPTBot".to_owned(), false)));
        assert_eq!(of("bigsur.ai", "rfc9309"), cut("bigsur"));
        assert_eq!(of("ChatGPT Agent", "rfc9309"), cut("ChatGPT"));
        assert_eq!(of("ChatGPT Agent", "mandelbot"), cut("ChatGPT Agent"), "the whole value is the name");
        assert_eq!(of(".ai", "rfc9309"), Err(AgentError::Empty));
    }
}
