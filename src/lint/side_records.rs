//! Findings about records that are no rules: sitemaps, of which each line has one absolute URL; crawl delays, which are numbers that
//! count for one crawler; and those that RFC 9309 does not have: who reads them, and what those about uses of pages say.

use hashbrown::{HashMap, HashSet};

use super::FindingKind::{self, DeadRecord, RecordOfFew};
use super::audience::Audience;
use super::finding::{Findings, Related, excerpt};
use super::meant::{self, is_file_ending};
use super::rule::PROPOSED;
use crate::dialect::{CrawlDelay, Dialect};
use crate::preferences::{Preference, PreferenceLine, PreferenceSource, Use};
use crate::robots::{Agents, Robots, SideKey, SideRecord, seconds};

/// The sitemaps of the lines so far, as the URL standard writes them, with the first line of each and its value.
#[derive(Debug, Default)]
pub(super) struct Sitemaps<'a>(HashMap<Vec<u8>, (u32, &'a [u8])>);

impl<'a> Sitemaps<'a> {
    /// Checks the value of a line. What makes the rest of it meaningless is reported alone.
    pub fn check(&mut self, line: u32, value: &'a [u8], findings: &mut Findings<'_>) {
        if several(line, value, findings) {
            return;
        }
        if let Some((url, comment)) = comment(value) {
            let reason = "only # begins a comment: to crawlers, the rest of the line is a part of the URL";
            let proposal =
                format!("Sitemap: {} # {}", excerpt(url), excerpt(comment)).trim_end_matches([' ', '#']).to_owned();
            return findings.add_with(FindingKind::ForeignComment, line, reason, Some(proposal), None);
        }
        let absolute = absolute(value);
        if absolute.is_none() {
            let reason = "the value is not an absolute URL with scheme and host, so crawlers may not find the sitemap";
            let proposal = self::absolute(meant::unquoted(value)).and(Some(meant::unquoted(value)));
            let proposal = proposal.map(|url| format!("Sitemap: {}", excerpt(url)));
            findings.add_with(FindingKind::RelativeSitemap, line, reason, proposal, None);
        }
        let key = absolute.map_or_else(|| value.to_vec(), |url| String::from(url).into_bytes());
        let (first, text) = *self.0.entry(key).or_insert((line, value));
        if first != line && !value.is_empty() {
            let related = Related { line: first, text: format!("Sitemap: {}", excerpt(text)) };
            let reason = match text == value {
                true => format!("line {first} already has this sitemap"),
                false => format!("line {first} already has this sitemap, written in another way"),
            };
            findings.add_with(FindingKind::SitemapRepeated, line, reason, None, Some(related));
        }
    }
}

/// Reports several sitemaps, and returns whether there are.
fn several(line: u32, value: &[u8], findings: &mut Findings<'_>) -> bool {
    let parts = parts(value);
    let is_path = |part: &[u8]| part.starts_with(b"/") && ends_as_file(part);
    let sitemaps = parts.iter().copied().filter(|part| is_path(part) || absolute(part).is_some());
    let sitemaps: Vec<&[u8]> = sitemaps.collect();
    if sitemaps.len() > 1 {
        let is_between = |part: &&[u8]| part.eq_ignore_ascii_case(b"and") || matches!(*part, b"&" | b"+");
        let others = parts.iter().filter(|part| !is_between(part)).count();
        let is_clear =
            sitemaps.len() <= PROPOSED && others == sitemaps.len() && !sitemaps.iter().any(|one| is_path(one));
        let lines = || sitemaps.iter().map(|url| format!("Sitemap: {}", excerpt(url))).collect::<Vec<_>>().join("\n");
        let reason = "the whole value is one URL, spaces and commas included; give each sitemap its own line";
        findings.add_with(FindingKind::SeveralSitemaps, line, reason, is_clear.then(lines), None);
    }
    sitemaps.len() > 1
}

