//! The layers of the crate: which may depend on which.

use std::collections::BTreeSet;
use std::path::Path;
use tree::{Arrow, Tree, cycles};

mod tree;

/// The layers, highest first, each with the layers it may depend on.
const LAYERS: [(&str, &str); 21] = [
    ("cli", "show run output judge input policy preferences lint rules robots dialect outcome origin error formats"),
    ("show", "run output judge policy preferences automaton rules robots dialect outcome origin error formats threads"),
    ("run", "output judge input policy preferences robots outcome origin error formats lock monitor threads"),
    ("output", "judge input policy preferences rules robots outcome origin error formats threads"),
    ("judge", "input policy preferences automaton rules robots dialect outcome origin error formats threads"),
    ("input", "outcome origin error formats lock monitor"),
    ("policy", "preferences automaton rules robots dialect outcome origin error formats lock threads"),
    ("lint", "preferences automaton rules robots dialect origin error formats"),
    ("preferences", "automaton rules robots dialect error"),
    ("automaton", "rules"),
    ("rules", "robots dialect origin"),
    ("robots", "dialect error formats"),
    ("dialect", "error"),
    ("outcome", "origin error"),
    ("origin", ""),
    ("named", "error"),
    ("error", "formats"),
    ("formats", "lock monitor threads"),
    ("monitor", "lock"),
    ("lock", ""),
    ("threads", ""),
];

/// The layer of a file, or `None` for the roots and the hidden modules for others, which are above all layers.
fn layer(file: &str) -> Option<&str> {
    let name = file.split('/').next()?;
    Some(name.strip_suffix(".rs").unwrap_or(name))
        .filter(|name| !matches!(*name, "lib" | "main" | "internals" | "python_package"))
}

/// The arrows between layers that the table does not allow.
fn upward(arrows: &BTreeSet<Arrow>) -> Vec<&Arrow> {
    let allows = |from: &str, to: &str| {
        LAYERS.iter().any(|(layer, below)| *layer == from && below.split_whitespace().any(|name| name == to))
    };
    let allowed = |arrow: &&Arrow| match (layer(&arrow.from), layer(&arrow.to)) {
        (Some(from), Some(to)) => from == to || allows(from, to),
        _ => true,
    };
    arrows.iter().filter(|arrow| !allowed(arrow)).collect()
}

fn crate_tree() -> Tree {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    Tree::read(&["lib.rs", "main.rs"], &|file| std::fs::read_to_string(src.join(file)).ok())
}

/// A tree built from these files.
fn tree_of(files: &[(&str, &str)]) -> Tree {
    Tree::read(&["lib.rs"], &|name| Some(files.iter().find(|(file, _)| *file == name)?.1.to_owned()))
}

fn lines(arrows: &[&Arrow]) -> String {
    arrows.iter().map(|arrow| format!("\n  {} -> {} ({})", arrow.from, arrow.to, arrow.name)).collect()
}

#[test]
fn no_files_form_a_cycle() {
    let arrows = crate_tree().arrows();
    let found = cycles(&arrows);
    assert!(found.is_empty(), "cycles of files:{}", lines(&found));
}

#[test]
fn layers_depend_on_lower_ones_only() {
    let arrows = crate_tree().arrows();
    let found = upward(&arrows);
    assert!(found.is_empty(), "arrows that the table does not allow:{}", lines(&found));
    // The table lists only dependencies that exist, and lists the layers in order.
    let used: BTreeSet<_> = arrows.iter().map(|arrow| (layer(&arrow.from), layer(&arrow.to))).collect();
    for (place, (layer, below)) in LAYERS.iter().enumerate() {
        for name in below.split_whitespace() {
            assert!(LAYERS[place..].iter().any(|(lower, _)| *lower == name), "{name} is not below {layer}");
            assert!(used.contains(&(Some(*layer), Some(name))), "nothing in {layer} depends on {name} any more");
        }
    }
}

#[test]
fn a_mod_rs_declares_and_re_exports() {
    let found = crate_tree().definitions_in_lists;
    assert!(found.is_empty(), "definitions:\n  {}", found.join("\n  "));
}

/// Whether a path leads to rayon, most of whose functions start threads that stay, or starts a thread itself.
fn leads_to_threads(path: &[String]) -> bool {
    let last_two = path.len().checked_sub(2).map(|at| [&*path[at], &*path[at + 1]]);
    path[0] == "rayon"
        || last_two.is_some_and(|[module, item]| module == "thread" && ["spawn", "scope", "Builder"].contains(&item))
}

#[test]
fn threads_start_in_one_place() {
    // The program watches and shows a run from threads of its own.
    let found = crate_tree().users(leads_to_threads);
    let others: Vec<_> = found.iter().filter(|file| !file.starts_with("cli/")).collect();
    assert_eq!(others, ["threads/beside.rs", "threads/pool.rs"]);
}

#[test]
fn threads_elsewhere_are_found() {
    let files = [
        ("lib.rs", "mod one; mod two; mod three; mod four; mod five;"),
        ("one.rs", "use std::thread; fn one() { thread::scope(|_| ()) }"),
        ("two.rs", "fn two() { rayon::join(|| (), || ()); }"),
        ("three.rs", "use std::thread::{Builder, sleep};"),
        ("four.rs", "use std::thread; fn four() { thread::yield_now() } #[cfg(test)] mod tests { use rayon::join; }"),
        ("five.rs", "use rayon::prelude::*;"),
    ];
    let found = tree_of(&files).users(leads_to_threads);
    assert_eq!(found, ["five.rs", "one.rs", "three.rs", "two.rs"].map(str::to_owned).into());
}

