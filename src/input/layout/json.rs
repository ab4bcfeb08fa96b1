//! The URL in a JSON object: the string that is its member of some name.
//!
//! Most lines are written by one program: the URL is the first member, and has no escapes. It is taken where it stands, if nothing
//! suggests that the object has it twice, or was cut short. Every other line is parsed, and not believed if it is malformed.

use memchr::memmem::Finder;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::ops::Range;

use super::delimited::Found;
use crate::outcome::Reason;

/// The member of objects that holds the URL.
#[derive(Debug, Clone)]
pub struct Member {
    name: String,
    /// Finds the name in quotes.
    quoted: Finder<'static>,
}

impl PartialEq for Member {
    fn eq(&self, other: &Member) -> bool {
        self.name == other.name
    }
}

impl Eq for Member {}

impl Member {
    /// The member of this name.
    pub(crate) fn new(name: &str) -> Member {
        Member { name: name.to_owned(), quoted: Finder::new(&format!("\"{name}\"")).into_owned() }
    }

    /// The URL in the object that begins at `start` in a line and ends with it.
    #[inline]
    pub(super) fn url(&self, line: &[u8], start: usize, decoded: &mut Vec<u8>) -> Result<Found, Reason> {
        match self.plain_first(&line[start..]) {
            Some(place) => Ok(Found::Within(start + place.start..start + place.end)),
            None => self.parsed(line, start, decoded),
        }
    }

    /// The place of the URL in an object, if it is the first member, and surely the only one of its name.
    fn plain_first(&self, object: &[u8]) -> Option<Range<usize>> {
        let after = |text: &[u8], mark: &[u8]| Some(text.trim_ascii_start().strip_prefix(mark)?.len());
        let rest = |length: usize| &object[object.len() - length..];
        let name = rest(after(object, b"{")?);
        let colon = rest(after(name, self.quoted.needle())?);
        let value = rest(after(colon, b":")?);
        let text = rest(after(value, b"\"")?);
        let (url, rest) = text.split_at(memchr::memchr(b'"', text)?);
        let is_plain = |byte: u8| (0x20..0x7f).contains(&byte) & (byte != b'\\');
        let ends =
            matches!(rest[1..].trim_ascii_start().first(), Some(b',' | b'}')) && rest.trim_ascii_end().ends_with(b"}");
        // Names, too, may have escapes.
        let is_only = || memchr::memchr(b'\\', rest).is_none() && self.quoted.find(rest).is_none();
        let is_certain = ends && url.iter().fold(true, |all, &byte| all & is_plain(byte)) && is_only();
        let start = object.len() - text.len();
        is_certain.then_some(start..start + url.len())
    }

    /// The URL of an object that is parsed.
    fn parsed(&self, line: &[u8], start: usize, decoded: &mut Vec<u8>) -> Result<Found, Reason> {
        let value = self.raw(&line[start..]).map_err(|_| Reason::Json)?.ok_or(Reason::NoUrl)?.get().as_bytes();
        let url = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).ok_or(Reason::NoUrl)?;
        if memchr::memchr(b'\\', url).is_none() {
            let start = url.as_ptr().addr() - line.as_ptr().addr();
            return Ok(Found::Within(start..start + url.len()));
        }
        let copy = value.to_vec();
        let url: String = serde_json::from_slice(&copy).map_err(|_| Reason::Json)?;
        // A URL with a line feed cannot be a line of a list.
        if url.contains('\n') {
            return Err(Reason::LineBreak);
        }
        let start = decoded.len();
        decoded.extend_from_slice(url.as_bytes());
        Ok(Found::Decoded(start..decoded.len()))
    }

    /// The member as it is written; `None` if the object has none.
    fn raw<'l>(&self, object: &'l [u8]) -> serde_json::Result<Option<&'l RawValue>> {
        let mut deserializer = serde_json::Deserializer::from_slice(object);
        let value = deserializer.deserialize_map(OfObject(&self.name))?;
        deserializer.end().map(|()| value)
    }
}

/// The names of an object's members, if a text is one.
pub(crate) fn names(object: &[u8]) -> Option<Vec<String>> {
    let members: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(object).ok()?;
    Some(members.into_iter().map(|(name, _)| name).collect())
}

/// Finds the member of this name. Without building the object: a line may have a dozen members.
struct OfObject<'n>(&'n str);

