//! Strategies for nasty robots.txt files, and for paths that come close to matching their rules.
//!
//! Everything is built from a few short pieces, so that agents, prefixes, escapes and wildcards
//! often coincide. Half of the paths are derived from a pattern: each `*` is replaced by something
//! short, bytes are escaped, unescaped or replaced, and something may follow.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The agents named in files. They share letters, case and prefixes; one has digits.
pub const AGENTS: &[&str] = &["foo", "FooBot", "foobot-news", "Bar_2"];

/// Agents to ask for, in order of preference: `*`, one of the known agents, or several.
pub fn agents() -> BoxedStrategy<Vec<&'static str>> {
    prop_oneof![
        2 => Just(vec!["*"]),
        4 => select(AGENTS).prop_map(|agent| vec![agent]),
        2 => vec(select(AGENTS), 2..4),
    ]
    .boxed()
}

/// A robots.txt file.
pub fn robots() -> BoxedStrategy<Vec<u8>> {
    file().prop_map(|file| file.bytes).boxed()
}

/// Path and query of a URL, unrelated to any pattern.
pub fn path() -> BoxedStrategy<Vec<u8>> {
    vec(piece(), 0..8).prop_map(|pieces| as_path(&pieces.concat())).boxed()
}

/// A file and several paths, half of which are derived from its patterns.
pub fn case() -> BoxedStrategy<(Vec<u8>, Vec<Vec<u8>>)> {
    (file(), vec(aim(), 1..8))
        .prop_map(|(file, aims)| {
            let paths = aims.iter().map(|aim| aim.path(&file.patterns)).collect();
            (file.bytes, paths)
        })
        .boxed()
}

/// The rules of one group: whether each is an `Allow`, and its pattern.
pub type Rules = Vec<(bool, Vec<u8>)>;

/// Rules rich in wildcards.
pub fn patterns() -> BoxedStrategy<Rules> {
    vec((any::<bool>(), wild_pattern()), 1..12).boxed()
}

/// Rules as in [`patterns`], and several paths, half of which are derived from them.
pub fn patterns_and_paths() -> BoxedStrategy<(Rules, Vec<Vec<u8>>)> {
    (patterns(), vec(aim(), 1..8))
        .prop_map(|(rules, aims)| {
            let patterns: Vec<_> = rules.iter().map(|(_, pattern)| pattern.clone()).collect();
            let paths = aims.iter().map(|aim| aim.path(&patterns)).collect();
            (rules, paths)
        })
        .boxed()
}

/// A robots.txt with one group for `*` that holds these rules.
pub fn as_robots(rules: &[(bool, Vec<u8>)]) -> Vec<u8> {
    let mut text = b"User-agent: *\n".to_vec();
    for (allow, pattern) in rules {
        text.extend_from_slice(if *allow { b"Allow: " } else { b"Disallow: " });
        text.extend_from_slice(pattern);
        text.push(b'\n');
    }
    text
}

// ---------------------------------------------------------------------------------------------
// Pieces, patterns and paths
// ---------------------------------------------------------------------------------------------

/// A piece of a pattern or path. Some bytes are hexadecimal digits, so that escapes form and break
/// where pieces meet.
fn piece() -> BoxedStrategy<Vec<u8>> {
    const PLAIN: &[&[u8]] = &[b"a", b"b", b"A", b"/", b"2", b"F", b".", b"?", b"=", b"~", b"-"];
    const ESCAPES: &[&[u8]] = &[
        b"%61", b"%41", b"%7E", b"%7e", b"%2F", b"%2f", b"%3F", b"%2A", b"%2a", b"%24", b"%25", b"%20", b"%00",
        b"%C3%A9", b"%c3%a9", b"%FF", b"%ff",
    ];
    const ODD: &[&[u8]] = &[
        b"%",
        b"%%",
        b"%E",
        b"%c",
        b"%*",
        b"%2*",
        b"%e*",
        b"%4",
        b"%zz",
        b"%2",
        b"$",
        b"*",
        b" ",
        b"\t",
        b"|",
        b"<",
        b"\"",
        b"&",
        b";",
        b":",
        b"c:",
        b"@",
        b"!",
        b"\0",
        b"\x7f",
        b"\xc3\xa9",
        b"\xff",
        b"\x0b",
    ];
    const WORDS: &[&[u8]] = &[b"/index.html", b"/index.htm", b"robots.txt", b"/a/", b"..", b"//"];
    prop_oneof![
        20 => select(PLAIN),
        6 => select(ESCAPES),
        4 => select(ODD),
        3 => select(WORDS),
    ]
    .prop_map(<[u8]>::to_vec)
    .boxed()
}

