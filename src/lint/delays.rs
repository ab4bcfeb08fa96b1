//! Findings about crawl delays.

use hashbrown::HashSet;

use super::audience::Audience;
use super::finding::{Findings, Related, excerpt};
use super::{FindingKind, lines};
use crate::dialect::{CrawlDelay, Dialect};
use crate::robots::{Agents, Robots, SideKey, SideRecord, seconds};

/// The crawler whose page says which delays it accepts.
const BINGBOT: &str = "bingbot";

/// A time window from 1 to 30 seconds.
const BINGBOT_SECONDS: std::ops::RangeInclusive<f64> = 1.0..=30.0;

/// The dialect of a crawler that accepts no delays.
const GOOGLE: &str = "google";

const IGNORED: &str = "crawlers of this dialect ignore crawl delays; others may obey them";

/// Checks all delays: whether they are numbers, and which. Bounds count for the crawler that has them.
pub(super) fn check(robots: &Robots<'_>, audiences: &[Audience], dialect: &Dialect, findings: &mut Findings<'_>) {
    let chosen = robots.select(&Agents::verbatim(BINGBOT), dialect).groups;
    // Google's page says so, and its rules are those of the dialect with this name.
    let is_ignored = dialect.crawl_delay == CrawlDelay::NotObeyed || dialect.name == GOOGLE;
    if !is_ignored {
        outside(robots, findings);
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
fn outside(robots: &Robots<'_>, findings: &mut Findings<'_>) {
    let is_of_group = |key| matches!(key, SideKey::CrawlDelay | SideKey::RequestRate | SideKey::VisitTime);
    for record in robots.side_records.iter().filter(|record| record.group.is_none() && is_of_group(record.key)) {
        findings.add(FindingKind::RuleOutsideGroup, record.line, lines::outside(record.line, robots));
    }
}

fn no_number(record: &SideRecord<'_>, findings: &mut Findings<'_>) {
    let reason = "a crawl delay is a number of seconds, with or without decimals: crawlers ignore this one";
    let proposal = meant(record.value).map(|seconds| format!("Crawl-delay: {seconds}"));
    findings.add_with(FindingKind::CrawlDelayNoNumber, record.line, reason, proposal, None);
}

/// The seconds that a delay probably means, if that is clear: a comma for the point, or a unit of time.
fn meant(value: &[u8]) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(meant(written.as_bytes()).unwrap_or_default(), expected, "{written}");
        }
    }
}
