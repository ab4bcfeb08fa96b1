//! A crawler's product token, or its list of tokens in order of preference, and the groups that these select.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

use super::{AgentName, Note, NoteKind, Robots, Rule, SideRecord, record};
use crate::dialect::{AgentList, AgentValue, Dialect, Groups, Keys};
use crate::error::{About, ValueError, ValueErrorKind};

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
    type Err = ValueError;

    fn from_str(list: &str) -> Result<Agents, ValueError> {
        if list.trim() == "*" {
            return Ok(Agents::everybody());
        }
        if list.split(',').any(|token| token.trim().contains([' ', '(', ')', ';'])) {
            let message = format!(
                "{list:?} is a whole user-agent string; robots.txt is matched by the product token, probably {}",
                proposed_token(list)
            );
            return Err(ValueErrorKind::Agent.of(message).about(About::WholeUserAgent));
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

fn product_token(given: &str) -> Result<String, ValueError> {
    let token = given.split_once('/').map_or(given, |(name, _version)| name);
    if token.is_empty() {
        let message = "an agent is empty; give the crawler's product token, such as examplebot, or * for every crawler";
        return Err(ValueErrorKind::Agent.of(message));
    }
    if token == "*" {
        let message = "* means every crawler and is always the last resort; it cannot be in a list";
        return Err(ValueErrorKind::Agent.of(message).about(About::StarInList));
    }
    match token.chars().find(|c| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')) {
        Some(character) => Err(wrong_character(given, character)),
        None => Ok(token.to_owned()),
    }
}

fn wrong_character(given: &str, character: char) -> ValueError {
    let message =
        format!("agent {given:?} has the character {character:?}; a product token has only letters, digits, - and _");
    ValueErrorKind::Agent.of(message).about(About::Character)
}

/// The likely product token of a whole user-agent string: the first name with `bot`, `crawler` or the like in it; else the
/// first name that browsers do not use; else the first name.
pub(crate) fn proposed_token(user_agent: &str) -> String {
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

/// Which kind of groups was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GroupOrigin {
    /// The crawler's own, for the token at this index of its list.
    Own(usize),
    /// The groups of `*`.
    Everybody,
    /// None applies: everything is allowed.
    None,
}

/// The groups that apply to one crawler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Which kind of groups they are.
    pub origin: GroupOrigin,
    /// The groups, as indices into [`Robots::groups`], in file order.
    pub groups: Vec<u32>,
}

impl Selection {
    /// The rules of the chosen groups, in file order.
    pub fn rules<'r, 'a>(&'r self, robots: &'r Robots<'a>) -> impl Iterator<Item = &'r Rule<'a>> + Clone {
        self.groups.iter().flat_map(move |&group| &robots.rules[robots.groups[group as usize].rules.clone()])
    }

    /// The side records of the chosen groups and those outside every group, in file order.
    pub fn side_records<'r, 'a>(&'r self, robots: &'r Robots<'a>) -> impl Iterator<Item = &'r SideRecord<'a>> {
        robots
            .side_records
            .iter()
            .filter(|record| record.group.is_none_or(|group| self.groups.binary_search(&group).is_ok()))
    }

    /// The `User-agent` lines that selected the groups, in file order.
    pub fn agent_lines<'r, 'a>(
        &'r self,
        robots: &'r Robots<'a>,
        agents: &'r Agents,
        dialect: &'r Dialect,
    ) -> impl Iterator<Item = &'r AgentName<'a>> {
        let of_group = |&group: &u32| robots.agents[robots.groups[group as usize].agents.clone()].iter();
        let is_chosen = |agent: &&AgentName<'a>| is_chosen(agent.value, self.origin, agents, dialect);
        self.groups.iter().flat_map(of_group).filter(is_chosen)
    }
}

/// Which of the `User-agent` lines of chosen groups selected them for a crawler, given whether they are its `own`, and for which of
/// its tokens.
pub(crate) fn lines_for<'l, 'a>(
    lines: &'l [AgentName<'a>],
    own: bool,
    agents: &'l Agents,
    dialect: &'l Dialect,
) -> (GroupOrigin, impl Iterator<Item = AgentName<'a>> + use<'l, 'a>) {
    let (tokens, line) = (agents.tokens(), dialect.agent_line);
    let named = |token: &String| lines.iter().any(|agent| names(agent.value, token, line));
    let origin = match dialect.agent_list {
        _ if !own => GroupOrigin::Everybody,
        AgentList::Preference => GroupOrigin::Own(tokens.iter().position(named).unwrap_or(0)),
        AgentList::Merge => {
            GroupOrigin::Own(lines.iter().find_map(|agent| named_token(agent.value, tokens, line)).unwrap_or(0))
        }
    };
    (origin, lines.iter().filter(move |agent| is_chosen(agent.value, origin, agents, dialect)).copied())
}

