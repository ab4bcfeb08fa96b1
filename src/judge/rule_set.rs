//! One robots.txt for one crawler, for judging paths.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::sync::OnceLock;

use super::lines::is_plain_path;
use crate::automaton::{OnDemand, Scratch};
use crate::dialect::Dialect;
use crate::origin::{self, InvalidUrl};
use crate::policy::provenance;
use crate::robots::{self, AgentName, Agents, BodyFlaw, Delay, GroupOrigin, Robots, SideKey, SideRecord};
use crate::rules::chosen::{ChosenRules, Explanation, KeptRule, is_always_allowed};
use crate::rules::{Patterns, Verdict};

/// The rules of one robots.txt for one crawler.
///
/// The first paths are judged by trying the rules one by one. Once that has taken about as long as compiling, the rules are compiled, by
/// the call that comes next.
///
/// ```
/// use robosieve::{RuleSet, Dialect, Verdict};
///
/// let file = b"User-agent: *\nDisallow: /shop\nAllow: /shop/*.html$\n";
/// let rules = RuleSet::compile(file, &"examplebot".parse()?, Dialect::DEFAULT);
/// assert_eq!(rules.verdict("/shop/cart"), Verdict::Blocked);
/// assert_eq!(rules.verdict_url("https://a.example/shop/cart?id=1")?, Verdict::Blocked);
/// assert_eq!(rules.explain("/shop/a.html").rule.unwrap().line, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RuleSet {
    agents: Agents,
    dialect: Dialect,
    origin: GroupOrigin,
    /// The rules as written in the file, in the form of policies, and as they are read when they are first asked for: most callers ask
    /// for verdicts only.
    written: Vec<u8>,
    chosen: OnceLock<ChosenRules>,
    side_records: Vec<KeptRecord>,
    automaton: OnDemand,
    /// Why the file is no robots.txt.
    flaw: Option<BodyFlaw>,
}

/// The rules in place of a file that is not a robots.txt: no path may be fetched.
const NOTHING: &[u8] = b"User-agent: *\nDisallow: /\n";

/// A record other than a rule, as written in its robots.txt.
#[derive(Debug, Clone)]
struct KeptRecord {
    key: SideKey,
    value: Vec<u8>,
    line: u32,
}

impl KeptRecord {
    fn of(record: &SideRecord<'_>) -> KeptRecord {
        KeptRecord { key: record.key, value: record.value.to_vec(), line: record.line }
    }

    fn as_side_record(&self) -> SideRecord<'_> {
        SideRecord { key: self.key, value: &self.value, line: self.line, group: None }
    }
}

impl RuleSet {
    /// Reads the rules for `agents` of a robots.txt as served with status 200. It may be compressed. A file
    /// that is damaged or not text blocks everything, and [`RuleSet::flaw`] says why.
    pub fn compile(file: &[u8], agents: &Agents, dialect: &Dialect) -> RuleSet {
        let body = robots::body_text(Cow::Borrowed(file), &[], robots::body_limit([dialect]));
        let (body, flaw) = match body {
            Ok(body) => (body, None),
            Err(problem) => (Cow::Borrowed(NOTHING), problem.flaw().or(Some(BodyFlaw::NotText))),
        };
        let text = robots::decode(&body, dialect, &mut Vec::new());
        let robots = Robots::parse(&text, dialect);
        let selection = robots.select(agents, dialect);
        let automaton = OnDemand::new(Patterns::rank(selection.rules(&robots), dialect));
        let agent_lines: Vec<AgentName<'_>> = selection.agent_lines(&robots, agents, dialect).copied().collect();
        let written = provenance::encode(&robots, &selection, &agent_lines);
        let side_records: Vec<KeptRecord> = selection.side_records(&robots).map(KeptRecord::of).collect();
        let (agents, dialect, origin) = (agents.clone(), dialect.clone(), selection.origin);
        let chosen = OnceLock::new();
        RuleSet { agents, dialect, origin, written, chosen, side_records, automaton, flaw }
    }

