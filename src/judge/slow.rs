//! The slow way: the outcome of one URL of any form. It defines the results of the [hot path](super::batch), which
//! leaves doubtful URLs to it, and of [`JudgeView::judge_one`], the way of a URL that is judged alone.

use std::borrow::Cow;

use super::decision::Decision;
use super::lines::is_plain_path;
use super::scratch::Scratch;
use super::view::{Judge, JudgeView, Route};
use crate::automaton::{self, front};
use crate::dialect::{Dialect, RobotsTxtPath, UrlPath};
use crate::origin::{self, InvalidUrl};
use crate::outcome::{Outcome, Partition, Reason};
use crate::policy::Record;
use crate::rules::chosen::is_always_allowed;
use crate::rules::{self, Verdict};

impl<'p> JudgeView<'p> {
    /// The outcome of a path in normal form: `outcome`, unless the path is always allowed. Every decision that closes a
    /// path or its origin must call this first.
    #[inline]
    pub(crate) fn unless_always_allowed(&self, path: &[u8], outcome: Outcome) -> Outcome {
        unless_always_allowed(path, outcome, self.policy.dialect())
    }

    /// Whether the dialect always allows `/robots.txt`.
    pub(super) fn spares_robots_txt(&self) -> bool {
        self.policy.dialect().robots_txt == RobotsTxtPath::AlwaysAllowed
    }

    /// Whether the dialect always allows a URL.
    pub(super) fn always_allows(&self, url: &[u8]) -> bool {
        always_allows(url, self.policy.dialect())
    }

    /// Why the lines of a URL's origin wait for its robots.txt, if they do.
    pub(crate) fn waiting(&self, url: &[u8]) -> Option<Reason> {
        let url = origin::trimmed(url);
        let judge = self.of_changed(url).unwrap_or_else(|| self.clone());
        let outcome = match judge.find(url).ok()?.0.map(|record| judge.decisions.of(&record)) {
            Some(Decision::Fixed(outcome)) => outcome,
            Some(Decision::Walk(_)) => return None,
            None => judge.decisions.unfetched,
        };
        outcome.waits_for_robots_txt().then(|| outcome.reason())
    }

    /// The outcome of one URL. A plain one of an origin that has a slot is judged by its entry alone, as in the hot path.
    pub(crate) fn judge_one(&self, url: &[u8], scratch: &mut Scratch) -> Outcome {
        self.judge_plain(url, scratch).unwrap_or_else(|| self.judge_line(url, scratch))
    }

    fn judge_plain(&self, url: &[u8], scratch: &mut Scratch) -> Option<Outcome> {
        let (key, path) = url.split_at(origin::cut(url)?);
        if !is_plain_path(path) {
            return None;
        }
        let Some(slot) = self.lookup.find_slot(key) else {
            // Layers over the policy may have the origin.
            return if self.over.is_none() { self.outcome_of_unknown(key, path) } else { None };
        };
        Some(self.by_rules(self.route(slot)).judge_path(path, path.len(), scratch))
    }

    /// The outcome of any line, given without its LF.
    pub fn judge_line(&self, line: &[u8], scratch: &mut Scratch) -> Outcome {
        let line = origin::trimmed(line);
        if let Some(changed) = self.of_changed(line) {
            return changed.judge_line(line, scratch);
        }
        if has_refused_tab(line, scratch) {
            return Outcome::new(Partition::Invalid, Reason::Tab);
        }
        let (own, end) = match self.find_own(line) {
            Ok(found) => found,
            Err(reason) => return reason.into(),
        };
        let record = own.or_else(|| self.find_sibling(line));
        scratch.counts.www_fallbacks += u64::from(own.is_none() && record.is_some());
        let (decision, automaton) = match record {
            Some(record) => (self.decisions.of(&record), self.groups.automaton_of(record.row)),
            None => (Decision::Fixed(self.decisions.unfetched), 0),
        };
        self.by_rules((Route::new(decision), automaton)).judge_written(&line[end..], scratch)
    }

