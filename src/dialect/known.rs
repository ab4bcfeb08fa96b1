//! Dialects of robots.txt, as data.
//!
//! Thirty years of documents disagree about the meaning of a robots.txt. A [`Dialect`] is a plain value with one field for
//! each point of disagreement, an axis; the code that parses, normalises, ranks and judges reads the fields and never asks which
//! dialect it has. [`Dialect::ALL`] lists the six values.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use super::axes::{
    self, AgentList, AgentValue, AllowLines, Axis, Boundary, CrawlDelay, DirectoryIndex, Encoding, FileStart, Groups,
    Keys, Lifetime, LineLimit, NulByte, Precedence, Redirects, RobotsTxtPath, RuleStart, UrlPath, Wildcards,
};
use super::statuses::{STATUSES, StatusMeaning};
use crate::error::{ValueError, ValueErrorKind};

/// One reading of robots.txt: a value for every axis on which the documents differ, which [`Dialect::axes`] lists.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dialect {
    /// The name used on the command line, for example `rfc9309`.
    pub name: &'static str,
    /// The document or program this dialect follows.
    pub source: &'static str,
    pub(crate) allow: AllowLines,
    pub(crate) precedence: Precedence,
    pub(crate) wildcards: Wildcards,
    pub(crate) agent_line: AgentValue,
    pub(crate) agent_list: AgentList,
    pub(crate) groups: Groups,
    pub(crate) boundary: Boundary,
    pub(crate) rule_start: RuleStart,
    pub(crate) keys: Keys,
    pub(crate) directory_index: DirectoryIndex,
    pub(crate) url_path: UrlPath,
    pub(crate) encoding: Encoding,
    pub(crate) robots_txt: RobotsTxtPath,
    pub(crate) file_start: FileStart,
    pub(crate) nul: NulByte,
    /// How many bytes of a file are read, in whole lines.
    pub(crate) file_limit: usize,
    pub(crate) line_limit: LineLimit,
    pub(crate) redirects: Redirects,
    pub(crate) lifetime: Lifetime,
    pub(crate) crawl_delay: CrawlDelay,
}

impl Dialect {
    /// The dialect called `name`.
    ///
    /// # Errors
    ///
    /// [`ValueError`], which lists the known names, if no dialect has this name.
    pub fn named(name: &str) -> Result<&'static Dialect, ValueError> {
        Dialect::ALL.iter().find(|d| d.name == name).ok_or_else(|| {
            let known = Dialect::names().join(", ");
            ValueErrorKind::Name.of(format!("unknown dialect {name:?}; the dialects are {known}"))
        })
    }

    /// What this dialect does about each point on which the documents differ, with the text that says so.
    ///
    /// ```
    /// use robosieve::Dialect;
    ///
    /// let axes = Dialect::named("draft-1996")?.axes();
    /// let precedence = axes.iter().find(|axis| axis.name == "precedence").unwrap();
    /// assert_eq!(precedence.value, "first-match");
    /// assert_eq!(precedence.meaning, "The first match in file order (1996 3.2.2).");
    /// # Ok::<(), robosieve::ValueError>(())
    /// ```
    pub fn axes(&self) -> Vec<Axis> {
        let Dialect {
            name,
            source: _,
            allow,
            precedence,
            wildcards,
            agent_line,
            agent_list,
            groups,
            boundary,
            rule_start,
            keys,
            directory_index,
            url_path,
            encoding,
            robots_txt,
            file_start,
            nul,
            file_limit,
            line_limit,
            redirects,
            lifetime,
            crawl_delay,
        } = self;
        let rules = [allow.axis(), precedence.axis(), wildcards.axis()];
        let groups =
            [agent_line.axis(), agent_list.axis(), groups.axis(), boundary.axis(), rule_start.axis(), keys.axis()];
        let paths = [directory_index.axis(), url_path.axis(), encoding.axis(), robots_txt.axis()];
        let file = [file_start.axis(), nul.axis(), axes::file_limit(*file_limit), line_limit.axis()];
        let times = [redirects.axis(), lifetime.axis(), crawl_delay.axis()];
        let status = STATUSES.iter().map(|row| {
            let question = "The meaning of these statuses for the robots.txt.";
            Axis::new(format!("status {}", row.written()), question, row.meaning_in(name).name(), row.source)
        });
        rules.into_iter().chain(groups).chain(paths).chain(file).chain(status).chain(times).collect()
    }

    /// The meaning of the HTTP status of the robots.txt response itself. Callers follow 3xx before they ask.
    pub(crate) fn status_meaning(&self, status: u16) -> StatusMeaning {
        StatusMeaning::of(status, self.name)
    }

    /// The names of all dialects, the default first.
    pub fn names() -> Vec<&'static str> {
        Dialect::ALL.iter().map(|d| d.name).collect()
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl FromStr for Dialect {
    type Err = ValueError;

    fn from_str(name: &str) -> Result<Dialect, ValueError> {
        Dialect::named(name).cloned()
    }
}

