//! Crawl delays that their crawlers do not take.

use super::FindingKind;
use super::finding::Findings;
use crate::dialect::{CrawlDelay, Dialect};
use crate::robots::{Agents, Robots, SideKey, seconds};

/// A crawler whose page says which delays it takes.
struct Bounds {
    crawler: &'static str,
    seconds: std::ops::RangeInclusive<f64>,
}

/// Bing: a time window from 1 to 30 seconds.
const BINGBOT: Bounds = Bounds { crawler: "bingbot", seconds: 1.0..=30.0 };

/// The dialect of a crawler that takes no delays.
const GOOGLE: &str = "google";

fn ignored() -> String {
    "crawlers of this dialect take no crawl delay; others may".to_owned()
}

/// Looks at the delays that apply to a crawler with bounds, and, where delays have a meaning for all, at all of them.
pub(super) fn check(robots: &Robots<'_>, dialect: &Dialect, findings: &mut Findings<'_>) {
    let chosen = robots.select(&Agents::verbatim(BINGBOT.crawler), dialect).groups;
    for record in robots.side_records.iter().filter(|record| record.key == SideKey::CrawlDelay) {
        let delay = seconds(record.value);
        let is_bounded = record.group.is_some_and(|group| chosen.binary_search(&group).is_ok());
        match (dialect.crawl_delay, delay) {
            (CrawlDelay::Seconds, None) => findings.add(FindingKind::CrawlDelayOutOfRange, record.line, || {
                "a crawl delay is a number of seconds, with decimals or without".to_owned()
            }),
            (CrawlDelay::NotObeyed, _) => findings.add(FindingKind::CrawlDelayIgnored, record.line, ignored),
            // Google's page says so; its rules are those of the dialect that is named so.
            (CrawlDelay::Kept, _) if dialect.name == GOOGLE => {
                findings.add(FindingKind::CrawlDelayIgnored, record.line, ignored);
            }
            (CrawlDelay::Kept, delay) if is_bounded && !delay.is_some_and(|delay| BINGBOT.seconds.contains(&delay)) => {
                findings.add(FindingKind::CrawlDelayOutOfRange, record.line, || {
                    let Bounds { crawler, seconds } = BINGBOT;
                    let (least, most) = seconds.into_inner();
                    format!("{crawler}, to which this record applies, takes delays from {least} to {most} seconds")
                });
            }
            _ => {}
        }
    }
}