/// The value of a rule: mostly a pattern, with up to four `*` and sometimes a `$` at the end.
fn value() -> BoxedStrategy<Vec<u8>> {
    const STARTS: &[&[u8]] = &[b"", b"%2F", b"$", b"/robots.txt", b"http://a/"];
    let start = prop_oneof![
        12 => Just(b"/".as_slice()),
        3 => Just(b"*".as_slice()),
        2 => select(STARTS),
    ];
    let middle = prop_oneof![5 => piece(), 1 => Just(b"*".to_vec()), 1 => Just(b"$".to_vec())];
    let end = prop_oneof![7 => Just(b"".as_slice()), 2 => Just(b"$".as_slice()), 1 => Just(b"*".as_slice())];
    let pattern =
        (start, vec(middle, 0..5), end).prop_map(|(start, middle, end)| [start, &middle.concat(), end].concat());
    prop_oneof![1 => Just(Vec::new()), 12 => pattern].boxed()
}

/// A pattern over very few bytes, rich in wildcards.
fn wild_pattern() -> BoxedStrategy<Vec<u8>> {
    const PIECES: &[&[u8]] = &[
        b"a", b"b", b"/", b"aa", b"ab", b"ba", b"*", b"*", b"*", b"*a", b"*b", b"$", b"%61", b"%2A", b"%24", b"%2F",
        b"%2f", b"2", b"F",
    ];
    let start = prop_oneof![3 => Just(b"/".as_slice()), 1 => Just(b"*".as_slice())];
    let end = prop_oneof![3 => Just(b"".as_slice()), 1 => Just(b"$".as_slice())];
    (start, vec(select(PIECES), 0..7), end)
        .prop_map(|(start, pieces, end)| [start, &pieces.concat(), end].concat())
        .boxed()
}

/// How to choose one path, decided before the patterns are known.
#[derive(Clone, Debug)]
struct Aim {
    derived: bool,
    pattern: Index,
    /// The replacements for each `*`, in turn.
    fillings: Vec<Vec<u8>>,
    edits: Vec<(Edit, Index)>,
    tail: Vec<u8>,
    free: Vec<u8>,
}

/// One change at one position of a path.
#[derive(Clone, Copy, Debug)]
enum Edit {
    Replace(u8),
    Insert(u8),
    Remove,
    EscapeUpper,
    EscapeLower,
    Unescape,
    SwapCase,
    /// Cuts everything after the last slash.
    Directory,
}

fn edit() -> BoxedStrategy<Edit> {
    let byte = || select(b"ab/2F*$%?.A ".as_slice());
    prop_oneof![
        byte().prop_map(Edit::Replace),
        byte().prop_map(Edit::Insert),
        Just(Edit::Remove),
        Just(Edit::EscapeUpper),
        Just(Edit::EscapeLower),
        Just(Edit::Unescape),
        Just(Edit::SwapCase),
        Just(Edit::Directory),
    ]
    .boxed()
}

