//! A naive oracle: is this path allowed by this robots.txt?
//!
//! Written from the specifications alone, as a check on the engine. It parses the whole file again
//! for every question, copies freely, and tries every rule on every path. Nothing here is fast, and
//! nothing is shared with the library.
//!
//! The sources, by the names used below:
//!
//! * RFC 9309;
//! * `google`: google/robotstxt, the C++ library (`robots.cc`), at commit 22b355f;
//! * Mandelbot: Fractle's page on Mandelbot's robots.txt support;
//! * SearchTools: "Elements of robots.txt", June 2008;
//! * the draft: draft-koster-robots-00, 1996;
//! * the original: "A Standard for Robot Exclusion", 30 June 1994.
//!
//! Paths are read by the URL Standard, with the `url` crate, except in `google`.
//!
//! "Ours" marks a decision that none of them settles.

use url::Url;

/// The bytes read of a file: RFC 9309, 2.5, asks for at least 500 KiB (the number: ours).
const READ_LIMIT: usize = 4 * 1024 * 1024;

/// Whether a crawler that asks as `agents`, in order of preference, may fetch `path`.
///
/// `robots` is the file as served with status 200. `path` is path and query as written, begins with `/`, and
/// holds no fragment. The agent `*` names no crawler.
///
/// # Panics
///
/// If `dialect` is not one of the six names.
pub fn allowed(dialect: &str, agents: &[&str], robots: &[u8], path: &[u8]) -> bool {
    // A file full of NULs is no robots.txt, and blocks everything. One hole is spared, if at least as much text follows as it is long.
    let start = &robots[..robots.len().min(4096)];
    let nuls = start.iter().filter(|&&byte| byte == 0).count();
    let texts: Vec<&[u8]> = robots.split(|&byte| byte == 0).filter(|text| !text.is_empty()).collect();
    let is_hole = matches!(texts[..], [first, second]
        if robots.starts_with(first) && robots.ends_with(second) && 2 * second.len() + first.len() >= robots.len());
    let is_utf16 = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    if nuls > 1 && nuls * 10 > start.len() && !is_utf16 && !is_hole {
        return allowed(dialect, agents, b"User-agent: *\nDisallow: /\n", path);
    }
    use Dialect::{Draft1996, Extended2008, Mandelbot, Original1994, Rfc9309};
    let dialect = match dialect {
        "rfc9309" => Rfc9309,
        "mandelbot" => Mandelbot,
        "extended-2008" => Extended2008,
        "draft-1996" => Draft1996,
        "original-1994" => Original1994,
        "google" => return google::allowed(agents, robots, path),
        unknown => panic!("no such dialect: {unknown}"),
    };
    let groups = groups(dialect, &text(robots));
    let rules = rules_for(dialect, agents, &groups);
    let path = &fetched(path);
    match dialect {
        Rfc9309 => is_robots_txt(&rfc_url(path)) || longest(&rules, &rfc_url(path)),
        Mandelbot | Extended2008 => longest(&rules, &rfc_url(path)),
        Draft1996 => is_robots_txt(&draft_form(path)) || first_match(&rules, &draft_form(path)),
        Original1994 => no_prefix_matches(&rules, &original_form(path)),
    }
}

/// The length of a path in a record that is no rule, if it matches `path`, which is as in [`allowed`]; counted as for the longest match,
/// also where rules are not so compared, and with `*` and `$`, also where rules have none (draft-ietf-aipref-attach-05, 3.1; for such
/// dialects: ours). An empty one matches all.
///
/// # Panics
///
/// If `dialect` is not one of the six names.
pub fn matched_length(dialect: &str, value: &[u8], path: &[u8]) -> Option<usize> {
    let by_form = |form: fn(&[u8]) -> Vec<u8>| {
        let pattern = formed_pattern(value, form);
        matches(&pattern, &form(&fetched(path))).then_some(pattern.length)
    };
    match dialect {
        "rfc9309" | "mandelbot" | "extended-2008" => {
            let pattern = rfc_pattern(value);
            matches(&pattern, &rfc_url(&fetched(path))).then_some(pattern.length)
        }
        "draft-1996" => by_form(draft_form),
        "original-1994" => by_form(original_form),
        "google" => google::matched_length(value, path),
        unknown => panic!("no such dialect: {unknown}"),
    }
}

