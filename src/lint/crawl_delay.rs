//! Finds crawl delays that crawlers do not accept.

use super::FindingKind;
use super::finding::Findings;
use crate::dialect::{CrawlDelay, Dialect};
use crate::robots::{Agents, Robots, SideKey, seconds};

/// The crawler whose page says which delays it accepts.
const BINGBOT: &str = "bingbot";

/// A time window from 1 to 30 seconds.
const BINGBOT_SECONDS: std::ops::RangeInclusive<f64> = 1.0..=30.0;

/// The dialect of a crawler that accepts no delays.
const GOOGLE: &str = "google";

const IGNORED: &str = "crawlers of this dialect ignore crawl delays; others may obey them";

/// Checks the delays that apply to a crawler with bounds and, if the dialect gives delays a meaning, all of them.
pub(super) fn check(robots: &Robots<'_>, dialect: &Dialect, findings: &mut Findings<'_>) {
    let chosen = robots.select(&Agents::verbatim(BINGBOT), dialect).groups;
    for record in robots.side_records.iter().filter(|record| record.key == SideKey::CrawlDelay) {
        let delay = seconds(record.value);
        let is_bounded = record.group.is_some_and(|group| chosen.binary_search(&group).is_ok());
        match (dialect.crawl_delay, delay) {
            (CrawlDelay::Seconds, None) => {
                let reason = "a crawl delay is a number of seconds, with or without decimals";
                findings.add(FindingKind::CrawlDelayOutOfRange, record.line, reason);
            }
            (CrawlDelay::NotObeyed, _) => findings.add(FindingKind::CrawlDelayIgnored, record.line, IGNORED),
            // Google's page says so, and its rules are those of the dialect with this name.
            (CrawlDelay::Kept, _) if dialect.name == GOOGLE => {
                findings.add(FindingKind::CrawlDelayIgnored, record.line, IGNORED);
            }
            (CrawlDelay::Kept, delay) if is_bounded && !delay.is_some_and(|delay| BINGBOT_SECONDS.contains(&delay)) => {
                let reason = "bingbot, to which this record applies, accepts delays from 1 to 30 seconds";
                findings.add(FindingKind::CrawlDelayOutOfRange, record.line, reason);
            }
            _ => {}
        }
    }
}