fn aim() -> BoxedStrategy<Aim> {
    let filling = || vec(piece(), 0..3).prop_map(|pieces| pieces.concat());
    let edits = prop_oneof![
        1 => Just(Vec::new()),
        1 => vec((edit(), any::<Index>()), 1..4),
    ];
    let tail = prop_oneof![2 => Just(Vec::new()), 1 => filling()];
    (any::<bool>(), any::<Index>(), vec(filling(), 4), edits, tail, path())
        .prop_map(|(derived, pattern, fillings, edits, tail, free)| Aim {
            derived,
            pattern,
            fillings,
            edits,
            tail,
            free,
        })
        .boxed()
}

impl Aim {
    fn path(&self, patterns: &[Vec<u8>]) -> Vec<u8> {
        if !self.derived || patterns.is_empty() {
            return self.free.clone();
        }
        let mut path = self.fill(&patterns[self.pattern.index(patterns.len())]);
        path.extend_from_slice(&self.tail);
        for (edit, at) in &self.edits {
            if !path.is_empty() {
                edit.apply(&mut path, at);
            }
        }
        as_path(&path)
    }

    /// A string that the pattern matches as a plain glob.
    fn fill(&self, pattern: &[u8]) -> Vec<u8> {
        let mut fillings = self.fillings.iter().cycle();
        let mut path = Vec::new();
        for byte in pattern.strip_suffix(b"$").unwrap_or(pattern) {
            match byte {
                b'*' => path.extend_from_slice(fillings.next().unwrap()),
                byte => path.push(*byte),
            }
        }
        path
    }
}

impl Edit {
    fn apply(self, path: &mut Vec<u8>, at: &Index) {
        let at = at.index(path.len());
        match self {
            Edit::Replace(byte) => path[at] = byte,
            Edit::Insert(byte) => path.insert(at, byte),
            Edit::Remove => drop(path.remove(at)),
            Edit::EscapeUpper => escape(path, at, format!("%{:02X}", path[at])),
            Edit::EscapeLower => escape(path, at, format!("%{:02x}", path[at])),
            Edit::Unescape => unescape(path, at),
            Edit::Directory => path.truncate(path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1)),
            Edit::SwapCase => path[at] ^= if path[at].is_ascii_alphabetic() { 0x20 } else { 0 },
        }
    }
}

fn escape(path: &mut Vec<u8>, at: usize, escape: String) {
    path.splice(at..=at, escape.into_bytes());
}

/// Decodes the first escape at or after a position.
fn unescape(path: &mut Vec<u8>, from: usize) {
    let is_escape = |three: &[u8]| three[0] == b'%' && three[1].is_ascii_hexdigit() && three[2].is_ascii_hexdigit();
    let Some(offset) = path[from..].windows(3).position(is_escape) else {
        return;
    };
    let at = from + offset;
    let digits = String::from_utf8_lossy(&path[at + 1..at + 3]);
    let byte = u8::from_str_radix(&digits, 16).expect("two hexadecimal digits");
    path.splice(at..at + 3, [byte]);
}

/// Makes a path of any bytes: adds a leading slash, removes `#` and line ends.
fn as_path(bytes: &[u8]) -> Vec<u8> {
    let mut path = bytes.to_vec();
    path.retain(|byte| !b"\r\n#".contains(byte));
    if path.first() != Some(&b'/') {
        path.insert(0, b'/');
    }
    path
}

// ---------------------------------------------------------------------------------------------
// Lines and files
// ---------------------------------------------------------------------------------------------

/// A file, and the values of its rules.
#[derive(Clone, Debug)]
struct File {
    bytes: Vec<u8>,
    patterns: Vec<Vec<u8>>,
}

/// One line without its end, and its value if it is a rule.
#[derive(Clone, Debug)]
struct Line {
    text: Vec<u8>,
    pattern: Option<Vec<u8>>,
}