    /// The outcome of a line whose origin is in a slot, given the part after the origin. The first `kept` bytes of its
    /// path are known to be in normal form.
    #[inline(never)]
    pub(crate) fn judge_rest(&self, slot: usize, rest: &[u8], kept: usize, scratch: &mut Scratch) -> Outcome {
        let end = rest.len() - rest.iter().rev().take_while(|&&byte| byte <= b' ').count();
        let rest = &rest[..end];
        let by_rules = self.by_rules(self.route(slot));
        if rules::is_path(rest) {
            return by_rules.judge_path(rest, kept.min(rest.len()), scratch);
        }
        if has_refused_tab(rest, scratch) {
            return Outcome::new(Partition::Invalid, Reason::Tab);
        }
        if origin::has_line_feed(rest) {
            return InvalidUrl::LineFeed.into();
        }
        by_rules.judge_written(rest, scratch)
    }

    /// Judges paths by a route, and by the automaton at a place, if there is one.
    fn by_rules(&self, (route, automaton): (Route, u32)) -> ByRules<'p> {
        let automaton = (automaton != 0).then(|| self.automaton(automaton));
        ByRules { route, automaton, dialect: self.policy.dialect() }
    }

    /// The view that judges the origins that layers over the policy change.
    pub(super) fn changed(&self) -> Option<JudgeView<'p>> {
        Some(self.over?.view().answered_by(self.groups.columns()))
    }

    /// The view that judges a trimmed line if layers over the policy change its origin.
    pub(super) fn of_changed(&self, line: &[u8]) -> Option<JudgeView<'p>> {
        let changed = self.changed()?;
        let has_own = |judge: &JudgeView<'_>| matches!(judge.find_own(line), Ok((Some(_), _)));
        // The origin itself comes before its sibling, whichever of the two has it.
        let has_sibling = || changed.find_sibling(line).is_some() && !has_own(self);
        let is_changed = has_own(&changed) || has_sibling();
        is_changed.then_some(changed)
    }

    /// The record that judges a trimmed line, and where its path begins: the record of the line's origin or, if it has
    /// none and the choices say so, of its `www.` sibling.
    pub(super) fn find(&self, line: &[u8]) -> Result<(Option<Record<'p>>, usize), InvalidUrl> {
        self.find_own(line).map(|(own, end)| (own.or_else(|| self.find_sibling(line)), end))
    }

    /// The record of the `www.` sibling of a trimmed line's origin, if the choices ask for it.
    fn find_sibling(&self, line: &[u8]) -> Option<Record<'p>> {
        if !self.decisions.choices.www_fallback {
            return None;
        }
        let (origin, _) = origin::split(line).ok()?;
        self.lookup.get(&origin::www_sibling(origin.as_bytes())?)
    }

    /// The record of a trimmed line's origin, and where its path begins.
    fn find_own(&self, line: &[u8]) -> Result<(Option<Record<'p>>, usize), InvalidUrl> {
        if let Some(end) = origin::cut(line).filter(|_| !origin::has_line_feed(line)) {
            let record = self.lookup.get(&line[..end]);
            if record.is_some() || origin::is_surely_canonical(&line[..end]) {
                return Ok((record, end));
            }
        }
        let (origin, rest) = origin::split(line)?;
        Ok((self.lookup.get(origin.as_bytes()), line.len() - rest.len()))
    }

    /// The outcome of a plain URL whose key is not that of its slot's entry, and its path, if it is certain without looking at records.
    #[inline(always)]
    pub(super) fn outcome_of_unknown(&self, key: &[u8], path: &[u8]) -> Option<Outcome> {
        let is_all_in_slots = self.lookup.is_all_in_slots() && self.over.is_none_or(Judge::is_all_in_slots);
        let is_certain = is_all_in_slots && !self.decisions.choices.www_fallback;
        let outcome = || self.unless_always_allowed(path, self.decisions.unfetched);
        (is_certain && origin::is_surely_canonical(key)).then(outcome)
    }
}

/// How the path of a URL is judged, once its origin is found.
pub(super) struct ByRules<'p> {
    pub route: Route,
    /// The item of the automaton, if a group applies.
    pub automaton: Option<&'p [u8]>,
    pub dialect: &'static Dialect,
}

