//! The shape of lists and files, measured on the text itself.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};

use crate::robots;
use crate::rules::{examplebot, rule};
use crate::site::{Site, Status, World};
use crate::text::Line;
use crate::urls::{Source, url};

/// Prints the statistics of the files and of a sample of the lines.
///
/// # Errors
///
/// If the output fails.
pub fn print(world: &World, sample: u64, out: &mut dyn Write) -> io::Result<()> {
    let files = Files::measure(world);
    files.print(out)?;
    Lines::measure(world, sample.clamp(1, world.lines.max(1))).print(out)
}

/// The part `n` of `whole`, in percent.
fn percent(n: u64, whole: u64) -> f64 {
    100.0 * n as f64 / whole.max(1) as f64
}

/// Statistics of the robots.txt files.
#[derive(Default)]
struct Files {
    hosts: u64,
    secure: u64,
    absent: u64,
    unavailable: u64,
    missing: u64,
    bytes: u64,
    host_bytes: u64,
    sizes: Vec<u64>,
    copies: HashMap<u64, u64>,
    allow: u64,
    empty: u64,
    one_star: u64,
    more_stars: u64,
    dollar: u64,
    without_star: u64,
}

impl Files {
    /// Makes every file and counts its content.
    fn measure(world: &World) -> Self {
        let mut files = Self { hosts: world.hosts, ..Self::default() };
        let (hasher, mut line, mut body) = (RandomState::new(), Line::new(), Vec::new());
        for rank in 0..world.hosts {
            let site = world.site(rank);
            files.secure += u64::from(site.secure);
            line.clear();
            site.host(&mut line);
            files.host_bytes += line.as_bytes().len() as u64;
            match site.status {
                Status::Absent => files.absent += 1,
                Status::Unavailable => files.unavailable += 1,
                Status::Missing => files.missing += 1,
                Status::Found => {
                    body.clear();
                    robots::body(&site, &mut line, &mut body);
                    *files.copies.entry(hasher.hash_one(&body)).or_default() += 1;
                    files.add(&body);
                }
            }
        }
        files.sizes.sort_unstable();
        files
    }

    /// Counts one file.
    fn add(&mut self, body: &[u8]) {
        self.bytes += body.len() as u64;
        let (mut rules, mut starred) = (0, false);
        for text in body.split(|&byte| byte == b'\n') {
            let text = text.split(|&byte| byte == b'#').next().unwrap_or_default();
            let Some(colon) = text.iter().position(|&byte| byte == b':') else { continue };
            let (name, value) = (&text[..colon], text[colon + 1..].trim_ascii());
            let allow = name.eq_ignore_ascii_case(b"allow");
            if !allow && !name.eq_ignore_ascii_case(b"disallow") {
                continue;
            }
            if value.is_empty() {
                self.empty += 1;
                continue;
            }
            rules += 1;
            let stars = value.iter().filter(|&&byte| byte == b'*').count();
            starred |= stars > 0;
            self.allow += u64::from(allow);
            self.one_star += u64::from(stars == 1);
            self.more_stars += u64::from(stars > 1);
            self.dollar += u64::from(value.ends_with(b"$"));
        }
        self.without_star += u64::from(!starred);
        self.sizes.push(rules);
    }

    /// Prints a table.
    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let found = self.sizes.len() as u64;
        let rules: u64 = self.sizes.iter().sum();
        let at = |part: f64| self.sizes.get(((found as f64 * part) as usize).min(found as usize - 1));
        let identical: u64 = self.copies.values().filter(|&&n| n > 1).sum();
        writeln!(out, "hosts                        {:>12}", self.hosts)?;
        writeln!(out, "  bytes a name              {:>14.1}", self.host_bytes as f64 / self.hosts as f64)?;
        writeln!(out, "  main scheme https          {:>14.1} %", percent(self.secure, self.hosts))?;
        writeln!(out, "  robots.txt 404             {:>14.1} %", percent(self.absent, self.hosts))?;
        writeln!(out, "  robots.txt 503             {:>14.1} %", percent(self.unavailable, self.hosts))?;
        writeln!(out, "  robots.txt never fetched   {:>14.1} %", percent(self.missing, self.hosts))?;
        writeln!(out, "files                        {found:>12}")?;
        writeln!(out, "  bytes                     {:>12}", self.bytes)?;
        writeln!(out, "  identical to another       {:>14.1} %", percent(identical, found))?;
        writeln!(out, "  different ones             {:>12}", self.copies.len())?;
        writeln!(out, "  without any star           {:>14.1} %", percent(self.without_star, found))?;
        writeln!(out, "rules                        {rules:>12}")?;
        writeln!(out, "  a file, mean               {:>14.1}", rules as f64 / found as f64)?;
        for part in [0.1, 0.5, 0.9, 0.99, 0.999, 1.0] {
            writeln!(out, "  a file, {:<18} {:>12}", format!("{:.1} % have", part * 100.0), at(part).unwrap_or(&0))?;
        }
        writeln!(out, "  Allow                      {:>14.1} %", percent(self.allow, rules))?;
        writeln!(out, "  one star                   {:>14.1} %", percent(self.one_star, rules))?;
        writeln!(out, "  more stars                 {:>14.1} %", percent(self.more_stars, rules))?;
        writeln!(out, "  final $                    {:>14.1} %", percent(self.dollar, rules))?;
        writeln!(out, "empty Disallow               {:>12}", self.empty)
    }
}

