//! Random answers, as unfriendly as they come: without times, in one second, of all kinds, redirects in loops, and in chains that are
//! longer than any dialect follows.

use robosieve::BodyFlaw;
use robosieve::policy::{Answered, Capture};

/// An answer, or an override as TOML.
#[derive(Debug, Clone)]
pub enum Told {
    Answer(Capture),
    Override(String),
}

const ORIGINS: [&str; 6] =
    ["http://a.test", "http://a.test.b", "http://a.test:8080", "https://a.test", "http://b.test", "http://c.test"];
const PATHS: [&str; 4] = ["/robots.txt", "/robots.txt", "/x/robots.txt", "/page?x"];
const STATUSES: [Option<u16>; 16] = [
    Some(200),
    Some(200),
    Some(206),
    Some(301),
    Some(302),
    Some(301),
    Some(304),
    Some(401),
    Some(404),
    Some(410),
    Some(408),
    Some(425),
    Some(429),
    Some(503),
    None,
    Some(100),
];
const BODIES: [&str; 8] = [
    "User-agent: *\nDisallow: /a\n",
    "User-agent: examplebot\nDisallow: /b\nCrawl-delay: 1\n\nUser-agent: *\nDisallow: /\nno record\n",
    "<!DOCTYPE html><html>\n",
    "",
    "User-agent: *\nDisallow: /a\nSitemap: s\n",
    "GIF89a is no robots.txt\n",
    "# the same rules on other lines\nUser-agent: *\nDisallow: /a\n",
    "User-agent: *\nContent-Usage: train-ai=n\nDisallow: /b\n",
];
const OVERRIDES: [&str; 6] = [
    "verdict = 'allow-all'",
    "verdict = 'forbid-all'",
    "robots-txt = \"User-agent: *\\nDisallow: /a\"",
    "robots-txt = \"User-agent: *\\nDisallow: /b\\nno record\"\ncrawl-delay = 3",
    "crawl-delay = 20\npaused-until = 2026-12-01T08:00:00Z",
    "crawl-delay = 3\npaused-until = 2026-12-03T08:00:00Z",
];
const DAY: i64 = 86_400;

/// The hosts that chains lead over: `h0.test`, `h1.test`...
pub const HOSTS: usize = 13;

/// A generator of random numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }

    /// Answers and overrides, some of them contradictory.
    pub fn told(&mut self) -> Vec<Told> {
        let mut told: Vec<Told> = (0..1 + self.below(30)).map(|_| Told::Answer(self.answer())).collect();
        told.extend(self.chains().into_iter().map(Told::Answer));
        for _ in 0..self.below(4) {
            let (origin, text) = (self.of(&ORIGINS), self.of(&OVERRIDES));
            told.push(Told::Override(format!("['{origin}']\n{text}\n")));
        }
        told
    }

    /// Cuts a list into parts, of one item or many.
    pub fn parts<'t, T>(&mut self, all: &'t [T]) -> Vec<&'t [T]> {
        let (mut parts, mut rest, most) = (Vec::new(), all, 1 + self.below(all.len()));
        while !rest.is_empty() {
            let (part, others) = rest.split_at(1 + self.below(most.min(rest.len())));
            parts.push(part);
            rest = others;
        }
        parts
    }

    /// Answers of which no two are of one URL, one time and one kind.
    pub fn answers_without_ties(&mut self, kind: fn(&Capture) -> &'static str) -> Vec<Capture> {
        let answers = (0..1 + self.below(24)).map(|_| self.answer()).collect::<Vec<_>>();
        let mut without = Vec::<Capture>::new();
        for answer in answers.into_iter().chain(self.chains()) {
            let is_same = |one: &Capture| {
                (&one.url, one.answered.fetched_at, kind(one))
                    == (&answer.url, answer.answered.fetched_at, kind(&answer))
            };
            if !without.iter().any(is_same) {
                without.push(answer);
            }
        }
        without
    }

    /// In half of all cases a chain of redirects over up to thirteen origins, with an answer of any kind at its end, other answers on
    /// the way, newer ones among them, and last of all one more for its end or any other origin.
    fn chains(&mut self) -> Vec<Capture> {
        let mut answers = Vec::new();
        if self.below(2) == 0 {
            return answers;
        }
        let hops = 2 + self.below(11);
        let first = self.below(HOSTS - hops);
        let origins: Vec<String> = (first..=first + hops).map(|host| format!("http://h{host}.test")).collect();
        for two in origins.windows(2) {
            let fetched_at = self.time();
            let mut redirect = self.answer_at(&two[0], "/robots.txt", Some(301), fetched_at);
            redirect.location = Some(format!("{}/robots.txt", two[1]));
            answers.push(redirect);
            if self.below(4) == 0 {
                answers.push(self.any_at(&two[0]));
            }
        }
        answers.push(self.any_at(&origins[hops]));
        let host = [hops, self.below(hops)][self.below(2)];
        answers.push(self.any_at(&origins[host]));
        answers
    }

    /// An answer of any kind for the robots.txt of an origin.
    fn any_at(&mut self, origin: &str) -> Capture {
        let (status, fetched_at) = (self.of(&STATUSES), self.time());
        self.answer_at(origin, "/robots.txt", status, fetched_at)
    }

    fn time(&mut self) -> Option<i64> {
        match self.below(8) {
            0 => None,
            1 | 2 => Some(self.below(3) as i64),
            _ => Some(self.below(250) as i64 * DAY / 2),
        }
    }

    fn answer(&mut self) -> Capture {
        let (origin, path, status) = (self.of(&ORIGINS), self.of(&PATHS), self.of(&STATUSES));
        let fetched_at = self.time();
        self.answer_at(origin, path, status, fetched_at)
    }

    fn answer_at(&mut self, origin: &str, path: &str, status: Option<u16>, fetched_at: Option<i64>) -> Capture {
        let mut capture = answer(origin, 0, fetched_at);
        capture.url = format!("{origin}{path}");
        capture.origin = Some(origin.to_owned()).filter(|_| path == "/robots.txt");
        capture.exact = self.below(3) > 0;
        capture.answered.status = status;
        if self.below(5) == 0 {
            capture.answered.expires = self.time();
        }
        capture.body = None;
        match status {
            Some(200..=299) => {
                capture.body = Some(self.of(&BODIES).as_bytes().into());
                let flaws = [None, None, None, None, None, Some(BodyFlaw::Incomplete), Some(BodyFlaw::NotText)];
                capture.flaw = self.of(&flaws);
            }
            Some(301 | 302) => {
                let target = format!("{}{}", self.of(&ORIGINS), self.of(&PATHS));
                capture.location = Some(target).filter(|_| self.below(8) > 0);
            }
            Some(408 | 429 | 503) | None if self.below(3) == 0 => {
                let since = fetched_at.map(|at| at - self.below(100) as i64 * DAY);
                // Some say so of no time of their own, or of a later one.
                capture.answered.unreachable_since = if self.below(4) == 0 { self.time() } else { since };
            }
            _ => {}
        }
        capture
    }
}

/// An answer for the robots.txt of an origin, with rules.
pub fn answer(origin: &str, status: u16, fetched_at: Option<i64>) -> Capture {
    let answered = Answered::default().status(Some(status)).fetched_at(fetched_at);
    Capture::found(origin, BODIES[0]).exact(true).answered(answered)
}