    /// The verdict on a path with its query, as written in the URL, without the fragment. An argument that does not begin with
    /// `/` is judged as a URL or, if it is not one, as a path with a `/` in front.
    pub fn verdict(&self, path: impl AsRef<[u8]>) -> Verdict {
        let path = path.as_ref();
        if is_plain_path(path) {
            return with_scratch(|scratch| self.verdict_in_form(path, scratch));
        }
        let path = self.path_of(path);
        with_scratch(|scratch| self.verdict_with(&path, scratch))
    }

    /// The verdict on an absolute http or https URL. The caller must know that the rules are those of its origin.
    ///
    /// # Errors
    ///
    /// [`InvalidUrl`] if it is not such a URL.
    pub fn verdict_url(&self, url: impl AsRef<[u8]>) -> Result<Verdict, InvalidUrl> {
        let (_, rest) = origin::split(url.as_ref())?;
        // Most paths are plain, and need not be examined again.
        if is_plain_path(rest) {
            return Ok(with_scratch(|scratch| self.verdict_in_form(rest, scratch)));
        }
        Ok(self.verdict(self.dialect.url_path.of(rest)))
    }

    /// The verdict on a path that begins with `/`, with the caller's scratch, for judging many paths.
    pub(crate) fn verdict_with(&self, path: &[u8], scratch: &mut Scratch) -> Verdict {
        let path = self.dialect.url_path.judged(path);
        self.verdict_in_form(&self.dialect.encoding.path(&path), scratch)
    }

    /// The verdict on a path in normal form.
    fn verdict_in_form(&self, path: &[u8], scratch: &mut Scratch) -> Verdict {
        match self.automaton.verdict(path, scratch) {
            Verdict::Blocked if is_always_allowed(path, &self.dialect) => Verdict::Allowed,
            verdict => verdict,
        }
    }

    /// The verdict on a path, given as to [`RuleSet::verdict`], and the rule that decided it, found without the automaton.
    pub fn explain(&self, path: impl AsRef<[u8]>) -> Explanation<'_> {
        let explanation = self.chosen().explain(&self.path_of(path.as_ref()));
        match self.flaw {
            None => explanation,
            Some(_) => Explanation { rule: None, agent: None, ..explanation },
        }
    }

    /// Why the file is not a robots.txt; `None` if it is one. A file with a flaw has no rules, and everything is
    /// blocked.
    pub fn flaw(&self) -> Option<BodyFlaw> {
        self.flaw
    }

    /// The path in an argument.
    fn path_of<'u>(&self, given: &'u [u8]) -> Cow<'u, [u8]> {
        if given.starts_with(b"/") {
            return Cow::Borrowed(given);
        }
        self.dialect.url_path.of(origin::split(given).map_or(given, |(_, rest)| rest))
    }

    /// The rules as written in the file.
    pub(crate) fn chosen(&self) -> &ChosenRules {
        self.chosen.get_or_init(|| {
            let is_own = matches!(self.origin, GroupOrigin::Own(_));
            let chosen = provenance::decode(&self.written, is_own, &self.agents, &self.dialect);
            // Of a group that is nobody's, there is no line that could tell.
            ChosenRules { origin: self.origin, ..chosen }
        })
    }

    /// Which groups the rules are from: the crawler's own, those of everybody, or none.
    pub(crate) fn origin(&self) -> GroupOrigin {
        self.origin
    }

    /// The `User-agent` lines for which the groups were chosen: value and line number.
    pub fn agent_lines(&self) -> &[(String, u32)] {
        if self.flaw.is_none() { &self.chosen().agent_lines } else { &[] }
    }

    /// The rules, in the order of the file.
    pub fn rules(&self) -> &[KeptRule] {
        if self.flaw.is_none() { &self.chosen().rules } else { &[] }
    }

    /// The records of the chosen groups other than rules, such as `crawl-delay` or `sitemap`, and those outside every group, in the order
    /// of the file: the name of the key in lower case, the value as written, and the line, counted from 1. No verdict depends on them.
    pub fn side_records(&self) -> impl Iterator<Item = (&'static str, &[u8], u32)> {
        self.side_records.iter().map(|record| (record.key.name(), &*record.value, record.line))
    }

    /// The seconds between two fetches that the file asks of the crawler by `Crawl-delay`; `None` if it does not, if the value is no
    /// number of seconds, or if the dialect does not obey it.
    pub fn crawl_delay(&self) -> Option<f64> {
        let records = self.side_records.iter().map(KeptRecord::as_side_record);
        Delay::of(&records.collect::<Vec<_>>(), &self.dialect)?.seconds
    }

    /// The ranked patterns.
    pub(crate) fn patterns(&self) -> &Patterns {
        self.automaton.patterns()
    }
}

