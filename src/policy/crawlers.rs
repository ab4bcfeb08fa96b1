//! The crawlers that a policy covers, and which of them a query is for.
//!
//! A policy has a column for each crawler that it was compiled for: a product token, `*`, or a list of tokens in order
//! of preference. A query may name one of these columns, or another list of tokens that each have a column. The answer to such a
//! list is the same as if the policy had been compiled for it.
//!
//! A set of a policy's crawlers is a bitmap:
//!
//! ```text
//! set     a bit for each column, the first one the lowest bit of the first byte
//! ```
//!
//! If a set is given by its place in CRAWLERS, place 0 means all crawlers.

use serde::{Deserialize, Serialize};
use std::fmt;
use xxhash_rust::xxh3::xxh3_64;

use crate::dialect::{AgentList, Dialect};
use crate::error::About;
use crate::error::policy::{Error, ErrorKind};
use crate::robots::Agents;

/// The crawlers that a policy is compiled for, each an [`Agents`] and the head of a column. A [`Crawler`] selects among them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Agents>", into = "Vec<Agents>")]
pub struct Crawlers {
    agents: Vec<Agents>,
    /// A hash of their names, by which a [`Crawler`] is recognised as one of these.
    hash: u64,
}

impl Crawlers {
    /// The most columns a policy can have.
    pub const MAX: usize = 1024;

    /// The columns for these crawlers.
    ///
    /// # Errors
    ///
    /// If there are none, too many, or one of them twice.
    pub fn new(agents: Vec<Agents>) -> Result<Crawlers, Error> {
        let wrong = |problem: String| ErrorKind::Crawler.of(problem).about(About::Crawlers);
        if agents.is_empty() {
            return Err(wrong("a policy needs at least one crawler".to_owned()));
        }
        if agents.len() > Crawlers::MAX {
            let (most, given) = (Crawlers::MAX, agents.len());
            return Err(wrong(format!(
                "a policy can have at most {most} crawlers, not {given}; compile several policies"
            )));
        }
        let again =
            agents.iter().enumerate().find(|(place, one)| agents[..*place].iter().any(|other| other.is_same(one)));
        match again {
            Some((_, one)) => Err(wrong(format!("{one} is given twice"))),
            None => Ok(Crawlers::of(agents)),
        }
    }

    /// Like [`Crawlers::new`], for crawlers that are known to be distinct.
    fn of(agents: Vec<Agents>) -> Crawlers {
        let names: Vec<String> = agents.iter().map(|agents| agents.to_string().to_ascii_lowercase()).collect();
        Crawlers { agents, hash: xxh3_64(names.join("\n").as_bytes()) }
    }

    /// The crawlers, in column order.
    pub fn all(&self) -> &[Agents] {
        &self.agents
    }

    /// Whether both are for the same crawlers, in the same order.
    pub fn is_same(&self, other: &Crawlers) -> bool {
        self.agents.len() == other.agents.len()
            && self.agents.iter().zip(&other.agents).all(|(one, other)| one.is_same(other))
    }

    pub(crate) fn count(&self) -> usize {
        self.agents.len()
    }

