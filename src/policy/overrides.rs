//! The operator's overrides for origins, which take precedence over their robots.txt.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::error::policy::{Error, ErrorKind};
use crate::policy::source::bare_origin;
use crate::policy::state::Ruling;

setters! {
    /// The operator's override for one origin; at least one field is set.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct Override {
        /// The operator's ruling in place of the robots.txt.
        pub ruling: Option<Ruling>,
        /// The robots.txt that replaces the origin's, for [`Ruling::RobotsTxt`].
        pub robots_txt: Option<Arc<[u8]>>,
        /// The crawl delay in seconds, as a decimal number; it takes precedence over those in a robots.txt.
        pub crawl_delay: Option<String>,
        /// The time before which nothing is fetched, in seconds of Unix time.
        pub paused_until: Option<i64>,
    }
}

/// Overrides of many origins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    pub(super) by_origin: BTreeMap<String, Override>,
}

impl Overrides {
    /// The origins in canonical form, sorted, with their overrides.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Override)> {
        self.by_origin.iter().map(|(origin, entry)| (origin.as_str(), entry))
    }

    /// Adds the override of an origin.
    ///
    /// # Errors
    ///
    /// If it is no origin, or has one already; if the override is empty, has a robots.txt and another ruling, or a ruling for one and
    /// no robots.txt; or if its delay is no number of seconds.
    pub fn add(&mut self, origin: &str, entry: Override) -> Result<(), Error> {
        let wrong = |problem: &str| ErrorKind::Overrides.of(format!("the override of {origin:?}: {problem}"));
        let canonical = bare_origin(origin).map_err(|reason| wrong(&format!("it is not an origin: {reason}")))?;
        let is_seconds = |delay: &String| delay.parse().is_ok_and(|seconds: f64| SECONDS.contains(&seconds));
        if entry == Override::default() {
            return Err(wrong("it overrides nothing"));
        }
        if entry.robots_txt.is_some() != (entry.ruling == Some(Ruling::RobotsTxt)) {
            return Err(wrong("a robots.txt and the ruling by one need each other"));
        }
        if !entry.crawl_delay.iter().all(is_seconds) {
            return Err(wrong("its crawl delay is not a number of seconds, from 0 to a year"));
        }
        match self.by_origin.entry(canonical) {
            Entry::Occupied(_) => Err(wrong("it has an override already")),
            Entry::Vacant(place) => {
                place.insert(entry);
                Ok(())
            }
        }
    }

    /// The override for an origin in canonical form.
    pub fn get(&self, origin: &str) -> Option<&Override> {
        self.by_origin.get(origin)
    }
}

pub(super) const VERDICT: &str = "verdict";
pub(super) const ROBOTS_TXT: &str = "robots-txt";
pub(super) const PAUSED_UNTIL: &str = "paused-until";

/// The crawl delays that can be meant. One of more than a year is a mistake.
pub(super) const SECONDS: RangeInclusive<f64> = 0.0..=365.0 * 86_400.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_override_is_of_one_origin_and_says_one_thing() {
        let mut overrides = Overrides::default();
        let paused = || Override::default().paused_until(Some(5));
        overrides.add("HTTPS://A.example:443", paused()).unwrap();
        assert_eq!(overrides.get("https://a.example"), Some(&paused()));
        let replaced = Override::default().robots_txt(Some((*b"").into()));
        overrides.add("https://b.example", replaced.clone().ruling(Some(Ruling::RobotsTxt))).unwrap();
        let delayed = |delay: &str| Override::default().crawl_delay(Some(delay.to_owned()));
        overrides.add("https://d.example", delayed("2.5")).unwrap();
        for (origin, wrong, problem) in [
            ("https://a.example", paused(), "already"),
            ("a.example", paused(), "not an origin"),
            ("https://c.example", Override::default(), "nothing"),
            ("https://c.example", replaced.clone(), "need each other"),
            ("https://c.example", replaced.ruling(Some(Ruling::AllowAll)), "need each other"),
            ("https://c.example", Override::default().ruling(Some(Ruling::RobotsTxt)), "need each other"),
            ("https://c.example", delayed("-1"), "from 0 to a year"),
            ("https://c.example", delayed("NaN"), "from 0 to a year"),
            ("https://c.example", delayed("soon"), "from 0 to a year"),
        ] {
            let error = overrides.add(origin, wrong).unwrap_err();
            assert!(error.kind() == ErrorKind::Overrides && error.to_string().contains(problem), "{error}");
        }
        assert_eq!(overrides.iter().count(), 3);
    }
}
