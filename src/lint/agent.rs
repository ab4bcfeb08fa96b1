//! The value of a `User-agent` line that names no crawler, or only one of several: whom it means.

use super::meant::unquoted;
use crate::robots::{AgentError, Agents};

/// The names that a line has, if it has several.
pub(super) fn listed(value: &[u8]) -> Option<Vec<&[u8]>> {
    let parts = |is_between: fn(&u8) -> bool| {
        value.split(is_between).map(<[u8]>::trim_ascii).filter(|part| !part.is_empty()).collect::<Vec<_>>()
    };
    let by_signs = parts(|byte| matches!(byte, b',' | b';' | b'|'));
    if by_signs.len() > 1 {
        return by_signs.iter().all(|part| is_name(part)).then_some(by_signs);
    }
    // A name may have blanks in it, so all words must be those of robots.
    let by_blanks = parts(u8::is_ascii_whitespace);
    let is_list = by_blanks.len() > 1 && by_blanks.iter().all(|part| is_name(part) && is_robot(part));
    is_list.then_some(by_blanks)
}

/// Whether text can be the name of a crawler, perhaps with its version, or `*`.
fn is_name(text: &[u8]) -> bool {
    let name = text.split(|&byte| byte == b'/').next().unwrap_or_default();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    text == b"*"
        || !name.is_empty() && name.iter().all(is_part) && text.iter().all(|byte| is_part(byte) || *byte == b'/')
}

/// Whether a name says that it is one of a robot, and of which.
fn is_robot(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    let says = |word: &str| memchr::memmem::find(&name, word.as_bytes()).is_some_and(|_| name.len() > word.len());
    ["bot", "crawler", "spider", "slurp"].iter().any(|word| says(word)) && name != b"robot"
}

/// The name that a line means of which only a part is compared, or nothing: without quotes or version, or the one in a whole
/// user-agent string.
pub(super) fn meant(value: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(unquoted(value)).ok()?;
    match text.parse::<Agents>() {
        Ok(agents) => match agents.tokens() {
            [name] => Some(name.clone()),
            [] => Some("*".to_owned()),
            _ => None,
        },
        Err(AgentError::WholeUserAgent { proposed, .. }) if text.contains('(') && proposed != "*" => Some(proposed),
        Err(_) => None,
    }
    .filter(|name| name.as_bytes() != value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_names_on_a_line_are_found() {
        for (value, names) in [
            ("Googlebot, Bingbot, Slurp", "Googlebot Bingbot Slurp"),
            ("Googlebot,Bingbot", "Googlebot Bingbot"),
            ("Googlebot; Bingbot/2.0;", "Googlebot Bingbot/2.0"),
            ("Googlebot|*", "Googlebot *"),
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
    fn a_name_is_proposed_where_it_is_clear() {
        for (value, name) in [
            ("bar/1.0", "bar"),
            ("\"Googlebot\"", "Googlebot"),
            ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"),
            ("360Spider beta", ""),
            ("Googlebot*", ""),
            ("bar", ""),
            ("", ""),
        ] {
            assert_eq!(meant(value.as_bytes()).unwrap_or_default(), name, "{value}");
        }
    }
}
