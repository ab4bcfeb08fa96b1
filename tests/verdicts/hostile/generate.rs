//! Hostile robots.txt files and URLs of any size; each attacks one known weakness of matchers.

/// Makes a file of about this many bytes.
pub type Generator = fn(usize) -> Vec<u8>;

/// All kinds of files.
pub const FILES: [(&str, Generator); 18] = [
    ("stars with an end", |bytes| stars(bytes, "$")),
    ("stars without an end", |bytes| stars(bytes, "")),
    ("one pattern of stars", one_pattern),
    ("distinct wildcards", distinct_wildcards),
    ("wildcards that share a beginning", shared_beginnings),
    ("wildcards that share an end", shared_ends),
    ("groups of distinct agents", distinct_agents),
    ("groups of one agent", same_agent),
    ("agents of one group", agents_of_one_group),
    ("rules of one agent", plain_rules),
    ("rules of one length", alternating_rules),
    ("one long line", long_line),
    ("one long line without a record", long_nonsense),
    ("bytes of any kind", any_bytes),
    ("runs of stars", runs_of_stars),
    ("nested segments", nested_segments),
    ("nested segments in one pattern", nested_in_one),
    ("escapes", escapes),
];

/// URLs as paths: 8 KiB for the engines, smaller for the plain reading and the oracle.
pub fn paths(bytes: usize) -> Vec<(&'static str, Vec<u8>)> {
    let repeated = |unit: &[u8]| [b"/".as_slice(), &unit.repeat(bytes / unit.len())].concat();
    let mut rng = Rng(7);
    let any: Vec<u8> = (0..bytes).map(|_| rng.byte()).filter(|byte| !b"\r\n#".contains(byte)).collect();
    vec![
        ("a", repeated(b"a")),
        ("slashes", repeated(b"/")),
        ("escaped a", repeated(b"%61")),
        ("raw UTF-8", repeated("\u{e9}".as_bytes())),
        ("ab", repeated(b"ab")),
        ("almost", [repeated(b"a"), b"b".to_vec()].concat()),
        ("stars", repeated(b"*$")),
        ("percents", repeated(b"%")),
        ("numbers", (0..bytes / 5).flat_map(|n| format!("/x{n:03}").into_bytes()).collect()),
        ("any", [b"/".as_slice(), &any].concat()),
    ]
}

/// A small random number generator with a fixed seed: every run has the same files.
struct Rng(u64);

impl Rng {
    fn byte(&mut self) -> u8 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 56) as u8
    }
}

/// A group for `*` with lines added until the file is long enough.
fn lines(bytes: usize, mut line: impl FnMut(usize) -> String) -> Vec<u8> {
    let mut file = b"User-agent: *\n".to_vec();
    for n in 0.. {
        file.extend_from_slice(line(n).as_bytes());
        file.push(b'\n');
        if file.len() >= bytes {
            break;
        }
    }
    file
}

/// A rule whose verdict changes from line to line.
fn rule(n: usize, pattern: &str) -> String {
    format!("{}: {pattern}", if n.is_multiple_of(3) { "Allow" } else { "Disallow" })
}

fn stars(bytes: usize, end: &str) -> Vec<u8> {
    lines(bytes, |n| format!("Disallow: /{}b{end}", "*a".repeat(4 + n % 60)))
}

fn one_pattern(bytes: usize) -> Vec<u8> {
    lines(1, |_| format!("Disallow: /{}b$", "*a".repeat(bytes / 2)))
}

fn distinct_wildcards(bytes: usize) -> Vec<u8> {
    lines(bytes, |n| rule(n, &format!("/*x{n:04}*/x{:03}*{}", n * 7 % 1000, n % 10)))
}

fn shared_beginnings(bytes: usize) -> Vec<u8> {
    lines(bytes, |n| rule(n, &format!("/*a*b*a*{n}*b{}", if n % 2 == 0 { "$" } else { "" })))
}

fn shared_ends(bytes: usize) -> Vec<u8> {
    lines(bytes, |n| rule(n, &format!("*{n}*a*ab*b*/$")))
}

fn distinct_agents(bytes: usize) -> Vec<u8> {
    let group = |n: usize| format!("User-agent: bot-{n}\nDisallow: /{n}\n");
    let mut file: Vec<u8> = (0..bytes / 32).flat_map(|n| group(n).into_bytes()).collect();
    file.extend_from_slice(b"User-agent: *\nDisallow: /a*b\n");
    file
}

fn same_agent(bytes: usize) -> Vec<u8> {
    (0..bytes / 32).flat_map(|n| format!("User-agent: *\n{}\n", rule(n, &format!("/a{n}*b"))).into_bytes()).collect()
}

fn agents_of_one_group(bytes: usize) -> Vec<u8> {
    let agents = (0..bytes / 20).flat_map(|n| format!("User-agent: bot-{n}\n").into_bytes());
    agents.chain(b"User-agent: *\nDisallow: /a\n".iter().copied()).collect()
}

fn plain_rules(bytes: usize) -> Vec<u8> {
    lines(bytes, |n| rule(n, &format!("/a/{n}")))
}

fn alternating_rules(bytes: usize) -> Vec<u8> {
    lines(bytes, |n| rule(n, &format!("/{}", "a".repeat(1 + n % 200))))
}

fn long_line(bytes: usize) -> Vec<u8> {
    lines(1, |_| format!("Disallow: /{}", "a".repeat(bytes)))
}

fn long_nonsense(bytes: usize) -> Vec<u8> {
    [b"User-agent: *\n", "a ".repeat(bytes / 2).as_bytes(), b"\nDisallow: /a"].concat()
}

fn any_bytes(bytes: usize) -> Vec<u8> {
    let mut rng = Rng(1);
    let mut file = b"User-agent: *\nDisallow: /".to_vec();
    while file.len() < bytes {
        match rng.byte() {
            0..8 => file.extend_from_slice(b"\0\0Allow: /\0*\xff$\n"),
            8..24 => file.extend_from_slice(b"\nDisallow: /*\xc3\xa9\xff"),
            byte => file.push(byte),
        }
    }
    file
}

fn runs_of_stars(bytes: usize) -> Vec<u8> {
    lines(bytes, |n| rule(n, &format!("/{}a{}", "*".repeat(1 << (n % 12)), "*".repeat(n % 99))))
}

/// `a`, `aa`, `aaa` and so on: each segment also ends wherever a longer one does.
fn nested_segments(bytes: usize) -> Vec<u8> {
    lines(bytes, |n| {
        let segments: Vec<String> = (1..10).map(|length| "a".repeat(1 + (length * (n + 1)) % 23)).collect();
        rule(n, &format!("/*{}b{}", segments.join("*"), if n % 2 == 0 { "$" } else { "" }))
    })
}

fn nested_in_one(bytes: usize) -> Vec<u8> {
    // Two copies of the same triangle.
    let longest = bytes.isqrt();
    let segments: Vec<String> = (1..longest).map(|length| "a".repeat(length)).collect();
    lines(1, |_| format!("Allow: /a*{}\nDisallow: /*{}*b", segments.join("*"), segments.join("*")))
}

fn escapes(bytes: usize) -> Vec<u8> {
    lines(bytes, |n| rule(n, &format!("/%61%2A*\u{e9}%{:02x}*%4{}%", n % 256, n % 10)))
}
