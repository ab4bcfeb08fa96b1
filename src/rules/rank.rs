//! Turns rules into ranked patterns: normal form, length, and rank order.

use super::{Pattern, Patterns, Verdict};
use crate::dialect::{Dialect, DirectoryIndex, Encoding, Precedence, Wildcards};
use crate::robots::Rule;

/// The start of the directory index names that Google's library recognises.
const DIRECTORY_INDEX: &[u8] = b"/index.htm";

impl Patterns {
    /// The rules of one crawler as patterns, the highest precedence first.
    pub fn rank<'r, 'a: 'r>(rules: impl Iterator<Item = &'r Rule<'a>> + Clone, dialect: &Dialect) -> Patterns {
        let (count, bytes): (usize, usize) =
            rules.clone().fold((0, 0), |(count, bytes), rule| (count + 1, bytes + rule.value.len()));
        let mut patterns = Patterns {
            patterns: Vec::with_capacity(count),
            segments: Vec::with_capacity(count),
            text: Vec::with_capacity(bytes),
        };
        let mut lengths = Vec::with_capacity(count);
        for (place, rule) in (0..).zip(rules) {
            patterns.push_rule(rule, place, dialect, &mut lengths);
        }
        match dialect.precedence {
            Precedence::Longest => patterns.sort_by_length(&lengths),
            // The file is in rank order; under `AnyDisallow`, the parser has left out the Allow lines.
            Precedence::FirstMatch | Precedence::AnyDisallow => {}
        }
        patterns
    }

    /// The paths of lines that are no rules, each with a verdict, as patterns: the longest first and, of those as long, `Allowed`
    /// first, with `*` and `$`, in every dialect. An empty path matches all.
    pub fn longest_first<'v>(lines: impl IntoIterator<Item = (&'v [u8], Verdict)>, dialect: &Dialect) -> Patterns {
        let dialect = Dialect { wildcards: Wildcards::Special, ..dialect.clone() };
        let (mut patterns, mut lengths) = (Patterns::default(), Vec::new());
        for (place, (path, verdict)) in (0..).zip(lines) {
            patterns.push(path, verdict, place, &dialect, &mut lengths);
        }
        patterns.sort_by_length(&lengths);
        patterns
    }

    /// Sorts longest first, for [`Precedence::Longest`]. In a tie `Allow` precedes `Disallow` (RFC 9309 2.2.2), then file order
    /// decides, which only explanations see.
    fn sort_by_length(&mut self, lengths: &[u32]) {
        // Numbers sort faster than patterns.
        let key = |((pattern, &length), place): ((&Pattern, &u32), u32)| by_length(pattern.verdict, length, place);
        let mut keys: Vec<u64> = self.patterns.iter().zip(lengths).zip(0..).map(key).collect();
        keys.sort_unstable();
        self.patterns = keys.iter().map(|&key| self.patterns[(key & (u64::MAX >> 33)) as usize]).collect();
    }

    /// Adds the patterns of a rule, and their lengths.
    fn push_rule(&mut self, rule: &Rule<'_>, number: u32, dialect: &Dialect, lengths: &mut Vec<u32>) {
        let verdict = if rule.allow { Verdict::Allowed } else { Verdict::Blocked };
        self.push(rule.value, verdict, number, dialect, lengths);
        if rule.allow
            && dialect.directory_index == DirectoryIndex::AllowsFolder
            && let Some(directory) = directory_of_index(rule.value, dialect.encoding)
        {
            self.push(&directory, verdict, number, dialect, lengths);
        }
    }

    /// Adds the patterns of a rule's value, and the length that the dialect counts for each, which is the same: one for each way to read
    /// the escapes that are cut in it.
    fn push(&mut self, value: &[u8], verdict: Verdict, rule: u32, dialect: &Dialect, lengths: &mut Vec<u32>) {
        let (mut ways, mut reading) = (1, 0);
        while reading < ways {
            let (length, cut) = self.push_reading(value, verdict, rule, dialect, reading);
            lengths.push(length);
            ways = 1 << cut.min(MOST_CUT);
            reading += 1;
        }
    }

    /// Adds the pattern of a rule's value in one reading, of which each bit says how an escape that is cut is read. Returns its length
    /// as the dialect counts it, and how many such escapes can be read in two ways.
    fn push_reading(
        &mut self,
        value: &[u8],
        verdict: Verdict,
        rule: u32,
        dialect: &Dialect,
        reading: u32,
    ) -> (u32, u32) {
        let mut cut = 0;
        let special = dialect.wildcards == Wildcards::Special;
        let kept = Encoding::kept_in_patterns(special);
        let first_segment = self.segments.len() as u32;
        let (body, mut anchored) = match value.strip_suffix(b"$") {
            Some(body) if special => (body, true),
            _ => (value, false),
        };
        let mut length = u32::from(anchored);
        let mut start = self.text.len() as u32;
        let mut rest = body;
        loop {
            let plain = rest.iter().position(|&byte| !kept.contains(byte)).unwrap_or(rest.len());
            self.text.extend_from_slice(&rest[..plain]);
            length = length.saturating_add(plain as u32);
            rest = &rest[plain..];
            match rest.first() {
                None => break,
                // If it is not special, it is one of those above.
                Some(b'*') => {
                    start = self.end_segment(start, first_segment);
                    length = length.saturating_add(1);
                    rest = &rest[1..];
                }
                Some(_) => {
                    let as_cut = cut_escape(rest, special, anchored).and_then(|digit| dialect.encoding.of_cut(digit));
                    let is_begun = as_cut.as_ref().is_some_and(|as_cut| {
                        let is_begun = as_cut.is_only || reading >> cut.min(MOST_CUT - 1) & 1 == 1;
                        cut += u32::from(!as_cut.is_only);
                        is_begun
                    });
                    if let Some(as_cut) = as_cut.filter(|_| is_begun) {
                        self.text.extend_from_slice(&as_cut.text);
                        length = length.saturating_add(as_cut.counted);
                        rest = &rest[as_cut.text.len()..];
                        continue;
                    }
                    let (taken, counted) = dialect.encoding.push(rest, &mut self.text);
                    length = length.saturating_add(counted);
                    rest = &rest[taken..];
                }
            }
        }
        let ends_in_star = special && body.ends_with(b"*");
        if ends_in_star {
            // A trailing `*` has no effect, and makes a `$` after it meaningless.
            anchored = false;
        } else {
            self.segments.push((start, self.text.len() as u32));
        }
        let end_segment = self.segments.len() as u32;
        self.patterns.push(Pattern { verdict, anchored, rule, first_segment, end_segment });
        (length, cut)
    }

    /// Ends a segment at a `*`. An empty one is kept only as the first of its pattern.
    fn end_segment(&mut self, start: u32, first_segment: u32) -> u32 {
        let end = self.text.len() as u32;
        if start < end || self.segments.len() as u32 == first_segment {
            self.segments.push((start, end));
        }
        end
    }
}

