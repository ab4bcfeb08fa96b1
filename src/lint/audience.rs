//! For whom the groups of a file are: the crawlers that it names, and all others.
//!
//! What a rule comes to depends on the groups that apply with it, and these on the crawler. So questions about effects are asked
//! for each *audience*: the crawlers whom exactly the same groups apply to.
//!
//! Also the value of a `User-agent` line that names no crawler, or only one of several: whom it means.

use hashbrown::HashMap;

use super::finding::excerpt;
use super::meant::{comment, unquoted};
use crate::dialect::{AgentValue, Dialect, Groups};
use crate::error::About;
use crate::robots::{Agents, Robots, proposed_token};

/// Crawlers whom the same groups apply to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Audience {
    /// The first of their names in the file; `*` for all that it does not name.
    pub name: String,
    /// How many more names they have.
    pub others: usize,
    /// The line of this name.
    pub line: u32,
    /// Whether all that the file does not name are among them.
    pub everybody: bool,
    /// The groups, in file order.
    pub groups: Vec<u32>,
}

impl Audience {
    /// Their names, for people.
    pub fn names(&self) -> String {
        match self.others {
            0 => self.name.clone(),
            1 => format!("{} and 1 other", self.name),
            others => format!("{} and {others} others", self.name),
        }
    }

    /// Whom they are, for people.
    pub fn whom(&self) -> String {
        if self.everybody { "every crawler".to_owned() } else { self.names() }
    }

    /// Whether their only name is a word for every crawler, which is not meant as a name.
    pub fn is_by_mistake(&self) -> bool {
        self.others == 0 && means_everybody(self.name.as_bytes())
    }

    /// The numbers of their rules, ascending.
    pub fn numbers<'r>(&'r self, robots: &'r Robots<'_>) -> impl Iterator<Item = usize> + Clone + 'r {
        self.groups.iter().flat_map(|&group| robots.groups[group as usize].rules.clone())
    }
}

/// The most names that are compared with each other in dialects where one may occur in another.
const COMPARED: usize = 1 << 22;

/// All audiences, in file order of their names. None in a file that names so many crawlers that they cannot be compared.
///
/// Where a crawler's name is only a part of what is compared, those are meant whose names are exactly what the file says.
pub(super) fn audiences(robots: &Robots<'_>, dialect: &Dialect) -> Vec<Audience> {
    let mut groups_by_name: HashMap<Vec<u8>, Vec<u32>> = HashMap::new();
    let mut names = Vec::new();
    for named in robots.named(dialect).filter(|named| named.everybody || !named.compared.is_empty()) {
        let groups = groups_by_name.entry(named.key()).or_insert_with(|| {
            names.push(named);
            Vec::new()
        });
        if groups.last() != Some(&named.group) {
            groups.push(named.group);
        }
    }
    let is_whole = matches!(dialect.agent_line, AgentValue::Token | AgentValue::LettersToken | AgentValue::Whole);
    if !is_whole && names.len().saturating_mul(robots.agents.len()) > COMPARED {
        return Vec::new();
    }
    let mut audiences: Vec<Audience> = Vec::new();
    let mut places: HashMap<Vec<u32>, usize> = HashMap::new();
    for named in names {
        let mut groups = match std::str::from_utf8(named.compared) {
            // No crawler is asked for by such a name.
            Err(_) => continue,
            Ok(name) if !is_whole && !named.everybody => robots.select(&Agents::verbatim(name), dialect).groups,
            Ok(_) => groups_by_name.remove(&named.key()).expect("each name once"),
        };
        if dialect.groups == Groups::First {
            groups.truncate(1);
        }
        if let Some(&place) = places.get(&groups) {
            let audience: &mut Audience = &mut audiences[place];
            (audience.others, audience.everybody) = (audience.others + 1, audience.everybody || named.everybody);
            continue;
        }
        places.insert(groups.clone(), audiences.len());
        let name = if named.everybody { "*".to_owned() } else { excerpt(named.compared) };
        audiences.push(Audience { name, others: 0, line: named.agent.line, everybody: named.everybody, groups });
    }
    audiences
}