fn file() -> BoxedStrategy<File> {
    const MIXED: &[&[u8]] = &[b"\n", b"\r", b"\r\n", b"\n\r", b"\r\r\n"];
    let ends = prop_oneof![
        6 => Just(b"\n".as_slice()).boxed(),
        1 => Just(b"\r".as_slice()).boxed(),
        1 => Just(b"\r\n".as_slice()).boxed(),
    ];
    let mixed = select(MIXED);
    let end = prop_oneof![3 => ends.prop_map(|end| vec![end]), 1 => vec(mixed, 1..4)];
    (vec(line(), 0..24), end, any::<bool>(), coding())
        .prop_map(|(lines, ends, ended, coding)| {
            let mut text = Vec::new();
            for (line, end) in lines.iter().zip(ends.iter().cycle()) {
                text.extend_from_slice(&line.text);
                text.extend_from_slice(end);
            }
            if !ended && text.ends_with(b"\n") {
                text.pop();
            }
            let patterns = lines.into_iter().filter_map(|line| line.pattern).collect();
            File { bytes: coding.encode(&text), patterns }
        })
        .boxed()
}

/// The bytes at the start of a file, and the encoding of its text.
#[derive(Clone, Copy, Debug)]
enum Coding {
    /// Some bytes, often none, then the text unchanged.
    Mark(&'static [u8]),
    Utf16Le,
    Utf16Be,
    /// UTF-16 with one byte too many.
    Utf16Odd,
}

fn coding() -> BoxedStrategy<Coding> {
    const MARKS: &[&[u8]] = &[
        b"\xef\xbb\xbf",
        b"\xef\xbb",
        b"\xef",
        b"\xbb\xbf",
        b"\xef\xbb\xbf\xef\xbb\xbf",
        b"\xef\xef",
        b"\0",
        b"\n",
        b" ",
        b"\xff",
    ];
    prop_oneof![
        14 => Just(Coding::Mark(b"")),
        3 => select(MARKS).prop_map(Coding::Mark),
        1 => select([Coding::Utf16Le, Coding::Utf16Be, Coding::Utf16Odd].as_slice()),
    ]
    .boxed()
}

impl Coding {
    fn encode(self, text: &[u8]) -> Vec<u8> {
        let units: Vec<u16> = String::from_utf8_lossy(text).encode_utf16().collect();
        let big = units.iter().flat_map(|unit| unit.to_be_bytes());
        let little = units.iter().flat_map(|unit| unit.to_le_bytes());
        match self {
            Coding::Mark(mark) => [mark, text].concat(),
            Coding::Utf16Be => [0xFE, 0xFF].into_iter().chain(big).collect(),
            Coding::Utf16Le => [0xFF, 0xFE].into_iter().chain(little).collect(),
            Coding::Utf16Odd => [0xFF, 0xFE].into_iter().chain(little).chain([b'a']).collect(),
        }
    }
}

fn line() -> BoxedStrategy<Line> {
    const BLOTS: &[&[u8]] = &[b"\0", b"#", b":", b" ", b"\xff", b"\xef\xbb\xbf", b"\x0c"];
    let clean = prop_oneof![
        8 => agent_line(),
        18 => rule_line(),
        3 => blank_line(),
        2 => other_line(),
    ];
    let blot = select(BLOTS);
    let blots = prop_oneof![15 => Just(None), 1 => (any::<Index>(), blot).prop_map(Some)];
    (clean, blots)
        .prop_map(|(mut line, blot)| {
            if let Some((at, blot)) = blot {
                let at = at.index(line.text.len() + 1);
                line.text.splice(at..at, blot.iter().copied());
            }
            line
        })
        .boxed()
}

/// Assembles a line: blanks, key, blanks, separator, blanks, value, blanks, comment.
fn record(
    key: impl Strategy<Value = &'static str>,
    value: impl Strategy<Value = Vec<u8>>,
) -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let blanks = || prop_oneof![8 => Just(""), 1 => select([" ", "\t", " \t "].as_slice())];
    let separator = prop_oneof![
        12 => Just(": "),
        2 => Just(":"),
        1 => select([" ", "\t", " \t ", "", " : ", "\t:\t", "::", "="].as_slice()),
    ];
    let comment = prop_oneof![10 => Just(""), 1 => select([" # x", "#", "#: /", "# *"].as_slice())];
    (blanks(), key, separator, value, blanks(), comment).prop_map(|(indent, key, separator, value, trail, comment)| {
        let before = [indent, key, separator].concat().into_bytes();
        let after = [trail, comment].concat().into_bytes();
        ([&before, value.as_slice(), &after].concat(), value)
    })
}