/// The path that a fetcher asks for.
///
/// Bytes above 0x7F are escaped first, which is what the standard does with UTF-8 (and, ours, with anything else). The fragment
/// keeps blanks at the end of the path, which at the end of a URL would not be part of it.
fn fetched(path: &[u8]) -> Vec<u8> {
    let ascii: Vec<u8> =
        path.iter().flat_map(|&byte| if byte.is_ascii() { vec![byte] } else { escape(byte) }).collect();
    let ascii = String::from_utf8(ascii).expect("ASCII");
    let url = Url::parse(&format!("http://a{}#", without_drives(&ascii))).expect("any path will do");
    let path = url.path().replace(NO_DRIVE, "");
    url.query().map_or(path.clone(), |query| format!("{path}?{query}")).into_bytes()
}

/// A word that no path has, which makes a segment no drive letter.
const NO_DRIVE: &str = "nodriveatall";

/// A path without segments such as `C:`, which the `url` crate keeps before `..`, as the standard does only in URLs of files.
fn without_drives(path: &str) -> String {
    let path = path.replace(['\t', '\r', '\n'], "");
    let end = path.find(['?', '#']).unwrap_or(path.len());
    let segment = |segment: &str| match segment.trim_end_matches(['/', '\\']).as_bytes() {
        [letter, b':' | b'|'] if letter.is_ascii_alphabetic() => format!("{NO_DRIVE}{segment}"),
        _ => segment.to_owned(),
    };
    path[..end].split_inclusive(['/', '\\']).map(segment).collect::<String>() + &path[end..]
}

/// The five dialects that share one skeleton; `google` is separate.
#[derive(Clone, Copy, PartialEq)]
enum Dialect {
    Rfc9309,
    Mandelbot,
    Extended2008,
    Draft1996,
    Original1994,
}

// ---------------------------------------------------------------------------------------------
// From bytes to lines
// ---------------------------------------------------------------------------------------------

/// The text of a file, up to the limit and without its byte order mark; UTF-16 becomes UTF-8 (ours).
///
/// The limit counts bytes as served. In a longer file, only lines whose end lies within the limit count (ours).
fn text(robots: &[u8]) -> Vec<u8> {
    let read = &robots[..robots.len().min(READ_LIMIT)];
    let mut text = match read {
        [0xEF, 0xBB, 0xBF, rest @ ..] => rest.to_vec(),
        [0xFF, 0xFE, rest @ ..] => from_utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => from_utf16(rest, u16::from_be_bytes),
        _ => read.to_vec(),
    };
    if robots.len() > READ_LIMIT {
        while text.last().is_some_and(|&byte| !is_line_end(byte)) {
            text.pop();
        }
    }
    text
}

/// Decodes UTF-16: an unpaired surrogate and an odd last byte become U+FFFD (ours).
fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let pairs = bytes.chunks_exact(2);
    let odd = !pairs.remainder().is_empty();
    let units = pairs.map(|pair| unit([pair[0], pair[1]]));
    let mut text: String = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    if odd {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text.into_bytes()
}

fn is_line_end(byte: u8) -> bool {
    byte == b'\r' || byte == b'\n'
}

/// The lines of a text: CR, LF and CRLF each end one (RFC 9309, 2.2, `EOL`; the original: "CR,
/// CR/NL, or NL").
fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    let mut lines = vec![Vec::new()];
    for (at, &byte) in text.iter().enumerate() {
        let second_half = byte == b'\n' && at > 0 && text[at - 1] == b'\r';
        if second_half {
            continue;
        }
        if is_line_end(byte) {
            lines.push(Vec::new());
        } else {
            lines.last_mut().unwrap().push(byte);
        }
    }
    // The text after the last line end is a line only if it is not empty.
    if lines.last().unwrap().is_empty() {
        lines.pop();
    }
    lines
}

/// Strips spaces and tabs at both ends (RFC 9309, 2.2, `WS`; the same for the others: ours).
fn trim(bytes: &[u8]) -> &[u8] {
    trim_by(bytes, |byte| byte == b' ' || byte == b'\t')
}

