//! Records that RFC 9309 does not have: who reads them, and what those about uses of pages say.

use super::FindingKind::{self, DeadRecord, RecordOfFew};
use super::finding::{Findings, excerpt};
use crate::preferences::{Preference, PreferenceLine, PreferenceSource, Use};
use crate::robots::{SideKey, SideRecord};

/// What replaced the records that told what to index.
const META: &str = "use a robots meta tag or an X-Robots-Tag header, on pages that may be fetched";

/// Keys that are no record of ours, with who reads them. A star stands for the rest of a key.
const OTHERS: [(&str, FindingKind, &str); 9] = [
    ("Noindex", DeadRecord, "no crawler is known to read Noindex since Google stopped on 1 September 2019"),
    ("Nofollow", DeadRecord, "no crawler is known to read Nofollow since Google stopped on 1 September 2019"),
    ("Noarchive", DeadRecord, "no crawler is known to read Noarchive in a robots.txt"),
    ("Nosnippet", DeadRecord, "no crawler is known to read Nosnippet in a robots.txt"),
    (
        "Robot-version",
        DeadRecord,
        "Robot-version is of Conner's extended standard of 1996, which no crawler is known to follow",
    ),
    ("Comment", DeadRecord, "Comment is of Conner's extended standard of 1996, which no crawler is known to follow"),
    ("ACAP-*", DeadRecord, "no search engine has adopted ACAP, a proposal of publishers of 2007"),
    (
        "AllowAITraining",
        RecordOfFew,
        "AllowAITraining is of draft-canel-robots-ai-control of 2024, which is no standard",
    ),
    ("DisallowAIInput", RecordOfFew, "DisallowAIInput is of no standard, and no crawler is known to read it"),
];

/// The kind of finding for a record with an unknown key, and who reads it.
pub(super) fn of_unknown(key: &[u8]) -> Option<(FindingKind, String)> {
    let is_key = |name: &str| match name.strip_suffix('*') {
        Some(start) => key.get(..start.len()).is_some_and(|text| text.eq_ignore_ascii_case(start.as_bytes())),
        None => key.eq_ignore_ascii_case(name.as_bytes()),
    };
    let (name, kind, reader) = OTHERS.iter().find(|(name, ..)| is_key(name))?;
    let replaced = matches!(*name, "Noindex" | "Nofollow" | "Noarchive" | "Nosnippet");
    Some((*kind, if replaced { format!("{reader}; {META}") } else { (*reader).to_owned() }))
}

/// Such a key as it is usually written, but for one that may begin a sentence.
pub(super) fn usual(key: &[u8]) -> Option<&'static str> {
    let names = OTHERS.iter().map(|&(name, ..)| name);
    names.filter(|name| *name != "Comment").find(|name| key.eq_ignore_ascii_case(name.as_bytes()))
}

/// The same of a known one, if not all know it.
pub(super) fn of(key: SideKey) -> Option<(FindingKind, &'static str)> {
    Some(match key {
        // Their own findings say who reads delays; sitemaps are read by all search engines.
        SideKey::CrawlDelay | SideKey::Sitemap => return None,
        SideKey::Host => (
            DeadRecord,
            "only Yandex read Host, until March 2018: it asks for redirects (301) to the main host instead",
        ),
        SideKey::CleanParam => (RecordOfFew, "only Yandex reads Clean-param"),
        SideKey::RequestRate => (
            RecordOfFew,
            "few read Request-rate, of Conner's extended standard of 1996: Seznam, and Python's urllib.robotparser",
        ),
        SideKey::VisitTime => (
            RecordOfFew,
            "Visit-time is of Conner's extended standard of 1996; no large search engine says that it reads it",
        ),
        SideKey::ContentUsage => {
            (RecordOfFew, "Content-Usage is of the IETF's drafts on AI preferences, which are not finished")
        }
        SideKey::ContentSignal => (
            RecordOfFew,
            "Content-Signal is Cloudflare's; it tells crawlers what the site asks for, and few say that they obey",
        ),
        SideKey::License => (RecordOfFew, "License is read by those who follow Really Simple Licensing (RSL 1.0)"),
        SideKey::DisallowAiTraining => {
            (RecordOfFew, "DisallowAITraining is of draft-canel-robots-ai-control of 2024, which is no standard")
        }
        SideKey::LlmPolicy => (RecordOfFew, "LLM-Policy is of no standard, and no crawler is known to read it"),
    })
}

/// Checks the value of a line, if it says something about uses.
pub(super) fn check(line: u32, key: SideKey, value: &[u8], findings: &mut Findings<'_>) {
    let Some(read) = PreferenceLine::of(&SideRecord { key, value, line, group: None }) else { return };
    let is_usage = read.source == PreferenceSource::ContentUsage;
    let broken: Vec<&str> = Use::all()
        .filter(|&use_| read.says(use_) == Preference::Broken)
        .filter_map(|use_| read.source.label(use_))
        .collect();
    if !broken.is_empty() {
        let (kind, form) = match is_usage {
            true => (FindingKind::BrokenContentUsage, "labels with =y or =n, such as train-ai=n, search=y"),
            false => (FindingKind::BrokenContentSignal, "signals with =yes or =no, such as ai-train=no, search=yes"),
        };
        let labels = Use::all().filter(|&use_| read.source.label(use_).is_some()).count();
        let what = if broken.len() == labels { "it" } else { &format!("what it says of {}", broken.join(", ")) };
        let reason = format!("{what} cannot be read; write {form}");
        findings.add(kind, line, reason);
    }
    let kind = if is_usage { FindingKind::UnknownContentUsage } else { FindingKind::UnknownContentSignal };
    for label in read.unknown_labels(value) {
        let reason = format!("{} is not known, and says nothing", excerpt(label.as_bytes()));
        findings.add(kind, line, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_others_are_known_by_name() {
        let (kind, reason) = of_unknown(b"NoIndex").unwrap();
        assert_eq!(kind, DeadRecord);
        assert!(reason.contains("2019") && reason.contains("X-Robots-Tag"), "{reason}");
        assert_eq!(of_unknown(b"ACAP-crawler").unwrap().0, DeadRecord);
        for key in ["x-noindex", "acap", "", "disallow"] {
            assert_eq!(of_unknown(key.as_bytes()), None, "{key}");
        }
        assert_eq!(of(SideKey::Sitemap), None);
    }
}
