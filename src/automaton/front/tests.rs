//! Compares the front with its automaton.

use super::item::{ALWAYS, FLAGS, ROOT_PASSES};
use super::*;
use crate::automaton::{Scratch, check_item, compile_item, verdict};
use crate::rng::Rng;
use crate::rules::tried::patterns;
use crate::rules::{Patterns, Verdict};
use std::ops::Range;

/// An item, in memory of whole cache lines, as items have to be.
struct Item {
    memory: Vec<u8>,
    place: Range<usize>,
}

impl Item {
    fn new(content: &[u32]) -> Item {
        let item = [&(size_of_val(content) as u32).to_le_bytes(), bytemuck::cast_slice::<_, u8>(content)].concat();
        let mut memory = vec![0; 64 + item.len().next_multiple_of(64)];
        let start = memory.as_ptr().align_offset(64);
        let place = start..start + item.len();
        memory[place.clone()].copy_from_slice(&item);
        Item { memory, place }
    }

    fn bytes(&self) -> &[u8] {
        &self.memory[self.place.clone()]
    }

    /// The answer of both probes, which must agree whatever bytes follow the path.
    fn passes(&self, path: &[u8]) -> bool {
        let portable = passes(self.bytes(), path);
        #[cfg(target_arch = "x86_64")]
        if !path.is_empty() && crate::judge::isa::has_avx2() {
            for after in [0, b'a', b'/', b'?', u8::MAX] {
                let mut padded = path.to_vec();
                padded.resize(path.len().next_multiple_of(32) + PADDING, after);
                // SAFETY: the item was checked and is aligned, the path is padded, and the features are there.
                let fast = unsafe { passes_avx2(self.bytes().as_ptr(), padded.as_ptr(), path.len()) };
                assert_eq!(fast, portable, "{} and bytes {after} after it", path.escape_ascii());
            }
        }
        portable
    }
}

fn item(patterns: &Patterns) -> Item {
    let mut content = Vec::new();
    compile_item(patterns, &mut content);
    check_item(&content).expect("what was just compiled");
    Item::new(&content)
}

/// Probes for a path; returns whether it passes, which it must if its verdict is not the base.
fn asked(item: &Item, path: &str, scratch: &mut Scratch) -> bool {
    let passes = item.passes(path.as_bytes());
    let verdict = verdict(words(item.bytes()), path.as_bytes(), scratch);
    let differs = (verdict == Verdict::Blocked) != base_is_blocked(item.bytes());
    assert!(passes || !differs, "{path} is {verdict:?}, which is not the base");
    let flags = item.bytes()[FLAGS];
    assert!(!(passes && never_passes(item.bytes())) && (passes || flags & ALWAYS == 0), "{path}");
    assert!(path != "/" || !differs || flags & (ROOT_PASSES | ALWAYS) != 0);
    passes
}

#[test]
fn a_front_lets_through_what_it_should_and_little_else() {
    let scratch = &mut Scratch::default();
    for (rules, through, not) in [
        ("-/private -/tmp/", &["/private", "/private/x", "/tmp/", "/tmp/abc"][..], &["/", "/tmp", "/pri", "/x"][..]),
        ("-/ +/$", &["/", "/robots.txt"], &["/x", "/private"]),
        ("-/ +/open", &["/open", "/open/x", "/robots.txt"], &["/", "/ope", "/xopen"]),
        ("-/*.pdf$", &["/a.pdf", "/.pdf", "/a.pdfx"], &["/a.pd", "/a.doc", "/"]),
        // The slash between two stars may be the one that every path begins with.
        ("-*/*.php$", &["/index.php", "/a/b.php", "/.php"], &["/index.ph", "/a/b", "/"]),
        ("-/*? -*&", &["/?", "/a?b", "/abc?", "/a&"], &["/", "/abc"]),
        ("-/shop*sort= -/x", &["/shop?sort=", "/x"], &["/shop", "/shop/cart", "/a?sort=", "/"]),
        ("-/a-prefix-of-more-than-16-bytes", &["/a-prefix-of-more-than-16-bytes"], &["/a-prefix-of-oth", "/a"]),
        ("-/*ab", &[&format!("/{}ab", "x".repeat(200))], &[&format!("/{}b", "x".repeat(200))]),
    ] {
        let item = item(&patterns(rules));
        for path in through {
            assert!(asked(&item, path, scratch), "{path} passes {rules}");
        }
        for path in not {
            assert!(!asked(&item, path, scratch), "{path} does not pass {rules}");
        }
    }
}

