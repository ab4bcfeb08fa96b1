//! What a site says about uses that is only kept: what it means for a page is not read.

use super::content_signal;
use super::line::PreferenceLine;
use crate::robots::{SideKey, SideRecord};

/// A record, or a part of one, that says something about uses, but nothing that decides.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum KeptUse {
    /// The word of `use=` in a `Content-Signal`, in small letters.
    Signal(String),
    /// A `License`, a `DisallowAITraining` or an `LLM-Policy` with its value.
    Record(SideKey, Vec<u8>),
}

/// Whether records with a key say something about uses, also if it is only kept.
pub(crate) fn is_about_uses(key: SideKey) -> bool {
    PreferenceLine::is_one(key) || KeptUse::is_one(key)
}

impl KeptUse {
    /// Whether records with a key are only kept.
    pub fn is_one(key: SideKey) -> bool {
        matches!(key, SideKey::License | SideKey::DisallowAiTraining | SideKey::LlmPolicy)
    }

    /// What a record says so; most say nothing.
    pub fn of(record: &SideRecord<'_>) -> Vec<KeptUse> {
        match record.key {
            SideKey::ContentSignal => content_signal::uses(record.value).map(KeptUse::Signal).collect(),
            key if KeptUse::is_one(key) => vec![KeptUse::Record(key, record.value.to_vec())],
            _ => Vec::new(),
        }
    }

    /// Its key; `None` for `use=`. All of them sort by it.
    pub fn key(&self) -> Option<SideKey> {
        match self {
            KeptUse::Record(key, _) => Some(*key),
            KeptUse::Signal(_) => None,
        }
    }

    /// As it stands in a robots.txt; a byte that is not UTF-8 is `\x..`, so that different values stay different.
    pub fn text(&self) -> String {
        match self {
            KeptUse::Record(key, value) => {
                let mut text = format!("{}: ", key.name());
                for chunk in value.utf8_chunks() {
                    text.push_str(chunk.valid());
                    chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
                }
                text
            }
            KeptUse::Signal(word) => format!("use={word}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_nothing_is_kept_as_it_is_written() {
        for (key, value, expected) in [
            (SideKey::License, "https://a.example/L", &["license: https://a.example/L"][..]),
            (SideKey::License, "", &["license: "]),
            (SideKey::DisallowAiTraining, "/a", &["disallowaitraining: /a"]),
            (SideKey::LlmPolicy, "/llms", &["llm-policy: /llms"]),
            (SideKey::ContentSignal, "ai-train=no, Use = Full", &["use=full"]),
            (SideKey::ContentSignal, "use=full,use=reference; x, ,use", &["use=full"]),
            (SideKey::ContentSignal, "search=yes", &[]),
            (SideKey::ContentUsage, "use=full", &[]),
            (SideKey::Sitemap, "s", &[]),
        ] {
            let record = SideRecord { key, value: value.as_bytes(), line: 1, group: None };
            let found: Vec<String> = KeptUse::of(&record).iter().map(KeptUse::text).collect();
            assert_eq!(found, expected, "{value}");
        }
    }
}