    /// The crawler with these agents, or the only one if none are given.
    ///
    /// # Errors
    ///
    /// If the columns have no answer for it.
    pub(super) fn crawler(&self, agents: Option<&Agents>, dialect: &'static Dialect) -> Result<Crawler, Error> {
        let known = || self.in_short();
        let none = |problem: String| ErrorKind::Crawler.of(problem).about(About::Crawler);
        let Some(given) = agents else {
            return match self.agents.as_slice() {
                [only] => Ok(Crawler { agents: only.clone(), columns: vec![0], of: self.hash }),
                _ => Err(none(format!(
                    "the policy has several crawlers ({}); name one, or a list in order of preference",
                    known()
                ))),
            };
        };
        let column = |agents: &Agents| self.agents.iter().position(|column| column.is_same(agents));
        if let Some(column) = column(given) {
            return Ok(Crawler { agents: given.clone(), columns: vec![column], of: self.hash });
        }
        let unknown = |given: &Agents| {
            let known = known();
            none(format!("the policy was not compiled for {given}, only for {known}; compile it for that crawler too"))
        };
        if given.tokens().len() < 2 {
            // A name with other characters has the column of its part that crawlers compare.
            let compared = Agents::named(&given.to_string(), dialect).map_err(|_| unknown(given))?;
            let column = column(&compared).ok_or_else(|| unknown(given))?;
            return Ok(Crawler { agents: compared, columns: vec![column], of: self.hash });
        }
        if dialect.agent_list == AgentList::Merge {
            return Err(none(format!(
                "the dialect {dialect} merges the groups of all names in a list, which is impossible after compiling them one by one; \
                 compile the policy for the list {given}"
            )));
        }
        let names = given.tokens().iter().map(|token| Agents::verbatim(token));
        let columns = names.map(|name| column(&name).ok_or_else(|| unknown(&name))).collect::<Result<_, _>>()?;
        Ok(Crawler { agents: given.clone(), columns, of: self.hash })
    }

    /// The most crawlers that a message names.
    const NAMED: usize = 8;

    /// The first ones, and how many more there are.
    pub(crate) fn in_short(&self) -> String {
        let (named, more) = self.agents.split_at(self.agents.len().min(Crawlers::NAMED));
        let more = if more.is_empty() { String::new() } else { format!("; and {} more", more.len()) };
        Crawlers::of(named.to_vec()).to_string() + &more
    }
}

impl From<Agents> for Crawlers {
    /// A single column.
    fn from(agents: Agents) -> Crawlers {
        Crawlers::of(vec![agents])
    }
}

impl TryFrom<Vec<Agents>> for Crawlers {
    type Error = Error;

    fn try_from(agents: Vec<Agents>) -> Result<Crawlers, Error> {
        Crawlers::new(agents)
    }
}

impl From<Crawlers> for Vec<Agents> {
    fn from(columns: Crawlers) -> Vec<Agents> {
        columns.agents
    }
}

impl fmt::Display for Crawlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.agents.iter().map(Agents::to_string).collect();
        f.write_str(&names.join("; "))
    }
}

/// The crawler of a query: its [`Agents`], and which [`Crawlers`] of the policy answer for them, in order of
/// preference. It works with every policy for the same crawlers. Any other policy refuses it, because there its columns
/// belong to other crawlers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crawler {
    agents: Agents,
    columns: Vec<usize>,
    /// The hash of the [`Crawlers`] among which it is.
    of: u64,
}

impl Crawler {
    /// Its agents.
    pub fn agents(&self) -> &Agents {
        &self.agents
    }

    /// The columns of a policy for these crawlers, in order of preference: the first whose group is the crawler's own
    /// answers, otherwise the last.
    ///
    /// # Panics
    ///
    /// If the crawler was taken from a policy for other crawlers.
    pub(crate) fn columns(&self, of: &Crawlers) -> &[usize] {
        assert!(self.of == of.hash, "the crawler {} was taken from a policy for other crawlers", self.agents);
        &self.columns
    }
}

/// The bytes of a set of this many columns.
pub(super) fn set_length(width: usize) -> usize {
    width.div_ceil(8)
}

pub(super) fn set_of(columns: impl IntoIterator<Item = usize>, width: usize) -> Vec<u8> {
    let mut set = vec![0; set_length(width)];
    columns.into_iter().for_each(|column| set[column / 8] |= 1 << (column % 8));
    set
}

#[inline]
pub(crate) fn is_in_set(set: &[u8], column: usize) -> bool {
    set.get(column / 8).is_some_and(|byte| byte >> (column % 8) & 1 == 1)
}

/// The columns of a set, in order.
#[inline]
pub(crate) fn columns_of(set: &[u8]) -> impl Iterator<Item = usize> {
    let of_byte = |(at, &byte): (usize, &u8)| {
        let mut left = byte;
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (bit < 8).then_some(8 * at + bit)
        })
    };
    set.iter().enumerate().flat_map(of_byte)
}