impl<'l> Visitor<'l> for OfObject<'_> {
    type Value = Option<&'l RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'l>>(self, mut members: A) -> Result<Option<&'l RawValue>, A::Error> {
        let mut found = None;
        while let Some(is_this) = members.next_key_seed(IsName(self.0))? {
            if !is_this {
                members.next_value::<IgnoredAny>()?;
            } else if found.replace(members.next_value()?).is_some() {
                return Err(A::Error::custom(format_args!("the member {} stands twice", self.0)));
            }
        }
        Ok(found)
    }
}

/// Whether a name is this one. It is compared as bytes, which need not be UTF-8.
#[derive(Clone, Copy)]
struct IsName<'n>(&'n str);

impl<'l> DeserializeSeed<'l> for IsName<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'l>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

impl Visitor<'_> for IsName<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_bytes<E: Error>(self, name: &[u8]) -> Result<bool, E> {
        Ok(name == self.0.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn found(member: &Member, line: &str) -> Result<String, Reason> {
        let mut decoded = Vec::new();
        let text = match member.url(line.as_bytes(), 0, &mut decoded)? {
            Found::Within(place) => line.as_bytes()[place].to_vec(),
            Found::Decoded(place) => decoded[place].to_vec(),
        };
        Ok(String::from_utf8(text).unwrap())
    }

    fn parsed(member: &Member, line: &str) -> Result<String, Reason> {
        let mut decoded = Vec::new();
        let text = match member.parsed(line.as_bytes(), 0, &mut decoded)? {
            Found::Within(place) => line.as_bytes()[place].to_vec(),
            Found::Decoded(place) => decoded[place].to_vec(),
        };
        Ok(String::from_utf8(text).unwrap())
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<i32>().prop_map(|number| json!(number)),
            "[a-z:/.\"\\\\{},\u{e9}\t ]{0,9}".prop_map(Value::from),
            Just(json!("url")),
        ];
        leaf.prop_recursive(2, 6, 3, |inner| {
            let name = prop_oneof![Just("url".to_owned()), "[a-z\"]{0,3}"];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec((name, inner), 0..3).prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    proptest! {
        /// What is taken where it stands is what the parser finds, on every object that is JSON.
        #[test]
        fn an_object_has_the_url_that_its_parser_finds(
            members in prop::collection::vec(("url|[a-z\"\\\\]{0,4}", value()), 0..4),
            spaces in prop::collection::vec("[ \t\r]{0,2}", 6),
            escaped in any::<bool>(),
        ) {
            let mut line = format!("{}{{", spaces[0]);
            for (at, (name, value)) in members.iter().enumerate() {
                let name = match json!(name).to_string() {
                    name if escaped && at > 0 => name.replace('u', "\\u0075"),
                    name => name,
                };
                let comma = if at > 0 { "," } else { "" };
                line += &format!("{comma}{}{name}{}:{}{value}{}", spaces[1], spaces[2], spaces[3], spaces[4]);
            }
            line += "}";
            line += &spaces[5];
            for member in [Member::new("url"), Member::new("a\"b")] {
                prop_assert_eq!(found(&member, &line), parsed(&member, &line), "{}", line);
            }
        }
    }

    #[test]
    fn a_first_url_without_escapes_is_taken_where_it_stands() {
        let member = Member::new("url");
        for (object, is_taken) in [
            (r#"{"url": "http://a/", "status": "200"}"#, true),
            (" { \"url\" :\t\"http://a/\" }\r", true),
            (r#"{"url":"http://a/"#, false),
            (r#"{"url":"http://a/","n":1"#, false),
            (r#"{"url":"http://a/" "n":1}"#, false),
            (r#"{"url":"http://a/","url":"http://b/"}"#, false),
            (r#"{"url":"http://a/","\u0075rl":"http://b/"}"#, false),
            (r#"{"url":"http://a/\u002f"}"#, false),
            (r#"{"url":"http://\u{e9}/"}"#, false),
            ("{\"url\":\"http://a/\tb\"}", false),
            (r#"{"uri":"http://a/"}"#, false),
            (r#"{"n":1,"url":"http://a/"}"#, false),
        ] {
            assert_eq!(member.plain_first(object.as_bytes()).is_some(), is_taken, "{object}");
        }
    }
}