/// Strips the bytes at both ends that are `blank`.
fn trim_by(bytes: &[u8], blank: fn(u8) -> bool) -> &[u8] {
    let leading = bytes.iter().take_while(|byte| blank(**byte)).count();
    let rest = &bytes[leading..];
    let trailing = rest.iter().rev().take_while(|byte| blank(**byte)).count();
    &rest[..rest.len() - trailing]
}

/// The bytes before the first `end`, or all of them.
fn before(bytes: &[u8], end: u8) -> &[u8] {
    bytes.split(|&byte| byte == end).next().unwrap()
}

// ---------------------------------------------------------------------------------------------
// From lines to groups
// ---------------------------------------------------------------------------------------------

/// A line, as the group parser sees it.
enum Line {
    /// Only spaces and tabs.
    Blank,
    UserAgent(Vec<u8>),
    Rule(Rule),
    /// A comment, another record, or no record at all.
    Other,
}

#[derive(Clone)]
struct Rule {
    allow: bool,
    value: Vec<u8>,
}

#[derive(Default)]
struct Group {
    agents: Vec<Vec<u8>>,
    rules: Vec<Rule>,
}

/// Reads one line: `#` starts a comment anywhere, the first colon ends the key, keys are compared
/// whole and without regard to case (RFC 9309, 2.2; Mandelbot; the original).
fn read_line(dialect: Dialect, line: &[u8]) -> Line {
    if trim(line).is_empty() {
        return Line::Blank;
    }
    let record = before(line, b'#');
    let key = before(record, b':');
    if key.len() == record.len() {
        return Line::Other;
    }
    let value = trim(&record[key.len() + 1..]).to_vec();
    match trim(key).to_ascii_lowercase().as_slice() {
        b"user-agent" => Line::UserAgent(value),
        b"disallow" => Line::Rule(Rule { allow: false, value }),
        // The original has no `Allow`: "unrecognised headers are ignored".
        b"allow" if dialect != Dialect::Original1994 => Line::Rule(Rule { allow: true, value }),
        _ => Line::Other,
    }
}

/// Whether a blank line ends a record: it does in the original ("separated by one or more blank
/// lines") and in the draft, 3.2; not in RFC 9309 (2.2, `group`) or SearchTools' own example.
fn blank_line_ends_a_group(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Draft1996 | Dialect::Original1994)
}

/// The state of the parser.
#[derive(PartialEq)]
enum Place {
    Outside,
    InAgents,
    InRules,
}

/// All groups in file order.
///
/// A rule line ends the list of agents, whatever its value; a `User-agent` line after it starts the
/// next group, whatever its value (ours, for values that name no agent). Rules outside a group are
/// ignored (RFC 9309, 2.2.2).
fn groups(dialect: Dialect, text: &[u8]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut place = Place::Outside;
    for line in lines(text) {
        match read_line(dialect, &line) {
            Line::Blank if blank_line_ends_a_group(dialect) => place = Place::Outside,
            Line::Blank | Line::Other => {}
            Line::UserAgent(value) => {
                if place != Place::InAgents {
                    groups.push(Group::default());
                }
                groups.last_mut().unwrap().agents.push(value);
                place = Place::InAgents;
            }
            Line::Rule(_) if place == Place::Outside => {}
            Line::Rule(rule) => {
                groups.last_mut().unwrap().rules.push(rule);
                place = Place::InRules;
            }
        }
    }
    groups
}

// ---------------------------------------------------------------------------------------------
// From groups to the rules of an agent
// ---------------------------------------------------------------------------------------------

/// The rules that apply: those of the first agent with a group of its own, else those of `*`.
fn rules_for(dialect: Dialect, agents: &[&str], groups: &[Group]) -> Vec<Rule> {
    for agent in agents {
        let own = |group: &&Group| group.agents.iter().any(|line| names(dialect, line, agent));
        let own: Vec<&Group> = groups.iter().filter(own).collect();
        if !own.is_empty() {
            return rules_of(dialect, &own);
        }
    }
    // `* foo` and `*bot*` are not `*`.
    let star = |group: &&Group| group.agents.iter().any(|line| line == b"*");
    let star: Vec<&Group> = groups.iter().filter(star).collect();
    rules_of(dialect, &star)
}

