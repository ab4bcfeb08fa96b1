//! What is said about uses of pages: against a naive reading, in all dialects and with both engines.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use robosieve::diff::{Change, Diff};
use robosieve::internals::Axes;
use robosieve::internals::automaton::Scratch;
use robosieve::internals::preferences::Preference::{Broken, No, Unknown, Yes};
use robosieve::internals::preferences::{Preference, PreferenceSource, Preferences, Use};
use robosieve::internals::robots::{Agents, Robots, SideRecord};
use robosieve::policy::{Capture, Captures};
use robosieve::{Dialect, RuleSet};

use super::access::{asked_for, fetched, normal, paths_of, short_paths};
use super::{config, costly, strategies};
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
const SIGNALS: &[Signal] = &[
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

/// What two files have of each kind, where all paths of both are walked: rules and lines, of which few suffice for all to overlap.
const FEW: usize = 5;

/// A signal, and what it says.
type Signal = (&'static str, [Preference; 3]);

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

/// What lines say of the page with a path for `train-ai` and `search`, read plainly.
fn by_usage(name: &str, lines: &[Line], path: &[u8]) -> [Preference; 2] {
    let lengths: Vec<Option<usize>> =
        lines.iter().map(|(value, _)| oracle::matched_length(name, value, path)).collect();
    let longest = lengths.iter().flatten().max();
    let decides = |length: &Option<usize>| length.is_some() && length.as_ref() == longest;
    [0, 1].map(|use_: usize| {
        let deciding = lines.iter().zip(&lengths).filter(|(_, length)| decides(length));
        strongest(deciding.map(|((_, statement), _)| STATEMENTS[*statement].1[use_]))
    })
}

/// What signals say of all pages for `train-ai`, `search` and `ai-input`.
fn by_signals(signals: &[Signal]) -> [Preference; 3] {
    [0, 1, 2].map(|use_: usize| strongest(signals.iter().map(|(_, said)| said[use_])))
}

/// What both say together.
fn by_all(name: &str, lines: &[Line], signals: &[Signal], path: &[u8]) -> [Preference; 3] {
    let [train_ai, search] = by_usage(name, lines, path);
    let signals = by_signals(signals);
    [0, 1, 2].map(|use_: usize| strongest([[train_ai, search, Unknown][use_], signals[use_]].into_iter()))
}

/// The lines of a robots.txt that say it.
fn as_records(lines: &[Line], signals: &[Signal]) -> Vec<u8> {
    let mut text = Vec::new();
    for (path, statement) in lines {
        text.extend([b"Content-Usage: ", &**path, b" ", STATEMENTS[*statement].0.as_bytes(), b"\n"].concat());
    }
    signals.iter().for_each(|(value, _)| text.extend(format!("Content-Signal: {value}\n").bytes()));
    text
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
        let file = [b"User-agent: *\nDisallow:\n".to_vec(), as_records(&lines, &signals)].concat();
        let robots = Robots::parse(&file, dialect);
        let records = records(&robots, dialect);
        prop_assert_eq!(records.len(), lines.len() + signals.len());
        let engines = [
            Preferences::of(&records, dialect),
            Preferences::within(1 << 20, &records, dialect),
            Preferences::within(0, &records, dialect),
        ];
        for path in &paths {
            let [train_ai, search] = by_usage(name, &lines, path);
            let (signals, combined) = (by_signals(&signals), by_all(name, &lines, &signals, path));
            let form = dialect.encoding().path(&dialect.url_path().judged(path)).into_owned();
            for preferences in &engines {
                let found = preferences.preferred(&form, &mut Scratch::default());
                for (place, use_) in Use::all().enumerate() {
                    let by_usage = [train_ai, search, Unknown][place];
                    let told = format!("{name} {} {}", path.escape_ascii(), file.escape_ascii());
                    prop_assert_eq!(found.by(PreferenceSource::ContentUsage, use_), by_usage, "{}", told);
                    prop_assert_eq!(found.by(PreferenceSource::ContentSignal, use_), signals[place], "{}", told);
                    prop_assert_eq!(found.combined(use_), combined[place], "{}", told);
                }
            }
        }
    }

}

proptest! {
    #![proptest_config(costly())]

    /// What `diff` says of uses, against a plain reading of both files, path by path.
    #[test]
    fn changes_are_those_of_pages_that_may_be_fetched(
        (lines, paths) in lines(),
        more in vec((select(&["", "/", "/a", "/*b", "/a$"]), 0..STATEMENTS.len()), 0..3),
        removed in vec(any::<Index>(), 0..3),
        rules in [strategies::patterns(), strategies::patterns()],
        signals in [vec(select(SIGNALS), 0..2), vec(select(SIGNALS), 0..2)],
        name in select(Dialect::names()),
    ) {
        let dialect = Dialect::named(name).expect("a dialect");
        let rules = rules.map(|mut rules| {
            rules.truncate(FEW);
            rules
        });
        let lines = lines[..lines.len().min(FEW)].to_vec();
        let mut newer = lines.clone();
        for at in removed {
            if !newer.is_empty() {
                newer.remove(at.index(newer.len()));
            }
        }
        newer.extend(more.iter().map(|(path, statement)| (path.as_bytes().to_vec(), *statement)));
        let lines = [lines, newer];
        let files = [0, 1].map(|side| [strategies::as_robots(&rules[side]), as_records(&lines[side], &signals[side])].concat());
        let policies = files.each_ref().map(|file| {
            let mut captures = Captures::new("*".parse::<Agents>().expect("everybody"), dialect);
            captures.add(vec![Capture::found("https://a.example", file)]).expect("it is added");
            captures.policy().expect("a policy")
        });
        let said = |path: &[u8]| {
            let is_allowed = files.iter().all(|file| oracle::allowed(name, &["*"], file, path));
            is_allowed.then(|| [0, 1].map(|side| by_all(name, &lines[side], &signals[side], path)))
        };
        // It says nothing of a page, so it is told without one.
        let kept = signals.each_ref().map(|signals| {
            let is_kept = signals.iter().any(|(signal, _)| signal.contains("use=full"));
            if is_kept { "use=full" } else { "" }
        });
        let (mut found, mut are_all, mut is_kept_told) = ([false; 3], true, false);
        let diff = Diff::new(&policies[0], &policies[1], &[]).expect("they can be compared").shown(1000);
        diff.each(|change| {
            are_all &= change.count().is_some();
            for (path, was, now) in change.differences().filter(|_| change.change() == Change::Preferences) {
                if path.is_empty() {
                    assert_eq!([was, now], kept);
                    is_kept_told = true;
                    continue;
                }
                let asked = asked_for(dialect, path).into_iter().find(|asked| normal(dialect, &fetched(asked)) == *path);
                let said = said(&asked.unwrap_or_else(|| path.to_vec())).expect("it may be fetched");
                let use_ = Use::all().position(|use_| was.starts_with(use_.name())).expect("of a use");
                found[use_] = true;
                let told = said.map(|said| format!("{}={}", Use::all().nth(use_).expect("a use").name(), said[use_].name()));
                assert_eq!([was, now], told.each_ref().map(String::as_str), "{name} {}", path.escape_ascii());
                assert_ne!(was, now);
            }
            Ok::<(), std::convert::Infallible>(())
        }).expect("nothing fails");
        prop_assert_eq!(is_kept_told, kept[0] != kept[1]);
        let asked = paths.iter().chain(short_paths().iter().filter(|path| path.len() < 4));
        for path in asked.filter(|path| are_all && paths_of(dialect).contains(&normal(dialect, path))) {
            let Some([was, now]) = said(path) else { continue };
            for use_ in 0..3 {
                prop_assert!(was[use_] == now[use_] || found[use_], "{} {}", name, path.escape_ascii());
            }
        }
    }

}

proptest! {
    #![proptest_config(config())]

    /// They end no list of agents and no group, wherever they stand.
    #[test]
    fn no_verdict_depends_on_preferences(
        (file, paths) in strategies::case(),
        agents in strategies::agents(),
        key in select(&["Content-Usage: /a train-ai=n", "content-signal: ai-train=no", "License: x", "LLM-Policy: /x"]),
        name in select(Dialect::names()),
    ) {
        let is_utf16 = file.starts_with(b"\xff\xfe") || file.starts_with(b"\xfe\xff");
        // Among enough lines, NULs that made a file no text are a few bytes of one.
        let nuls = file.iter().filter(|&&byte| byte == 0).count();
        prop_assume!(!is_utf16 && nuls < 2);
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
