//! Help with examples, shell completions, and manual pages.

use std::io::Write;
use std::process::Stdio;

use crate::support::program::{Bench, said};

/// All commands, in the order of the program's help.
pub fn commands(bench: &Bench) -> Vec<String> {
    let help = bench.program("help").assert().success();
    let help = String::from_utf8_lossy(&help.get_output().stdout).into_owned();
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list of commands");
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_help_has_examples_of_its_own_command() {
    let bench = Bench::new();
    let commands = commands(&bench);
    assert!(commands.len() >= 9 && commands.contains(&"filter".to_owned()), "{commands:?}");
    for command in commands {
        for option in ["-h", "--help"] {
            let help = bench.program(&format!("{command} {option}")).assert().success();
            let help = String::from_utf8_lossy(&help.get_output().stdout).into_owned();
            let examples = help.split("\nExample").nth(1).unwrap_or_else(|| panic!("{command}: no examples: {help}"));
            assert!(examples.contains(&format!("robosieve {command}")), "{command}: {examples}");
        }
    }
}

/// What the examples of the manual read, as scripts: first for all commands, then for some.
#[cfg(unix)]
const EXAMPLES_READ: [(&str, &str); 8] = [
    (
        "",
        "mkdir robots lists lists/more bin home home/.zfunc; mkdir -p home/.local/share/bash-completion/completions home/.config/fish/completions
        printf 'User-agent: *\\nDisallow: /private/\\nSitemap: https://example.com/s.xml\\n' | tee robots.txt robots/example.com > robots/example.org
        printf '%s\\n' '{\"origin\":\"https://b.example\",\"status\":404}' > captures.jsonl
        printf '%s\\n' https://example.com/private/x https://example.org/ > urls.txt; gzip < urls.txt > urls.gz
        cp urls.gz lists/a.gz; cp urls.gz lists/b.zst; cp urls.gz lists/more/c.zst; printf 'GPTBot\\nCCBot\\n' > ai-crawlers.txt
        for tool in dot jq man; do printf '#!/bin/sh\\ncat > /dev/null\\n' > bin/$tool; chmod +x bin/$tool; done
        robosieve compile --quiet --agent examplebot robots -o policy.rsv",
    ),
    ("lint", "cp datasets-warc responses.warc.gz"),
    (
        "merge",
        "for name in today part-1 part-2; do robosieve compile --quiet --agent examplebot captures.jsonl -o $name.rsv; done",
    ),
    ("keys", "mkdir keys"),
    (
        "diff history",
        "for name in old new 2026-01 2026-06 2026-11; do robosieve compile --quiet --agent GPTBot robots -o $name.rsv; done",
    ),
    ("join", "for i in 1 2; do robosieve filter --policy policy.rsv --now 2026-01-01T00:00:00Z --shard $i/2 --out part-$i urls.txt; done"),
    (
        "seen verify report",
        "for day in monday tuesday seen; do robosieve filter --policy policy.rsv --seen $day.rss --count urls.txt; done
        robosieve filter --policy policy.rsv --out split urls.txt",
    ),
    (
        "report",
        "for day in yesterday today; do robosieve filter --policy policy.rsv --out $day urls.txt; done
        for name in old new; do robosieve compile --quiet --agent examplebot robots -o $name.rsv; done",
    ),
];

/// Runs a script in a folder with the program and the tools of the examples on its path; returns the status, and what it said.
#[cfg(unix)]
fn scripted(bench: &Bench, script: &str) -> (Option<i32>, String) {
    let program = std::path::Path::new(crate::support::program::PROGRAM);
    let folder = bench.path("");
    let path = std::env::join_paths(
        [folder.join("bin"), program.parent().expect("a folder").to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").expect("a path"))),
    );
    let mut bash = std::process::Command::new("bash");
    bash.args(["-u", "-o", "pipefail", "-c", script]).current_dir(&folder).stdin(Stdio::null());
    let done = bash.env("PATH", path.expect("a path")).env("HOME", folder.join("home")).output().expect("bash");
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

/// The examples in the help of a command, each on one line.
#[cfg(unix)]
fn examples(bench: &Bench, command: &str) -> Vec<String> {
    let help = bench.program(&format!("{command} --help")).assert().success();
    let help = String::from_utf8_lossy(&help.get_output().stdout).into_owned();
    let text = help.split("\nExamples:\n").nth(1).unwrap_or_else(|| panic!("{command}: {help}")).to_owned();
    let mut examples: Vec<String> = Vec::new();
    for line in text.lines().take_while(|line| !line.is_empty()) {
        match examples.last_mut() {
            Some(last) if !line.contains("robosieve ") => last.push_str(&format!(" {}", line.trim())),
            _ => examples.push(line.trim().to_owned()),
        }
    }
    examples
}

#[cfg(unix)]
#[test]
fn every_example_of_the_manual_runs() {
    let main = Bench::new();
    let mut count = 0;
    for command in commands(&main) {
        for example in examples(&main, &command) {
            if cfg!(not(feature = "parquet")) && example.contains("parquet") {
                continue;
            }
            let bench = Bench::new();
            bench.file("datasets-warc", crate::support::compression::gzip(&crate::support::archives::rules("a")));
            for (commands, script) in EXAMPLES_READ {
                if commands.is_empty() || commands.split(' ').any(|name| name == command) {
                    let (status, stderr) = scripted(&bench, &format!("set -e; {script}"));
                    assert_eq!(status, Some(0), "what {command} reads: {stderr}");
                }
            }
            let (status, stderr) = scripted(&bench, &example);
            // 1 is the answer "no".
            assert!(matches!(status, Some(0 | 1)), "{example}: {status:?}: {stderr}");
            assert!(!stderr.contains("error") && !stderr.contains("panicked"), "{example}: {stderr}");
            count += 1;
        }
    }
    assert!(count > 40, "{count}");
}

#[test]
fn a_misspelt_dialect_gets_the_likely_one_for_an_answer() {
    let done = Bench::new().program("lint --dialect gogle robots.txt").assert().code(2);
    said(&done.get_output().stderr, &["gogle", "similar value exists: 'google'"]);
}

#[test]
fn completions_are_for_all_shells_and_name_all_commands() {
    let bench = Bench::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let done = bench.program(&format!("completions {shell}")).assert().success();
        let script = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        for command in commands(&bench) {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
    let done = bench.program("completions bsh").assert().code(2);
    said(&done.get_output().stderr, &["bsh", "similar value exists: 'bash'"]);
}

#[test]
fn bash_completes_commands_options_and_values() {
    let bench = Bench::new();
    let script = bench.program("completions bash").assert().success().get_output().stdout.clone();
    let mut text = String::from_utf8(script).expect("UTF-8");
    // Called as bash does: the words of the line, the index of the word to complete, then the candidates.
    text.push_str(
        "try() { COMP_WORDS=(robosieve \"$@\"); COMP_CWORD=$#; _robosieve robosieve \"${@: -1}\" \"${@: -2:1}\"; \
         echo \"${COMPREPLY[*]}\"; }\ntry fil; try filter --age; try lint --dialect goo; try completions z\n",
    );
    bench.file("complete.bash", text);
    let bash = std::process::Command::new("bash").arg(bench.path("complete.bash")).stderr(Stdio::inherit()).output();
    match bash {
        Ok(done) => assert_eq!(String::from_utf8_lossy(&done.stdout), "filter\n--agent --agents-file\ngoogle\nzsh\n"),
        Err(error) => {
            let mut err = std::io::stderr();
            writeln!(err, "SKIPPED: bash is missing ({error}); its completions were not tried").expect("it is open");
        }
    }
}

#[test]
fn there_is_a_manual_page_of_every_command() {
    let bench = Bench::new();
    bench.program("man --out pages/man1").assert().success();
    let mut expected: Vec<String> = commands(&bench).iter().map(|name| format!("robosieve-{name}.1")).collect();
    expected.push("robosieve.1".to_owned());
    expected.sort();
    assert_eq!(bench.names("pages/man1"), expected);
    for name in expected {
        let page = String::from_utf8(bench.read(&format!("pages/man1/{name}"))).expect("UTF-8");
        let title = name.trim_end_matches(".1");
        assert!(page.contains(&format!(".TH {title} 1 ")), "{page}");
        assert!(page.contains(&format!("robosieve {}", env!("CARGO_PKG_VERSION"))), "{page}");
        assert!(page.contains("Example"), "{page}");
        let command = title.strip_prefix("robosieve-").unwrap_or("");
        let printed = bench.program(&format!("man {command}")).assert().success();
        assert_eq!(String::from_utf8_lossy(&printed.get_output().stdout), page);
    }
}

#[test]
fn a_page_that_cannot_be_is_an_error() {
    let bench = Bench::new();
    let done = bench.program("man fitler").assert().code(2);
    said(&done.get_output().stderr, &["fitler", "filter", "check"]);
    bench.file("file", "");
    let done = bench.program("man --out file/man1").assert().code(2);
    said(&done.get_output().stderr, &["cannot write", "file/man1"]);
}

#[test]
fn the_manual_of_filter_has_both_synopses() {
    let page = Bench::new().program("man filter").assert().success();
    let page = String::from_utf8_lossy(&page.get_output().stdout).into_owned();
    assert!(page.contains("\\-\\-policy <FILE> \\-\\-out <DIR>"), "{page}");
}
