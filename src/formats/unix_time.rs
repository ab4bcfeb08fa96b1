//! Unix time in seconds as RFC 3339.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serializer};

use super::time::time;

pub(crate) fn serialize<S: Serializer>(seconds: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&time(*seconds))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let text = String::deserialize(deserializer)?;
    // Times beyond the years of RFC 3339 were written as numbers.
    text.parse::<Timestamp>().map(Timestamp::as_second).or_else(|error| {
        text.parse().map_err(|_| serde::de::Error::custom(format!("{text:?} is not an RFC 3339 time: {error}")))
    })
}