/// Statistics of a sample of the lines.
#[derive(Default)]
struct Lines {
    whole: u64,
    most: u64,
    median: u64,
    sample: u64,
    bytes: u64,
    shortest: u64,
    longest: u64,
    path_bytes: u64,
    secure: u64,
    query: u64,
    escaped: u64,
    raw: u64,
    matching: u64,
    near: u64,
    allowed: u64,
    blocked: u64,
    deferred: u64,
}

impl Lines {
    /// Makes the first lines of the shuffled list and judges them.
    fn measure(world: &World, sample: u64) -> Self {
        let (most, median) = (world.zipf.count(0), world.zipf.count(world.hosts / 2));
        let mut lines = Self { whole: world.lines, most, median, sample, shortest: u64::MAX, ..Self::default() };
        let (mut scratch, mut line) = (Line::new(), Line::new());
        for i in 0..sample.min(world.lines) {
            let (rank, k) = world.shuffled(i);
            let site = world.site(rank);
            line.clear();
            let source = url(world, rank, k, &site, &mut scratch, &mut line);
            lines.matching += u64::from(source == Source::Match);
            lines.near += u64::from(source == Source::NearMiss);
            lines.add(&site, line.as_bytes(), &mut scratch);
        }
        lines
    }

    /// Counts one line.
    fn add(&mut self, site: &Site, text: &[u8], scratch: &mut Line) {
        let bytes = text.len() as u64;
        self.bytes += bytes;
        self.shortest = self.shortest.min(bytes);
        self.longest = self.longest.max(bytes);
        self.secure += u64::from(text.starts_with(b"https:"));
        self.query += u64::from(text.contains(&b'?'));
        self.escaped += u64::from(text.contains(&b'%'));
        self.raw += u64::from(!text.is_ascii());
        let slash = text.iter().enumerate().filter(|(_, byte)| **byte == b'/').nth(2).map_or(0, |(at, _)| at);
        self.path_bytes += bytes - slash as u64;
        match site.status {
            Status::Unavailable | Status::Missing => self.deferred += 1,
            Status::Found if blocked(site, &text[slash..], scratch) => self.blocked += 1,
            Status::Found | Status::Absent => self.allowed += 1,
        }
    }

    /// Prints a table.
    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let share = |n| percent(n, self.sample);
        writeln!(out, "lines                        {:>12}", self.whole)?;
        writeln!(out, "  of the largest host        {:>12}", self.most)?;
        writeln!(out, "  of the host in the middle  {:>12}", self.median)?;
        writeln!(out, "lines in the sample          {:>12}", self.sample)?;
        writeln!(out, "  bytes, mean               {:>14.1}", self.bytes as f64 / self.sample as f64)?;
        writeln!(out, "  bytes, shortest, longest  {:>12} {}", self.shortest, self.longest)?;
        writeln!(out, "  bytes of path and query   {:>14.1}", self.path_bytes as f64 / self.sample as f64)?;
        writeln!(out, "  https                      {:>14.1} %", share(self.secure))?;
        writeln!(out, "  with a query               {:>14.1} %", share(self.query))?;
        writeln!(out, "  with an escape             {:>14.1} %", share(self.escaped))?;
        writeln!(out, "  with raw UTF-8             {:>14.2} %", share(self.raw))?;
        writeln!(out, "  made to match a rule       {:>14.1} %", share(self.matching))?;
        writeln!(out, "  made to miss one narrowly  {:>14.1} %", share(self.near))?;
        writeln!(out, "  allowed (Examplebot)       {:>14.1} %", share(self.allowed))?;
        writeln!(out, "  blocked                    {:>14.1} %", share(self.blocked))?;
        writeln!(out, "  deferred                   {:>14.1} %", share(self.deferred))
    }
}

/// Whether the longest matching rule is a `Disallow`; an estimate, since it compares the bytes as
/// written.
fn blocked(site: &Site, path: &[u8], pattern: &mut Line) -> bool {
    let mut best = (0, true);
    for group in examplebot(&site.template) {
        for j in group.from..group.to {
            pattern.clear();
            let allow = rule(&site.template, j, pattern);
            let candidate = (pattern.as_bytes().len(), allow);
            if candidate > best && matches(pattern.as_bytes(), path) {
                best = candidate;
            }
        }
    }
    !best.1
}

/// Whether a pattern matches a path.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, anchored) = pattern.strip_suffix(b"$").map_or((pattern, false), |rest| (rest, true));
    let mut pieces = pattern.split(|&byte| byte == b'*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let mut pieces: Vec<&[u8]> = pieces.collect();
    if anchored {
        let Some(last) = pieces.pop() else { return rest.is_empty() };
        let Some(before) = rest.strip_suffix(last) else { return false };
        rest = before;
    }
    pieces.into_iter().filter(|piece| !piece.is_empty()).all(|piece| {
        let found = rest.windows(piece.len()).position(|window| window == piece);
        found.map(|at| rest = &rest[at + piece.len()..]).is_some()
    })
}