/// The rules of several groups for one agent: all groups merged (RFC 9309, 2.2.1), or only the first
/// (the draft, 3.2.1: "the first record"; the same for the original: ours).
fn rules_of(dialect: Dialect, groups: &[&Group]) -> Vec<Rule> {
    let count = match dialect {
        Dialect::Draft1996 | Dialect::Original1994 => 1,
        Dialect::Rfc9309 | Dialect::Mandelbot | Dialect::Extended2008 => groups.len(),
    };
    let rules = groups.iter().take(count).flat_map(|group| &group.rules);
    rules.filter(|rule| is_rule(dialect, rule)).cloned().collect()
}

/// Whether a rule line counts as a rule.
///
/// An empty value does not (RFC 9309, 2.2, `empty-pattern`; the original: "all URLs can be
/// retrieved"). RFC 9309's `path-pattern` begins with a slash, its example in 5.1 with a `*`. The
/// older texts need no such test: every path begins with a slash.
fn is_rule(dialect: Dialect, rule: &Rule) -> bool {
    match dialect {
        Dialect::Rfc9309 | Dialect::Mandelbot | Dialect::Extended2008 => {
            matches!(rule.value.first(), Some(b'/' | b'*'))
        }
        Dialect::Draft1996 | Dialect::Original1994 => !rule.value.is_empty(),
    }
}

/// Whether the value of a `User-agent` line names this agent, ignoring case.
fn names(dialect: Dialect, value: &[u8], agent: &str) -> bool {
    if agent == "*" || agent.is_empty() {
        return false;
    }
    let value = value.to_ascii_lowercase();
    let agent = agent.to_ascii_lowercase().into_bytes();
    match dialect {
        // RFC 9309, 2.2.1: the product token; digits count as part of it (ours).
        Dialect::Rfc9309 => leading(&value, is_token_byte) == agent,
        // Mandelbot: the value is the name.
        Dialect::Mandelbot => value == agent,
        // The original: "a case insensitive substring match of the name without version
        // information is recommended".
        Dialect::Extended2008 | Dialect::Original1994 => {
            let name = trim(before(&value, b'/'));
            !name.is_empty() && contains(&agent, name)
        }
        // The draft, 3.2.1: "whose value contains the name token of the robot as a substring".
        Dialect::Draft1996 => contains(&value, &agent),
    }
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// The longest prefix whose bytes all satisfy `wanted`.
fn leading(bytes: &[u8], wanted: fn(u8) -> bool) -> &[u8] {
    bytes.split(|&byte| !wanted(byte)).next().unwrap()
}

/// Whether the second string, which must not be empty, occurs in the first.
fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

// ---------------------------------------------------------------------------------------------
// From rules to a verdict
// ---------------------------------------------------------------------------------------------

/// Whether this is the path of robots.txt itself, in normal form and without a query: RFC 9309, 2.2.2, "implicitly
/// allowed"; the draft, 3.2.2, "is always allowed".
fn is_robots_txt(normal_path: &[u8]) -> bool {
    normal_path == b"/robots.txt"
}

/// The longest pattern wins, and `Allow` wins ties (RFC 9309, 2.2.2; Mandelbot; SearchTools:
/// "longest", the tie is ours). `path` is in normal form.
fn longest(rules: &[Rule], path: &[u8]) -> bool {
    let mut best_allow = 0;
    let mut best_disallow = 0;
    for rule in rules {
        let pattern = rfc_pattern(&rule.value);
        if !matches(&pattern, path) {
            continue;
        }
        if rule.allow {
            best_allow = best_allow.max(pattern.length);
        } else {
            best_disallow = best_disallow.max(pattern.length);
        }
    }
    best_allow >= best_disallow
}

/// The draft, 3.2.2: "the first match found is used. If no match is found, the default assumption
/// is that the URL is allowed". `path` is decoded; values are plain prefixes.
fn first_match(rules: &[Rule], path: &[u8]) -> bool {
    for rule in rules {
        if path.starts_with(&draft_form(&rule.value)) {
            return rule.allow;
        }
    }
    true
}

/// The original: a URL that starts with any of the values is not visited.
fn no_prefix_matches(rules: &[Rule], path: &[u8]) -> bool {
    let starts = |value: &[u8]| path.starts_with(&original_form(value));
    !rules.iter().any(|rule| {
        let before = &rule.value[..rule.value.len().saturating_sub(1)];
        let cut = either_case(&rule.value).unwrap_or_default();
        starts(&rule.value) || cut.iter().any(|digit| starts(&[before, digit.as_slice()].concat()))
    })
}

/// Both cases of a hex digit, if a value ends in an escape that is cut after it: in the original, escapes stay as they are written.
fn either_case(value: &[u8]) -> Option<Vec<Vec<u8>>> {
    let [.., b'%', digit] = value else { return None };
    let is_letter = digit.is_ascii_hexdigit() && digit.is_ascii_alphabetic();
    is_letter.then(|| vec![vec![digit.to_ascii_uppercase()], vec![digit.to_ascii_lowercase()]])
}

/// A parsed pattern, matched byte by byte.
struct Pattern {
    pieces: Vec<Piece>,
    /// The path must end where the pattern ends.
    anchored: bool,
    /// The length that "longest" compares.
    length: usize,
}

#[derive(PartialEq)]
enum Piece {
    /// `*`: any bytes, or none (RFC 9309, 2.2.3).
    AnyRun,
    Byte(u8),
    /// Any of these texts.
    OneOf(Vec<Vec<u8>>),
}

/// Whether a pattern matches at the start of a path, by the textbook table: after each piece,
/// `reached[n]` says whether the pieces so far can match exactly the first `n` bytes.
fn matches(pattern: &Pattern, path: &[u8]) -> bool {
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    for piece in &pattern.pieces {
        let mut next = vec![false; path.len() + 1];
        for n in 0..=path.len() {
            next[n] = match piece {
                Piece::AnyRun => reached[n] || (n > 0 && next[n - 1]),
                Piece::Byte(byte) => n > 0 && reached[n - 1] && path[n - 1] == *byte,
                Piece::OneOf(texts) => texts.iter().any(|text| {
                    let start = n.checked_sub(text.len());
                    start.is_some_and(|start| reached[start] && path[start..n] == **text)
                }),
            };
        }
        reached = next;
    }
    if pattern.anchored { reached[path.len()] } else { reached.contains(&true) }
}

// ---------------------------------------------------------------------------------------------
// Percent-encoding
// ---------------------------------------------------------------------------------------------

/// One byte of a path as written: raw, or as `%xx`.
struct Written {
    byte: u8,
    escaped: bool,
}

/// Reads escapes. A `%` not followed by two hexadecimal digits is a raw `%` (ours).
fn written(bytes: &[u8]) -> Vec<Written> {
    let mut all = Vec::new();
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        if let Some(byte) = escape_at(rest) {
            all.push(Written { byte, escaped: true });
            rest = &rest[3..];
        } else {
            all.push(Written { byte: *first, escaped: false });
            rest = after;
        }
    }
    all
}

