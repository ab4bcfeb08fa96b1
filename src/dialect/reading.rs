//! One reading of robots.txt.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use super::axes::{
    AgentList, AgentValue, AllowLines, Boundary, CrawlDelay, Encoding, FileStart, Groups, Keys, Lifetime, LineLimit,
    NulByte, Precedence, Redirects, RobotsTxtPath, RuleStart, StatusMeaning, UrlPath, Wildcards,
};

/// One reading of robots.txt: a value for every axis on which the documents differ. `docs/dialects.md` describes the axes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dialect {
    /// The name used on the command line, for example `rfc9309`.
    pub name: &'static str,
    /// The document or program this dialect follows.
    pub source: &'static str,
    /// Whether `Allow` lines are rules.
    pub allow: AllowLines,
    /// Which matching rule decides when several match.
    pub precedence: Precedence,
    /// Whether `*` and a final `$` are special in a rule.
    pub wildcards: Wildcards,
    /// How the value of a `User-agent` line names crawlers.
    pub agent_line: AgentValue,
    /// The meaning of a list of product tokens.
    pub agent_list: AgentList,
    /// What to do when several groups name one crawler.
    pub groups: Groups,
    /// Where a group's list of agents ends, and where the group ends.
    pub boundary: Boundary,
    /// Which values of an `Allow` or `Disallow` line can be rules.
    pub rule_start: RuleStart,
    /// How the key of a line is recognised.
    pub keys: Keys,
    /// Whether `Allow: /dir/index.htm*` also allows `/dir/` itself.
    pub directory_index: bool,
    /// Which path of a URL is judged.
    pub url_path: UrlPath,
    /// How percent-encoding is compared.
    pub encoding: Encoding,
    /// Whether `/robots.txt` itself is subject to the rules.
    pub robots_txt: RobotsTxtPath,
    /// The bytes skipped or decoded at the start of the file.
    pub file_start: FileStart,
    /// The meaning of a NUL byte in a line.
    pub nul: NulByte,
    /// How many bytes of a file are read, in whole lines.
    pub file_limit: usize,
    /// How many bytes of a line are read.
    pub line_limit: LineLimit,
    /// The meaning of status 401 or 403 for the robots.txt.
    pub unauthorized: StatusMeaning,
    /// The meaning of status 429 for the robots.txt.
    pub too_many_requests: StatusMeaning,
    /// How redirects are followed.
    pub redirects: Redirects,
    /// How long a fetched robots.txt may be used, where age is enforced.
    pub lifetime: Lifetime,
    /// What `Crawl-delay` means to the crawler.
    pub crawl_delay: CrawlDelay,
}

impl Dialect {
    /// The dialect called `name`.
    ///
    /// # Errors
    ///
    /// [`UnknownDialect`], which lists the known names, if no dialect has this name.
    pub fn named(name: &str) -> Result<&'static Dialect, UnknownDialect> {
        Dialect::ALL
            .iter()
            .find(|d| d.name == name)
            .ok_or_else(|| UnknownDialect { name: name.to_owned(), known: Dialect::names().join(", ") })
    }

    /// The names of all dialects, the default first.
    pub fn names() -> Vec<&'static str> {
        Dialect::ALL.iter().map(|d| d.name).collect()
    }

    /// The meaning of the HTTP status of the robots.txt response itself. Callers follow 3xx before they ask.
    ///
    /// A status that is not a final answer (below 200, or 600 and above) counts as no answer.
    pub fn status_meaning(&self, status: u16) -> StatusMeaning {
        match status {
            200..=299 => StatusMeaning::Parse,
            304 => StatusMeaning::NotModified,
            300..=399 => StatusMeaning::Redirect,
            401 | 403 => self.unauthorized,
            429 => self.too_many_requests,
            400..=499 => StatusMeaning::Unavailable,
            _ => StatusMeaning::Unreachable,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Dialect, UnknownDialect> {
        Dialect::named(name).cloned()
    }
}

/// The one of [`Dialect::ALL`](super::Dialect::ALL) with this name, as functions take it.
impl FromStr for &'static Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<&'static Dialect, UnknownDialect> {
        Dialect::named(name)
    }
}

/// As its name.
impl Serialize for Dialect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// From its name.
impl<'de> Deserialize<'de> for Dialect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Dialect, D::Error> {
        <&'static Dialect>::deserialize(deserializer).cloned()
    }
}

/// From its name, as functions take it.
impl<'de> Deserialize<'de> for &'static Dialect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<&'static Dialect, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A dialect name that is not in [`Dialect::ALL`](super::Dialect::ALL).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("unknown dialect {name:?}; the dialects are {known}")]
pub struct UnknownDialect {
    /// The name requested.
    pub name: String,
    /// The names that exist.
    pub known: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_unique() {
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::named(dialect.name).unwrap(), dialect);
            assert_eq!(Dialect::ALL.iter().filter(|d| d.name == dialect.name).count(), 1);
        }
        for dialect in Dialect::ALL {
            let name = dialect.to_string();
            assert_eq!(name.parse(), Ok(dialect));
            assert_eq!(name.parse::<Dialect>().as_ref(), Ok(dialect));
            assert_eq!(serde_json::to_value(dialect).unwrap(), name);
            assert_eq!(serde_json::from_value::<&'static Dialect>(name.clone().into()).unwrap(), dialect);
            assert_eq!(serde_json::from_value::<Dialect>(name.into()).unwrap(), *dialect);
        }
        assert!(serde_json::from_str::<Dialect>("\"rfc9308\"").is_err());
        let error = Dialect::named("rfc9308").unwrap_err().to_string();
        assert!(error.contains("rfc9308") && error.contains("mandelbot"), "{error}");
    }
}