/// A path in a message may hold what a terminal obeys.
#[test]
fn errors_show_paths_as_text() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let is_message = |line: &str| line.contains("format!(") && line.contains(".display()") && !line.contains("assert");
    let is_raw = |file: &&String| {
        std::fs::read_to_string(src.join(file))
            .is_ok_and(|text| text.lines().any(is_message) || file.ends_with("error.rs") && text.contains(".display()"))
    };
    let files = crate_tree().files();
    let raw: Vec<&String> = files.iter().filter(is_raw).collect();
    assert!(raw.is_empty(), "use `formats::shown` in {raw:?}");
}

/// The files of Rust that a text names between backquotes; `X.rs` is one that is yet to be written.
fn named_files(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).filter(|word| word.ends_with(".rs") && !word.ends_with("X.rs"))
}

#[test]
fn the_map_names_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let map = std::fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    let files = crate_tree().files();
    // After a folder was named, its files may be named without it.
    let exists = |name: &str| {
        root.join(name).exists()
            || root.join("src").join(name).exists()
            || files.iter().any(|file| file.strip_suffix(name).is_some_and(|rest| rest.ends_with('/')))
            || ["tests/library", "tests/verdicts"].iter().any(|tests| root.join(tests).join(name).exists())
    };
    let missing: Vec<_> = named_files(&map).filter(|name| !exists(name)).collect();
    assert!(missing.is_empty(), "CONTRIBUTING.md names files that do not exist: {missing:?}");
    assert_eq!(named_files("`run/gone.rs` or `batch`, then `layout/X.rs`").collect::<Vec<_>>(), ["run/gone.rs"]);
}

#[test]
fn a_cycle_through_a_re_export_is_found() {
    let files = [
        ("lib.rs", "mod rules; mod robots;"),
        ("rules.rs", "pub struct Rule; fn read() { crate::robots::parse() }"),
        ("robots/mod.rs", "mod parse; mod far; pub use parse::parse;"),
        ("robots/parse.rs", "use super::far; pub fn parse() { far::go() }"),
        ("robots/far.rs", "pub fn go() { use crate::{rules::{self, Other}}; let _ = rules::Rule; }"),
    ];
    let arrows = tree_of(&files).arrows();
    let found = cycles(&arrows);
    let ends = found.iter().map(|arrow| (&*arrow.from, &*arrow.to)).collect::<BTreeSet<_>>();
    let [rules, parse, far] = ["rules.rs", "robots/parse.rs", "robots/far.rs"];
    assert_eq!(ends, BTreeSet::from([(rules, parse), (parse, far), (far, rules)]), "{}", lines(&found));
    assert!(found.iter().any(|arrow| arrow.name == "crate::robots::parse"));
}

#[test]
fn re_exports_in_a_circle_end() {
    let files = [
        ("lib.rs", "mod front;"),
        ("front/mod.rs", "mod portable; mod prefixes; pub use portable::prefixes;"),
        ("front/portable.rs", "use super::prefixes; pub fn prefixes() { prefixes::hash() }"),
        ("front/prefixes.rs", "pub fn hash() {}"),
    ];
    let arrows = tree_of(&files).arrows();
    let is_found = |arrow: &Arrow| (&*arrow.from, &*arrow.to) == ("front/portable.rs", "front/prefixes.rs");
    assert!(arrows.iter().any(is_found), "{arrows:?}");
    assert_eq!(cycles(&arrows), Vec::<&Arrow>::new());
}

#[test]
fn uses_in_tests_are_no_arrows() {
    let files = [
        ("lib.rs", "mod one; mod two; #[cfg(test)] mod three;"),
        ("one.rs", "use crate::two::Two; #[cfg(test)] mod tests { use super::*; use crate::two; }"),
        ("two.rs", "pub struct Two; #[cfg(test)] use crate::{one::One, one}; /// See [`crate::one`].\nfn two() {}"),
    ];
    assert_eq!(cycles(&tree_of(&files).arrows()), Vec::<&Arrow>::new());
}

#[test]
fn an_arrow_upward_is_found() {
    let files = [
        ("lib.rs", "mod outcome; mod run;"),
        ("run/mod.rs", "pub use crate::outcome::Outcome;"),
        ("outcome.rs", "struct Outcome; fn up(_: Vec<crate::run::Outcome>) { print!(\"{}\", crate::run::CHUNK); }"),
    ];
    let arrows = tree_of(&files).arrows();
    let found = upward(&arrows);
    assert_eq!(lines(&found), "\n  outcome.rs -> run/mod.rs (crate::run::CHUNK)");
}

#[test]
fn a_definition_in_a_mod_rs_is_found() {
    let files = [
        ("lib.rs", "mod run;"),
        ("run/mod.rs", "mod job {} pub use job::Job; pub(crate) const CHUNK: usize = 1; impl Job { fn new() {} }"),
    ];
    let found = tree_of(&files).definitions_in_lists;
    assert_eq!(found, ["run/mod.rs: mod job", "run/mod.rs: const CHUNK", "run/mod.rs: impl Job"]);
}
