//! System times as RFC 3339, to the nanosecond, so that a changed file is noticed.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::time::SystemTime;

pub(crate) fn serialize<S: Serializer>(time: &Option<SystemTime>, serializer: S) -> Result<S::Ok, S::Error> {
    // A time beyond the year 9999 is useless.
    let time = time.and_then(|time| Timestamp::try_from(time).ok());
    time.map(|time| time.to_string()).serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SystemTime>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    let time = text.map(|text| text.parse::<Timestamp>().map_err(serde::de::Error::custom)).transpose()?;
    Ok(time.map(SystemTime::from))
}