/// The byte encoded by the escape at the start of these bytes.
fn escape_at(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else {
        return None;
    };
    let high = char::from(*high).to_digit(16)?;
    let low = char::from(*low).to_digit(16)?;
    u8::try_from(high * 16 + low).ok()
}

/// The escape of a byte, in upper case (RFC 3986, 2.1).
fn escape(byte: u8) -> Vec<u8> {
    format!("%{byte:02X}").into_bytes()
}

/// RFC 3986, 2.3.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// RFC 3986, 2.2.
fn is_reserved(byte: u8) -> bool {
    b":/?#[]@!$&'()*+,;=".contains(&byte)
}

/// The normal form of one byte: RFC 9309, 2.2.2.
///
/// An unreserved byte is written raw, an escape of it decoded; a reserved byte stays as written, since it
/// and its escape differ; any other byte is escaped. `*` and `$` are equivalent to their escapes
/// (2.2.3, figure 6), so both are one byte here, and the caller recognises wildcards and anchors first.
/// So is `'`, which fetchers escape in a query and not in a path (ours).
fn normal(written: &Written) -> Vec<u8> {
    let Written { byte, escaped } = *written;
    let raw = is_unreserved(byte) || b"*$'".contains(&byte);
    if raw || (is_reserved(byte) && !escaped) { vec![byte] } else { escape(byte) }
}

/// The normal form of a URL's path and query.
fn rfc_url(path: &[u8]) -> Vec<u8> {
    written(path).iter().flat_map(normal).collect()
}