impl ByRules<'_> {
    /// The outcome of a URL, given the part after its origin, without LF.
    pub fn judge_rest(&self, rest: &[u8], scratch: &mut Scratch) -> Outcome {
        match is_plain_path(rest) {
            true => self.judge_path(rest, rest.len(), scratch),
            false => self.judge_written(rest, scratch),
        }
    }

    /// The same, for any.
    fn judge_written(&self, rest: &[u8], scratch: &mut Scratch) -> Outcome {
        let url_path = self.dialect.url_path;
        let written = url_path.written(rest);
        let path = url_path.judged(&written);
        let is_rewritten = matches!(path, Cow::Owned(_));
        // A path that is fetched as written has no dot segments.
        if is_rewritten || url_path == UrlPath::AsWritten {
            scratch.counts.dot_segments += u64::from(origin::has_dot_segment(&written));
            scratch.counts.rewritten += u64::from(is_rewritten);
        }
        self.judge_path(&path, 0, scratch)
    }

    /// The outcome of a judged path that is not in normal form yet, except for its first `kept` bytes. The automaton
    /// decides, if there is one.
    fn judge_path(&self, path: &[u8], kept: usize, scratch: &mut Scratch) -> Outcome {
        let &ByRules { route, automaton, dialect } = self;
        let encoding = dialect.encoding;
        let Some(automaton) = automaton.filter(|_| route.walks) else {
            let is_closed = route.settled.spares_robots_txt();
            return if is_closed {
                unless_always_allowed(&encoding.path(path), route.settled, dialect)
            } else {
                route.settled
            };
        };
        let [allowed, blocked] = route.outcomes;
        let automaton = front::words(automaton);
        // Most paths are decided before the first byte that normalisation could change.
        let kept = encoding.kept_from(kept, path);
        if kept < path.len() && automaton::settled_by(automaton, &path[..kept]) == Some(Verdict::Allowed) {
            return allowed;
        }
        let normal = encoding.path_after(kept, path);
        scratch.counts.normalised += u64::from(matches!(normal, Cow::Owned(_)));
        match automaton::verdict(automaton, &normal, &mut scratch.walk) {
            Verdict::Allowed => allowed,
            Verdict::Blocked => unless_always_allowed(&normal, blocked, dialect),
        }
    }
}

/// The outcome of a path in normal form: `outcome`, unless the path is always allowed.
#[inline]
fn unless_always_allowed(path: &[u8], outcome: Outcome, dialect: &Dialect) -> Outcome {
    let is_spared = is_always_allowed(path, dialect) && outcome.spares_robots_txt();
    if is_spared { Outcome::ROBOTS_TXT } else { outcome }
}

/// Whether a dialect always allows a URL, whatever the state of its origin.
pub(crate) fn always_allows(url: &[u8], dialect: &Dialect) -> bool {
    let Ok((_, rest)) = origin::split(url) else { return false };
    is_always_allowed(&dialect.encoding.path(&dialect.url_path.of(rest)), dialect)
}

