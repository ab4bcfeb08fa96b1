//! The preferences of one robots.txt for one crawler, ready for many paths.

use super::line::PreferenceLine;
use super::preference::{Preference, PreferenceSource, Use};
use crate::automaton::{self, Compiled, Scratch};
use crate::dialect::Dialect;
use crate::robots::SideRecord;
use crate::rules::{Patterns, Verdict};

/// What the records of one robots.txt say to one crawler about uses of its pages.
///
/// Of the lines of a source, those with the longest path that matches decide for all uses, whatever the dialect says of rules; of lines
/// as long, the greatest [`Preference`] counts. A path's length is that of a rule.
#[derive(Debug, Clone, Default)]
pub struct Preferences {
    /// The automata of each source.
    steps: [Vec<Step>; PreferenceSource::COUNT],
}

/// Where a use has at least a preference.
#[derive(Debug, Clone)]
struct Step {
    use_: Use,
    preference: Preference,
    /// Allows the paths of pages that have at least this preference.
    automaton: Vec<u32>,
}

/// How patterns are compiled.
type Compile = dyn Fn(&Patterns, &mut Vec<u32>) -> Compiled;

impl Preferences {
    /// What these records say, those for one crawler.
    pub fn of(records: &[SideRecord<'_>], dialect: &Dialect) -> Preferences {
        Preferences::compiled_by(&automaton::compile, records, dialect)
    }

    /// The same with a budget for each automaton, so that tests can force either engine.
    pub fn within(budget: usize, records: &[SideRecord<'_>], dialect: &Dialect) -> Preferences {
        let compile =
            move |patterns: &Patterns, words: &mut Vec<u32>| automaton::compile_within(patterns, budget, words);
        Preferences::compiled_by(&compile, records, dialect)
    }

    fn compiled_by(compile: &Compile, records: &[SideRecord<'_>], dialect: &Dialect) -> Preferences {
        let lines: Vec<PreferenceLine<'_>> = records.iter().filter_map(PreferenceLine::of).collect();
        let steps = PreferenceSource::ALL.map(|source| {
            let lines: Vec<&PreferenceLine<'_>> = lines.iter().filter(|line| line.source == source).collect();
            let is_said = |use_, preference| lines.iter().any(|line| line.says(use_) == preference);
            // The greatest first: the first one that a page has is the one.
            let all =
                Use::ALL.into_iter().flat_map(|use_| Preference::ALL.into_iter().rev().map(move |one| (use_, one)));
            let said = all.filter(|&(use_, one)| one != Preference::Unknown && is_said(use_, one));
            said.map(|(use_, preference)| Step::new(compile, &lines, use_, preference, dialect)).collect()
        });
        Preferences { steps }
    }

    /// Whether nothing is said of any page.
    pub fn is_empty(&self) -> bool {
        self.steps.iter().all(Vec::is_empty)
    }

    /// Which pages have at least this preference of a use, by all sources together: an automaton that allows them, or the same
    /// verdict for all.
    pub(crate) fn at_least(&self, use_: Use, preference: Preference) -> Result<&[u32], Verdict> {
        // The steps of a use begin with the greatest preference.
        let of_use = |step: &&Step| step.use_ == use_ && step.preference >= preference;
        let [usage, signal] = self.steps.each_ref().map(|steps| steps.iter().rev().find(of_use));
        match (usage, signal) {
            // A signal is for all pages.
            (_, Some(_)) => Err(Verdict::Allowed),
            (Some(usage), None) => Ok(&usage.automaton),
            (None, None) => Err(Verdict::Blocked),
        }
    }

    /// The patterns of the lines that have paths, for those who cannot walk their automata.
    pub(crate) fn patterns(records: &[SideRecord<'_>], dialect: &Dialect) -> Patterns {
        let lines = records.iter().filter_map(PreferenceLine::of);
        Patterns::longest_first(lines.map(|line| (line.path, Verdict::Allowed)), dialect)
    }

    /// What is said of the page with a path, in normal form. It means nothing if the path is blocked.
    pub fn preferred(&self, path: &[u8], scratch: &mut Scratch) -> Preferred {
        let mut preferred = Preferred::default();
        for (steps, found) in self.steps.iter().zip(&mut preferred.0) {
            for step in steps {
                let found = &mut found[step.use_ as usize];
                if *found == Preference::Unknown
                    && automaton::verdict(&step.automaton, path, scratch) == Verdict::Allowed
                {
                    *found = step.preference;
                }
            }
        }
        preferred
    }
}

impl Step {
    fn new(
        compile: &Compile,
        lines: &[&PreferenceLine<'_>],
        use_: Use,
        preference: Preference,
        dialect: &Dialect,
    ) -> Step {
        let has = |line: &PreferenceLine<'_>| {
            if line.says(use_) >= preference { Verdict::Allowed } else { Verdict::Blocked }
        };
        // An automaton allows what nothing matches, so something matches all.
        let of_lines = lines.iter().map(|line| (line.path, has(line)));
        let patterns = Patterns::longest_first(of_lines.chain([(&b""[..], Verdict::Blocked)]), dialect);
        let mut automaton = Vec::new();
        compile(&patterns, &mut automaton);
        Step { use_, preference, automaton }
    }
}

/// What is said of one page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Preferred([[Preference; Use::COUNT]; PreferenceSource::COUNT]);

impl Preferred {
    /// What a source says of a use.
    pub fn by(&self, source: PreferenceSource, use_: Use) -> Preference {
        self.0[source as usize][use_ as usize]
    }

    /// What all sources together say of a use: the greatest.
    pub fn combined(&self, use_: Use) -> Preference {
        self.0.iter().map(|said| said[use_ as usize]).max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::{Agents, Robots};

    /// What a robots.txt says to a crawler of a path: that of `Content-Usage`, of `train-ai` and `search`.
    fn said(file: &str, agent: &str, path: &str) -> [Preference; 2] {
        let dialect = Dialect::DEFAULT;
        let robots = Robots::parse(file.as_bytes(), dialect);
        let selection = robots.select(&agent.parse::<Agents>().unwrap(), dialect);
        let records: Vec<SideRecord<'_>> = selection.side_records(&robots).copied().collect();
        let by = |preferences: Preferences| {
            let preferred = preferences.preferred(path.as_bytes(), &mut Scratch::default());
            [Use::TrainAi, Use::Search].map(|use_| preferred.by(PreferenceSource::ContentUsage, use_))
        };
        let [whole, dfa, cursors] = [
            Preferences::of(&records, dialect),
            Preferences::within(usize::MAX, &records, dialect),
            Preferences::within(0, &records, dialect),
        ]
        .map(by);
        assert_eq!((whole, dfa), (cursors, cursors), "{file} {path}");
        whole
    }

    #[test]
    fn the_draft_s_example() {
        use Preference::{No, Unknown, Yes};
        let file = "User-Agent: *\nAllow: /\nDisallow: /never/\nContent-Usage: train-ai=n\n\
                    Content-Usage: /ai-ok/ train-ai=y\n\nUser-Agent: ExampleBot\nAllow: /\nContent-Usage: train-ai=y\n";
        assert_eq!(said(file, "other", "/test"), [No, Unknown]);
        assert_eq!(said(file, "other", "/ai-ok/test"), [Yes, Unknown]);
        for path in ["/", "/test", "/ai-ok/", "/never/x"] {
            assert_eq!(said(file, "ExampleBot", path), [Yes, Unknown], "{path}");
        }
        let named = "User-agent: *\nContent-Usage: train-ai=n\nDisallow:\n\nUser-agent: a\nDisallow:\n";
        assert_eq!(said(named, "a", "/"), [Unknown, Unknown], "it has its own group");
    }

    #[test]
    fn the_longest_path_decides_for_all_uses() {
        use Preference::{Broken, No, Unknown, Yes};
        for (lines, path, expected) in [
            (&["train-ai=n", "/a/ search=n"][..], "/a/x", [Unknown, No]),
            (&["train-ai=n", "/a/ search=n"], "/b", [No, Unknown]),
            (&["/a train-ai=y", "/a train-ai=n"], "/a", [No, Unknown]),
            (&["/a train-ai=n", "/a train-ai=y"], "/a", [No, Unknown]),
            (&["/a train-ai=y", "/a search=n"], "/ab", [Yes, No]),
            (&["train-ai=y", "train-ai=?"], "/", [Broken, Broken]),
            (&["train-ai=n", "train-ai=?"], "/", [No, Broken]),
            (&["train-ai=?", "/a train-ai=y"], "/a", [Yes, Unknown]),
            (&["train-ai=y", "/a train-ai=maybe"], "/a", [Broken, Unknown]),
            (&["train-ai=y", "/a"], "/a", [Unknown, Unknown]),
            // As long, and both match.
            (&["/a* train-ai=y", "/*a train-ai=n"], "/aa", [No, Unknown]),
            (&["/a*b train-ai=y", "/*b$ train-ai=n", "/ train-ai=n"], "/a/b", [No, Unknown]),
            (&["/a*bc train-ai=y", "/*b$ train-ai=n"], "/a/bc", [Yes, Unknown]),
            (&["/%61 train-ai=n"], "/a", [No, Unknown]),
        ] {
            let file: String = lines.iter().map(|line| format!("Content-Usage: {line}\n")).collect();
            assert_eq!(said(&format!("User-agent: *\n{file}"), "x", path), expected, "{lines:?} {path}");
        }
        assert!(Preferences::default().is_empty());
    }

    #[test]
    fn any_no_of_the_sources_counts() {
        let dialect = Dialect::DEFAULT;
        let combined = |file: &str| {
            let robots = Robots::parse(file.as_bytes(), dialect);
            let preferences = Preferences::of(&robots.side_records, dialect);
            preferences.preferred(b"/", &mut Scratch::default()).combined(Use::TrainAi)
        };
        for (usage, signal, expected) in [
            ("train-ai=y", "ai-train=no", Preference::No),
            ("train-ai=n", "ai-train=yes", Preference::No),
            ("train-ai=y", "ai-train", Preference::Broken),
            ("train-ai=y", "search=no", Preference::Yes),
            ("search=n", "search=no", Preference::Unknown),
        ] {
            let file = format!("User-agent: *\nContent-Usage: {usage}\nContent-Signal: {signal}\n");
            assert_eq!(combined(&file), expected, "{file}");
        }
    }
}
