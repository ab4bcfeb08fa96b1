//! The headers of an answer, as JSON has them: an object, whose values are texts or lists of texts, or a list of pairs. Only the values of
//! `Content-Encoding` are kept, so the others may be anything.

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use std::fmt;

use super::answer::CONTENT_ENCODING;
use crate::formats::error::json_words;

/// The headers that matter, by name and value, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Headers(pub Vec<(String, String)>);

/// The headers of an answer that matter, by name and value, of a text in JSON: an object, whose values are texts or lists of texts, or a
/// list of pairs; null has none. They are those of [`Answer::headers`](super::Answer::headers()).
///
/// # Errors
///
/// A sentence that says what is wrong with the answer.
pub fn headers_of_json(text: &[u8]) -> Result<Vec<(String, String)>, String> {
    let headers: Result<Option<Headers>, _> = serde_json::from_slice(text);
    let headers = headers.map_err(|error| format!("its headers cannot be read: {}", json_words(&error)))?;
    Ok(headers.unwrap_or_default().0)
}

impl Headers {
    fn add(&mut self, name: &str, values: Values) {
        self.0.extend(values.0.into_iter().map(|value| (name.to_owned(), value)));
    }
}

/// Whether the values of a header matter.
pub(super) fn matters(name: &str) -> bool {
    name.trim_ascii().eq_ignore_ascii_case(CONTENT_ENCODING)
}

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Headers, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Headers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object or a list of pairs")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Headers, A::Error> {
                let mut headers = Headers::default();
                while let Some(name) = object.next_key::<String>()? {
                    match matters(&name) {
                        true => headers.add(&name, object.next_value()?),
                        false => drop(object.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(headers)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Headers, A::Error> {
                let mut headers = Headers::default();
                while let Some(Pair(name, value)) = list.next_element()? {
                    if matters(&name) {
                        let values = serde_json::from_value(value).map_err(A::Error::custom)?;
                        headers.add(&name, values);
                    }
                }
                Ok(headers)
            }
        }
        json.deserialize_any(All)
    }
}

/// A header in a list: a list of its name and its value, or an object with both.
struct Pair(String, serde_json::Value);

impl<'de> Deserialize<'de> for Pair {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Pair, D::Error> {
        struct One;
        impl<'de> Visitor<'de> for One {
            type Value = Pair;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a pair of a name and a value")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Pair, A::Error> {
                let wrong = |found| A::Error::invalid_length(found, &One);
                let name = list.next_element()?.ok_or_else(|| wrong(0))?;
                let value = list.next_element()?.ok_or_else(|| wrong(1))?;
                match list.next_element::<IgnoredAny>()? {
                    None => Ok(Pair(name, value)),
                    Some(_) => Err(wrong(3)),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Pair, A::Error> {
                let (mut name, mut value) = (None, None);
                while let Some(key) = object.next_key::<String>()? {
                    match key.as_str() {
                        "name" => name = Some(object.next_value()?),
                        "value" => value = Some(object.next_value()?),
                        _ => drop(object.next_value::<IgnoredAny>()?),
                    }
                }
                let lacks = || A::Error::invalid_value(de::Unexpected::Map, &One);
                Ok(Pair(name.ok_or_else(lacks)?, value.ok_or_else(lacks)?))
            }
        }
        json.deserialize_any(One)
    }
}

/// The values of a header; none if it is null.
struct Values(Vec<String>);

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Values, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Values;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of texts")
            }

            fn visit_unit<E>(self) -> Result<Values, E> {
                Ok(Values(Vec::new()))
            }

            fn visit_str<E>(self, value: &str) -> Result<Values, E> {
                Ok(Values(vec![value.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Values, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(Values)
            }
        }
        json.deserialize_any(All)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_an_object_or_a_list() {
        for (json, values) in [
            ("{}", &[][..]),
            ("[]", &[]),
            (r#"{"content-ENCODING":"gzip","Content-Length":7,"x":{"y":[null]}}"#, &["gzip"]),
            (r#"{"Content-Encoding":["gzip","br"]}"#, &["gzip", "br"]),
            (r#"{"Content-Encoding":null}"#, &[]),
            (r#"[["Server","x"],["Content-Encoding","gzip"],["content-encoding",["br"]]]"#, &["gzip", "br"]),
            (r#"[{"name":"Content-Encoding","value":"gzip","comment":""},{"value":1,"name":"Age"}]"#, &["gzip"]),
        ] {
            let Headers(found) = serde_json::from_str(json).unwrap();
            let found: Vec<String> = found.into_iter().map(|(_, value)| value).collect();
            assert_eq!(found, values, "{json}");
        }
    }
}