pub(super) fn set_count(set: &[u8]) -> usize {
    set.iter().map(|byte| byte.count_ones() as usize).sum()
}

/// Checks that bytes are a set of some of this many columns: not none, and not all.
pub(super) fn check_set(set: &[u8], width: usize) -> Result<(), &'static str> {
    if set.len() != set_length(width) || columns_of(set).any(|column| column >= width) {
        return Err("a set has other crawlers than the policy");
    }
    match set_count(set) {
        0 => Err("a set has no crawlers"),
        all if all == width => Err("a set of all crawlers is not named 0"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &[&str]) -> Result<Crawlers, Error> {
        Crawlers::new(names.iter().map(|name| name.parse().unwrap()).collect())
    }

    fn crawler(names: &[&str], given: &str, dialect: &str) -> Result<Vec<usize>, Error> {
        let dialect = Dialect::named(dialect).unwrap();
        let all = columns(names).unwrap();
        let crawler = all.crawler(Some(&given.parse().unwrap()), dialect)?;
        assert_eq!(crawler.agents().to_string(), given);
        Ok(crawler.columns(&all).to_vec())
    }

    #[test]
    fn columns_are_few_and_distinct() {
        let wrong = |names: &[&str]| columns(names).unwrap_err().to_string();
        assert_eq!(wrong(&[]), "a policy needs at least one crawler");
        assert_eq!(wrong(&["a", "b", "A"]), "A is given twice");
        assert!(columns(&["a", "a,b", "b,a", "*"]).is_ok());
        let many: Vec<String> = (0..1025).map(|number| format!("bot{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(columns(&many[..1024]).is_ok());
        assert!(wrong(&many).starts_with("a policy can have at most 1024 crawlers, not 1025"));
    }

    #[test]
    fn a_crawler_is_a_column_or_a_list_of_them() {
        let names = ["a", "b", "*", "b,c"];
        assert_eq!(crawler(&names, "B", "rfc9309").unwrap(), [1]);
        assert_eq!(crawler(&names, "*", "rfc9309").unwrap(), [2]);
        assert_eq!(crawler(&names, "b,c", "google").unwrap(), [3], "it was compiled as a list");
        assert_eq!(crawler(&names, "b,a", "rfc9309").unwrap(), [1, 0]);
        let wrong = |given: &str, dialect: &str| crawler(&names, given, dialect).unwrap_err().to_string();
        assert!(wrong("b,a", "google").starts_with("the dialect google merges the groups"));
        assert!(wrong("c", "rfc9309").starts_with("the policy was not compiled for c, "));
        assert!(wrong("a,c", "rfc9309").starts_with("the policy was not compiled for c, "));
        let only = |names: &[&str]| columns(names).unwrap().crawler(None, Dialect::DEFAULT);
        assert_eq!(only(&["a"]).unwrap().columns(&columns(&["A"]).unwrap()), [0]);
        assert!(only(&names).unwrap_err().to_string().contains("several crawlers (a; b; *; b,c)"));
    }

    #[test]
    #[should_panic(expected = "the crawler a was taken from a policy for other crawlers")]
    fn a_crawler_of_another_policy_is_not_the_one_in_its_place() {
        let crawler = columns(&["a", "b"]).unwrap().crawler(Some(&"a".parse().unwrap()), Dialect::DEFAULT).unwrap();
        crawler.columns(&columns(&["b", "a"]).unwrap());
    }

    #[test]
    fn a_set_has_its_columns_and_no_others() {
        let set = set_of([0, 9, 11], 12);
        assert_eq!((set.as_slice(), set_count(&set)), (&[1, 10][..], 3));
        assert_eq!(columns_of(&set).collect::<Vec<_>>(), [0, 9, 11]);
        assert!(is_in_set(&set, 9) && !is_in_set(&set, 8) && !is_in_set(&set, 100));
        assert_eq!(check_set(&set, 12), Ok(()));
        assert!(check_set(&set, 11).is_err() && check_set(&set, 17).is_err());
        assert!(check_set(&[0, 0], 12).is_err() && check_set(&[255, 15], 12).is_err());
    }
}
