//! What is said about uses of pages: against a naive reading, in all dialects and with both engines.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use robosieve::automaton::Scratch;
use robosieve::preferences::Preference::{Broken, No, Unknown, Yes};
use robosieve::preferences::{Preference, PreferenceSource, Preferences, Use};
use robosieve::robots::{Agents, Robots, SideRecord};
use robosieve::{Dialect, RuleSet};

use super::{config, strategies};
use crate::oracle;

/// Statements of `Content-Usage`, and what the drafts say that they mean for `train-ai` and `search`.
const STATEMENTS: &[(&str, [Preference; 2])] = &[
    ("train-ai=y", [Yes, Unknown]),
    ("train-ai=n", [No, Unknown]),
    ("search=y", [Unknown, Yes]),
    ("train-ai=y, search=n", [Yes, No]),
    ("train-ai=n, search=y", [No, Yes]),
    ("other=n", [Unknown, Unknown]),
    ("train-ai=n;x, train-ai=y;x", [Yes, Unknown]),
    ("train-ai=?", [Broken, Broken]),
    ("search=maybe", [Unknown, Broken]),
    ("", [Unknown, Unknown]),
];

/// Signals, and what they mean for `ai-train`, `search` and `ai-input`.
const SIGNALS: &[(&str, [Preference; 3])] = &[
    ("ai-train=no", [No, Unknown, Unknown]),
    ("ai-train=yes,search=no", [Yes, No, Unknown]),
    ("ai-input=yes, use=full", [Unknown, Unknown, Yes]),
    ("no", [Broken, Broken, Broken]),
];

/// Which of several things said at once counts, from the weakest.
const ORDER: [Preference; 4] = [Unknown, Yes, Broken, No];

fn strongest(said: impl Iterator<Item = Preference>) -> Preference {
    let place = |one: Preference| ORDER.iter().position(|other| *other == one).expect("all are there");
    said.fold(Unknown, |one, other| if place(other) > place(one) { other } else { one })
}

/// A line of `Content-Usage`: its path, which may be empty, and the number of its statement.
type Line = (Vec<u8>, usize);

/// Lines with paths from patterns that are rich in wildcards. A path has no blanks and no marks of comments.
fn lines() -> impl Strategy<Value = (Vec<Line>, Vec<Vec<u8>>)> {
    let choices = vec((any::<bool>(), any::<Index>()), 12);
    (strategies::patterns_and_paths(), choices).prop_map(|((patterns, paths), choices)| {
        let line = |((_, pattern), (has_path, statement)): (&(bool, Vec<u8>), &(bool, Index))| {
            let is_kept = |byte: &u8| !byte.is_ascii_whitespace() && !matches!(*byte, 0 | 0x0b | b'#');
            let pattern: Vec<u8> = pattern.iter().copied().filter(is_kept).collect();
            let path = if pattern.starts_with(b"/") { pattern } else { [b"/", &*pattern].concat() };
            (if *has_path { path } else { Vec::new() }, statement.index(STATEMENTS.len()))
        };
        (patterns.iter().zip(&choices).map(line).collect(), paths)
    })
}

fn records<'r>(robots: &Robots<'r>, dialect: &Dialect) -> Vec<SideRecord<'r>> {
    robots.select(&Agents::everybody(), dialect).side_records(robots).copied().collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn preferences_are_those_of_the_longest_lines(
        (lines, paths) in lines(),
        signals in vec(select(SIGNALS), 0..3),
        name in select(Dialect::names()),
    ) {
        let dialect = Dialect::named(name).expect("a dialect");
        let mut file = b"User-agent: *\nDisallow:\n".to_vec();
        for (path, statement) in &lines {
            file.extend([b"Content-Usage: ", &**path, b" ", STATEMENTS[*statement].0.as_bytes(), b"\n"].concat());
        }
        signals.iter().for_each(|(value, _)| file.extend(format!("Content-Signal: {value}\n").bytes()));
        let robots = Robots::parse(&file, dialect);
        let records = records(&robots, dialect);
        prop_assert_eq!(records.len(), lines.len() + signals.len());
        let engines = [
            Preferences::of(&records, dialect),
            Preferences::within(1 << 20, &records, dialect),
            Preferences::within(0, &records, dialect),
        ];
        for path in &paths {
            let lengths: Vec<Option<usize>> =
                lines.iter().map(|(value, _)| oracle::matched_length(name, value, path)).collect();
            let longest = lengths.iter().flatten().max();
            let decides = |length: &Option<usize>| length.is_some() && length.as_ref() == longest;
            let usage = |use_: usize| {
                let deciding = lines.iter().zip(&lengths).filter(|(_, length)| decides(length));
                strongest(deciding.map(|((_, statement), _)| STATEMENTS[*statement].1[use_]))
            };
            let signal = |use_: usize| strongest(signals.iter().map(|(_, said)| said[use_]));
            let form = dialect.encoding.path(&dialect.url_path.judged(path)).into_owned();
            for preferences in &engines {
                let found = preferences.preferred(&form, &mut Scratch::default());
                for (place, use_) in Use::all().enumerate() {
                    let by_usage = if place < 2 { usage(place) } else { Unknown };
                    let told = format!("{name} {} {}", path.escape_ascii(), file.escape_ascii());
                    prop_assert_eq!(found.by(PreferenceSource::ContentUsage, use_), by_usage, "{}", told);
                    prop_assert_eq!(found.by(PreferenceSource::ContentSignal, use_), signal(place), "{}", told);
                    let combined = strongest([by_usage, signal(place)].into_iter());
                    prop_assert_eq!(found.combined(use_), combined, "{}", told);
                }
            }
        }
    }

    /// They end no list of agents and no group, wherever they stand.
    #[test]
    fn no_verdict_depends_on_preferences(
        (file, paths) in strategies::case(),
        agents in strategies::agents(),
        key in select(&["Content-Usage: /a train-ai=n", "content-signal: ai-train=no", "License: x", "LLM-Policy: /x"]),
        name in select(Dialect::names()),
    ) {
        let is_utf16 = file.starts_with(b"\xff\xfe") || file.starts_with(b"\xfe\xff");
        prop_assume!(!is_utf16);
        let with: Vec<u8> = file
            .split_inclusive(|&byte| byte == b'\n')
            .flat_map(|line| match line.ends_with(b"\n") {
                true => [line, key.as_bytes(), b"\n"].concat(),
                false => line.to_vec(),
            })
            .collect();
        let dialect = Dialect::named(name).expect("a dialect");
        let agents: Agents = agents.join(",").parse().expect("tokens");
        let [without, with] = [&file, &with].map(|file| RuleSet::compile(file, &agents, dialect));
        for path in &paths {
            prop_assert_eq!(without.verdict(path), with.verdict(path), "{} {}", name, path.escape_ascii());
        }
    }
}