/// The URL that a value is, if it is one with a scheme and a host.
fn absolute(value: &[u8]) -> Option<url::Url> {
    let text = std::str::from_utf8(value).ok()?;
    let url = url::Url::parse(text).ok().filter(url::Url::has_host)?;
    let rest = text.get(url.scheme().len()..)?.strip_prefix("://")?;
    (!rest.starts_with('/')).then_some(url)
}

/// The words of a value, and the URLs between signs.
fn parts(value: &[u8]) -> Vec<&[u8]> {
    let is_sign = |byte: &u8| matches!(byte, b',' | b';' | b'|');
    let mut parts = Vec::new();
    for word in value.split(u8::is_ascii_whitespace) {
        let mut from = 0;
        for at in memchr::memmem::find_iter(word, b"://").filter_map(|at| scheme_before(word, at)) {
            if at > from && is_sign(&word[at - 1]) {
                parts.push(&word[from..at]);
                from = at;
            }
        }
        parts.push(&word[from..]);
    }
    let bare = |part: &mut &[u8]| {
        let is_kept = |byte: &u8| !is_sign(byte);
        let from = part.iter().position(is_kept).unwrap_or(part.len());
        let end = part.iter().rposition(is_kept).map_or(from, |at| at + 1);
        *part = &part[from..end];
    };
    parts.iter_mut().for_each(bare);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Where the scheme begins that ends here, if sitemaps have it.
fn scheme_before(word: &[u8], end: usize) -> Option<usize> {
    [5, 4].into_iter().filter_map(|length| end.checked_sub(length)).find(|&at| {
        let scheme = &word[at..end];
        scheme.eq_ignore_ascii_case(b"https") || scheme.eq_ignore_ascii_case(b"http")
    })
}

/// The URL before a comment, and the comment: one as in another language, or text after the name of a file or a sitemap. It may be a
/// part of that name, if it looks as one of a file or a path itself.
fn comment(value: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some((url, text)) = meant::comment(value) {
        return absolute(url).filter(|_| !url.iter().any(u8::is_ascii_whitespace)).map(|_| (url, text));
    }
    let at = value.iter().position(u8::is_ascii_whitespace)?;
    let (url, text) = (&value[..at], value[at..].trim_ascii_start());
    let is_path = |word: &[u8]| word.contains(&b'/') || ends_as_file(word);
    let name = url.rsplit(|&byte| byte == b'/').next().unwrap_or_default().to_ascii_lowercase();
    let is_whole = ends_as_file(url) || memchr::memmem::find(&name, b"sitemap").is_some();
    let is_clear = is_whole && !text.split(u8::is_ascii_whitespace).any(is_path);
    absolute(url).filter(|_| is_clear).map(|_| (url, text))
}

/// Whether text ends in the ending of a file.
fn ends_as_file(text: &[u8]) -> bool {
    memchr::memrchr(b'.', text).is_some_and(|at| is_file_ending(&text[at + 1..]))
}

/// The crawler whose page says which delays it accepts.
const BINGBOT: &str = "bingbot";

/// A time window from 1 to 30 seconds.
const BINGBOT_SECONDS: std::ops::RangeInclusive<f64> = 1.0..=30.0;

/// The dialect of a crawler that accepts no delays.
const GOOGLE: &str = "google";

const IGNORED: &str = "crawlers of this dialect ignore crawl delays; others may obey them";

/// Checks all delays: whether they are numbers, and which. Bounds count for the crawler that has them.
pub(super) fn check_delays(
    robots: &Robots<'_>,
    audiences: &[Audience],
    dialect: &Dialect,
    findings: &mut Findings<'_>,
) {
    let chosen = robots.select(&Agents::verbatim(BINGBOT), dialect).groups;
    // Google's page says so, and its rules are those of the dialect with this name.
    let is_ignored = dialect.crawl_delay == CrawlDelay::NotObeyed || dialect.name == GOOGLE;
    if !is_ignored {
        delays_outside(robots, findings);
    }
    let delays = || robots.side_records.iter().filter(|record| record.key == SideKey::CrawlDelay);
    for record in delays().filter(|record| record.group.is_some() || is_ignored) {
        let Some(delay) = seconds(record.value) else {
            no_number(record, findings);
            continue;
        };
        if is_ignored {
            findings.add(FindingKind::CrawlDelayIgnored, record.line, IGNORED);
            continue;
        }
        let is_bounded = record.group.is_some_and(|group| chosen.binary_search(&group).is_ok());
        if is_bounded && dialect.crawl_delay == CrawlDelay::Kept && !BINGBOT_SECONDS.contains(&delay) {
            let reason = "bingbot, to which this record applies, accepts delays from 1 to 30 seconds";
            findings.add(FindingKind::CrawlDelayOutOfRange, record.line, reason);
        } else if record.value.contains(&b'.') {
            let reason =
                "some crawlers read only whole seconds, and ignore this delay: Python's urllib.robotparser, for one";
            findings.add(FindingKind::CrawlDelayDecimals, record.line, reason);
        }
    }
    let numbers: Vec<_> = delays().filter(|record| seconds(record.value).is_some()).collect();
    repeated(&numbers, audiences, findings);
}

/// Reports delays, and records like them, that are in no record of a crawler, and so for none. What their values are is no matter.
fn delays_outside(robots: &Robots<'_>, findings: &mut Findings<'_>) {
    let is_of_group = |key| matches!(key, SideKey::CrawlDelay | SideKey::RequestRate | SideKey::VisitTime);
    for record in robots.side_records.iter().filter(|record| record.group.is_none() && is_of_group(record.key)) {
        findings.add(FindingKind::RuleOutsideGroup, record.line, outside(record.line, robots));
    }
}

/// Why a line outside every record counts for nothing.
pub(super) fn outside(line: u32, robots: &Robots<'_>) -> &'static str {
    match robots.agents.first().is_none_or(|agent| line < agent.line) {
        true => "before the first User-agent line; applies to no crawler and is ignored",
        false => "after the end of its record; applies to no crawler and is ignored",
    }
}

fn no_number(record: &SideRecord<'_>, findings: &mut Findings<'_>) {
    let reason = "a crawl delay is a number of seconds, with or without decimals: crawlers ignore this one";
    let proposal = meant_delay(record.value).map(|seconds| format!("Crawl-delay: {seconds}"));
    findings.add_with(FindingKind::CrawlDelayNoNumber, record.line, reason, proposal, None);
}

/// The seconds that a delay probably means, if that is clear: a comma for the point, or a unit of time.
fn meant_delay(value: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(value).ok()?.trim().to_ascii_lowercase();
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',')).unwrap_or(text.len());
    let number: f64 = seconds(text[..end].replace(',', ".").as_bytes())?;
    let each = match text[end..].trim().trim_end_matches('.') {
        "" | "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "ms" | "millisecond" | "milliseconds" => 0.001,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        _ => return None,
    };
    // A comma before three digits may be one between thousands.
    let is_thousands = text[..end].split_once(',').is_some_and(|(_, after)| after.len() == 3);
    (!is_thousands).then(|| format!("{}", number * each))
}

