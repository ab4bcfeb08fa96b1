//! Hostile robots.txt files and URLs against the clock: checks the bounds that the project promises.
//!
//! Any robots.txt of 500 KiB compiles within 100 ms of one core and 64 MiB, and then answers any URL of 8 KiB within
//! 1 ms. The files are those of `tests/verdicts/hostile.rs`, which bounds counts; this program bounds times, in processor time of
//! the thread, so that other work on the machine matters little. It prints a table of all files to standard output, and
//! fails if the median of a file's runs exceeds a bound; the table also shows the worst run.
//!
//! `cargo bench --bench hostile`; under `cargo test` the files are small, and only the answers are checked.

use robosieve::internals::Axes;
use robosieve::internals::automaton::{self, Compiled, Engine, Scratch};
use robosieve::internals::robots::{self, Agents, Robots};
use robosieve::internals::rules::Patterns;
use robosieve::{Dialect, Verdict};
use std::fmt::Write;
use std::hint::black_box;
use std::process::ExitCode;

mod clock;
#[path = "counting.rs"]
mod counting;
#[path = "../tests/verdicts/hostile/generate.rs"]
mod generate;

const PROMISED_BYTES: usize = 500 << 10;
const PROMISED_URL: usize = 8 << 10;
const COMPILE_SECONDS: f64 = 0.1;
const COMPILE_BYTES: usize = 64 << 20;
const URL_SECONDS: f64 = 0.001;
const ROUNDS: usize = 9;

/// Times of several runs.
struct Times {
    median: f64,
    worst: f64,
}

/// The processor time `work` takes, in seconds.
fn seconds(work: impl FnOnce()) -> f64 {
    let start = clock::seconds();
    work();
    clock::seconds() - start
}

/// The times of `rounds` runs of `work`.
fn times(rounds: usize, mut work: impl FnMut()) -> Times {
    let mut seconds: Vec<f64> = (0..rounds).map(|_| seconds(&mut work)).collect();
    seconds.sort_by(f64::total_cmp);
    Times { median: seconds[rounds / 2], worst: seconds[rounds - 1] }
}

/// The patterns of the `*` group.
fn patterns(file: &[u8], dialect: &Dialect) -> Patterns {
    let text = robots::decode(file, dialect, &mut Vec::new());
    let robots = Robots::parse(&text, dialect);
    Patterns::rank(robots.select(&Agents::everybody(), dialect).rules(&robots), dialect)
}

/// Compiles the bytes of a file to its automaton.
fn compile(file: &[u8], dialect: &Dialect) -> (Vec<u32>, Compiled) {
    let mut words = Vec::new();
    let compiled = automaton::compile(&patterns(file, dialect), &mut words);
    (words, compiled)
}

/// A row of the table.
struct Row {
    name: String,
    bytes: usize,
    compiled: Compiled,
    words: usize,
    parse: Times,
    cursors: Times,
    compile: Times,
    peak: usize,
    url: Times,
    url_kind: &'static str,
    forced_url: Times,
}

impl Row {
    /// The time for the DFA, or for the attempt at one: the rest after parsing and, if they were chosen, cursors.
    fn dfa_seconds(&self) -> f64 {
        let cursors = if self.compiled.engine == Engine::Cursors { self.cursors.median } else { 0.0 };
        (self.compile.median - self.parse.median - cursors).max(0.0)
    }

    fn holds(&self) -> bool {
        self.compile.median <= COMPILE_SECONDS && self.peak <= COMPILE_BYTES && self.url.median <= URL_SECONDS
    }
}

/// Sizes and the number of rounds.
#[derive(Clone, Copy)]
struct Effort {
    bytes: usize,
    url: usize,
    rounds: usize,
}

/// Measures a file: first checks that both engines agree, then takes the times.
fn row(name: String, file: &[u8], dialect: &Dialect, effort: Effort) -> Row {
    // In a thread of its own, which has no memory left over from another file.
    let alone = || counting::peak_of(|| compile(file, dialect));
    let ((words, compiled), peak) =
        std::thread::scope(|threads| threads.spawn(alone).join().expect("compiling does not panic"));
    let patterns = patterns(file, dialect);
    let cursors = || {
        let mut words = Vec::new();
        automaton::compile_within(black_box(&patterns), 0, &mut words);
        words
    };
    let forced = cursors();
    let (url, url_kind, forced_url) = worst_url(&words, &forced, dialect, effort, &name);
    Row {
        bytes: file.len(),
        compiled,
        words: words.len(),
        parse: times(effort.rounds, || drop(black_box(self::patterns(black_box(file), dialect)))),
        cursors: times(effort.rounds, || drop(black_box(cursors()))),
        compile: times(effort.rounds, || drop(black_box(compile(black_box(file), dialect)))),
        peak,
        url,
        url_kind,
        forced_url,
        name,
    }
}