/// The one of [`Dialect::ALL`] with this name, as functions take it.
impl FromStr for &'static Dialect {
    type Err = ValueError;

    fn from_str(name: &str) -> Result<&'static Dialect, ValueError> {
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

const HOUR: u64 = 3600;

/// RFC 9309 asks for at least 500 KiB (2.5); ours is about eight times that.
const FILE_LIMIT: usize = 4 << 20;

/// google/robotstxt has no file limit; this one only keeps offsets within 32 bits.
const GOOGLE_FILE_LIMIT: usize = 256 << 20;

/// The line buffer of google/robotstxt: eight times 2,083 bytes, less the terminating NUL.
const GOOGLE_LINE_LIMIT: usize = 2083 * 8 - 1;

/// "at least five consecutive redirects", then unavailable (RFC 2.3.1.2).
const FIVE_THEN_UNAVAILABLE: Redirects = Redirects { hops: 5, beyond: StatusMeaning::Unavailable };

/// Followed to the end; the bound only stops loops, which have no end (ours: no verdict).
const FOLLOWED: Redirects = Redirects { hops: 20, beyond: StatusMeaning::Redirect };

const RFC9309: Dialect = Dialect {
    name: "rfc9309",
    source: "RFC 9309, Robots Exclusion Protocol, September 2022",
    allow: AllowLines::Rules,
    precedence: Precedence::Longest,
    wildcards: Wildcards::Special,
    agent_line: AgentValue::Token,
    agent_list: AgentList::Preference,
    groups: Groups::Merged,
    boundary: Boundary::RuleLine,
    rule_start: RuleStart::SlashOrStar,
    keys: Keys::Exact,
    directory_index: DirectoryIndex::Literal,
    url_path: UrlPath::AsFetched,
    encoding: Encoding::NormalForm,
    robots_txt: RobotsTxtPath::AlwaysAllowed,
    file_start: FileStart::Decoded,
    nul: NulByte::Ordinary,
    file_limit: FILE_LIMIT,
    line_limit: LineLimit::None,
    redirects: FIVE_THEN_UNAVAILABLE,
    lifetime: Lifetime { seconds: 24 * HOUR, expires_header: false },
    crawl_delay: CrawlDelay::Kept,
};

const GOOGLE: Dialect = Dialect {
    name: "google",
    source: "google/robotstxt, the C++ library",
    agent_line: AgentValue::LettersToken,
    agent_list: AgentList::Merge,
    rule_start: RuleStart::Any,
    keys: Keys::Lenient,
    directory_index: DirectoryIndex::AllowsFolder,
    url_path: UrlPath::AsWritten,
    encoding: Encoding::RuleOnly,
    robots_txt: RobotsTxtPath::ByRules,
    file_start: FileStart::PartialMark,
    nul: NulByte::EndsLine,
    file_limit: GOOGLE_FILE_LIMIT,
    line_limit: LineLimit::Bytes(GOOGLE_LINE_LIMIT),
    ..RFC9309
};