/// The names that a line has, if it has several.
pub(super) fn listed(value: &[u8]) -> Option<Vec<&[u8]>> {
    fn words(text: &[u8]) -> Vec<&[u8]> {
        text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect()
    }
    let is_between = |word: &&[u8]| matches!(*word, b"&" | b"+" | b"/") || word.eq_ignore_ascii_case(b"and");
    let by_signs = value.split(|byte| matches!(byte, b',' | b';' | b'|')).map(words);
    let parts: Vec<Vec<&[u8]>> = by_signs
        .flat_map(|words| words.split(is_between).map(<[&[u8]]>::to_vec).collect::<Vec<_>>())
        .filter(|part| !part.is_empty())
        .collect();
    if parts.len() > 1 {
        return parts.iter().all(|part| part.len() == 1 && is_name(part[0])).then(|| parts.concat());
    }
    // A name may have blanks in it, so all words must be those of robots.
    let by_blanks = words(value);
    let is_list = by_blanks.len() > 1 && by_blanks.iter().all(|part| is_name(part) && is_robot(part));
    is_list.then_some(by_blanks)
}

/// Whether text can be the name of a crawler, perhaps with its version, or `*`.
fn is_name(text: &[u8]) -> bool {
    let name = text.split(|&byte| byte == b'/').next().unwrap_or_default();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    text == b"*"
        || name.iter().any(u8::is_ascii_alphabetic)
            && name.iter().all(is_part)
            && text.iter().all(|byte| is_part(byte) || *byte == b'/')
}

/// Whether a name says that it is one of a robot, and of which.
fn is_robot(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    let says = |word: &str| memchr::memmem::find(&name, word.as_bytes()).is_some_and(|_| name.len() > word.len());
    ["bot", "crawler", "spider", "slurp"].iter().any(|word| says(word)) && name != b"robot"
}

/// Words for every crawler, and those that may stand beside them.
const EVERYBODY: [&str; 9] =
    ["all", "any", "every", "everyone", "everybody", "everything", "anyone", "anybody", "anything"];
const BESIDE: [&str; 20] = [
    "other", "others", "else", "of", "the", "bot", "bots", "robot", "robots", "crawler", "crawlers", "spider",
    "spiders", "agent", "agents", "user", "web", "search", "engine", "engines",
];

/// Whether a line means every crawler, but says so in words, or by a star of another font.
pub(super) fn means_everybody(value: &[u8]) -> bool {
    let text = String::from_utf8_lossy(unquoted(value)).to_ascii_lowercase();
    let is_any = |word: &&str, words: &[&str]| words.contains(word);
    let mut words = text.split([' ', '\t', '-', '_', '(', ')']).filter(|word| !word.is_empty());
    text == "＊"
        || words.next().is_some_and(|word| is_any(&word, &EVERYBODY)) && words.all(|word| is_any(&word, &BESIDE))
}

/// Whether a text begins as the user-agent strings of browsers do, in which crawlers name themselves later.
fn is_browsers(text: &str) -> bool {
    text.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("mozilla/"))
}

