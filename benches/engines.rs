//! Compiles each robots.txt of a folder: a table for `scripts/engines`.
//!
//! `--robots DIR [--agent NAME] [--rounds N]` prints tab-separated values with a header, one line per file. Times are
//! medians of N rounds, in microseconds of processor time: `parse_us` from the bytes of the file to ranked patterns,
//! `compile_us` from there to the automaton, and `cursors_us` the part of that for the cursor engine, if it was chosen;
//! the rest is then the failed attempt at a DFA. `same_as` is the number of the first file with the same automaton.

use robosieve::Dialect;
use robosieve::internals::automaton::{self, Compiled, Engine};
use robosieve::internals::robots::{self, Agents, Robots};
use robosieve::internals::rules::Patterns;
use std::collections::HashMap;
use std::error::Error;
use std::hint::black_box;
use std::io::Write;

mod clock;

const HEAD: &str = "file\tbytes\trules\tstarless\tone_star\tmore_stars\tdollars\tsegments\tpattern_bytes\tengine\t\
                    states\twork\tautomaton_bytes\tsame_as\tparse_us\tcompile_us\tcursors_us";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| arguments.iter().position(|a| a == name).and_then(|at| arguments.get(at + 1));
    let Some(folder) = option("--robots") else { return Err("--robots DIR is missing".into()) };
    let agents: Agents = option("--agent").map_or("examplebot", String::as_str).parse()?;
    let rounds: usize = option("--rounds").map_or("9", String::as_str).parse()?;
    let mut paths = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    let mut out = std::io::stdout().lock();
    let mut seen = HashMap::new();
    writeln!(out, "{HEAD}")?;
    for (number, path) in paths.iter().enumerate() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let file = std::fs::read(path)?;
        let patterns = patterns(&file, &agents);
        let (words, compiled) = compile(&patterns);
        let same_as = *seen.entry(words.clone()).or_insert(number);
        write!(out, "{name}\t{}\t{}\t", file.len(), shape(&patterns))?;
        let engine = serde_json::to_value(compiled.engine)?;
        let (states, work) = (compiled.states, compiled.work);
        write!(out, "{}\t{states}\t{work}\t{}\t{same_as}", engine.as_str().unwrap_or_default(), words.len() * 4)?;
        let parse = median(rounds, || drop(black_box(self::patterns(black_box(&file), &agents))));
        let all = median(rounds, || drop(black_box(compile(black_box(&patterns)))));
        let forced = |words: &mut Vec<u32>| automaton::compile_within(black_box(&patterns), 0, words);
        let cursors = if compiled.engine == Engine::Cursors {
            median(rounds, || _ = black_box(forced(&mut Vec::new())))
        } else {
            0.0
        };
        writeln!(out, "\t{parse:.1}\t{all:.1}\t{cursors:.1}")?;
    }
    Ok(())
}

/// From the bytes of a file to the ranked patterns of one crawler.
fn patterns(file: &[u8], agents: &Agents) -> Patterns {
    let dialect = Dialect::DEFAULT;
    let text = robots::decode(file, dialect, &mut Vec::new());
    let robots = Robots::parse(&text, dialect);
    Patterns::rank(robots.select(agents, dialect).rules(&robots), dialect)
}

fn compile(patterns: &Patterns) -> (Vec<u32>, Compiled) {
    let mut words = Vec::new();
    let compiled = automaton::compile(patterns, &mut words);
    (words, compiled)
}

/// The columns from `rules` to `pattern_bytes`.
fn shape(patterns: &Patterns) -> String {
    let stars = |at_least: usize| patterns.all().iter().filter(|p| patterns.segments(p).len() > at_least).count();
    let (rules, starred, many) = (patterns.all().len(), stars(1), stars(2));
    let dollars = patterns.all().iter().filter(|pattern| pattern.anchored).count();
    let segments: usize = patterns.all().iter().map(|pattern| patterns.segments(pattern).len()).sum();
    let bytes = patterns.text().len();
    format!("{rules}\t{}\t{}\t{many}\t{dollars}\t{segments}\t{bytes}", rules - starred, starred - many)
}

/// The median time of several runs, in microseconds.
fn median(rounds: usize, mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = clock::seconds();
            work();
            (clock::seconds() - start) * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[rounds / 2]
}