fn rule_line() -> BoxedStrategy<Line> {
    const MISSPELT: &[&str] = &[
        "dissallow",
        "Dissalow",
        "disalow",
        "Diasllow",
        "disallaw",
        "desallow",
        "Disallowed",
        "disallow all",
        "Allowed",
        "alow",
        "Allow:",
        "Dis allow",
        "DISALLOW",
        "aLLow",
    ];
    let key = prop_oneof![
        6 => Just("Disallow"),
        4 => Just("Allow"),
        1 => select(MISSPELT),
    ];
    record(key, value()).prop_map(|(text, value)| Line { text, pattern: Some(value) }).boxed()
}

fn agent_line() -> BoxedStrategy<Line> {
    const MISSPELT: &[&str] =
        &["useragent", "user agent", "User-agents", "user_agent", "USER-AGENT", "user-Agent", "Agent"];
    let key = prop_oneof![10 => Just("User-agent"), 1 => select(MISSPELT)];
    record(key, agent_value()).prop_map(|(text, _)| Line { text, pattern: None }).boxed()
}

/// The value of a `User-agent` line: `*`, a name in any case, with a version, with words around it,
/// part of a name, or nothing.
fn agent_value() -> BoxedStrategy<Vec<u8>> {
    const ODD: &[&str] = &[
        "",
        "* foo",
        "*\tx",
        "*foo",
        "* *",
        "**",
        "foo*",
        "*/1",
        "/1.0",
        "oo",
        "bot",
        "News",
        "008",
        "foo bar",
        "bar,foo",
        "x foo",
        "foo\u{e9}",
        "Mozilla/5.0 (compatible; FooBot/2.1)",
    ];
    const SUFFIXES: &[&str] = &["/1.0", "/", " /2", "/2.1 (x)", " x", "2", "-", "_"];
    let name = || {
        (select(AGENTS), 0..3).prop_map(|(name, case)| match case {
            0 => name.to_owned(),
            1 => name.to_ascii_lowercase(),
            _ => name.to_ascii_uppercase(),
        })
    };
    let longer = (name(), select(SUFFIXES)).prop_map(|(name, suffix)| name + suffix);
    prop_oneof![
        6 => Just("*".to_owned()),
        8 => name(),
        2 => longer,
        1 => select(ODD).prop_map(str::to_owned),
    ]
    .prop_map(String::into_bytes)
    .boxed()
}

fn blank_line() -> BoxedStrategy<Line> {
    let text = select(["", "", "", " ", "\t", " \t", "#", "# x", "  # Disallow: /", "\0"].as_slice());
    text.prop_map(|text| Line { text: text.into(), pattern: None }).boxed()
}

/// Other records, and lines that are not records.
fn other_line() -> BoxedStrategy<Line> {
    const OTHERS: &[&str] = &[
        "Crawl-delay: 1",
        "Sitemap: http://a/s.xml",
        "Site-map: /s",
        "Noindex: /a",
        "Host: a",
        "Request-rate: 1/5",
        "foo",
        "foo bar",
        ": /a",
        ":",
        "<html>",
        "User-agent",
        "Disallow",
        "Disallow: /a /b",
        "Allow /a b",
        "Clean-param: a /",
        "# User-agent: *",
    ];
    select(OTHERS).prop_map(|text| Line { text: text.into(), pattern: None }).boxed()
}
