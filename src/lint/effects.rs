//! What rules come to, for all paths that can be asked for.
//!
//! Rules that apply together become an automaton, and automata are walked side by side: a path on which they differ is a proof, and
//! so is a walk that ends without one. Nothing is claimed where a walk does not end: where a group has no DFA, or the work that a file
//! may take is done.

use std::sync::OnceLock;

use crate::automaton::{DifferSpace, Engine, Paths, Question, Rules, compile_within, engine};
use crate::dialect::{Dialect, RobotsTxtPath};
use crate::rules::{AskedPaths, Patterns, Verdict};

/// The work that the questions about one file may take, in places of automata and bytes of patterns.
const BUDGET: usize = 1 << 17;

/// The most places of one walk.
const PLACES: usize = 1 << 16;

/// The work that building a DFA may take, for each byte of its patterns and in any case. A walk through more would not end.
const DFA_PER_BYTE: usize = 4;
const DFA: usize = 1 << 14;

/// Rules that apply together.
#[derive(Debug, Clone, Default)]
pub(super) struct Merged {
    pub patterns: Patterns,
    words: Vec<u32>,
}

/// The most bytes of patterns without a DFA for which paths are tried one by one, which takes time for each byte.
const TRIED: usize = 16 << 10;

impl Merged {
    /// Whether nothing can be found out about the paths of these rules.
    fn is_beyond(&self) -> bool {
        self.patterns.text().len() > TRIED && engine(&self.words) == Engine::Cursors
    }

    /// The automaton.
    pub fn words(&self) -> &[u32] {
        &self.words
    }
}

/// Whether there is a path that shows something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shown {
    /// This one, one of the shortest.
    By(Vec<u8>),
    /// No path that can be asked for does.
    ByNone,
    /// The budget was spent.
    Unknown,
}

/// Answers questions about the effects of rules.
pub(super) struct Effects {
    paths: &'static Paths,
    left: usize,
    /// How many questions were not answered.
    pub unanswered: usize,
}

impl Effects {
    pub fn new(dialect: &Dialect) -> Effects {
        Effects { paths: paths(dialect), left: BUDGET, unanswered: 0 }
    }

    /// Whether there is work left, after so much of it.
    pub fn spend(&mut self, work: usize) -> bool {
        self.left = self.left.saturating_sub(work);
        self.left > 0
    }

    /// Compiles patterns.
    pub fn merged(&mut self, patterns: Patterns) -> Merged {
        let bytes = patterns.text().len();
        let mut words = Vec::new();
        let budget = (DFA + DFA_PER_BYTE * bytes).min(self.left);
        let compiled = compile_within(&patterns, budget, &mut words);
        // Cursors are made where the whole budget did not suffice.
        let work = if compiled.engine == Engine::Cursors { budget } else { compiled.work };
        self.spend(bytes / 8 + work / 16);
        Merged { patterns, words }
    }

    /// Whether a path can be asked for.
    pub fn is_asked(&self, path: &[u8]) -> bool {
        self.paths.contains(path)
    }

    /// A path on which the verdicts of these rules differ, and are as asked.
    pub fn shown(&mut self, rules: [&Merged; 2], asked: fn([Verdict; 2]) -> bool) -> Shown {
        if rules[0].words == rules[1].words { Shown::ByNone } else { self.found(rules, asked) }
    }

    /// A path on which the verdicts of these rules are as asked.
    pub fn found<const N: usize>(&mut self, rules: [&Merged; N], asked: impl Fn([Verdict; N]) -> bool) -> Shown {
        let mut found = None;
        if self.left > 0 && !rules.iter().any(|rules| rules.is_beyond()) {
            let made = rules.map(|rules| || rules.patterns.clone());
            let rules = std::array::from_fn(|one| Rules::Of(&rules[one].words, &made[one]));
            let tell = |verdicts| asked(verdicts).then_some(());
            let mut space = DifferSpace::default();
            let question = Question { rules, paths: self.paths, tell: &tell, shown: 1 };
            found = space.first(&question, PLACES.min(self.left));
            self.spend(space.places());
        }
        match found {
            Some(Some(first)) => Shown::By(first.path),
            Some(None) => Shown::ByNone,
            None => {
                self.unanswered += 1;
                Shown::Unknown
            }
        }
    }
}

/// The paths that can be asked for under a dialect. They depend on two of its axes only, and are made once for each.
fn paths(dialect: &Dialect) -> &'static Paths {
    static ALL: [OnceLock<Paths>; 8] = [const { OnceLock::new() }; 8];
    let is_always_allowed = dialect.robots_txt == RobotsTxtPath::AlwaysAllowed;
    let place = 2 * dialect.encoding as usize + usize::from(is_always_allowed);
    ALL[place].get_or_init(|| Paths::new(&AskedPaths::of(dialect)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tried::patterns;

    #[test]
    fn a_path_is_a_proof_and_so_is_a_walk_without_one() {
        let mut effects = Effects::new(Dialect::DEFAULT);
        let [all, shop, none] = ["-/", "-/shop/ +/*.pdf$", ""].map(|rules| effects.merged(patterns(rules)));
        let differ = |[one, other]: [Verdict; 2]| one != other;
        let [star, twice] = ["-*", "-/shop/ +/*.pdf$ -/shop/xy"].map(|rules| effects.merged(patterns(rules)));
        assert_eq!(effects.shown([&all, &all], differ), Shown::ByNone);
        assert_eq!(effects.shown([&all, &star], differ), Shown::ByNone);
        assert_eq!(effects.shown([&shop, &twice], differ), Shown::By(b"/shop/xy.pdf".to_vec()));
        assert_eq!(effects.shown([&shop, &none], differ), Shown::By(b"/shop/".to_vec()));
        assert_eq!(effects.found([&shop], |[one]| one == Verdict::Blocked), Shown::By(b"/shop/".to_vec()));
        assert_eq!(effects.found([&none], |[one]| one == Verdict::Blocked), Shown::ByNone);
        assert_eq!(effects.found([&all], |[one]| one == Verdict::Allowed), Shown::ByNone);
        assert_eq!(effects.unanswered, 0);
    }

    #[test]
    fn nothing_is_claimed_without_work() {
        let mut effects = Effects::new(Dialect::DEFAULT);
        let [rules, others] = ["-/a", "-/b"].map(|rules| effects.merged(patterns(rules)));
        assert!(!effects.spend(usize::MAX));
        assert_eq!(effects.shown([&rules, &others], |[one, other]| one != other), Shown::Unknown);
        assert_eq!(effects.unanswered, 1);
    }

    #[test]
    fn each_dialect_has_its_own_paths() {
        for dialect in Dialect::ALL {
            let own = Paths::new(&AskedPaths::of(dialect));
            for path in ["/robots.txt", "/a^b", "/a%27", "/%zz", "/a?{", "/.", "/\u{e9}"] {
                assert_eq!(paths(dialect).contains(path.as_bytes()), own.contains(path.as_bytes()), "{}", dialect.name);
            }
        }
    }
}