impl Agents {
    /// The crawler of a name as its owner publishes it, which may have other characters than a product token: the part of it that
    /// the dialect compares in a `User-agent` line.
    ///
    /// # Errors
    ///
    /// [`ValueError`] if nothing of it is, or it has a control character.
    pub fn published(name: &str, dialect: &Dialect) -> Result<Agents, ValueError> {
        if let Some(character) = name.chars().find(|character| character.is_control()) {
            return Err(wrong_character(name, character));
        }
        let compared = compared_part(name.as_bytes(), dialect.agent_line);
        match std::str::from_utf8(compared) {
            _ if is_everybody(name.as_bytes(), dialect.agent_line) => Ok(Agents::everybody()),
            Ok("") | Err(_) => Err(ValueErrorKind::Agent.of(format!(
                "nothing of {name:?} names a crawler in a robots.txt; a product token begins with a letter, a digit, - or _"
            ))),
            Ok(token) => Ok(Agents::verbatim(token)),
        }
    }

    /// The crawler whose text this is, in the dialect of this name: product tokens, or a name that is compared as it is.
    pub(crate) fn written(text: &str, dialect: &str) -> Result<Agents, ValueError> {
        text.parse::<Agents>().or_else(|error| {
            let known = Dialect::named(dialect).ok().and_then(|dialect| Agents::published(text, dialect).ok());
            known.filter(|agents| agents.to_string() == text).ok_or(error)
        })
    }

    /// The crawler of product tokens, or else of a published name. Of what no robots.txt can name, the part that is compared counts.
    pub(crate) fn named(name: &str, dialect: &Dialect) -> Result<Agents, ValueError> {
        let is_published = |error: &ValueError| {
            [About::WholeUserAgent, About::StarInList, About::Character].iter().any(|&about| error.is_about(about))
        };
        match name.parse::<Agents>() {
            Err(error) if is_published(&error) => Agents::published(name, dialect),
            Ok(agents) => {
                let cut = |token: &String| Agents::published(token, dialect).map(|agents| agents.tokens);
                let tokens = agents.tokens.iter().map(cut).collect::<Result<Vec<_>, _>>()?;
                Ok(Agents { tokens: tokens.concat() })
            }
            Err(error) => Err(error),
        }
    }

    /// Checks that a robots.txt can name each of the tokens under a dialect. Under `google`, which reads names up to the first character
    /// that is no letter, `-` or `_`, a crawler called `MJ12bot` would obey nobody.
    ///
    /// [`Captures::new`](crate::policy::Captures::new) and [`RuleSet::compile`](crate::RuleSet::compile) take names as they are, so
    /// callers check them first, as the program and the Python package do.
    ///
    /// # Errors
    ///
    /// [`ValueError`] for the first token that no `User-agent` line names.
    pub fn ensure_nameable(&self, dialect: &Dialect) -> Result<(), ValueError> {
        let is_named = |token: &&String| names(token.as_bytes(), token, dialect.agent_line);
        match self.tokens.iter().find(|token| !is_named(token)) {
            None => Ok(()),
            Some(token) => {
                let compared = match &*String::from_utf8_lossy(compared_part(token.as_bytes(), dialect.agent_line)) {
                    "" => "nothing of it".to_owned(),
                    part => format!("a line for it speaks of {part:?}, which is the name to give"),
                };
                Err(ValueErrorKind::Agent.of(format!(
                    "no robots.txt can name {token:?} under the dialect {dialect}, which reads names up to the first character that \
                     is no letter, - or _: {compared}; another dialect, such as rfc9309, reads the whole name"
                )))
            }
        }
    }
}