/// The normal form of a pattern: a raw `*` is a wildcard, a raw `$` in last place the anchor
/// (RFC 9309, 2.2.3); a `$` anywhere else is literal (Mandelbot; for RFC 9309: ours).
///
/// The length (ours, for RFC 9309, 2.2.2 and 5.2): an escape that remains counts 3, including that
/// of `*` or `$`; everything else 1.
fn rfc_pattern(value: &[u8]) -> Pattern {
    let body = value.strip_suffix(b"$");
    let anchored = body.is_some();
    let mut pieces = Vec::new();
    let mut length = usize::from(anchored);
    let all = written(body.unwrap_or(value));
    let mut taken = 0;
    for (at, written) in all.iter().enumerate() {
        // An escape that is cut means all that begin so (ours), and as before a percent sign that begins none.
        let is_end = |at: usize| all.get(at).map_or(!anchored, |next| next.byte == b'*' && !next.escaped);
        let digit = all.get(at + 1).filter(|next| !next.escaped && next.byte.is_ascii_hexdigit());
        let is_percent = written.byte == b'%' && !written.escaped;
        if taken > 0 {
            taken -= 1;
            continue;
        } else if is_percent && is_end(at + 1) {
            pieces.push(Piece::OneOf(vec![b"%".to_vec()]));
            length += 3;
            continue;
        } else if let Some(digit) = digit.filter(|_| is_percent && is_end(at + 2)) {
            let [upper, as_written] = [digit.byte.to_ascii_uppercase(), digit.byte];
            pieces.push(Piece::OneOf(vec![vec![b'%', upper], vec![b'%', b'2', b'5', as_written]]));
            length += 4;
            taken = 1;
            continue;
        }
        if written.byte == b'*' && !written.escaped {
            pieces.push(Piece::AnyRun);
            length += 1;
            continue;
        }
        let bytes = normal(written);
        let stays_escaped = written.escaped && !is_unreserved(written.byte) && written.byte != b'\'';
        length += if stays_escaped { 3 } else { bytes.len() };
        pieces.extend(bytes.into_iter().map(Piece::Byte));
    }
    Pattern { pieces, anchored, length }
}

/// A pattern of which what is between wildcards has this form.
fn formed_pattern(value: &[u8], form: fn(&[u8]) -> Vec<u8>) -> Pattern {
    let body = value.strip_suffix(b"$");
    let mut pieces = Vec::new();
    let parts: Vec<&[u8]> = body.unwrap_or(value).split(|&byte| byte == b'*').collect();
    for (place, part) in parts.iter().enumerate() {
        pieces.extend((place > 0).then_some(Piece::AnyRun));
        pieces.extend(form(part).into_iter().map(Piece::Byte));
        let is_cut = place + 1 < parts.len() || body.is_none();
        if let Some(texts) = either_case(part).filter(|_| is_cut && form(b"%a") == b"%a" && form(b"%41") == b"%41") {
            pieces.pop();
            pieces.push(Piece::OneOf(texts));
        }
    }
    let length = pieces.len() + usize::from(body.is_some());
    Pattern { pieces, anchored: body.is_some(), length }
}

/// The draft, 3.2.2: "if a %xx encoded byte is encountered it is unencoded prior to comparison,
/// unless it is the "/" character". That escape remains, and the case of its hexadecimal digit does not
/// matter (ours). A URL's query is kept (ours).
fn draft_form(bytes: &[u8]) -> Vec<u8> {
    let form = |written: &Written| match written {
        Written { byte: b'/', escaped: true } => escape(b'/'),
        Written { byte, .. } => vec![*byte],
    };
    written(bytes).iter().flat_map(form).collect()
}

/// The original compares bytes as they are in URLs as fetched, where some bytes are always escaped, and some (`'`, `^`, a backtick,
/// braces) only in one part of a URL or by some fetchers: all these are one with their escapes (ours), of which those with a letter
/// count in upper case only, as fetchers write them.
fn original_form(bytes: &[u8]) -> Vec<u8> {
    let mut form = Vec::new();
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        rest = match (first, after) {
            (b'%', [b'2', b'7', after @ ..]) => {
                form.push(b'\'');
                after
            }
            (0..=b' ' | 0x7F.. | b'"' | b'<' | b'>' | b'^' | b'`' | b'{' | b'}', _) => {
                form.extend(escape(*first));
                after
            }
            _ => {
                form.push(*first);
                after
            }
        };
    }
    form
}

