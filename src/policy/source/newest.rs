//! The newest robots.txt of each origin in sources, as it was served.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::passed_over::PassedOver;
use crate::policy::{AnswerKind, Capture};

/// The newest robots.txt of each origin, by its origin, and what was passed over.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Newest {
    /// The bodies, by origin.
    pub bodies: BTreeMap<String, Arc<[u8]>>,
    times: BTreeMap<String, (Option<i64>, bool)>,
    /// What was passed over in the sources.
    pub passed_over: Vec<PassedOver>,
}

impl Newest {
    /// Keeps the body of a capture that is the newest of its origin so far: of those of one time, an exact name comes before a
    /// shorthand, and then the last one read counts.
    pub(super) fn add(&mut self, capture: Capture) {
        let is_served = capture.kind() == AnswerKind::RobotsTxt;
        let (Some(origin), Some(body), true) = (&capture.origin, &capture.body, is_served) else { return };
        let time = (capture.answered.fetched_at, capture.exact);
        if self.times.get(origin).is_none_or(|known| *known <= time) {
            self.times.insert(origin.clone(), time);
            self.bodies.insert(origin.clone(), Arc::clone(body));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_whole_answer_of_each_origin_counts() {
        let mut newest = Newest::default();
        let capture = |origin: &str, body: &str, time| {
            let found = Capture::found(origin, body);
            let answered = crate::policy::Answered { fetched_at: time, ..found.answered };
            Capture { answered, ..found }
        };
        newest.add(capture("https://a.example", "2", Some(2)));
        newest.add(capture("https://a.example", "1", Some(1)));
        newest.add(capture("https://a.example", "0", None));
        newest.add(capture("https://b.example", "1", Some(1)));
        newest.add(capture("https://b.example", "2", Some(1)));
        newest.add(Capture { incomplete: true, ..capture("https://a.example", "cut", Some(3)) });
        let status =
            |status| crate::policy::Answered { status: Some(status), fetched_at: Some(9), ..Default::default() };
        newest.add(Capture { answered: status(404), ..capture("https://a.example", "none", Some(9)) });
        let bodies: Vec<_> = newest.bodies.iter().map(|(origin, body)| (origin.as_str(), &body[..])).collect();
        assert_eq!(bodies, [("https://a.example", &b"2"[..]), ("https://b.example", b"2")]);
    }
}
