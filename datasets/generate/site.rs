//! A host: its name, scheme, port, status, and the template of its robots.txt.

use crate::rng::{Draw, Permutation, key, scale};
use crate::shape::{Sizes, Zipf};
use crate::text::Line;
use crate::vocabulary::{CONSONANTS, SUBDOMAINS, SUFFIXES, TOPICS, VOWELS};

/// Streams of the seed, so that no two uses share keys.
mod stream {
    pub const NAMES: u64 = 1;
    pub const ORDER: u64 = 2;
    pub const SITE: u64 = 3;
    pub const OWN: u64 = 4;
    pub const POOL: u64 = 5;
    pub const LINES: u64 = 6;
}

/// Everything that the options determine. Shares are in ten thousandths.
pub struct World {
    /// The seed of everything.
    pub seed: u64,
    /// Lines of the list.
    pub lines: u64,
    /// The number of hosts, which are ranked by their number of lines.
    pub hosts: u64,
    /// The distribution of lines over ranks.
    pub zipf: Zipf,
    /// The distribution of rules per file.
    pub sizes: Sizes,
    /// Share of hosts whose file is one of the shared ones.
    pub shared: u64,
    /// Share of hosts whose robots.txt answers 404.
    pub absent: u64,
    /// Share of hosts whose robots.txt answers 503.
    pub unavailable: u64,
    /// Share of hosts whose robots.txt was never fetched.
    pub missing: u64,
    /// Share of lines made from a rule of their host.
    pub ruled: u64,
    names: Permutation,
    order: Permutation,
}

/// The options of [`World::new`].
pub struct Choices {
    pub seed: u64,
    pub lines: u64,
    pub hosts: u64,
    pub exponent: f64,
    pub median_rules: f64,
    pub sigma: f64,
    pub max_rules: u32,
    pub shared: f64,
    pub absent: f64,
    pub unavailable: f64,
    pub missing: f64,
    pub ruled: f64,
}

impl World {
    /// The world that the options describe.
    pub fn new(choices: &Choices) -> Self {
        let share = |part: f64| (part * 10_000.0).round() as u64;
        Self {
            seed: choices.seed,
            lines: choices.lines,
            hosts: choices.hosts,
            zipf: Zipf::new(choices.lines, choices.hosts, choices.exponent),
            sizes: Sizes::new(choices.median_rules, choices.sigma, choices.max_rules),
            shared: share(choices.shared),
            absent: share(choices.absent),
            unavailable: share(choices.unavailable),
            missing: share(choices.missing),
            ruled: share(choices.ruled),
            names: Permutation::new(key(choices.seed, stream::NAMES), choices.hosts),
            order: Permutation::new(key(choices.seed, stream::ORDER), choices.lines),
        }
    }

    /// The host of line `i` of the shuffled list, and the line's number within that host.
    pub fn shuffled(&self, i: u64) -> (u64, u64) {
        self.zipf.locate(self.order.apply(i))
    }

    /// The key of one line's text.
    pub fn line_key(&self, rank: u64, k: u64) -> u64 {
        key(key(self.seed, stream::LINES).wrapping_add(rank), k)
    }

    /// The host of a rank.
    pub fn site(&self, rank: u64) -> Site {
        let id = key(key(self.seed, stream::SITE), rank);
        let mut draw = Draw::new(id);
        let secure = draw.chance(7_500);
        let dual = draw.chance(500);
        let port = if !dual && draw.chance(50) { Some(*draw.pick(&[8080, 8443, 3000])) } else { None };
        Site {
            key: id,
            code: self.names.apply(rank),
            secure,
            dual,
            port,
            status: self.status(draw.below(10_000)),
            template: self.template(rank, draw.below(10_000), draw.bits()),
        }
    }

    /// The status for a draw below ten thousand.
    fn status(&self, at: u64) -> Status {
        let absent = self.missing + self.absent;
        match at {
            _ if at < self.missing => Status::Missing,
            _ if at < absent => Status::Absent,
            _ if at < absent + self.unavailable => Status::Unavailable,
            _ => Status::Found,
        }
    }