// ---------------------------------------------------------------------------------------------
// google
// ---------------------------------------------------------------------------------------------

/// The C++ library, step by step; each item names its counterpart there.
mod google {
    use super::{Pattern, Piece, before, escape, escape_at, leading, matches, trim_by};

    /// `Parse`: a line's buffer holds 2083 * 8 bytes, one of them for the terminating NUL.
    const LINE_LIMIT: usize = 2083 * 8 - 1;

    /// `ParsedRobotsKey`: `UNKNOWN` and `SITEMAP` have no effect on verdicts.
    enum Key {
        UserAgent,
        Allow,
        Disallow,
        Other,
    }

    /// `RobotsMatcher`: the parser's flags and the best priorities.
    #[derive(Default)]
    struct Matcher {
        seen_global: bool,
        seen_specific: bool,
        ever_seen_specific: bool,
        seen_separator: bool,
        global: Best,
        specific: Best,
    }

    /// The best priority of each kind; 0, as for an empty pattern, counts as no match.
    #[derive(Default)]
    struct Best {
        allow: usize,
        disallow: usize,
    }

    /// `AllowedByRobots`. The path is a C string, so a NUL ends it.
    pub fn allowed(agents: &[&str], robots: &[u8], path: &[u8]) -> bool {
        let path = before(path, 0);
        let mut matcher = Matcher::default();
        for line in lines(robots) {
            if let Some((key, value)) = key_and_value(line) {
                matcher.handle(agents, path, &key, &value);
            }
        }
        !matcher.disallow()
    }

    /// `Parse`: skips as much of a byte order mark as there is, and truncates long lines. A line
    /// is a C string, so a NUL ends it. The empty line in every CRLF does no harm.
    fn lines(robots: &[u8]) -> Vec<&[u8]> {
        let mark = [0xEF, 0xBB, 0xBF];
        let skipped = robots.iter().zip(mark).take_while(|(byte, mark)| *byte == mark);
        let body = &robots[skipped.count()..];
        let lines = body.split(|&byte| byte == b'\r' || byte == b'\n');
        lines.map(|line| before(&line[..line.len().min(LINE_LIMIT)], 0)).collect()
    }

    /// `StripAsciiWhitespace`.
    fn strip(bytes: &[u8]) -> &[u8] {
        trim_by(bytes, is_space)
    }