/// The most escapes of a rule that are read in two ways each; those after it are read as the last of these.
const MOST_CUT: u32 = 4;

/// The hex digit, if there is one, of an escape that `rest` begins with and that is cut: by `*`, or by the end of a pattern that is not
/// anchored.
pub(crate) fn cut_escape(rest: &[u8], special: bool, anchored: bool) -> Option<Option<u8>> {
    let (digit, rest) = match rest.strip_prefix(b"%")? {
        [digit, rest @ ..] if digit.is_ascii_hexdigit() => (Some(*digit), rest),
        rest => (None, rest),
    };
    let is_cut = if rest.is_empty() { !anchored } else { special && rest[0] == b'*' };
    is_cut.then_some(digit)
}

/// What patterns are sorted by under [`Precedence::Longest`]: their length, `Allow` before `Disallow`, their place. No file has 2^31
/// rules.
fn by_length(verdict: Verdict, length: u32, place: u32) -> u64 {
    u64::from(!length) << 32 | u64::from(verdict == Verdict::Blocked) << 31 | u64::from(place)
}

/// The index of the rule that decides on a path in normal form: the one whose pattern [`Patterns::rank`] would put before those of all
/// others that match. Most rules are decided without a pattern.
pub(crate) fn deciding_rule<'r>(
    rules: impl IntoIterator<Item = Rule<'r>>,
    path: &[u8],
    dialect: &Dialect,
) -> Option<usize> {
    // Memory for the patterns of one rule, and their lengths.
    let (mut patterns, mut lengths) = (Patterns::default(), Vec::new());
    let rank = |(number, rule): (u32, Rule<'_>)| {
        let length = match begins(&rule, path, dialect) {
            Beginning::Other => None,
            Beginning::Whole => Some(rule.value.len() as u32),
            Beginning::Open => {
                patterns.clear();
                lengths.clear();
                patterns.push_rule(&rule, number, dialect, &mut lengths);
                let matching = (0..lengths.len()).filter(|&one| patterns.matches(&patterns.all()[one], path));
                matching.map(|one| lengths[one]).max()
            }
        };
        let verdict = if rule.allow { Verdict::Allowed } else { Verdict::Blocked };
        length.map(|length| (by_length(verdict, length, number), number as usize))
    };
    let mut matching = (0..).zip(rules).filter_map(rank);
    let first = match dialect.precedence {
        Precedence::Longest => matching.min(),
        Precedence::FirstMatch | Precedence::AnyDisallow => matching.next(),
    };
    first.map(|(_, number)| number)
}