    /// A host's robots.txt: its own, or one from the pool, whose members differ widely in popularity.
    fn template(&self, rank: u64, at: u64, bits: u64) -> Template {
        if at >= self.shared {
            let id = key(key(self.seed, stream::OWN), rank);
            return Template { key: id, rules: self.sizes.at(bits), starry: id % 100 < 52, shared: false };
        }
        let pool = (self.hosts / 100).max(1);
        let uniform = bits as f64 / u64::MAX as f64;
        let member = scale((uniform * uniform * uniform * u64::MAX as f64) as u64, pool);
        // Sizes in the pool are spread evenly, beginning with the median, so that even a small pool has
        // a typical one.
        let quantile = (1u64 << 63).wrapping_add(member.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let id = key(key(self.seed, stream::POOL), member);
        Template { key: id, rules: self.sizes.at(quantile), starry: member % 2 == 1, shared: true }
    }
}

/// The result of fetching a robots.txt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// 200, with a body.
    Found,
    /// 404.
    Absent,
    /// 503.
    Unavailable,
    /// Never fetched.
    Missing,
}

/// The key of a robots.txt and its number of rules; hosts with the same template have identical files.
#[derive(Clone, Copy)]
pub struct Template {
    /// The key of the file's content.
    pub key: u64,
    /// The number of rules, in all groups together.
    pub rules: u32,
    /// Whether some of the rules have stars.
    pub starry: bool,
    /// Whether other hosts may have the same file, which then cannot contain the host's name.
    pub shared: bool,
}

/// Codes below this can be written in four syllables of a hundred values each; larger ones are always
/// written as digits.
const SYLLABIC: u64 = 100_000_000;

/// A host.
pub struct Site {
    /// The key of the host's own choices.
    pub key: u64,
    /// A number unique to this host: the part of the name that makes it unique.
    pub code: u64,
    /// Whether https is the main scheme.
    pub secure: bool,
    /// Whether some lines have the other scheme, whose robots.txt redirects to the main one's.
    pub dual: bool,
    /// The port, if it is not the default.
    pub port: Option<u16>,
    /// The result of fetching the robots.txt.
    pub status: Status,
    /// The robots.txt.
    pub template: Template,
}

impl Site {
    /// Writes the origin: the main one, or the one with the other scheme.
    pub fn origin(&self, main: bool, line: &mut Line) {
        line.text(if self.secure == main { b"https://" } else { b"http://" });
        self.authority(line);
    }

    /// Writes host and port.
    pub fn authority(&self, line: &mut Line) {
        self.host(line);
        if let Some(port) = self.port {
            line.byte(b':');
            line.number(u64::from(port));
        }
    }

    /// Writes the host name.
    ///
    /// The label before the suffix holds the code, as digits at its end or as four syllables at its
    /// start, so it can be read back: the name is unique because the code is.
    pub fn host(&self, line: &mut Line) {
        let mut draw = Draw::new(self.key ^ 1);
        match draw.below(100) {
            0..40 => line.text(b"www."),
            40..52 => line.word(draw.pick(&SUBDOMAINS)),
            _ => {}
        }
        let form = if self.code < SYLLABIC { draw.below(10) } else { 0 };
        match form {
            0..2 => {
                line.word(draw.pick(&TOPICS));
                line.number(self.code);
            }
            2..4 => {
                line.word(draw.pick(&TOPICS));
                line.byte(b'-');
                line.number(self.code);
            }
            4..8 => self.syllables(line),
            _ => {
                self.syllables(line);
                line.byte(b'-');
                line.word(draw.pick(&TOPICS));
            }
        }
        line.word(draw.pick(&SUFFIXES));
    }

    /// Writes the code in four syllables, scattered so that adjacent codes begin differently.
    ///
    /// The factor has no divisor in common with 100, so the product modulo a power of 100 is a
    /// bijection.
    fn syllables(&self, line: &mut Line) {
        let mut rest = self.code * 61_803_399 % SYLLABIC;
        for _ in 0..4 {
            let digit = (rest / (SYLLABIC / 100)) as usize;
            line.byte(CONSONANTS[digit / 5]);
            line.byte(VOWELS[digit % 5]);
            rest = rest % (SYLLABIC / 100) * 100;
        }
    }
}
