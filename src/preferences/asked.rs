//! What a run asks of preferences: which uses it requires of the pages that it keeps, and which have columns in a table of lines.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

use super::compiled::Preferred;
use super::preference::{Preference, PreferenceSource, Use};
use crate::error::{ValueError, ValueErrorKind};

named! {
    /// The requirement on each use, as written after its name.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    enum Required {
        /// That it is not refused, nor said in a way that cannot be read.
        NotNo = "!=n",
        /// That it is said to be fine.
        Yes = "=y",
    }
}

impl Required {
    fn is_met(self, preference: Preference) -> bool {
        match self {
            Required::NotNo => matches!(preference, Preference::Yes | Preference::Unknown),
            Required::Yes => preference == Preference::Yes,
        }
    }
}

/// What a run requires of the pages that it keeps: `train-ai!=n`, that the use is not refused, or `train-ai=y`, that it is said to
/// be fine. A preference that cannot be read meets neither. The default requires nothing.
///
/// ```
/// use robosieve::Requirements;
///
/// let requirements: Requirements = "train-ai!=n,search=y".parse()?;
/// assert_eq!(requirements.to_string(), "train-ai!=n,search=y");
/// assert!("train-ai=n".parse::<Requirements>().is_err());
/// # Ok::<(), robosieve::ValueError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Requirements([Option<Required>; Use::COUNT]);

impl Requirements {
    /// Whether nothing is required.
    pub fn is_empty(&self) -> bool {
        *self == Requirements::default()
    }

    /// Whether these preferences say no to a use that is required, or something about it that cannot be read.
    pub(crate) fn are_refused(&self, preferred: &Preferred) -> bool {
        let mut required = Use::ALL.into_iter().zip(self.0).filter(|(_, required)| required.is_some());
        required.any(|(use_, _)| matches!(preferred.combined(use_), Preference::No | Preference::Broken))
    }

    /// Whether a page with these preferences may be kept.
    pub(crate) fn are_met(&self, preferred: &Preferred) -> bool {
        let mut required = Use::ALL.into_iter().zip(self.0);
        required.all(|(use_, required)| required.is_none_or(|required| required.is_met(preferred.combined(use_))))
    }
}

fn known_uses() -> String {
    Use::ALL.map(Use::name).join(", ")
}

fn not_required(given: &str) -> ValueError {
    let uses = known_uses();
    let message = format!(
        "\"{given}\" is no requirement; it is a use, one of {uses}, and \"!=n\" or \"=y\", for example train-ai!=n"
    );
    ValueErrorKind::Use.of(message)
}

impl FromStr for Requirements {
    type Err = ValueError;

    /// Parses requirements between commas.
    fn from_str(text: &str) -> Result<Requirements, ValueError> {
        let mut requirements = Requirements::default();
        for one in text.split(',').map(str::trim) {
            let (name, suffix) = one.split_at(one.find(['!', '=']).unwrap_or(one.len()));
            let found = Use::from_name(name.as_bytes()).zip(Required::from_name(suffix.as_bytes()));
            let (use_, required) = found.ok_or_else(|| not_required(one))?;
            if requirements.0[use_ as usize].replace(required).is_some() {
                let message = format!(
                    "{use_} is required twice; require it once, either as {use_}!=n or as {use_}=y, which is stricter"
                );
                return Err(ValueErrorKind::Use.of(message));
            }
        }
        Ok(requirements)
    }
}

impl fmt::Display for Requirements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = Use::ALL.into_iter().zip(self.0);
        let all = all.filter_map(|(use_, required)| Some(format!("{}{}", use_.name(), required?.name())));
        f.pad(&all.collect::<Vec<_>>().join(","))
    }
}

impl Serialize for Requirements {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Requirements {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Requirements, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// The uses that have columns: what is said of each, by all sources together and by each one.
///
/// ```
/// let columns: robosieve::PreferenceColumns = "search,train-ai".parse()?;
/// assert_eq!(columns.to_string(), "train-ai,search");
/// # Ok::<(), robosieve::ValueError>(())
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

impl FromStr for PreferenceColumns {
    type Err = ValueError;

    /// Parses uses between commas.
    fn from_str(text: &str) -> Result<PreferenceColumns, Self::Err> {
        let mut columns = PreferenceColumns::default();
        for name in text.split(',').map(str::trim) {
            let use_ = Use::from_name(name.as_bytes())
                .ok_or_else(|| ValueErrorKind::Use.of(format!("\"{name}\" is unknown; expected {}", known_uses())))?;
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
    fn requirements_come_back_as_text() {
        for text in ["train-ai!=n", "train-ai=y", "train-ai!=n,search=y,ai-input!=n"] {
            let parsed: Requirements = text.parse().unwrap();
            assert_eq!(parsed.to_string(), text);
            let json = serde_json::to_string(&parsed).unwrap();
            assert_eq!(serde_json::from_str::<Requirements>(&json).unwrap(), parsed);
        }
        assert_eq!(" search=y, train-ai!=n".parse::<Requirements>().unwrap().to_string(), "train-ai!=n,search=y");
        for text in
            ["", "train-ai", "train-ai=n", "train-ai!=y", "train-ai=", "ai-train=y", "search=y,", "Search=y", "=y"]
        {
            let unknown = text.parse::<Requirements>().unwrap_err().to_string();
            assert!(unknown.contains("is no requirement"), "{text}: {unknown}");
        }
        let twice = "search=y,search!=n".parse::<Requirements>().unwrap_err();
        assert!(twice.to_string().contains("search is required twice"), "{twice}");
    }

    #[test]
    fn what_cannot_be_read_meets_nothing() {
        for (preference, not_no, yes) in [
            (Preference::Unknown, true, false),
            (Preference::Yes, true, true),
            (Preference::Broken, false, false),
            (Preference::No, false, false),
        ] {
            assert_eq!((Required::NotNo.is_met(preference), Required::Yes.is_met(preference)), (not_no, yes));
        }
    }

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