const MANDELBOT: Dialect = Dialect {
    name: "mandelbot",
    source: "Fractle's page on Mandelbot's robots.txt support",
    agent_line: AgentValue::Whole,
    robots_txt: RobotsTxtPath::ByRules,
    redirects: FOLLOWED,
    lifetime: Lifetime { seconds: 48 * HOUR, expires_header: false },
    crawl_delay: CrawlDelay::NotObeyed,
    ..RFC9309
};

const EXTENDED_2008: Dialect = Dialect {
    name: "extended-2008",
    source: "SearchTools, Elements of robots.txt, June 2008 (Google, Yahoo, Microsoft)",
    agent_line: AgentValue::OccursInName,
    robots_txt: RobotsTxtPath::ByRules,
    crawl_delay: CrawlDelay::Seconds,
    ..RFC9309
};

const DRAFT_1996: Dialect = Dialect {
    name: "draft-1996",
    source: "draft-koster-robots-00, A Method for Web Robots Control, 1996",
    precedence: Precedence::FirstMatch,
    wildcards: Wildcards::Literal,
    agent_line: AgentValue::ContainsName,
    groups: Groups::First,
    boundary: Boundary::BlankLine,
    rule_start: RuleStart::Slash,
    encoding: Encoding::DecodedExceptSlash,
    redirects: FOLLOWED,
    lifetime: Lifetime { seconds: 7 * 24 * HOUR, expires_header: true },
    ..RFC9309
};

const ORIGINAL_1994: Dialect = Dialect {
    name: "original-1994",
    source: "A Standard for Robot Exclusion, 30 June 1994",
    allow: AllowLines::Ignored,
    precedence: Precedence::AnyDisallow,
    wildcards: Wildcards::Literal,
    agent_line: AgentValue::OccursInName,
    groups: Groups::First,
    boundary: Boundary::BlankLine,
    rule_start: RuleStart::Slash,
    encoding: Encoding::Escaped,
    robots_txt: RobotsTxtPath::ByRules,
    redirects: FOLLOWED,
    lifetime: Lifetime { seconds: 7 * 24 * HOUR, expires_header: false },
    ..RFC9309
};

impl Dialect {
    /// All dialects, the default (`rfc9309`) first.
    pub const ALL: &'static [Dialect] = &[RFC9309, GOOGLE, MANDELBOT, EXTENDED_2008, DRAFT_1996, ORIGINAL_1994];

    /// RFC 9309, the default.
    pub const DEFAULT: &'static Dialect = &Dialect::ALL[0];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_unique_as_is_its_source() {
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::named(dialect.name).unwrap(), dialect);
            let alike = |other: &&Dialect| other.name == dialect.name || other.source == dialect.source;
            assert_eq!(Dialect::ALL.iter().filter(alike).count(), 1, "{}", dialect.name);
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

    #[test]
    fn the_documents_have_all_axes() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/dialects.md");
        let page = std::fs::read_to_string(page).expect("docs/dialects.md");
        let mut table = "| axis | value | dialects | |\n|---|---|---|---|\n".to_owned();
        let all: Vec<Vec<Axis>> = Dialect::ALL.iter().map(Dialect::axes).collect();
        for place in 0..all[0].len() {
            let mut told: Vec<(&Axis, Vec<&str>)> = Vec::new();
            for (axes, dialect) in all.iter().zip(Dialect::names()) {
                let axis = &axes[place];
                assert!(axis.meaning.ends_with('.') && axis.question.ends_with('.'), "{axis:?}");
                match told.iter_mut().find(|(other, _)| *other == axis) {
                    Some((_, dialects)) => dialects.push(dialect),
                    None => told.push((axis, vec![dialect])),
                }
            }
            for (Axis { name, value, meaning, .. }, dialects) in &told {
                let dialects = if told.len() == 1 { "all".to_owned() } else { dialects.join(", ") };
                table += &format!("| {name} | {value} | {dialects} | {} |\n", meaning.replace('|', "\\|"));
            }
        }
        assert!(page.contains(&table), "docs/dialects.md has another list than this:\n{table}");
    }
}