/// Lends out the thread's scratch.
fn with_scratch(judge: impl FnOnce(&mut Scratch) -> Verdict) -> Verdict {
    thread_local!(static SCRATCH: RefCell<Scratch> = RefCell::default());
    SCRATCH.with_borrow_mut(judge)
}

impl fmt::Debug for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dialect, origin) = (self.dialect.name, self.origin);
        write!(f, "RuleSet {{ dialect: {dialect}, group: {origin:?}, rules: {} }}", self.chosen().rules.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "batch")]
    #[test]
    fn a_file_that_is_no_robots_txt_blocks_everything() {
        let zipped = crate::formats::coding::tests::gzip(b"User-agent: *\nDisallow: /x\n");
        let compiled = |file: &[u8]| RuleSet::compile(file, &Agents::everybody(), Dialect::DEFAULT);
        let rules = compiled(&zipped);
        assert_eq!((rules.verdict("/x"), rules.verdict("/y")), (Verdict::Blocked, Verdict::Allowed));
        assert_eq!((rules.rules().len(), rules.flaw()), (1, None));
        for (file, flaw) in
            [(&zipped[..20], BodyFlaw::Incomplete), (b"GIF89a", BodyFlaw::NotText), (b"\0\0\0", BodyFlaw::NotText)]
        {
            let rules = compiled(file);
            assert_eq!((rules.verdict("/"), rules.flaw()), (Verdict::Blocked, Some(flaw)));
            let explanation = rules.explain("/y");
            assert_eq!((explanation.verdict, explanation.rule, explanation.agent), (Verdict::Blocked, None, None));
            assert!(rules.rules().is_empty() && rules.agent_lines().is_empty());
        }
    }

    #[test]
    fn an_explanation_names_the_line_above_its_rule() {
        let file = b"User-agent: a\nUser-agent: A/1\nDisallow: /x\n\nUser-agent: *\nDisallow: /\n\n\
                     User-agent: a bot\nDisallow: /y\n";
        for (agents, path, expected) in
            [("a", "/x", Some("A/1")), ("a", "/y", Some("a bot")), ("a", "/z", None), ("b", "/x", Some("*"))]
        {
            let rules = RuleSet::compile(file, &agents.parse().unwrap(), Dialect::DEFAULT);
            assert_eq!(rules.explain(path).agent, expected, "{agents} {path}");
        }
    }

    #[test]
    fn what_is_no_path_is_never_allowed_in_silence() {
        let rules = RuleSet::compile(b"User-agent: *\nDisallow: /x\n", &Agents::everybody(), Dialect::DEFAULT);
        for given in ["/x", "x", "https://a.example/x", " http://A.example/x#y ", "/x/", "//x/../x"] {
            let expected = if given == "//x/../x" { Verdict::Allowed } else { Verdict::Blocked };
            assert_eq!((rules.verdict(given), rules.explain(given).verdict), (expected, expected), "{given}");
        }
        for given in ["", "?x", "http://a.example", "/y"] {
            assert_eq!(rules.verdict(given), Verdict::Allowed, "{given}");
        }
        assert_eq!(rules.verdict_url("http://a.example:80/x"), Ok(Verdict::Blocked));
        assert_eq!(rules.verdict_url("/x"), Err(InvalidUrl::NotAbsolute));
        assert_eq!(format!("{rules:?}"), "RuleSet { dialect: rfc9309, group: Everybody, rules: 1 }");
    }
}
