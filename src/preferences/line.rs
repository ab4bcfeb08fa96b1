//! One line of a robots.txt that says something about uses: what it says of each, and what is only kept, because nobody says what it
//! means for a page.
//!
//! - `Content-Usage`: a path, if there is one, and a dictionary (draft-ietf-aipref-attach-05, 3.2; draft-ietf-aipref-vocab-07);
//! - `Content-Signal`: signals between commas (contentsignals.org, September 2025), as `search=yes, ai-train=no, use=reference`.

use hashbrown::HashSet;
use sfv::visitor::{DictionaryVisitor, EntryVisitor, Ignored, InnerListVisitor, ItemVisitor};
use sfv::{BareItemFromInput, KeyRef, Parser};
use std::convert::Infallible;

use super::preference::{Preference, PreferenceSource, Use};
use crate::robots::{SideKey, SideRecord};

/// One line that says something about uses of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PreferenceLine<'r> {
    /// The record.
    pub source: PreferenceSource,
    /// The path that it is for, as written; empty if it is for all.
    pub path: &'r [u8],
    /// The line, counted from 1.
    pub line: u32,
    /// What it says of each use.
    said: [Preference; Use::COUNT],
}

impl<'r> PreferenceLine<'r> {
    /// What a record says; `None` if it is of another kind.
    pub fn of(record: &SideRecord<'r>) -> Option<PreferenceLine<'r>> {
        let (source, path, said) = match record.key {
            SideKey::ContentUsage => {
                let (path, statement) = split(record.value);
                (PreferenceSource::ContentUsage, path, read_usage(statement))
            }
            SideKey::ContentSignal => (PreferenceSource::ContentSignal, &b""[..], read_signal(record.value)),
            _ => return None,
        };
        Some(PreferenceLine { source, path, line: record.line, said })
    }

    /// Whether records with a key are such lines.
    pub(crate) fn is_one(key: SideKey) -> bool {
        matches!(key, SideKey::ContentUsage | SideKey::ContentSignal)
    }

    /// What records say, in full: what follows from them is the same where this is. Empty if they say nothing.
    pub(crate) fn key(records: &[SideRecord<'_>]) -> Vec<u8> {
        let mut key = Vec::new();
        for record in records.iter().filter(|record| PreferenceLine::is_one(record.key)) {
            key.push(record.key as u8);
            key.extend_from_slice(record.value);
            // No line holds one.
            key.push(b'\n');
        }
        key
    }

    /// The labels in its value that are not known, as written.
    pub(crate) fn unknown_labels(&self, value: &[u8]) -> Vec<String> {
        match self.source {
            PreferenceSource::ContentUsage => unknown_in_usage(split(value).1),
            PreferenceSource::ContentSignal => unknown_in_signal(value),
        }
    }

    /// What it says of a use.
    pub fn says(&self, use_: Use) -> Preference {
        self.said[use_ as usize]
    }
}

/// Splits a value into its path, empty if there is none, and the statement. A path begins with a slash, and ends before the first
/// space or tab.
fn split(value: &[u8]) -> (&[u8], &[u8]) {
    if !value.starts_with(b"/") {
        return (b"", value);
    }
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let end = value.iter().position(is_blank).unwrap_or(value.len());
    let blanks = value[end..].iter().take_while(|byte| is_blank(byte)).count();
    (&value[..end], &value[end + blanks..])
}

/// What a statement says of each use: the dictionary of RFC 9651, of which only the tokens `y` and `n` are known. Labels are compared
/// with case, the last of several with one label counts; unknown labels and parameters are ignored. A known label with another value
/// is broken; so are all of them if the statement is no dictionary.
fn read_usage(statement: &[u8]) -> [Preference; Use::COUNT] {
    let source = PreferenceSource::ContentUsage;
    let Some(Labels(labels)) = Labels::of(statement) else { return source.broken() };
    let of = |label| labels.iter().rfind(|(known, _)| *known == label).map_or(Preference::Unknown, |(_, says)| *says);
    Use::ALL.map(|use_| source.label(use_).map_or(Preference::Unknown, of))
}

/// The labels of a statement that are not known; none if it cannot be read.
fn unknown_in_usage(statement: &[u8]) -> Vec<String> {
    let Some(Labels(labels)) = Labels::of(statement) else { return Vec::new() };
    let is_known = |label: &str| Use::ALL.iter().any(|use_| PreferenceSource::ContentUsage.label(*use_) == Some(label));
    let mut seen = HashSet::new();
    let unknown = labels.iter().filter(|(label, _)| !is_known(label) && seen.insert(*label));
    unknown.map(|(label, _)| (*label).to_owned()).collect()
}

/// The labels of a dictionary of RFC 9651 as they stand, with what each says.
#[derive(Default)]
struct Labels<'s>(Vec<(&'s str, Preference)>);

