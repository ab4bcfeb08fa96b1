//! The keys of an overrides file.

pub(super) const VERDICT: &str = "verdict";

pub(super) const ROBOTS_TXT: &str = "robots-txt";

pub(super) const ROBOTS_TXT_FILE: &str = "robots-txt-file";

pub(super) const CRAWL_DELAY: &str = "crawl-delay";

pub(super) const PAUSED_UNTIL: &str = "paused-until";

pub(super) const KEYS: [&str; 5] = [VERDICT, ROBOTS_TXT, ROBOTS_TXT_FILE, CRAWL_DELAY, PAUSED_UNTIL];
