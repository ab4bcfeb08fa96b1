//! The uses that have columns in a table of lines.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

use super::compiled::Preferred;
use super::preference::{Preference, PreferenceSource, Use};

/// The uses that have columns: what is said of each, by all sources together and by each one.
///
/// ```
/// let columns: robosieve::PreferenceColumns = "search,train-ai".parse()?;
/// assert_eq!(columns.to_string(), "train-ai,search");
/// # Ok::<(), robosieve::UnknownUse>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PreferenceColumns([bool; Use::COUNT]);

impl PreferenceColumns {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == PreferenceColumns::default()
    }

    fn uses(self) -> impl Iterator<Item = Use> {
        Use::ALL.into_iter().filter(move |use_| self.0[*use_ as usize])
    }

    /// The columns, in order.
    pub(crate) fn all(self) -> impl Iterator<Item = PreferenceColumn> {
        self.uses().flat_map(|use_| {
            let sources = PreferenceSource::ALL.into_iter().filter(move |source| source.label(use_).is_some());
            [None].into_iter().chain(sources.map(Some)).map(move |source| PreferenceColumn { use_, source })
        })
    }

    /// How many they are.
    pub(crate) fn count(self) -> usize {
        self.all().count()
    }
}

/// A name is not that of a use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is unknown; expected {names}", names = Use::ALL.map(Use::name).join(", "))]
pub struct UnknownUse(String);

impl FromStr for PreferenceColumns {
    type Err = UnknownUse;

    /// Parses uses between commas.
    fn from_str(text: &str) -> Result<PreferenceColumns, Self::Err> {
        let mut columns = PreferenceColumns::default();
        for name in text.split(',').map(str::trim) {
            let use_ = Use::from_name(name.as_bytes()).ok_or_else(|| UnknownUse(name.to_owned()))?;
            columns.0[use_ as usize] = true;
        }
        Ok(columns)
    }
}

impl fmt::Display for PreferenceColumns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.uses().map(Use::name).collect::<Vec<_>>().join(","))
    }
}

impl Serialize for PreferenceColumns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PreferenceColumns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PreferenceColumns, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.is_empty() { Ok(PreferenceColumns::default()) } else { text.parse().map_err(serde::de::Error::custom) }
    }
}

/// A column of preferences: what is said of a use, by all sources together or by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PreferenceColumn {
    use_: Use,
    /// `None` for all sources together.
    source: Option<PreferenceSource>,
}

impl PreferenceColumn {
    /// All of them, in the order of tables.
    pub fn all() -> impl Iterator<Item = PreferenceColumn> {
        PreferenceColumns([true; Use::COUNT]).all()
    }

    /// Its name in tables, such as `train_ai`, or `train_ai_content_usage`.
    pub fn name(self) -> &'static str {
        match (self.use_, self.source) {
            (Use::TrainAi, None) => "train_ai",
            (Use::TrainAi, Some(PreferenceSource::ContentUsage)) => "train_ai_content_usage",
            (Use::TrainAi, Some(PreferenceSource::ContentSignal)) => "train_ai_content_signal",
            (Use::Search, None) => "search",
            (Use::Search, Some(PreferenceSource::ContentUsage)) => "search_content_usage",
            (Use::Search, Some(PreferenceSource::ContentSignal)) => "search_content_signal",
            (Use::AiInput, None) => "ai_input",
            (Use::AiInput, Some(PreferenceSource::ContentUsage)) => "ai_input_content_usage",
            (Use::AiInput, Some(PreferenceSource::ContentSignal)) => "ai_input_content_signal",
        }
    }

    /// What it says of a page.
    pub(crate) fn preference(self, preferred: &Preferred) -> Preference {
        match self.source {
            Some(source) => preferred.by(source, self.use_),
            None => preferred.combined(self.use_),
        }
    }

    /// What stands in it for a page: `y`, `n`, or nothing.
    pub(crate) fn value(self, preferred: &Preferred) -> Option<&'static str> {
        self.preference(preferred).answer()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_back_as_text() {
        let names = |text: &str| text.parse::<PreferenceColumns>().unwrap().all().map(PreferenceColumn::name).collect();
        let names: Vec<&str> = names("ai-input, train-ai");
        let expected =
            ["train_ai", "train_ai_content_usage", "train_ai_content_signal", "ai_input", "ai_input_content_signal"];
        assert_eq!(names, expected);
        for text in ["train-ai", "train-ai,search,ai-input"] {
            let columns: PreferenceColumns = text.parse().unwrap();
            let json = serde_json::to_string(&columns).unwrap();
            assert_eq!((json.as_str(), serde_json::from_str(&json).unwrap()), (&*format!("{text:?}"), columns));
        }
        assert!(serde_json::from_str::<PreferenceColumns>("\"\"").unwrap().is_empty());
        assert!("".parse::<PreferenceColumns>().is_err() && "ai-train".parse::<PreferenceColumns>().is_err());
    }
}