impl<'s> Labels<'s> {
    /// Those of a statement; `None` if it is no dictionary.
    fn of(statement: &'s [u8]) -> Option<Labels<'s>> {
        Parser::new(statement).parse_dictionary_with_visitor(Labels::default()).ok()
    }
}

impl<'s> DictionaryVisitor<'s> for Labels<'s> {
    type Out = Labels<'s>;
    type Error = Infallible;

    fn entry(&mut self, label: &'s KeyRef) -> Result<impl EntryVisitor<'s>, Infallible> {
        self.0.push((label.as_str(), Preference::Broken));
        Ok(self.0.last_mut().map(|(_, says)| LabelValue(says)))
    }

    fn finish(self) -> Result<Labels<'s>, Infallible> {
        Ok(self)
    }
}

/// The place for what a label says.
struct LabelValue<'p>(&'p mut Preference);

impl<'s> EntryVisitor<'s> for LabelValue<'_> {
    type Error = Infallible;

    fn item(self) -> Result<impl ItemVisitor<'s>, Infallible> {
        Ok(|item: BareItemFromInput<'s>| {
            *self.0 = match item {
                BareItemFromInput::Token(token) if token.as_str() == "y" => Preference::Yes,
                BareItemFromInput::Token(token) if token.as_str() == "n" => Preference::No,
                _ => Preference::Broken,
            };
            Ok::<_, Infallible>(Ignored)
        })
    }

    fn inner_list(self) -> Result<impl InnerListVisitor<'s>, Infallible> {
        Ok(Ignored)
    }
}

/// What a value says of each use. Its publishers have no grammar, so names and values are compared without case, and blanks around them
/// are ignored. Of one signal that is there twice, `no` counts. `use=` and unknown signals are ignored; if anything is no signal, or a
/// known one is neither `yes` nor `no`, all that the line does not say clearly is broken.
fn read_signal(value: &[u8]) -> [Preference; Use::COUNT] {
    let source = PreferenceSource::ContentSignal;
    let mut said = [Preference::Unknown; Use::COUNT];
    let mut is_broken = value.is_empty();
    for signal in value.split(|&byte| byte == b',') {
        let Some((name, word)) = signal_of(signal) else {
            is_broken = true;
            continue;
        };
        let Some(use_) = use_of(name) else { continue };
        let preference = match word {
            _ if word.eq_ignore_ascii_case(b"yes") => Preference::Yes,
            _ if word.eq_ignore_ascii_case(b"no") => Preference::No,
            _ => Preference::Broken,
        };
        is_broken |= preference == Preference::Broken;
        said[use_ as usize] = said[use_ as usize].max(preference);
    }
    let least = if is_broken { source.broken() } else { said };
    std::array::from_fn(|use_| said[use_].max(least[use_]))
}

/// The use that a signal's name means.
fn use_of(name: &[u8]) -> Option<Use> {
    let label = |use_| PreferenceSource::ContentSignal.label(use_);
    Use::ALL.into_iter().find(|use_| label(*use_).is_some_and(|label| name.eq_ignore_ascii_case(label.as_bytes())))
}

