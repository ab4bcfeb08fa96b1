//! For whom the groups of a file are: the crawlers that it names, and all others.
//!
//! What a rule comes to depends on the groups that apply with it, and these on the crawler. So questions about effects are asked for
//! each *audience*: the crawlers whom exactly the same groups apply to.

use hashbrown::HashMap;

use super::finding::excerpt;
use crate::dialect::{AgentValue, Dialect, Groups};
use crate::robots::{Agents, Robots, Rule};

/// Crawlers whom the same groups apply to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Audience {
    /// The first of their names in the file; `*` for all that it does not name.
    pub name: String,
    /// The line of this name.
    pub line: u32,
    /// Whether all that the file does not name are among them.
    pub everybody: bool,
    /// The groups, in file order.
    pub groups: Vec<u32>,
}

impl Audience {
    /// Their rules, in file order.
    pub fn rules<'r, 'a>(&'r self, robots: &'r Robots<'a>) -> impl Iterator<Item = &'r Rule<'a>> + Clone {
        self.groups.iter().flat_map(|&group| &robots.rules[robots.groups[group as usize].rules.clone()])
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
        let place = *places.entry(groups).or_insert_with_key(|groups| {
            let name = if named.everybody { "*".to_owned() } else { excerpt(named.compared) };
            audiences.push(Audience { name, line: named.agent.line, everybody: false, groups: groups.clone() });
            audiences.len() - 1
        });
        audiences[place].everybody |= named.everybody;
    }
    audiences
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
}