#[test]
fn paths_that_begin_as_no_prefix_does_are_told_apart() {
    let item = item(&patterns("-/private -/p/ -/tmp*x"));
    for (path, may) in [("/private/x", true), ("/p/", true), ("/tmp", true), ("/public", false), ("/", false)] {
        assert_eq!(begins(item.bytes(), path.as_bytes()), may, "{path}");
    }
    let many: String = (0..500).map(|n| format!("-/{n}-{n} ")).collect();
    let item = self::item(&patterns(&many));
    let told = (0..1000).filter(|n| !begins(item.bytes(), format!("/x{n}").as_bytes())).count();
    assert!(told > 800, "{told} of 1000");
}

#[test]
fn constant_verdicts_are_told_by_the_header() {
    for (rules, blocked) in [("+/", false), ("-/ +/*", false), ("+/a", false)] {
        let item = item(&patterns(rules));
        assert!(never_passes(item.bytes()), "{rules}");
        assert_eq!(base_is_blocked(item.bytes()), blocked);
    }
    let item = item(&patterns("-/"));
    assert!(base_is_blocked(item.bytes()) && item.passes(b"/robots.txt") && !item.passes(b"/"));
}

#[test]
fn what_does_not_begin_with_a_slash_passes() {
    let item = item(&patterns("-/a"));
    assert!(item.passes(b"") && item.passes(b"a") && item.passes(b"*"));
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn no_verdict_but_the_base_is_kept_back() {
    let (mut dice, scratch) = (Rng(2), &mut Scratch::default());
    let (mut asked_for, mut passed) = (0, 0);
    for round in 0..3000 {
        let bytes: &[u8] = [&b"a*"[..], b"ab*", b"ab*$?", b"abc/**", b"abcdefghijklmnopqrstuvwxyz/*?=&"][round % 5];
        let most = [1, 3, 10, 60, 300][dice.below(5)];
        let rules: Vec<String> = (0..1 + dice.below(most))
            .map(|_| {
                let (sign, end) = (["+", "-"][dice.below(2)], ["", "$"][dice.below(2)]);
                format!("{sign}{}{}{end}", ["/", "/", "*", "*/", "*/*"][dice.below(5)], dice.text(bytes, 9))
            })
            .collect();
        let item = item(&patterns(&rules.join(" ")));
        for at in 0..20 {
            let mut path = format!("/{}", dice.text(bytes, [10, 40, 150][at % 3]));
            if at % 4 == 0 {
                // Paths made from a rule are more likely to be found.
                path = rules[dice.below(rules.len())][1..].replace('*', &dice.text(bytes, 3)).replace('$', "");
                if !path.starts_with('/') {
                    path.insert(0, '/');
                }
            }
            asked_for += 1;
            passed += usize::from(asked(&item, &path, scratch));
        }
    }
    assert!(passed > asked_for / 20 && passed < asked_for * 19 / 20, "{passed} of {asked_for} pass");
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn every_flipped_bit_of_a_front_is_refused_or_harmless() {
    let many: String = (0..60).map(|n| format!("-/{n}/x{} ", ["", "*ab=", "*?"][n % 3])).collect();
    let many = many + "-/*.pdf$ -/*xyz +/$";
    let long = format!("/7/x{}?ab=", "y".repeat(150));
    let (mut refused, mut harmless) = (0, 0);
    for rules in ["-/", "-/ab -/*cd", "-/ +/a*b", &many] {
        let mut content = Vec::new();
        compile_item(&patterns(rules), &mut content);
        let front = content.len() - engine_words(&content).len();
        for bit in 0..32 * front {
            content[bit / 32] ^= 1 << (bit % 32);
            if check_item(&content).is_ok() {
                harmless += 1;
                // Whatever the bytes are, both probes give the same answer, and read nothing else.
                let item = Item::new(&content);
                for path in ["/", "/ab", "/7/x?", "/xabcd/cd/yz.pdf", &long] {
                    item.passes(path.as_bytes());
                }
            } else {
                refused += 1;
            }
            content[bit / 32] ^= 1 << (bit % 32);
        }
        for length in 0..front {
            assert!(check_item(&content[..length]).is_err(), "{length}");
        }
    }
    assert!(refused > 20 && harmless > 1000, "{refused} {harmless}");
}