    /// C's `isspace`.
    fn is_space(byte: u8) -> bool {
        matches!(byte, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r')
    }

    /// `GetKeyAndValueFrom` and `NeedEscapeValueForKey`.
    fn key_and_value(line: &[u8]) -> Option<(Key, Vec<u8>)> {
        let line = strip(before(line, b'#'));
        let colon = line.iter().position(|&byte| byte == b':');
        let separator = colon.or_else(|| blank_between_two_words(line))?;
        let key = strip(&line[..separator]);
        let value = strip(&line[separator + 1..]);
        if key.is_empty() {
            return None;
        }
        match parse_key(key) {
            Key::UserAgent => Some((Key::UserAgent, value.to_vec())),
            key => Some((key, escape_pattern(value))),
        }
    }

    /// Where to split a line without a colon: at its first blank, if it has exactly two words.
    fn blank_between_two_words(line: &[u8]) -> Option<usize> {
        let is_blank = |byte: &u8| *byte == b' ' || *byte == b'\t';
        let words = line.split(is_blank).filter(|word| !word.is_empty());
        if words.count() == 2 { line.iter().position(is_blank) } else { None }
    }

    /// `ParsedRobotsKey::Parse`: keys by prefix, including the accepted misspellings.
    fn parse_key(key: &[u8]) -> Key {
        let key = key.to_ascii_lowercase();
        let starts = |wanted: &&str| key.starts_with(wanted.as_bytes());
        let disallows = ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"];
        if ["user-agent", "useragent", "user agent"].iter().any(starts) {
            Key::UserAgent
        } else if starts(&"allow") {
            Key::Allow
        } else if disallows.iter().any(starts) {
            Key::Disallow
        } else {
            Key::Other
        }
    }

    /// `MaybeEscapePattern`: escapes bytes above 0x7F, puts the hexadecimal digits of escapes into
    /// upper case, and changes nothing else.
    fn escape_pattern(value: &[u8]) -> Vec<u8> {
        let mut escaped = Vec::new();
        let mut rest = value;
        while let [first, after @ ..] = rest {
            if escape_at(rest).is_some() {
                escaped.extend(rest[..3].to_ascii_uppercase());
                rest = &rest[3..];
                continue;
            }
            if first.is_ascii() {
                escaped.push(*first);
            } else {
                escaped.extend(escape(*first));
            }
            rest = after;
        }
        escaped
    }

    impl Matcher {
        fn handle(&mut self, agents: &[&str], path: &[u8], key: &Key, value: &[u8]) {
            match key {
                Key::UserAgent => self.user_agent(agents, value),
                Key::Allow => self.rule(true, allow_priority(path, value)),
                Key::Disallow => self.rule(false, priority(path, value)),
                Key::Other => {}
            }
        }

        /// `HandleUserAgent`: compares the name in the line with all requested agents.
        fn user_agent(&mut self, agents: &[&str], value: &[u8]) {
            if self.seen_separator {
                self.seen_global = false;
                self.seen_specific = false;
                self.seen_separator = false;
            }
            if is_global(value) {
                self.seen_global = true;
                return;
            }
            let name = extract_user_agent(value);
            if agents.iter().any(|agent| agent.as_bytes().eq_ignore_ascii_case(name)) {
                self.seen_specific = true;
                self.ever_seen_specific = true;
            }
        }

        /// `HandleAllow` and `HandleDisallow`: a group that names a requested agent does not count as
        /// global too.
        fn rule(&mut self, allow: bool, priority: usize) {
            if !self.seen_global && !self.seen_specific {
                return;
            }
            self.seen_separator = true;
            let best = if self.seen_specific { &mut self.specific } else { &mut self.global };
            let best = if allow { &mut best.allow } else { &mut best.disallow };
            *best = priority.max(*best);
        }

        /// `disallow`: a specific group hides the global ones, whatever it holds.
        fn disallow(&self) -> bool {
            let best = if self.ever_seen_specific { &self.specific } else { &self.global };
            best.disallow > best.allow
        }
    }

    /// A `*`, alone or followed by white space and anything.
    fn is_global(value: &[u8]) -> bool {
        match value {
            [b'*'] => true,
            [b'*', second, ..] => is_space(*second),
            _ => false,
        }
    }

    /// `ExtractUserAgent`.
    fn extract_user_agent(value: &[u8]) -> &[u8] {
        leading(value, |byte| byte.is_ascii_alphabetic() || byte == b'-' || byte == b'_')
    }

    /// Of a record that the library does not know: the length of a value that matches a path, as of a rule.
    pub fn matched_length(value: &[u8], path: &[u8]) -> Option<usize> {
        let pattern = pattern(&escape_pattern(value));
        matches(&pattern, before(path, 0)).then_some(pattern.length)
    }

    /// `MatchDisallow`: the length of the pattern if it matches, else 0.
    fn priority(path: &[u8], value: &[u8]) -> usize {
        if matches(&pattern(value), path) { value.len() } else { 0 }
    }

    /// `HandleAllow`: where `/dir/index.htm...` does not match, `/dir/$` may.
    fn allow_priority(path: &[u8], value: &[u8]) -> usize {
        let own = priority(path, value);
        let slash = value.iter().rposition(|&byte| byte == b'/');
        match slash {
            Some(slash) if own == 0 && value[slash..].starts_with(b"/index.htm") => {
                let directory = [&value[..=slash], b"$"].concat();
                priority(path, &directory)
            }
            _ => own,
        }
    }

    /// `Matches`: every `*` is a wildcard, a `$` in last place the anchor.
    fn pattern(value: &[u8]) -> Pattern {
        let body = value.strip_suffix(b"$");
        let piece = |byte: &u8| match byte {
            b'*' => Piece::AnyRun,
            byte => Piece::Byte(*byte),
        };
        Pattern {
            pieces: body.unwrap_or(value).iter().map(piece).collect(),
            anchored: body.is_some(),
            length: value.len(),
        }
    }
}