/// Counts a trimmed URL that has a tab before its fragment, or anywhere if such URLs are refused. Returns whether it is refused.
pub(super) fn has_refused_tab(url: &[u8], scratch: &mut Scratch) -> bool {
    let Some(at) = memchr::memchr2(b'\t', b'#', url) else { return false };
    let has_tab = url[at] == b'\t' || scratch.refuses_tabs && memchr::memchr(b'\t', &url[at..]).is_some();
    scratch.counts.tabs += u64::from(has_tab);
    has_tab && scratch.refuses_tabs
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::tests;
    use super::*;
    use crate::formats::memory::FileMemory;
    use crate::judge::Choices;
    use crate::origin::robots_url;
    use crate::policy::lookup::LookupTable;
    use crate::policy::{Answered, Capture, Captures, Lookup, LookupEntry, Override, Overrides, Ruling};
    use crate::robots::Agents;

    /// Every way to judge allows `/robots.txt` where the dialect does, unless the operator says something else, and it is known for which
    /// origins that file should be fetched.
    #[test]
    fn the_robots_txt_of_a_closed_origin_is_allowed_and_may_wait() {
        let found = |origin, line| Capture::found(origin, format!("User-agent: *\n{line}\n"));
        let failed = |origin: &str, status| Capture {
            url: robots_url(origin),
            origin: Some(origin.to_owned()),
            answered: Answered { status: Some(status), ..Answered::default() },
            ..Capture::default()
        };
        let mut overrides = Overrides::default();
        overrides.add("http://forbidden", Override::default().ruling(Some(Ruling::ForbidAll))).unwrap();
        for dialect in Dialect::ALL {
            let mut captures = Captures::new(Agents::everybody(), dialect);
            let closed = [found("http://closed", "Disallow: /"), found("http://refused", "Content-Usage: train-ai=n")];
            captures.add(closed.into_iter().chain([failed("http://failed", 503)]).collect()).unwrap();
            captures.add_overrides(&overrides).unwrap();
            let policy = captures.policy().unwrap();
            let choices = Choices::at(0).require("train-ai!=n".parse().unwrap());
            let matcher = policy.matcher_with("*", choices).unwrap();
            for (host, of_pages, waits) in [
                ("closed", (Partition::Blocked, Reason::Rules), None),
                ("refused", (Partition::Blocked, Reason::Preference), None),
                ("failed", (Partition::Deferred, Reason::Unreachable), Some(Reason::Unreachable)),
                ("forbidden", (Partition::Blocked, Reason::Override), None),
                ("unknown", (Partition::Deferred, Reason::Unfetched), Some(Reason::Unfetched)),
            ] {
                let page = Outcome::new(of_pages.0, of_pages.1);
                let is_spared = dialect.robots_txt == RobotsTxtPath::AlwaysAllowed && page.reason() != Reason::Override;
                let file = if is_spared { Outcome::ROBOTS_TXT } else { page };
                let urls = ["page", "robots.txt", "x/../robots.txt"].map(|path| format!("http://{host}/{path}"));
                let expected = vec![page, file, file];
                let (mut all, mut lines) = (Vec::new(), Vec::new());
                matcher.judge_all(&urls, &mut all);
                matcher.judge_lines(urls.join("\n").as_bytes(), &mut lines);
                let each: Vec<_> = urls.iter().map(|url| matcher.judge(url)).collect();
                assert_eq!((&each, &all, &lines), (&expected, &expected, &expected), "{host} {dialect}");
                urls.iter().for_each(|url| assert_eq!(matcher.view().waiting(url.as_bytes()), waits, "{url}"));
            }
        }
    }

    /// Origins with equal hashes have no slot in the look-up table, and are found all the same.
    #[test]
    fn an_origin_without_a_slot_is_found() {
        let policy = tests::policy(Dialect::DEFAULT, vec![Agents::everybody()]);
        let (records, known) = (policy.record_bytes(), policy.lookup());
        let entries = known.records().filter_map(|record| Some((record.row, known.find(record.origin)?)));
        let of_rows: HashMap<u32, (u32, u32)> =
            entries.map(|(row, entry)| (row, (entry.automaton(), entry.set()))).collect();
        let memory = FileMemory::new(&std::env::temp_dir(), 1 << 20);
        let (table, mut section) = (LookupTable::build(records, |_, _| 7, &memory).unwrap(), Vec::new());
        let write = |part: &[u8]| {
            section.extend_from_slice(part);
            Ok(())
        };
        table.write(records, |row| of_rows[&row], write).unwrap();
        let mut lines: Vec<LookupEntry> = vec![bytemuck::Zeroable::zeroed(); section.len() / size_of::<LookupEntry>()];
        bytemuck::cast_slice_mut(&mut lines).copy_from_slice(&section);
        let lookup = Lookup::of(bytemuck::cast_slice(&lines), records);
        assert!(!lookup.is_all_in_slots());
        let origins = tests::origins();
        let paths = ["/", "/a", "/a/b.php?x=1", "/robots.txt", "/./b"];
        let urls: Vec<String> = origins.iter().flat_map(|origin| paths.map(|path| format!("{origin}{path}"))).collect();
        for choices in [Choices::at(0), Choices::at(0).www_fallback(true)] {
            let matcher = policy.matcher_with("*", choices).unwrap();
            let view = JudgeView { lookup, ..matcher.view() };
            let (mut lines, mut scratch) = (Vec::new(), Scratch::default());
            view.judge_lines(urls.join("\n").as_bytes(), &mut lines, &mut scratch);
            for (url, outcome) in urls.iter().zip(lines) {
                let (expected, url) = (matcher.judge(url), url.as_bytes());
                assert_eq!(
                    (outcome, view.judge_one(url, &mut scratch)),
                    (expected, expected),
                    "{}",
                    url.escape_ascii()
                );
            }
        }
    }
}