/// The name that a line means of which only a part is compared, or nothing: without quotes, version or comment, or the one in a whole
/// user-agent string.
pub(super) fn meant(value: &[u8]) -> Option<String> {
    let before = comment(value).filter(|(_, text)| !is_robot(text)).map_or(value, |(name, _)| name);
    let text = std::str::from_utf8(unquoted(before)).ok()?;
    match text.parse::<Agents>() {
        Ok(agents) => match agents.tokens() {
            [name] => Some(name.clone()),
            [] => Some("*".to_owned()),
            _ => None,
        },
        // Elsewhere, what stands between brackets is no name of the crawler.
        Err(error) if error.is_about(About::WholeUserAgent) && text.contains('(') => Some(proposed_token(text))
            .filter(|proposed| proposed != "*" && (is_browsers(text) || text.starts_with(&**proposed))),
        Err(_) => None,
    }
    .filter(|name| name.as_bytes() != value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The audiences of a file, each with its groups, counted from 0.
    fn of(file: &str, dialect: &str) -> Vec<String> {
        let dialect = Dialect::named(dialect).unwrap();
        let robots = Robots::parse(file.as_bytes(), dialect);
        let shown = |one: &Audience| format!("{}{}:{:?}", one.name, if one.everybody { "+" } else { "" }, one.groups);
        audiences(&robots, dialect).iter().map(shown).collect()
    }

    #[test]
    fn crawlers_with_the_same_groups_are_one_audience() {
        let file = "User-agent: a\nUser-agent: b/1\nDisallow: /1\n\nUser-agent: *\nUser-agent: c\nDisallow: /2\n\n\
                    User-agent: B\nDisallow: /3\n\nUser-agent: /\nUser-agent: aa\nDisallow: /4\n";
        assert_eq!(of(file, "rfc9309"), ["a:[0]", "b:[0, 2]", "*+:[1]", "aa:[3]"]);
        assert_eq!(of(file, "mandelbot"), ["a:[0]", "*+:[1]", "B:[2]", "/:[3]"]);
        assert_eq!(of(file, "extended-2008"), ["a:[0]", "b:[0, 2]", "*+:[1]", "aa:[0, 3]"]);
        assert_eq!(of(file, "original-1994"), ["a:[0]", "*+:[1]"], "only the first record counts");
    }

    #[test]
    fn several_names_on_a_line_are_found() {
        for (value, names) in [
            ("Googlebot, Bingbot, Slurp", "Googlebot Bingbot Slurp"),
            ("Googlebot,Bingbot", "Googlebot Bingbot"),
            ("Googlebot; Bingbot/2.0;", "Googlebot Bingbot/2.0"),
            ("Googlebot|*", "Googlebot *"),
            ("GPTBot and CCBot", "GPTBot CCBot"),
            ("GPTBot / CCBot", "GPTBot CCBot"),
            ("GPTBot + CCBot & *", "GPTBot CCBot *"),
            ("GPTBot, CCBot AND Bytespider", "GPTBot CCBot Bytespider"),
            ("Foo / 2.0", ""),
            ("AT&T", ""),
            ("search engines and others", ""),
            ("Googlebot Bingbot", "Googlebot Bingbot"),
            ("Googlebot,", ""),
            ("360Spider beta", ""),
            ("fastbot crawler", ""),
            ("Mozilla/5.0 (compatible; Googlebot/2.1)", ""),
            ("Googlebot", ""),
            ("", ""),
        ] {
            let found = listed(value.as_bytes()).unwrap_or_default();
            let found: Vec<_> = found.iter().map(|name| String::from_utf8_lossy(name)).collect();
            assert_eq!(found.join(" "), names, "{value}");
        }
    }

    #[test]
    fn every_crawler_is_meant_by_words() {
        for value in [
            "all",
            "Any",
            "\"ALL\"",
            "(all)",
            "everyone",
            "All robots",
            "any user-agent",
            "all other search engines",
            "＊",
        ] {
            assert!(means_everybody(value.as_bytes()), "{value}");
        }
        for value in
            ["*", "", "All Acronyms Bot", "allbot", "anybot", "robots", "all-in-one-bot", "none", "googlebot all"]
        {
            assert!(!means_everybody(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn a_name_is_proposed_where_it_is_clear() {
        for (value, name) in [
            ("bar/1.0", "bar"),
            ("GPTBot <!-- c -->", "GPTBot"),
            ("GPTBot // c", "GPTBot"),
            ("GPTBot /* c */", "GPTBot"),
            ("GPTBot -- c", "GPTBot"),
            ("* <!-- all -->", "*"),
            ("Googlebot - Bingbot", ""),
            ("* all", ""),
            ("\"Googlebot\"", "Googlebot"),
            ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"),
            ("360Spider beta", ""),
            ("Mediapartners (Googlebot)", ""),
            ("larbin_2.6.2 (listonATccDOTgatech)", ""),
            ("examplebot (+https://example.com/bot)", "examplebot"),
            ("Googlebot*", ""),
            ("bar", ""),
            ("", ""),
        ] {
            assert_eq!(meant(value.as_bytes()).unwrap_or_default(), name, "{value}");
        }
    }
}
