//! Lines of URL lists: the splitter, the slow path and the `url` crate agree on the origin.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::{config, urls};

const SCHEMES: &[&str] =
    &["http", "https", "HTTP", "Https", "hTtP", "ht\ttp", "ftp", "ws", "httpx", "", "1http", "file"];
const SLASHES: &[&str] = &["://", "://", "://", ":", ":/", ":///", ":\\\\", ":/\\", ":\t//", ":/\t/", "", "//"];
const USERS: &[&str] = &["", "", "", "", "u@", "u:p@", "@", ":@", "U%41@", "a@b@", "\u{e9}@", "u\\@", "u/@", "u?@"];
const HOSTS: &[&str] = &[
    "a.example",
    "A.Example",
    "a",
    "a-b.c_d.example",
    "a..b",
    ".a",
    "a.",
    "a.example.",
    "-a.b-",
    "bücher.example",
    "BÜCHER.de",
    "xn--bcher-kva.example",
    "XN--BCHER-KVA.example",
    "xn--",
    "xn--a",
    "xn--\u{fc}",
    "faß.de",
    "ｅｘａｍｐｌｅ.com",
    "例え.テスト",
    "a。b",
    "\u{ad}a",
    "%61.example",
    "a%2Eb",
    "a%00b",
    "1.2.3.4",
    "1.2.3",
    "1.2",
    "0x7f.1",
    "0X7F000001",
    "017.0.0.1",
    "1.2.3.256",
    "256",
    "4294967295",
    "4294967296",
    "1.2.3.4.5",
    "1.2.3.08",
    "a.0x1",
    "a.1",
    "1.a",
    "0x",
    "1.2.3.4.",
    "[::1]",
    "[::]",
    "[1:2:3:4:5:6:7:8]",
    "[2001:DB8::A]",
    "[::ffff:1.2.3.4]",
    "[::1",
    "::1]",
    "[1::2::3]",
    "[]",
    "[v1.a]",
    "",
    " ",
    "a b",
    "a\tb",
    "a\rb",
    "a<b",
    "a^b",
    "a|b",
    "a*b",
    "a'b",
    "a\"b",
    "a!b",
    "a$b",
    "a;b",
    "a,b",
    "a=b",
    "a~b",
    "a\u{7f}b",
    "localhost",
];
const PORTS: &[&str] = &[
    "",
    "",
    "",
    ":",
    ":80",
    ":443",
    ":8080",
    ":0",
    ":00",
    ":080",
    ":0080",
    ":65535",
    ":65536",
    ":99999999999",
    ":x",
    ":8x",
    ":-1",
    ": 80",
    ":80\t",
    ":８０",
    "::",
    ":80:80",
];
const RESTS: &[&str] = &[
    "",
    "/",
    "/a",
    "/a/b?c=d#e",
    "?",
    "?a",
    "?a#b",
    "#",
    "#a",
    "\\",
    "\\a",
    "//a",
    "/\t",
    "/a\r",
    "/a\rb",
    ";a",
    "/a b",
    "/é",
    "/%61",
    "/../a",
    "/./",
    "/a:80@b",
    "?a@b",
    "#@b:80",
    "/[",
    "/\u{0}",
];
const ENDS: &[&str] = &["", "", "", "", "\r", " ", "\t", "\u{0}", "\u{a0}"];

/// A line assembled from parts that are mostly valid.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let common = prop_oneof![4 => Just("http"), 4 => Just("https"), 4 => select(SCHEMES)];
    let slashes = prop_oneof![6 => Just("://"), 2 => select(SLASHES)];
    (select(ENDS), common, slashes, select(USERS), host(), select(PORTS), select(RESTS), select(ENDS)).prop_map(
        |(start, scheme, slashes, user, host, port, rest, end)| {
            [start, scheme, slashes, user, &host, port, rest, end].concat().into_bytes()
        },
    )
}

fn host() -> impl Strategy<Value = String> {
    let label = select(["a", "b1", "1", "0x2", "xn--p1ai", "x-y", "_dmarc", "com", "é"].as_slice());
    prop_oneof![
        2 => select(HOSTS).prop_map(str::to_owned),
        1 => vec(label, 1..5).prop_map(|labels| labels.join(".")),
    ]
}

/// Such a line with a few bytes replaced, so that invalid UTF-8 occurs too.
fn scarred_line() -> impl Strategy<Value = Vec<u8>> {
    (line(), vec((any::<prop::sample::Index>(), any::<u8>()), 0..4)).prop_map(|(mut line, scars)| {
        for (at, byte) in scars {
            if !line.is_empty() {
                let at = at.index(line.len());
                line[at] = byte;
            }
        }
        line.retain(|byte| *byte != b'\n');
        line
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn origins_agree_with_the_url_crate(line in line()) {
        urls::agree(&line);
    }

    #[test]
    fn scarred_lines_agree_with_the_url_crate(line in scarred_line()) {
        urls::agree(&line);
    }
}

/// Removing CRs brings bytes together.
#[test]
fn bytes_on_both_sides_of_a_cr_agree_with_the_url_crate() {
    urls::agree(b"http:./\r\rxh\r\xf3\r\r\xb6\r/..16.");
    urls::agree(b"http:.-/\r\xd7\r\x8d\r.......c");
}

#[test]
fn every_pair_of_parts_agrees_with_the_url_crate() {
    let lists = [SCHEMES, SLASHES, USERS, HOSTS, PORTS, RESTS];
    let usual = ["http", "://", "", "a.example", "", "/a"];
    for first in 0..lists.len() {
        for second in first + 1..lists.len() {
            for one in lists[first] {
                for other in lists[second] {
                    let mut parts = usual;
                    (parts[first], parts[second]) = (one, other);
                    urls::agree(parts.concat().as_bytes());
                }
            }
        }
    }
}