/// Reports all delays but the first that are for the same crawler. It is the one that counts.
fn repeated(delays: &[&SideRecord<'_>], audiences: &[Audience], findings: &mut Findings<'_>) {
    if delays.len() < 2 {
        return;
    }
    let mut told = HashSet::new();
    for audience in audiences {
        let is_theirs = |record: &&&SideRecord<'_>| record.group.is_some_and(|group| audience.groups.contains(&group));
        let mut theirs = delays.iter().filter(is_theirs);
        let Some(first) = theirs.next() else { continue };
        for record in theirs.filter(|record| told.insert(record.line)) {
            let reason =
                format!("line {} already has a delay for {}, and that one counts", first.line, audience.whom());
            let related = Related { line: first.line, text: format!("Crawl-delay: {}", excerpt(first.value)) };
            findings.add_with(FindingKind::CrawlDelayRepeated, record.line, reason, None, Some(related));
        }
    }
}

/// What replaced the records that told what to index.
const META: &str = "use a robots meta tag or an X-Robots-Tag header, on pages that may be fetched";

/// Keys that not all crawlers know, with who reads them. A star stands for the rest of a key. Delays have findings of their own, and
/// sitemaps are read by all search engines.
const READERS: [(&str, FindingKind, &str); 18] = [
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
    (
        "Host",
        DeadRecord,
        "only Yandex read Host, until March 2018: it asks for redirects (301) to the main host instead",
    ),
    ("Clean-param", RecordOfFew, "only Yandex reads Clean-param"),
    (
        "Request-rate",
        RecordOfFew,
        "few read Request-rate, of Conner's extended standard of 1996: Seznam, and Python's urllib.robotparser",
    ),
    (
        "Visit-time",
        RecordOfFew,
        "Visit-time is of Conner's extended standard of 1996; no large search engine says that it reads it",
    ),
    ("Content-Usage", RecordOfFew, "Content-Usage is of the IETF's drafts on AI preferences, which are not finished"),
    (
        "Content-Signal",
        RecordOfFew,
        "Content-Signal is Cloudflare's; it tells crawlers what the site asks for, and few say that they obey",
    ),
    ("License", RecordOfFew, "License is read by those who follow Really Simple Licensing (RSL 1.0)"),
    (
        "DisallowAITraining",
        RecordOfFew,
        "DisallowAITraining is of draft-canel-robots-ai-control of 2024, which is no standard",
    ),
    ("LLM-Policy", RecordOfFew, "LLM-Policy is of no standard, and no crawler is known to read it"),
];

/// The kind of finding for a record with this key, if not all know it, and who reads it.
pub(super) fn readers(key: &[u8]) -> Option<(FindingKind, String)> {
    let is_key = |name: &str| match name.strip_suffix('*') {
        Some(start) => key.get(..start.len()).is_some_and(|text| text.eq_ignore_ascii_case(start.as_bytes())),
        None => key.eq_ignore_ascii_case(name.as_bytes()),
    };
    let (name, kind, reader) = READERS.iter().find(|(name, ..)| is_key(name))?;
    let replaced = matches!(*name, "Noindex" | "Nofollow" | "Noarchive" | "Nosnippet");
    Some((*kind, if replaced { format!("{reader}; {META}") } else { (*reader).to_owned() }))
}

/// Such a key as it is usually written, but for one that may begin a sentence.
pub(super) fn usual_key(key: &[u8]) -> Option<&'static str> {
    let names = READERS.iter().map(|&(name, ..)| name);
    names.filter(|name| *name != "Comment").find(|name| key.eq_ignore_ascii_case(name.as_bytes()))
}