/// How a rule compares with the start of a path.
enum Beginning {
    /// It has another byte, so it does not match.
    Other,
    /// It is the start as it is written, so it matches.
    Whole,
    /// It has a byte with another meaning, or another form in paths.
    Open,
}

/// Compares a rule with the start of a path, up to the first byte that differs.
#[inline]
fn begins(rule: &Rule<'_>, path: &[u8], dialect: &Dialect) -> Beginning {
    let special = dialect.wildcards == Wildcards::Special;
    let kept = Encoding::kept_in_patterns(special);
    let value = rule.value;
    let differs = |&at: &usize| value[at] != path[at] || !kept.contains(value[at]);
    let at = (0..value.len().min(path.len())).find(differs).unwrap_or(path.len());
    let Some((&byte, rest)) = value.get(at..).and_then(<[u8]>::split_first) else {
        return if special && value.ends_with(b"$") { Beginning::Open } else { Beginning::Whole };
    };
    let is_end = special && byte == b'$' && rest.is_empty();
    let is_index = || {
        rule.allow && dialect.directory_index == DirectoryIndex::AllowsFolder && memchr::memchr(b'/', rest).is_none()
    };
    if !kept.contains(byte) || is_end || is_index() { Beginning::Open } else { Beginning::Other }
}

/// The pattern of the directory whose index an `Allow` names (C++: if the part after the last slash begins with
/// `index.htm`, it also stands for the directory itself).
fn directory_of_index(value: &[u8], encoding: Encoding) -> Option<Vec<u8>> {
    debug_assert_eq!(encoding, Encoding::RuleOnly, "the slash is looked for in the value as written");
    let slash = memchr::memrchr(b'/', value)?;
    let index = value[slash..].starts_with(DIRECTORY_INDEX);
    index.then(|| [&value[..=slash], b"$"].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::Robots;

    /// Patterns as text, in rank order: `+/a*b$` for the rule `Allow: /a**b$`.
    fn ranked(rules: &str, dialect: &str) -> Vec<String> {
        let dialect = Dialect::named(dialect).unwrap();
        let text = format!("User-agent: *\n{rules}");
        let robots = Robots::parse(text.as_bytes(), dialect);
        let patterns = Patterns::rank(robots.rules.iter(), dialect);
        patterns
            .all()
            .iter()
            .map(|pattern| {
                let segments: Vec<_> =
                    patterns.segments(pattern).map(|range| String::from_utf8_lossy(&patterns.text()[range])).collect();
                let sign = if pattern.verdict == Verdict::Allowed { '+' } else { '-' };
                format!("{sign}{}{}", segments.join("*"), if pattern.anchored { "$" } else { "" })
            })
            .collect()
    }

    #[test]
    fn lines_that_are_no_rules_have_wildcards_in_every_dialect() {
        for dialect in Dialect::ALL {
            let lines = [(&b"/a"[..], Verdict::Allowed), (b"/*.pdf$", Verdict::Allowed)];
            let patterns = Patterns::longest_first(lines, dialect);
            assert!(patterns.patterns[0].anchored && patterns.segments(&patterns.patterns[0]).count() == 2);
        }
    }

    #[test]
    fn stars_and_dollars() {
        let one = |rule: &str, dialect| ranked(&format!("Disallow: {rule}\n"), dialect).remove(0);
        for (rule, expected) in [
            ("/a***b", "-/a*b"),
            ("*", "-"),
            ("*$", "-"),
            ("/*$", "-/"),
            ("/a$b", "-/a$b"),
            ("/a$*", "-/a$"),
            ("/a*b*$", "-/a*b"),
            ("*.doc$", "-*.doc$"),
            ("/x$$", "-/x$$"),
        ] {
            for dialect in ["rfc9309", "google", "mandelbot", "extended-2008"] {
                assert_eq!(one(rule, dialect), expected, "{rule} {dialect}");
            }
        }
        assert_eq!(one("/%2A%24", "rfc9309"), "-/*$");
        assert_eq!(one("/%2A%24", "google"), "-/%2A%24");
    }

    #[test]
    fn a_dollar_is_the_end_where_wildcards_are_special() {
        for dialect in Dialect::ALL {
            let robots = Robots::parse(b"User-agent: *\nDisallow: /a$\n", dialect);
            let patterns = Patterns::rank(robots.rules.iter(), dialect);
            let is_special = dialect.wildcards == Wildcards::Special;
            for (path, expected) in [(&b"/a"[..], is_special), (b"/a$", !is_special), (b"/a$b", !is_special)] {
                assert_eq!(patterns.deciding(path).is_some(), expected, "{} {dialect}", path.escape_ascii());
            }
        }
    }

    #[test]
    fn an_escape_that_is_cut_is_read_in_each_way_that_it_can_be_meant() {
        let all = |rule: &str, dialect| ranked(&format!("Disallow: {rule}\n"), dialect).join(" ");
        for (rule, expected) in [
            ("/%", "-/%"),
            ("/%*", "-/%"),
            ("/%$", "-/%25$"),
            ("/%c$", "-/%25c$"),
            ("/%c", "-/%25c -/%C"),
            ("/%C*x", "-/%25C*x -/%C*x"),
            ("/%3*", "-/%253 -/%3"),
            ("/%g*", "-/%25g"),
            ("/%c*%d", "-/%25c*%25d -/%C*%25d -/%25c*%D -/%C*%D"),
        ] {
            assert_eq!(all(rule, "rfc9309"), expected, "{rule}");
        }
        for (rule, expected) in
            [("/%", "-/%"), ("/%c", "-/%c -/%C"), ("/%C", "-/%C -/%c"), ("/%3", "-/%3"), ("/%c*", "-/%c*")]
        {
            assert_eq!(all(rule, "original-1994"), expected, "{rule}");
        }
        // Those after the fourth are read as it is.
        let many = ranked("Disallow: /%a*%b*%c*%d*%e*%f\n", "rfc9309");
        assert_eq!(many.len(), 16);
        for pattern in &many {
            let is_read_so = |digits: [&str; 3]| digits.iter().all(|digit| pattern.contains(digit));
            assert!(is_read_so(["%25d", "%25e", "%25f"]) || is_read_so(["%D", "%E", "%F"]), "{pattern}");
        }
    }

    #[test]
    fn google_allows_the_directory_of_an_index() {
        let rules = "Allow: /a/index.html?x\nAllow: /b/c/index.htm\nAllow: /d/index\n";
        let expected = ["+/a/index.html?x", "+/b/c/index.htm", "+/d/index", "+/b/c/$", "+/a/$"];
        assert_eq!(ranked(rules, "google"), expected);
        assert_eq!(ranked(rules, "rfc9309").len(), 3);
    }
}
