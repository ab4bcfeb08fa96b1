//! Uses of a page, what is preferred of each, and where that is said.

use serde::{Deserialize, Serialize};

named! {
    /// A use of a page, by one name whatever the source calls it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum Use {
        /// Training of a model: `train-ai` of `Content-Usage`, `ai-train` of `Content-Signal`.
        TrainAi = "train-ai",
        /// Search: `search` of both.
        Search = "search",
        /// Input of a model that answers: `ai-input` of `Content-Signal`.
        AiInput = "ai-input",
    }
}

impl Use {
    /// The number of uses.
    pub(crate) const COUNT: usize = Use::ALL.len();
}

named! {
    /// What is preferred of a use. Where several are said at once, the greatest counts.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum Preference {
        /// Nothing is said.
        #[default]
        Unknown = "unknown",
        /// The use is fine.
        Yes = "y",
        /// Something is said that cannot be read. To the drafts it is unknown; to us it is no permission.
        Broken = "broken",
        /// The use is not wanted.
        No = "n",
    }
}

impl Preference {
    /// The answer that can be relied on, `y` or `n`: `None` if nothing is said, or nothing that can be read.
    pub fn answer(self) -> Option<&'static str> {
        matches!(self, Preference::Yes | Preference::No).then(|| self.name())
    }
}

named! {
    /// The record that says it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum PreferenceSource {
        /// `Content-Usage`.
        ContentUsage = "content-usage",
        /// `Content-Signal`.
        ContentSignal = "content-signal",
    }
}

impl PreferenceSource {
    /// The number of sources.
    pub(crate) const COUNT: usize = PreferenceSource::ALL.len();

    /// What the source calls a use; `None` if it has no word for it.
    pub fn label(self, use_: Use) -> Option<&'static str> {
        match (self, use_) {
            (PreferenceSource::ContentUsage, Use::AiInput) => None,
            (PreferenceSource::ContentUsage, Use::TrainAi) => Some("train-ai"),
            (PreferenceSource::ContentSignal, Use::TrainAi) => Some("ai-train"),
            (PreferenceSource::ContentSignal, Use::AiInput) => Some("ai-input"),
            (PreferenceSource::ContentUsage | PreferenceSource::ContentSignal, Use::Search) => Some("search"),
        }
    }

    /// What a line says that cannot be read: of each use that the source has a word for, something.
    pub(super) fn broken(self) -> [Preference; Use::COUNT] {
        Use::ALL.map(|use_| self.label(use_).map_or(Preference::Unknown, |_| Preference::Broken))
    }
}

named! {
    /// To which crawlers a `Content-Signal` line speaks. Publishers write it inside a group, before all groups, or in a second
    /// group of `*` in front of others, and do not say which crawlers they mean.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum SignalScope {
        /// To those of the groups that are open, and before any group to all.
        #[default]
        Group = "group",
        /// To all, wherever it stands.
        Everybody = "everybody",
    }
}

impl SignalScope {
    /// Whether it is the default.
    pub(crate) fn is_default(&self) -> bool {
        *self == SignalScope::default()
    }
}