/// The worst URL for the chosen automaton, and the worst time of cursors; both must agree on all URLs. The time includes
/// normalising the path.
fn worst_url(
    chosen: &[u32],
    forced: &[u32],
    dialect: &Dialect,
    effort: Effort,
    name: &str,
) -> (Times, &'static str, Times) {
    let mut scratch = Scratch::default();
    let mut judge = |words: &[u32], path: &[u8]| -> Verdict {
        automaton::verdict(words, &dialect.encoding().path(black_box(path)), &mut scratch)
    };
    let mut slowest = (Times { median: 0.0, worst: 0.0 }, "none", Times { median: 0.0, worst: 0.0 });
    for (kind, path) in generate::paths(effort.url) {
        assert_eq!(judge(chosen, &path), judge(forced, &path), "{name}, URL of {kind}");
        let time = times(effort.rounds, || _ = black_box(judge(chosen, &path)));
        let forced_time = times(effort.rounds, || _ = black_box(judge(forced, &path)));
        if time.median > slowest.0.median {
            (slowest.0, slowest.1) = (time, kind);
        }
        if forced_time.median > slowest.2.median {
            slowest.2 = forced_time;
        }
    }
    slowest
}

/// A Markdown table of some rows.
fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| file | KiB | engine | states | automaton KiB | parse ms | DFA ms | cursors ms | all ms (worst) | peak MiB | \
         worst URL µs (worst) | of | by cursors µs | holds |\n|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|---|\n",
    );
    for row in rows {
        let Row { name, compiled, parse, cursors, compile, url, url_kind, forced_url, .. } = row;
        let engine = match compiled.engine {
            Engine::Constant => "constant",
            Engine::Dfa => "DFA",
            Engine::Cursors => "cursors",
        };
        let _ = writeln!(
            text,
            "| {name} | {} | {engine} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} ({:.1}) | {:.1} | {:.0} ({:.0}) | {url_kind} | {:.0} | {} |",
            row.bytes >> 10,
            compiled.states,
            (row.words * 4) >> 10,
            parse.median * 1e3,
            row.dfa_seconds() * 1e3,
            cursors.median * 1e3,
            compile.median * 1e3,
            compile.worst * 1e3,
            row.peak as f64 / f64::from(1 << 20),
            url.median * 1e6,
            url.worst * 1e6,
            forced_url.median * 1e6,
            if row.holds() { "yes" } else { "**no**" },
        );
    }
    text
}

/// Files of other sizes than promised, with bounds that grow with the size.
fn larger(effort: Effort) -> Vec<(String, Vec<u8>)> {
    let count = effort.bytes / 10;
    let rules = (0..count).fold("User-agent: *\n".to_owned(), |file, n| file + &format!("Disallow: /{n}/*x$\n"));
    let group = |n: usize| format!("User-agent: bot{n}\nDisallow: /{n}\n\n");
    let groups = (0..count).map(group).collect::<String>() + "User-agent: *\nDisallow: /a\n";
    let (_, long_line) = generate::FILES.into_iter().find(|(name, _)| *name == "one long line").expect("a known file");
    vec![
        (format!("{count} wildcard rules of one agent"), rules.into_bytes()),
        (format!("{count} groups"), groups.into_bytes()),
        ("one line of 2 MiB".to_owned(), long_line(4 * effort.bytes)),
    ]
}

fn main() -> ExitCode {
    // `cargo bench` passes this argument; `cargo test` does not.
    let measuring = std::env::args().any(|argument| argument == "--bench");
    let effort = if measuring {
        Effort { bytes: PROMISED_BYTES, url: PROMISED_URL, rounds: ROUNDS }
    } else {
        Effort { bytes: 2_000, url: 200, rounds: 1 }
    };
    let rows = |dialect: &'static Dialect| -> Vec<Row> {
        let files = generate::FILES.iter();
        files.map(|(name, file)| row((*name).to_owned(), &file(effort.bytes), dialect, effort)).collect()
    };
    let mut held = true;
    for dialect in Dialect::ALL {
        let rows = rows(dialect);
        held &= rows.iter().all(Row::holds);
        println!("## Files of {} KiB, dialect {}\n\n{}", effort.bytes >> 10, dialect.name, table(&rows));
    }
    let rows: Vec<Row> =
        larger(effort).into_iter().map(|(name, file)| row(name, &file, Dialect::DEFAULT, effort)).collect();
    println!("## Larger files (not within the promise), dialect {}\n\n{}", Dialect::DEFAULT.name, table(&rows));
    println!("{}", if held { "All bounds hold." } else { "A bound does NOT hold." });
    if measuring && !held { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