impl Robots<'_> {
    /// Picks the groups for `agents`: the crawler's own, else those of `*`, else none.
    pub fn select(&self, agents: &Agents, dialect: &Dialect) -> Selection {
        let tokens = agents.tokens();
        match dialect.agent_list {
            AgentList::Preference => {
                for (place, token) in tokens.iter().enumerate() {
                    let groups = self.groups_where(dialect, |value| names(value, token, dialect.agent_line));
                    if !groups.is_empty() {
                        return Selection { origin: GroupOrigin::Own(place), groups };
                    }
                }
            }
            AgentList::Merge => {
                let place = |value: &[u8]| named_token(value, tokens, dialect.agent_line);
                let groups = self.groups_where(dialect, |value| place(value).is_some());
                if !groups.is_empty() {
                    let first = self.agents.iter().find_map(|agent| place(agent.value));
                    return Selection { origin: GroupOrigin::Own(first.unwrap_or(0)), groups };
                }
            }
        }
        let groups = self.groups_where(dialect, |value| is_everybody(value, dialect.agent_line));
        let origin = if groups.is_empty() { GroupOrigin::None } else { GroupOrigin::Everybody };
        Selection { origin, groups }
    }

    /// Notes the `User-agent` lines whose value is only partly compared, and the agents that several groups name.
    ///
    /// Kept out of [`Robots::parse`], so that only callers who show notes pay for it.
    pub fn agent_notes(&self, dialect: &Dialect) -> Vec<Note> {
        let mut notes = Vec::new();
        for named in self.named(dialect) {
            let line = named.agent.line;
            if named.is_cut() {
                notes.push(Note { kind: NoteKind::AgentCut, line });
            }
            if named.first.is_some_and(|first| first.group != named.group) {
                notes.push(Note { kind: NoteKind::AgentRepeated, line });
            }
        }
        notes
    }

    /// The `User-agent` lines of all groups, in file order, each with the part of its value that is compared and the first
    /// line that named the same agent.
    pub(crate) fn named(&self, dialect: &Dialect) -> impl Iterator<Item = Named<'_>> {
        let line = dialect.agent_line;
        let mut seen = hashbrown::HashMap::new();
        let groups = self.groups.iter().enumerate();
        let agents =
            groups.flat_map(|(index, group)| self.agents[group.agents.clone()].iter().map(move |a| (index, a)));
        agents.map(move |(index, &agent)| {
            let (compared, group) = (compared_part(agent.value, line), index as u32);
            let everybody = is_everybody(agent.value, line);
            let here = FirstNamed { group, line: agent.line };
            let named = Named { agent, group, compared, everybody, first: None };
            let first = *seen.entry(named.key()).or_insert(here);
            Named { first: (first != here).then_some(first), ..named }
        })
    }

    fn groups_where(&self, dialect: &Dialect, named: impl Fn(&[u8]) -> bool) -> Vec<u32> {
        let is_named = |index: &u32| {
            let group = &self.groups[*index as usize];
            self.agents[group.agents.clone()].iter().any(|agent| named(agent.value))
        };
        let found = (0..self.groups.len() as u32).filter(is_named);
        match dialect.groups {
            Groups::Merged => found.collect(),
            Groups::First => found.take(1).collect(),
        }
    }
}

/// One `User-agent` line and its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Named<'a> {
    pub agent: AgentName<'a>,
    /// An index into [`Robots::groups`].
    pub group: u32,
    /// The part of the value that is compared.
    pub compared: &'a [u8],
    /// Whether it means every crawler.
    pub everybody: bool,
    /// Where the same agent was named first, if not here.
    pub first: Option<FirstNamed>,
}

/// The place where an agent was first named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FirstNamed {
    pub group: u32,
    pub line: u32,
}

impl Named<'_> {
    /// What the names of one agent have in common: `*` for every crawler, however it is written.
    pub fn key(&self) -> Vec<u8> {
        if self.everybody { b"*".to_vec() } else { self.compared.to_ascii_lowercase() }
    }

    /// Whether part of the value is not compared, or the value is empty.
    pub fn is_cut(&self) -> bool {
        self.compared.len() < self.agent.value.len() || self.agent.value.is_empty()
    }
}