/// Checks the value of a line, if it says something about uses.
pub(super) fn check_uses(line: u32, key: SideKey, value: &[u8], findings: &mut Findings<'_>) {
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

    /// The findings in lines with these values, each with its line, kind and proposal.
    fn found(values: &[&str]) -> Vec<String> {
        let (mut findings, mut sitemaps) = (Findings::new(Dialect::DEFAULT), Sitemaps::default());
        values.iter().zip(1..).for_each(|(value, line)| sitemaps.check(line, value.as_bytes(), &mut findings));
        let (list, _) = findings.in_order(b"");
        let shown = |proposal: Option<String>| proposal.unwrap_or_default().replace("Sitemap: ", "").replace('\n', " ");
        let one = |one: super::super::Finding| format!("{} {} {}", one.line, one.kind.name(), shown(one.proposal));
        list.into_iter().map(one).collect()
    }

    #[test]
    fn a_line_has_one_url() {
        for (value, expected) in [
            ("https://a.example/s.xml", ""),
            ("ftp://a.example/s.xml", ""),
            ("https://a.example/s,1.xml?a=1;b|c", ""),
            ("https://a.example/s?of=https://b.example/", ""),
            ("https://a.example/my sitemap.xml", ""),
            ("https://a.example/my map/s.xml", ""),
            (
                "https://a.example/s.xml, https://a.example/t.xml",
                "several-sitemaps https://a.example/s.xml https://a.example/t.xml",
            ),
            (
                "https://a.example/s.xml HTTP://a.example/t.xml",
                "several-sitemaps https://a.example/s.xml HTTP://a.example/t.xml",
            ),
            ("https://a.example/s;https://b.example/t;", "several-sitemaps https://a.example/s https://b.example/t"),
            ("https://a.example/s and https://b.example/t", "several-sitemaps https://a.example/s https://b.example/t"),
            ("https://a.example/s old: https://b.example/t", "several-sitemaps "),
            ("https://a.example/s.xml the main one", "foreign-comment https://a.example/s.xml # the main one"),
            ("https://a.example/s.xml.gz (main)", "foreign-comment https://a.example/s.xml.gz # (main)"),
            ("https://a.example/sitemap_index (main)", "foreign-comment https://a.example/sitemap_index # (main)"),
            ("https://a.example/s.xml, /t.xml", "several-sitemaps "),
            ("/s.xml /t.xml", "several-sitemaps "),
            ("https://a.example/my map", ""),
            ("https://a.example/ <!-- main -->", "foreign-comment https://a.example/ # main"),
            ("https://a.example/s // main", "foreign-comment https://a.example/s # main"),
            ("/s.xml", "relative-sitemap "),
            ("a.example/s.xml", "relative-sitemap "),
            ("//a.example/s.xml", "relative-sitemap "),
            ("a.example:80/s.xml", "relative-sitemap "),
            ("https:/a.example/s.xml", "relative-sitemap "),
            ("https:///s.xml", "relative-sitemap "),
            ("file:///s.xml", "relative-sitemap "),
            ("", "relative-sitemap "),
            ("<https://a.example/s.xml>", "relative-sitemap https://a.example/s.xml"),
            ("\u{feff}\"https://a.example/s.xml\"", "relative-sitemap https://a.example/s.xml"),
        ] {
            let expected = if expected.is_empty() { vec![] } else { vec![format!("1 {expected}")] };
            assert_eq!(found(&[value]), expected, "{value}");
        }
    }

    #[test]
    fn one_sitemap_may_be_written_in_several_ways() {
        let first = "https://a.example/s.xml";
        for same in [first, "HTTPS://A.example/s.xml", "https://a.example:443/s.xml", "https://a.example/x/../s.xml"] {
            assert_eq!(found(&[first, same]), ["2 sitemap-repeated "], "{same}");
        }
        for other in ["http://a.example/s.xml", "https://a.example/S.xml", "https://a.example:80/s.xml"] {
            assert_eq!(found(&[first, other]), [""; 0], "{other}");
        }
        assert_eq!(found(&["/s", "/s"]).last().map(String::as_str), Some("2 sitemap-repeated "));
    }

    #[test]
    fn a_delay_is_proposed_where_it_is_clear() {
        for (written, expected) in [
            ("0,5", "0.5"),
            ("1s", "1"),
            ("10 seconds", "10"),
            ("2 sec.", "2"),
            ("500ms", "0.5"),
            ("2 min", "120"),
            ("1,000", ""),
            ("ten", ""),
            ("-1", ""),
            ("1-5", ""),
            ("1.2.3", ""),
            ("10/60", ""),
            ("", ""),
        ] {
            assert_eq!(meant_delay(written.as_bytes()).unwrap_or_default(), expected, "{written}");
        }
    }

    #[test]
    fn records_of_others_are_known_by_name() {
        let (kind, reason) = readers(b"NoIndex").unwrap();
        assert_eq!(kind, DeadRecord);
        assert!(reason.contains("2019") && reason.contains("X-Robots-Tag"), "{reason}");
        assert_eq!(readers(b"ACAP-crawler").unwrap().0, DeadRecord);
        for key in ["x-noindex", "acap", "", "disallow"] {
            assert_eq!(readers(key.as_bytes()), None, "{key}");
        }
        assert_eq!(readers(b"Sitemap"), None);
    }
}
