//! Help: one screen with -h, everything with --help, under headings by what a user wants.

use crate::documentation::commands;
use crate::support::program::Bench;

const HEADINGS: [&str; 6] = ["Lists", "Robots.txt", "Output", "Choices", "Long runs", "Messages"];

fn printed(bench: &Bench, words: &str) -> String {
    let done = bench.program(words).assert().success();
    String::from_utf8_lossy(&done.get_output().stdout).into_owned()
}

/// The options of a help, each with its heading.
fn options(help: &str) -> Vec<(&str, &str)> {
    let mut heading = "";
    let mut found = Vec::new();
    for line in help.lines() {
        if let Some(name) = line.strip_suffix(':').filter(|name| !name.starts_with(' ')) {
            heading = name;
        }
        let option = line.trim_start().split_once("--").filter(|(short, _)| short.is_empty() || short.ends_with(", "));
        if let Some((_, option)) = option.filter(|_| line.starts_with("  ") && line.trim_start().starts_with('-')) {
            found.push((option.split([' ', '[']).next().unwrap_or_default(), heading));
        }
    }
    found
}

fn names(help: &str) -> Vec<&str> {
    options(help).into_iter().map(|(name, _)| name).collect()
}

#[test]
fn the_short_help_of_every_command_fits_a_screen() {
    let bench = Bench::new();
    for command in [String::new()].into_iter().chain(commands(&bench)) {
        let help = printed(&bench, &format!("{command} -h"));
        assert!(help.lines().count() <= 60, "{command}: {} lines:\n{help}", help.lines().count());
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
        // A text that goes on in a second line is indented to the others.
        assert!(!help.lines().any(|line| line.starts_with("          ")), "{command}: {help}");
    }
}

#[test]
fn every_option_stands_under_a_heading_by_what_a_user_wants() {
    let bench = Bench::new();
    let mut places = std::collections::BTreeMap::new();
    for command in commands(&bench) {
        let full = printed(&bench, &format!("{command} --help"));
        let all = options(&full);
        assert_eq!(all.last(), Some(&("help", "Messages")), "{command}");
        for (name, heading) in all {
            assert!(HEADINGS.contains(&heading), "{command}: --{name} is under {heading:?}");
            let first = places.entry(name.to_owned()).or_insert_with(|| heading.to_owned());
            assert_eq!(first, heading, "{command}: --{name}");
        }
        let mut headings: Vec<&str> = options(&full).into_iter().map(|(_, heading)| heading).collect();
        headings.dedup();
        let order: Vec<&str> = HEADINGS.into_iter().filter(|heading| headings.contains(heading)).collect();
        assert_eq!(headings, order, "{command}");
    }
    assert!(places.len() > 60, "{places:?}");
}

#[test]
fn the_last_line_of_the_short_help_tells_where_the_rest_is() {
    let bench = Bench::new();
    for command in commands(&bench) {
        let (short, full) = (printed(&bench, &format!("{command} -h")), printed(&bench, &format!("{command} --help")));
        let last = short.lines().last().unwrap_or_default();
        assert!(last.ends_with(&format!(": robosieve {command} --help")), "{command}: {last}");
        let has_more = names(&full).len() > names(&short).len();
        assert_eq!(last.starts_with("More options"), has_more, "{command}: {last}");
        assert!(names(&short).iter().all(|name| names(&full).contains(name)), "{command}");
        assert!(!full.contains(last), "{command}");
    }
}

#[test]
fn the_short_help_of_filter_shows_what_a_frontier_needs() {
    let bench = Bench::new();
    let (short, full) = (printed(&bench, "filter -h"), printed(&bench, "filter --help"));
    let shown = [
        "agent",
        "robots",
        "policy",
        "overrides",
        "columns",
        "follow",
        "dialect",
        "out",
        "force",
        "only",
        "robots-needed",
        "verdicts",
        "count",
        "explain",
        "unique",
        "seen",
        "format",
        "on-unfetched",
        "on-unreachable",
        "on-html",
        "on-stale",
        "max-age",
        "statuses",
        "now",
        "require",
        "resume",
        "skip-bad",
        "shard",
        "memory",
        "threads",
        "quiet",
        "verbose",
        "delimiter",
        "column",
        "files-from",
    ];
    for name in shown {
        assert!(names(&short).contains(&name), "--{name}: {short}");
    }
    let hidden = [
        "null",
        "header",
        "agents-file",
        "origin",
        "trust-checksum",
        "fetched-at",
        "against",
        "only-changed",
        "allowed-if",
        "json",
        "preferences",
        "keys",
        "compress",
        "split-size",
        "per-input",
        "unreachable-as-unavailable",
        "www-fallback",
        "content-signal",
        "checkpoint",
        "log",
        "metrics",
    ];
    for name in hidden {
        assert!(!names(&short).contains(&name) && names(&full).contains(&name), "--{name}");
    }
    assert!(full.lines().count() <= 260, "{} lines; background belongs to docs", full.lines().count());
}

/// The full text begins with the line of -h, and both end in the default.
#[test]
fn an_option_is_told_in_one_paragraph() {
    let bench = Bench::new();
    let (short, full) = (printed(&bench, "filter -h"), printed(&bench, "filter --help"));
    assert!(short.contains("--memory <SIZE>  The memory budget, such as 512M or 2GiB [default: 1G]\n"), "{short}");
    let flat = full.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        "--memory <SIZE> The memory budget, such as 512M or 2GiB. With less",
        "skipped with --skip-bad. [default: 1G] --threads",
        "--checkpoint <DURATION> The time between checkpoints",
        "[default: 5s] Messages:",
        "How robots.txt is read: rfc9309, google, mandelbot",
        "--count Judge and count lines; print only the numbers --json",
    ] {
        assert!(flat.contains(text), "{text}: {full}");
    }
}
