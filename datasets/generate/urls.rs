//! The text of a URL: a pure function of the seed, the host and the line's number within the host.

use crate::rng::Draw;
use crate::rules::rule;
use crate::site::{Site, World};
use crate::text::Line;
use crate::vocabulary::{ESCAPED, EXTENSIONS, PARAMETERS, RAW, SCRIPTS, SECTIONS, WORDS};

/// The basis of a line, for the statistics.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Nothing but the vocabulary.
    Page,
    /// A rule of the host, which the line matches.
    Match,
    /// A rule of the host, from which the line departs at its end.
    NearMiss,
}

/// Writes line `k` of a host, without its line end.
pub fn url(world: &World, rank: u64, k: u64, site: &Site, scratch: &mut Line, line: &mut Line) -> Source {
    let mut draw = Draw::new(world.line_key(rank, k));
    let other_scheme = site.dual && draw.chance(1_500);
    site.origin(!other_scheme, line);
    if k == 0 {
        line.byte(b'/');
        return Source::Page;
    }
    let rules = u64::from(site.template.rules);
    if rules == 0 || !draw.chance(world.ruled) {
        page(&mut draw, line);
        return Source::Page;
    }
    // Most pages fall under the first rules of a file.
    let j = draw.below(rules).min(draw.below(rules)) as u32;
    scratch.clear();
    rule(&site.template, j, scratch);
    if draw.chance(3_300) {
        matching(scratch.as_bytes(), &mut draw, line);
        Source::Match
    } else {
        near_miss(scratch.as_bytes(), &mut draw, line);
        Source::NearMiss
    }
}

/// Writes the path of a page of the site.
fn page(draw: &mut Draw, line: &mut Line) {
    line.byte(b'/');
    match draw.below(100) {
        0..28 => article(draw, line),
        28..52 => product(draw, line),
        // A directory, with or without a page number.
        52..68 => {
            line.word(draw.pick(&SECTIONS));
            line.byte(b'/');
            slug(draw, line, 1);
            line.byte(b'/');
            slug(draw, line, 2);
            line.byte(b'/');
            if draw.chance(3_000) {
                line.text(b"page/");
                line.number(2 + draw.below(60));
                line.byte(b'/');
            }
        }
        // A script with a query.
        68..82 => {
            if draw.chance(5_000) {
                line.word(draw.pick(&SECTIONS));
                line.byte(b'/');
            }
            line.word(draw.pick(&SCRIPTS));
            query(draw, line);
        }
        // A file.
        82..90 => {
            line.text(draw.text(&[b"files/", b"documents/", b"media/", b"downloads/", b"uploads/"]));
            line.number(2004 + draw.below(22));
            line.byte(b'/');
            slug(draw, line, 2);
            line.text(draw.text(&[b".pdf", b".pdf", b".jpg", b".png", b".zip", b".doc"]));
        }
        // A section with a query: a search, a sorted list.
        90..96 => {
            line.word(draw.pick(&SECTIONS));
            line.byte(b'/');
            query(draw, line);
        }
        // A number.
        _ => {
            line.word(draw.pick(&SECTIONS));
            line.byte(b'/');
            line.number(draw.below(10_000_000));
        }
    }
}

/// Writes a dated article's path.
fn article(draw: &mut Draw, line: &mut Line) {
    line.word(draw.pick(&SECTIONS));
    line.byte(b'/');
    line.number(2004 + draw.below(22));
    line.byte(b'/');
    line.two_digits(1 + draw.below(12));
    line.byte(b'/');
    slug(draw, line, 3);
    ending(draw, line);
}

/// Writes the path of a product, or of an item with an id.
fn product(draw: &mut Draw, line: &mut Line) {
    line.word(draw.pick(&SECTIONS));
    line.byte(b'/');
    slug(draw, line, 2);
    line.byte(b'-');
    line.number(draw.below(1_000_000));
    ending(draw, line);
}

/// Writes words joined by hyphens, from `least` to two more; one slug in sixty has bytes to
/// escape.
fn slug(draw: &mut Draw, line: &mut Line, least: u64) {
    let odd = draw.below(1_000);
    if odd < 15 {
        line.word(draw.pick(&ESCAPED));
        line.byte(b'-');
    } else if odd == 15 {
        line.word(draw.pick(&RAW));
        line.byte(b'-');
    }
    line.word(draw.pick(&WORDS));
    for _ in 1..least + draw.below(3) {
        line.byte(b'-');
        line.word(draw.pick(&WORDS));
    }
}

/// Writes the end of a page's name, occasionally with a query.
fn ending(draw: &mut Draw, line: &mut Line) {
    match draw.below(8) {
        0..3 => line.word(draw.pick(&EXTENSIONS)),
        3..5 => line.byte(b'/'),
        _ => {}
    }
    if draw.chance(800) {
        query(draw, line);
    }
}

/// Writes a query of one to three parameters.
fn query(draw: &mut Draw, line: &mut Line) {
    let parameters = 1 + draw.below(3);
    for i in 0..parameters {
        line.byte(if i == 0 { b'?' } else { b'&' });
        line.word(draw.pick(&PARAMETERS));
        line.byte(b'=');
        value(draw, line);
    }
}

/// Writes the value of a parameter.
fn value(draw: &mut Draw, line: &mut Line) {
    if draw.chance(6_000) {
        line.number(draw.below(5_000));
    } else {
        line.word(draw.pick(&WORDS));
    }
}

/// Writes a path that the pattern matches.
fn matching(pattern: &[u8], draw: &mut Draw, line: &mut Line) {
    if pattern.first() == Some(&b'*') {
        line.byte(b'/');
    }
    for (i, &byte) in pattern.iter().enumerate() {
        match byte {
            b'*' if pattern.get(i + 1) == Some(&b'&') => {
                line.word(draw.pick(&SECTIONS));
                line.text(b"?id=");
                value(draw, line);
            }
            b'*' => slug(draw, line, 2),
            b'$' if i + 1 == pattern.len() => return,
            _ => line.byte(byte),
        }
    }
    match pattern.last() {
        Some(b'/') => {
            slug(draw, line, 2);
            ending(draw, line);
        }
        Some(b'=') => value(draw, line),
        Some(b'?') => {
            line.word(draw.pick(&PARAMETERS));
            line.byte(b'=');
            value(draw, line);
        }
        _ if pattern.contains(&b'?') => {}
        _ if draw.chance(5_000) => query(draw, line),
        _ => {
            line.byte(b'/');
            slug(draw, line, 2);
        }
    }
}

/// Writes a path that follows the literal start of the pattern and then leaves it: a sibling of the
/// rule's target.
fn near_miss(pattern: &[u8], draw: &mut Draw, line: &mut Line) {
    let literal = pattern.iter().position(|byte| b"*$?".contains(byte)).unwrap_or(pattern.len());
    let mut stem = &pattern[..literal];
    if stem.last() == Some(&b'/') {
        stem = &stem[..stem.len() - 1];
    }
    if stem.len() < 4 {
        return page(draw, line);
    }
    if draw.chance(5_000) {
        // A sibling in the same directory.
        let parent = stem.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        line.text(&stem[..=parent]);
    } else {
        // A name with the same beginning: without its last byte, so that no rule without a slash
        // matches it.
        line.text(&stem[..stem.len() - 1]);
        line.byte(b'-');
    }
    slug(draw, line, 3);
    ending(draw, line);
}