/// Whether this value of a `User-agent` line is one that selected a group.
fn is_chosen(value: &[u8], origin: GroupOrigin, agents: &Agents, dialect: &Dialect) -> bool {
    let names_one = |token: &String| names(value, token, dialect.agent_line);
    match (origin, dialect.agent_list) {
        (GroupOrigin::Own(place), AgentList::Preference) => agents.tokens().get(place).is_some_and(names_one),
        (GroupOrigin::Own(_), AgentList::Merge) => agents.tokens().iter().any(names_one),
        (GroupOrigin::Everybody, _) => is_everybody(value, dialect.agent_line),
        (GroupOrigin::None, _) => false,
    }
}

/// Whether the value of a `User-agent` line means every crawler.
fn is_everybody(value: &[u8], line: AgentValue) -> bool {
    match line {
        // C++ ignores the rest if `isspace` holds for the byte after the star.
        AgentValue::LettersToken => {
            matches!(value, [b'*'] | [b'*', b' ' | b'\t' | 0x0b | 0x0c, ..])
        }
        _ => value == b"*",
    }
}

/// The place of the first of these tokens that the value of a `User-agent` line names.
fn named_token(value: &[u8], tokens: &[String], line: AgentValue) -> Option<usize> {
    tokens.iter().position(|token| names(value, token, line))
}

/// Whether the value of a `User-agent` line names the crawler `token`.
fn names(value: &[u8], token: &str, line: AgentValue) -> bool {
    let value = compared_part(value, line);
    let token = token.as_bytes();
    match line {
        AgentValue::Token | AgentValue::Whole => !value.is_empty() && value.eq_ignore_ascii_case(token),
        AgentValue::LettersToken => value.eq_ignore_ascii_case(token),
        AgentValue::OccursInName => !value.is_empty() && contains_ignore_case(token, value),
        AgentValue::ContainsName => value != b"*" && contains_ignore_case(value, token),
    }
}

