//! A plain reading of robots.txt by RFC 9309, for engines that know nothing of it: the rules of one agent, the most specific first.

use std::borrow::Cow;
use std::cmp::Reverse;

/// The path of robots.txt itself, which is always allowed.
pub const ROBOTS: &[u8] = b"/robots.txt";

/// A rule's path in the form to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Whether it allows.
    pub allow: bool,
    /// The texts between its stars; one more than there are stars.
    pub parts: Vec<Vec<u8>>,
    /// Whether the path must end where the rule does.
    pub anchored: bool,
}

impl Rule {
    /// Its bytes, of which the most specific rule has most.
    fn length(&self) -> usize {
        self.parts.iter().map(Vec::len).sum::<usize>() + self.parts.len() - 1 + usize::from(self.anchored)
    }

    /// Whether it matches a path in normal form, from its start.
    pub fn matches(&self, path: &[u8]) -> bool {
        let (first, others) = self.parts.split_first().expect("at least one part");
        let Some(mut rest) = path.strip_prefix(&first[..]) else { return false };
        let Some((last, middle)) = others.split_last() else { return !self.anchored || rest.is_empty() };
        for part in middle {
            let Some(at) = memchr::memmem::find(rest, part) else { return false };
            rest = &rest[at + part.len()..];
        }
        if self.anchored { rest.ends_with(last) } else { memchr::memmem::find(rest, last).is_some() }
    }
}

/// The rules that apply to an agent, the longest first, and those that allow before others of the same length.
pub fn rules_for(agent: &str, robots: &[u8]) -> Vec<Rule> {
    let robots = robots.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(robots);
    let groups = groups(robots);
    let named = |token: &[u8]| -> Vec<&Group<'_>> {
        groups.iter().filter(|group| group.agents.iter().any(|agent| agent.eq_ignore_ascii_case(token))).collect()
    };
    let mut chosen = named(agent.as_bytes());
    if chosen.is_empty() {
        chosen = named(b"*");
    }
    let lines = chosen.iter().flat_map(|group| &group.rules);
    let mut rules: Vec<Rule> = lines.filter_map(|&(allow, value)| rule(allow, value)).collect();
    rules.sort_by_key(|rule| (Reverse(rule.length()), !rule.allow));
    rules
}

/// Agents, and the rules below them.
#[derive(Default)]
struct Group<'a> {
    agents: Vec<&'a [u8]>,
    rules: Vec<(bool, &'a [u8])>,
}

fn groups(robots: &[u8]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for line in robots.split(|&byte| byte == b'\n' || byte == b'\r') {
        let record = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let Some(colon) = memchr::memchr(b':', record) else { continue };
        let (key, value) = (record[..colon].trim_ascii(), record[colon + 1..].trim_ascii());
        if key.eq_ignore_ascii_case(b"user-agent") {
            if groups.last().is_none_or(|group| !group.rules.is_empty()) {
                groups.push(Group::default());
            }
            groups.last_mut().expect("just pushed").agents.push(token(value));
        } else if let Some(group) = groups.last_mut() {
            match key.to_ascii_lowercase().as_slice() {
                b"allow" => group.rules.push((true, value)),
                b"disallow" => group.rules.push((false, value)),
                _ => {}
            }
        }
    }
    groups
}

/// The product token at the start of a value, or `*`.
fn token(value: &[u8]) -> &[u8] {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let end = value.iter().position(|byte| !is_token(byte)).unwrap_or(value.len());
    if value == b"*" { value } else { &value[..end] }
}

fn rule(allow: bool, value: &[u8]) -> Option<Rule> {
    if !matches!(value.first(), Some(b'/' | b'*')) {
        return None;
    }
    let (body, anchored) = value.strip_suffix(b"$").map_or((value, false), |body| (body, true));
    let parts = body.split(|&byte| byte == b'*').map(|part| normal(part).into_owned()).collect();
    Some(Rule { allow, parts, anchored })
}

/// The form of bytes to compare (RFC 9309, 2.2.2): escapes of unreserved bytes, `*` and `$` are decoded, bytes beyond ASCII and
/// some others are escaped.
pub fn normal(text: &[u8]) -> Cow<'_, [u8]> {
    if text.iter().all(|&byte| stays(byte)) {
        return Cow::Borrowed(text);
    }
    let mut form = Vec::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        let escaped = escape_at(rest);
        let byte = escaped.unwrap_or(first);
        rest = if escaped.is_some() { &rest[3..] } else { after };
        if is_unreserved(byte) || matches!(byte, b'*' | b'$') || (escaped.is_none() && stays(byte)) {
            form.push(byte);
        } else {
            form.extend(format!("%{byte:02X}").bytes());
        }
    }
    Cow::Owned(form)
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn stays(byte: u8) -> bool {
    is_unreserved(byte) || b":/?#[]@!$&'()*+,;=".contains(&byte)
}

fn escape_at(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else { return None };
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::{normal, rules_for};

    fn allowed(robots: &str, path: &str) -> bool {
        let rules = rules_for("Bot", robots.as_bytes());
        rules.iter().find(|rule| rule.matches(&normal(path.as_bytes()))).is_none_or(|rule| rule.allow)
    }

    #[test]
    fn the_longest_rule_decides() {
        let robots = "User-agent: bot\nDisallow: /a\nAllow: /a/b\nDisallow: /a/*/x$\n";
        for (path, expected) in [("/a", false), ("/a/b", true), ("/a/b/x", false), ("/a/b/x?", true), ("/b", true)] {
            assert_eq!(allowed(robots, path), expected, "{path}");
        }
        assert!(allowed("User-agent: *\nDisallow: /a\nAllow: /a\n", "/a"));
    }

    #[test]
    fn forms() {
        assert_eq!(&*normal(b"/%7ea%2f%c3"), b"/~a%2F%C3");
        assert_eq!(&*normal("/\u{fc}".as_bytes()), b"/%C3%BC");
    }
}