/// The names of signals that are not known.
fn unknown_in_signal(value: &[u8]) -> Vec<String> {
    let names = value.split(|&byte| byte == b',').filter_map(|signal| Some(signal_of(signal)?.0));
    let unknown = names.filter(|name| use_of(name).is_none() && !name.eq_ignore_ascii_case(b"use"));
    unknown.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// The words of `use=`, in small letters.
fn uses(value: &[u8]) -> impl Iterator<Item = String> {
    let signals = value.split(|&byte| byte == b',').filter_map(signal_of);
    let words = signals.filter(|(name, _)| name.eq_ignore_ascii_case(b"use")).map(|(_, word)| word);
    words.map(|word| String::from_utf8_lossy(word).to_ascii_lowercase())
}

/// The name and the value of a signal.
fn signal_of(signal: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = signal.iter().position(|&byte| byte == b'=')?;
    let (name, word) = (signal[..at].trim_ascii(), signal[at + 1..].trim_ascii());
    let is_word =
        |text: &[u8]| !text.is_empty() && text.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    (is_word(name) && is_word(word)).then_some((name, word))
}

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
            SideKey::ContentSignal => uses(record.value).map(KeptUse::Signal).collect(),
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
    fn statements_of_the_drafts() {
        use Preference::{Broken, No, Unknown, Yes};
        for (statement, train_ai, search) in [
            ("train-ai=n", No, Unknown),
            ("train-ai=y, search=n", Yes, No),
            ("train-ai=y,\tsearch=n ", Yes, No),
            // The last of a label counts, and is no token.
            ("train-ai=y, train-ai, search=n, search=\"n\"", Broken, Broken),
            ("train-ai, train-ai=y", Yes, Unknown),
            ("train-ai;allow=n, train-ai=y", Yes, Unknown),
            ("train-ai=n;x=y;z", No, Unknown),
            ("train-ai=maybe, search=y", Broken, Yes),
            ("train-ai=Y, search=(y)", Broken, Broken),
            ("train-ai=1", Broken, Unknown),
            ("ai=n, bots=y", Unknown, Unknown),
            ("", Unknown, Unknown),
            // No dictionaries.
            ("train-ai;has;parameters=\"?\";", Broken, Broken),
            ("Train-AI=n", Broken, Broken),
            ("train-ai = n", Broken, Broken),
            ("train-ai=n search=n", Broken, Broken),
            ("train-ai=n,", Broken, Broken),
            ("train-ai=n; search=\u{e9}", Broken, Broken),
        ] {
            assert_eq!(read_usage(statement.as_bytes()), [train_ai, search, Unknown], "{statement}");
        }
    }

    #[test]
    fn a_path_ends_at_the_first_blank() {
        for (value, path, statement) in [
            ("train-ai=n", "", "train-ai=n"),
            ("/ai-ok/ train-ai=y", "/ai-ok/", "train-ai=y"),
            ("/a*b$\t \ttrain-ai=y, search=n", "/a*b$", "train-ai=y, search=n"),
            ("/a", "/a", ""),
            ("*/a train-ai=y", "", "*/a train-ai=y"),
            ("", "", ""),
        ] {
            assert_eq!(split(value.as_bytes()), (path.as_bytes(), statement.as_bytes()), "{value}");
        }
    }

    #[test]
    fn signals_as_publishers_write_them() {
        use Preference::{Broken, No, Unknown, Yes};
        for (value, train_ai, search, ai_input) in [
            ("search=yes, ai-train=no", No, Yes, Unknown),
            ("search=yes,ai-train=no,use=reference", No, Yes, Unknown),
            ("ai-train=yes, search=yes, ai-input=yes", Yes, Yes, Yes),
            ("AI-Train = NO", No, Unknown, Unknown),
            ("ai-train=yes, ai-train=no", No, Unknown, Unknown),
            ("use=full", Unknown, Unknown, Unknown),
            ("search-ai=no", Unknown, Unknown, Unknown),
            ("ai-train=maybe, search=no", Broken, No, Broken),
            ("ai-train=no; search=yes", Broken, Broken, Broken),
            ("ai-train=no search=yes", Broken, Broken, Broken),
            ("search=yes,", Broken, Broken, Broken),
            ("/blog/ ai-train=no", Broken, Broken, Broken),
            ("ai-train", Broken, Broken, Broken),
            ("", Broken, Broken, Broken),
        ] {
            assert_eq!(read_signal(value.as_bytes()), [train_ai, search, ai_input], "{value}");
        }
    }

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
