//! A crawler's product token, or its list of tokens in order of preference.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The product tokens of one crawler, in order of preference. An empty list stands for `*`, every crawler.
///
/// A policy's [`Crawlers`](crate::policy::Crawlers) are one or more of these; a [`Crawler`](crate::policy::Crawler) is one, with
/// the columns that answer for it.
///
/// Parses the command-line form: `Googlebot-News,Googlebot` or `*`. The version in `name/1.0` is dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Agents {
    tokens: Vec<String>,
}

impl Agents {
    /// `*`: only groups for `*` apply.
    pub fn everybody() -> Agents {
        Agents { tokens: Vec::new() }
    }

    /// A crawler with this name taken as is, for names that are not product tokens.
    pub fn verbatim(name: &str) -> Agents {
        Agents { tokens: vec![name.to_owned()] }
    }

    /// The tokens in order of preference; empty for `*`.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// Whether both are the same crawler: names ignore case in every dialect.
    pub fn is_same(&self, other: &Agents) -> bool {
        self.tokens.len() == other.tokens.len()
            && self.tokens.iter().zip(&other.tokens).all(|(one, other)| one.eq_ignore_ascii_case(other))
    }
}

impl FromStr for Agents {
    type Err = AgentError;

    fn from_str(list: &str) -> Result<Agents, AgentError> {
        if list.trim() == "*" {
            return Ok(Agents::everybody());
        }
        if list.split(',').any(|token| token.trim().contains([' ', '(', ')', ';'])) {
            return Err(AgentError::WholeUserAgent { given: list.to_owned(), proposed: proposed_token(list) });
        }
        let tokens = list.split(',').map(|token| product_token(token.trim())).collect::<Result<_, _>>()?;
        Ok(Agents { tokens })
    }
}

impl fmt::Display for Agents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.tokens.is_empty() { f.write_str("*") } else { f.write_str(&self.tokens.join(",")) }
    }
}

fn product_token(given: &str) -> Result<String, AgentError> {
    let token = given.split_once('/').map_or(given, |(name, _version)| name);
    if token.is_empty() {
        return Err(AgentError::Empty);
    }
    if token == "*" {
        return Err(AgentError::StarInList);
    }
    match token.chars().find(|c| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')) {
        Some(character) => Err(AgentError::Character { given: given.to_owned(), character }),
        None => Ok(token.to_owned()),
    }
}

/// The likely product token of a whole user-agent string: the first name with `bot`, `crawler` or the like in it; else the
/// first name that browsers do not use; else the first name.
fn proposed_token(user_agent: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let names = || {
        user_agent
            .split([' ', '(', ')', ';', ','])
            .map(|part| part.split('/').next().unwrap_or(""))
            .filter(|name| !name.is_empty() && name.chars().all(is_part))
    };
    let browser = ["mozilla", "applewebkit", "chrome", "safari", "khtml", "gecko", "like", "compatible", "version"];
    let is_browser = |name: &str| browser.contains(&name.to_ascii_lowercase().as_str());
    let says_so = |name: &str| {
        let name = name.to_ascii_lowercase();
        let words = ["bot", "crawler", "spider", "archiver", "slurp"];
        name != "robot" && words.iter().any(|word| name.contains(word) && name != *word)
    };
    let found = names().find(|name| says_so(name)).or_else(|| names().find(|name| !is_browser(name)));
    found.or_else(|| names().next()).unwrap_or("*").to_owned()
}

/// An agent that is not a product token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// An empty agent, or an empty entry in a list.
    #[error("an agent is empty; give the crawler's product token, such as examplebot, or * for every crawler")]
    Empty,
    /// A full `User-Agent` header instead of its token.
    #[error("{given:?} is a whole user-agent string; robots.txt is matched by the product token, probably {proposed}")]
    WholeUserAgent {
        /// The text that was given.
        given: String,
        /// The token that probably names the crawler.
        proposed: String,
    },
    /// `*` in a list with names.
    #[error("* means every crawler and is always the last resort; it cannot be in a list")]
    StarInList,
    /// A name of which a robots.txt has nothing to compare.
    #[error(
        "nothing of {given:?} names a crawler in a robots.txt; a product token begins with a letter, a digit, - or _"
    )]
    NothingCompared {
        /// The text that was given.
        given: String,
    },
    /// A character that product tokens cannot contain.
    #[error("agent {given:?} has the character {character:?}; a product token has only letters, digits, - and _")]
    Character {
        /// The text that was given.
        given: String,
        /// The first such character.
        character: char,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_lose_their_version_and_keep_their_order() {
        let agents: Agents = "Googlebot-News/2.1, Googlebot".parse().unwrap();
        assert_eq!(agents.tokens(), ["Googlebot-News", "Googlebot"]);
        assert_eq!(agents.to_string(), "Googlebot-News,Googlebot");
        assert_eq!("*".parse::<Agents>().unwrap(), Agents::everybody());
        assert_eq!(Agents::everybody().to_string(), "*");
        assert!(agents.is_same(&"googlebot-news,GOOGLEBOT".parse().unwrap()));
        assert!(!agents.is_same(&"Googlebot,Googlebot-News".parse().unwrap()));
    }

    #[test]
    fn a_whole_user_agent_is_refused_with_a_proposal() {
        let given = "Mozilla/5.0 (compatible; examplebot/1.0; +http://example.com/bot.html)";
        let error = given.parse::<Agents>().unwrap_err();
        assert_eq!(error, AgentError::WholeUserAgent { given: given.to_owned(), proposed: "examplebot".to_owned() });
        let error = "Mozilla/5.0 (X11; Linux) AppleWebKit/537.36".parse::<Agents>().unwrap_err().to_string();
        assert!(error.ends_with("probably X11"), "{error}");
    }

    #[test]
    fn what_is_no_token_is_refused() {
        assert_eq!("".parse::<Agents>(), Err(AgentError::Empty));
        assert_eq!("a,,b".parse::<Agents>(), Err(AgentError::Empty));
        assert_eq!("a,*".parse::<Agents>(), Err(AgentError::StarInList));
        assert!(matches!("bot.example".parse::<Agents>(), Err(AgentError::Character { character: '.', .. })));
    }
}
