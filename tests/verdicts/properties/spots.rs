//! Single cases that random tests seldom reach, and cases found by fuzzing, each against the oracle.

use robosieve::Dialect;
use robosieve::internals::Axes;
use robosieve::internals::robots::{NoteKind, decode};

use crate::oracle;
use crate::support::{Engines, verdict};

/// The verdict of all engines and of the oracle, which must agree.
fn allowed(name: &str, agents: &str, file: &[u8], path: &[u8]) -> bool {
    let dialect = Dialect::named(name).expect("a dialect");
    let mut engines = Engines::all(file, &agents.parse().expect("agents"), dialect);
    let names: Vec<&str> = agents.split(',').collect();
    let expected = oracle::allowed(name, &names, file, path);
    assert_eq!(engines.agreed(path), verdict(expected), "{name}, {}", path.escape_ascii());
    expected
}

/// The dialects where the longest pattern wins and percent-encoding has a normal form.
const NORMALISING: [&str; 3] = ["rfc9309", "mandelbot", "extended-2008"];

#[test]
fn an_escaped_star_counts_three_bytes() {
    for name in NORMALISING {
        let file = |other: &str| format!("User-agent: *\nAllow: /%2A\nDisallow: {other}\n").into_bytes();
        assert!(allowed(name, "*", &file("/*x"), b"/*x"), "four against three");
        assert!(allowed(name, "*", &file("/*xy"), b"/*xy"), "a tie");
        assert!(!allowed(name, "*", &file("/*xyz"), b"/*xyz"), "four against five");
        assert!(
            !allowed(name, "*", b"User-agent: *\nAllow: /%2\nDisallow: /%24\n", b"/$"),
            "an escape is not cut in two"
        );
    }
}

#[test]
fn a_slash_between_two_stars_may_be_the_first_of_the_path() {
    for name in NORMALISING {
        let file = b"User-agent: *\nDisallow: */*.php$\n";
        assert!(!allowed(name, "*", file, b"/index.php"));
        assert!(!allowed(name, "*", file, b"/a/b.php"));
        assert!(allowed(name, "*", file, b"/index.html"));
    }
}

#[test]
fn only_the_path_of_the_file_itself_is_always_allowed() {
    let file = b"User-agent: *\nDisallow: /\n";
    for name in ["rfc9309", "draft-1996"] {
        assert!(allowed(name, "*", file, b"/robots.txt"));
        assert!(allowed(name, "*", file, b"/robots%2Etxt"));
        for path in [b"/robots.txt?".as_slice(), b"/robots.txt?a", b"/Robots.txt", b"/robots.txt/", b"//robots.txt"] {
            assert!(!allowed(name, "*", file, path));
        }
    }
    for name in ["google", "mandelbot", "extended-2008", "original-1994"] {
        assert!(!allowed(name, "*", file, b"/robots.txt"));
    }
}

#[test]
fn an_empty_agent_line_names_nobody() {
    let file = b"User-agent:\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n\nUser-agent: \t # x\nDisallow: /c\n";
    for name in Dialect::names() {
        for agents in ["*", "foo"] {
            assert!(allowed(name, agents, file, b"/a"), "{name}");
            assert!(!allowed(name, agents, file, b"/b"), "{name}");
            assert!(allowed(name, agents, file, b"/c"), "{name}");
        }
    }
}

#[test]
fn an_empty_agent_line_next_to_another_takes_nothing_from_it() {
    let file = b"User-agent:\nUser-agent: foo\nUser-agent: /2.0\nDisallow: /a\n";
    for name in Dialect::names() {
        assert!(!allowed(name, "foo", file, b"/a"), "{name}");
        assert!(allowed(name, "bar", file, b"/a"), "{name}");
    }
}

#[test]
fn a_form_feed_is_no_blank_but_for_google() {
    for byte in ["\u{b}", "\u{c}"] {
        let file = format!("User-agent: foo{byte}\nDisallow: /a\n\nUser-agent: foobot{byte}/2\nDisallow: /b\n");
        for name in Dialect::names() {
            let blank = matches!(name, "rfc9309" | "google" | "draft-1996");
            assert_eq!(allowed(name, "foo", file.as_bytes(), b"/a"), !blank, "{name}");
            allowed(name, "foobot", file.as_bytes(), b"/b");
        }
    }
}

/// The text as little-endian UTF-16, with a byte order mark.
fn utf16(text: &str) -> Vec<u8> {
    let marked = format!("\u{feff}{text}");
    marked.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn an_odd_byte_of_utf16_is_a_replacement_character() {
    let mut file = utf16("User-agent: *\nDisallow: /a");
    file.push(b'b');
    for name in Dialect::names().into_iter().filter(|name| *name != "google") {
        assert!(allowed(name, "*", &file, b"/a"), "{name}");
        assert!(allowed(name, "*", &file, b"/ab"), "{name}");
        let mut notes = Vec::new();
        decode(&file, Dialect::named(name).unwrap(), &mut notes);
        assert!(notes.iter().any(|note| note.kind == NoteKind::EncodingMended), "{name}");
    }
    assert!(!allowed("rfc9309", "*", &file, "/a\u{fffd}".as_bytes()));
}

#[test]
fn a_lone_surrogate_is_a_replacement_character() {
    let mut file = utf16("User-agent: *\nDisallow: /");
    file.extend([0x00, 0xd8]);
    file.extend("x\n".encode_utf16().flat_map(u16::to_le_bytes));
    assert!(!allowed("rfc9309", "*", &file, "/\u{fffd}x".as_bytes()));
    assert!(allowed("rfc9309", "*", &file, b"/x"));
}

#[test]
fn only_whole_lines_within_the_limit_count() {
    let limit = Dialect::DEFAULT.file_limit();
    let lines = |rule: &str, at: usize| {
        let head = "User-agent: *\n";
        let padding = "#".repeat(at - head.len() - 1);
        format!("{head}{padding}\n{rule}").into_bytes()
    };
    let rule = "Disallow: /a";
    // The line ends with the file; its line end is the last byte read; it is cut off, twice.
    for (tail, slack, blocked) in [("", 0, true), ("\n#", 1, true), ("b\n", 0, false), ("bc", 1, false)] {
        let mut file = lines(rule, limit - rule.len() - slack);
        file.extend_from_slice(tail.as_bytes());
        assert_eq!(allowed("rfc9309", "*", &file, b"/abc"), !blocked, "{tail:?}, {slack}");
    }
}

#[test]
fn a_list_of_agents_is_a_preference_or_a_union() {
    let file = b"User-agent: bar\nDisallow: /bar\n\nUser-agent: foo\nDisallow: /foo\n\nUser-agent: *\nDisallow: /all\n";
    for name in Dialect::names() {
        let merged = name == "google";
        for (path, expected) in [(b"/foo".as_slice(), false), (b"/bar", !merged), (b"/all", true)] {
            assert_eq!(allowed(name, "baz,foo,bar", file, path), expected, "{name}");
        }
        assert!(!allowed(name, "baz,qux", file, b"/all"), "{name}");
    }
}