/// The part of a `User-agent` line's value that is compared.
fn compared_part(value: &[u8], line: AgentValue) -> &[u8] {
    let leading = |belongs: fn(&u8) -> bool| &value[..value.iter().take_while(|byte| belongs(byte)).count()];
    match line {
        _ if is_everybody(value, line) => value,
        AgentValue::Token => leading(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')),
        AgentValue::LettersToken => leading(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-')),
        AgentValue::Whole | AgentValue::ContainsName => value,
        AgentValue::OccursInName => record::trim(leading(|byte| *byte != b'/'), Keys::Exact),
    }
}

fn contains_ignore_case(text: &[u8], word: &[u8]) -> bool {
    !word.is_empty() && text.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_no_file_can_have_is_refused() {
        let google = Dialect::named("google").unwrap();
        for dialect in Dialect::ALL {
            for list in ["*", "Googlebot-News,Google_bot", "MJ12bot", "Googlebot,a6", "360Spider", "a"] {
                let agents: Agents = list.parse().unwrap();
                let is_nameable = dialect != google || !list.contains(|char: char| char.is_ascii_digit());
                assert_eq!(agents.ensure_nameable(dialect).is_ok(), is_nameable, "{list} {dialect}");
                // It says the truth: one is nameable if its own line names it.
                let file = format!("User-agent: {}\nDisallow: /\n", list.split(',').next_back().unwrap());
                let last: Agents = list.split(',').next_back().unwrap().parse().unwrap();
                let robots = Robots::parse(file.as_bytes(), dialect);
                assert_eq!(!robots.select(&last, dialect).groups.is_empty(), last.ensure_nameable(dialect).is_ok());
            }
        }
        let error = "MJ12bot".parse::<Agents>().unwrap().ensure_nameable(google).unwrap_err().to_string();
        assert!(error.contains("google") && error.contains("\"MJ\"") && error.contains("rfc9309"), "{error}");
        let cut = |name: &str| Agents::named(name, google).map(|agents| agents.to_string());
        assert_eq!((cut("MJ12bot").unwrap(), cut("a,b2").unwrap()), ("MJ".to_owned(), "a,b".to_owned()));
        assert!(cut("360Spider").unwrap_err().to_string().starts_with("nothing of \"360Spider\" names a crawler"));
    }

    #[test]
    fn a_published_name_is_read_as_a_line_of_a_file_is() {
        for dialect in Dialect::ALL {
            assert_eq!(Agents::published("*", dialect).unwrap(), Agents::everybody(), "{dialect}");
        }
        // What a receipt has is written so, or is refused.
        for (text, dialect, is_known) in [
            ("examplebot", "google", true),
            ("a,b", "google", true),
            ("bot.example", "original-1994", true),
            ("bot.example", "rfc9309", false),
            ("bot.example", "no-dialect", false),
            ("two words", "draft-1996", true),
            ("two words", "google", false),
        ] {
            let written = Agents::written(text, dialect).map(|agents| agents.to_string());
            assert_eq!(written.as_deref().ok(), is_known.then_some(text), "{text} {dialect}");
        }
    }

    #[test]
    fn a_whole_user_agent_is_refused_with_a_proposal() {
        let given = "Mozilla/5.0 (compatible; examplebot/1.0; +http://example.com/bot.html)";
        let error = given.parse::<Agents>().unwrap_err();
        assert!(error.is_about(About::WholeUserAgent) && error.to_string().ends_with("probably examplebot"), "{error}");
        let error = "Mozilla/5.0 (X11; Linux) AppleWebKit/537.36".parse::<Agents>().unwrap_err().to_string();
        assert!(error.ends_with("probably X11"), "{error}");
    }

    fn chosen(text: &str, agents: &str, dialect: &str) -> String {
        let dialect = Dialect::named(dialect).unwrap();
        let robots = Robots::parse(text.as_bytes(), dialect);
        let selection = robots.select(&agents.parse().unwrap(), dialect);
        selection.rules(&robots).map(|rule| String::from_utf8_lossy(rule.value)).collect::<Vec<_>>().join(" ")
    }

    const FILE: &str = "User-agent: foo/1.2\nDisallow: /1\n\nUser-agent: 360Spider beta\nDisallow: /2\n\n\
                        User-agent: *\nDisallow: /3\n\nUser-agent: FOO\nDisallow: /4\n";

    #[test]
    fn old_dialects_look_for_substrings_and_take_the_first_record() {
        assert_eq!(chosen(FILE, "foobar", "original-1994"), "/1");
        assert_eq!(chosen(FILE, "fo", "original-1994"), "/3");
        assert_eq!(chosen(FILE, "spider", "draft-1996"), "/2");
        assert_eq!(chosen(FILE, "FOO", "draft-1996"), "/1");
        let empty = "User-agent:\nDisallow: /1\n\nUser-agent: *\nDisallow: /2\n\nUser-agent: *\nDisallow: /3\n";
        assert_eq!(chosen(empty, "foo", "original-1994"), "/2");
        assert_eq!(chosen(empty, "foo", "draft-1996"), "/2");
    }

    #[test]
    fn a_list_is_a_preference_but_google_merges_it() {
        assert_eq!(chosen(FILE, "bar,360Spider,foo", "rfc9309"), "/2");
        let file = "User-agent: a\nDisallow: /1\nUser-agent: b\nDisallow: /2\n";
        assert_eq!(chosen(file, "b,a", "rfc9309"), "/2");
        assert_eq!(chosen(file, "b,a", "google"), "/1 /2");
    }

    #[test]
    fn star_before_a_blank_is_everybody_for_google_only() {
        let file = "User-agent: * foo\nDisallow: /1\n";
        assert_eq!(chosen(file, "x", "google"), "/1");
        assert_eq!(chosen(file, "x", "rfc9309"), "");
        assert_eq!(chosen(file, "foo", "rfc9309"), "");
    }

    #[test]
    fn cut_and_repeated_agents_are_noted() {
        let dialect = Dialect::DEFAULT;
        let notes = Robots::parse(FILE.as_bytes(), dialect).agent_notes(dialect);
        let seen: Vec<_> = notes.iter().map(|note| (note.kind, note.line)).collect();
        assert_eq!(seen, [(NoteKind::AgentCut, 1), (NoteKind::AgentCut, 4), (NoteKind::AgentRepeated, 10)]);
    }
}
