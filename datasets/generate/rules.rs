//! Rules: number `j` of a template is a pure function of `j` and the template, so a URL finds its
//! rule without making the file.

use crate::rng::{Draw, key};
use crate::site::Template;
use crate::text::Line;
use crate::vocabulary::{ESCAPED, EXTENSIONS, KEPT_OUT, PARAMETERS, SCRIPTS, SECTIONS, WORDS};

/// One template in this many blocks the whole site with its first rule.
const CLOSED_ONE_IN: u64 = 80;

/// Whether this template's first rule is `Disallow: /`.
pub fn closed(template: &Template) -> bool {
    template.rules > 0 && Draw::new(template.key ^ 2).below(CLOSED_ONE_IN) == 0
}

/// Writes the pattern of rule `j`; returns whether it is an `Allow`.
pub fn rule(template: &Template, j: u32, line: &mut Line) -> bool {
    if j == 0 && closed(template) {
        line.byte(b'/');
        return false;
    }
    let mut draw = Draw::new(key(template.key, u64::from(j)));
    let class = draw.below(10_000);
    if class < 500 && j > 0 {
        // An exception to the previous rule, as most are, or an asset that pages need.
        if class < 400 {
            base(template, j - 1, line);
            exception(&mut draw, line);
        } else {
            asset(&mut draw, line);
        }
        return true;
    }
    base(template, j, line);
    false
}

/// Writes the pattern of rule `j` as a `Disallow`. Stars are concentrated: half of the files have
/// none.
fn base(template: &Template, j: u32, line: &mut Line) {
    let mut draw = Draw::new(key(template.key ^ 3, u64::from(j)));
    match draw.below(10_000) {
        0..285 if template.starry => several_stars(&mut draw, line),
        285..2_850 if template.starry => one_star(&mut draw, line),
        _ => plain(&mut draw, line),
    }
}

/// Extends a pattern below its directory.
fn exception(draw: &mut Draw, line: &mut Line) {
    while matches!(line.as_bytes().last(), Some(b'$' | b'*' | b'/')) {
        line.truncate(line.as_bytes().len() - 1);
    }
    line.byte(b'/');
    line.word(draw.pick(&WORDS));
    match draw.below(4) {
        0 => line.byte(b'/'),
        1 => line.word(draw.pick(&EXTENSIONS)),
        2 => line.text(b".html$"),
        _ => {}
    }
}

/// A pattern for style sheets, scripts or pictures.
fn asset(draw: &mut Draw, line: &mut Line) {
    line.text(draw.text(&[b"/*.css$", b"/*.js$", b"/assets/", b"/static/css/", b"/themes/*.png$", b"/images/"]));
}

/// Writes a slash and a first segment.
fn top(draw: &mut Draw, line: &mut Line, kept_out_of_ten: u64) {
    line.byte(b'/');
    if draw.below(10) < kept_out_of_ten {
        line.word(draw.pick(&KEPT_OUT));
    } else {
        line.word(draw.pick(&SECTIONS));
    }
}

/// Writes a slash and a deeper segment.
fn below(draw: &mut Draw, line: &mut Line) {
    line.byte(b'/');
    line.word(draw.pick(&WORDS));
    if draw.chance(4_000) {
        line.byte(b'-');
        line.word(draw.pick(&WORDS));
    }
}

/// A pattern without a star; one in seventy ends with `$`.
fn plain(draw: &mut Draw, line: &mut Line) {
    match draw.below(100) {
        0..24 => {
            top(draw, line, 10);
            line.byte(b'/');
        }
        24..32 => top(draw, line, 10),
        32..60 => {
            top(draw, line, 5);
            below(draw, line);
            line.byte(b'/');
        }
        60..68 => {
            top(draw, line, 6);
            below(draw, line);
            below(draw, line);
            line.byte(b'/');
        }
        68..77 => {
            top(draw, line, 6);
            below(draw, line);
            line.word(draw.pick(&EXTENSIONS));
        }
        77..85 => {
            line.byte(b'/');
            line.word(draw.pick(&SCRIPTS));
        }
        85..89 => {
            top(draw, line, 9);
            line.byte(b'?');
            line.word(draw.pick(&PARAMETERS));
            line.byte(b'=');
        }
        89..95 => {
            top(draw, line, 3);
            line.byte(b'/');
            line.number(draw.below(100_000));
            if draw.chance(5_000) {
                line.byte(b'/');
            }
        }
        95..97 => {
            line.byte(b'/');
            line.word(draw.pick(&WORDS));
            line.byte(b'/');
            line.word(draw.pick(&ESCAPED));
        }
        97..99 => {
            below(draw, line);
            line.text(b".html$");
        }
        _ => line.text(b"/?s="),
    }
}

/// A pattern with one star.
fn one_star(draw: &mut Draw, line: &mut Line) {
    match draw.below(100) {
        0..25 => {
            line.text(b"/*?");
            line.word(draw.pick(&PARAMETERS));
            line.byte(b'=');
        }
        25..35 => {
            line.text(b"/*&");
            line.word(draw.pick(&PARAMETERS));
            line.byte(b'=');
        }
        35..50 => {
            line.text(b"/*/");
            line.word(draw.pick(&KEPT_OUT));
            line.byte(b'/');
        }
        50..65 => {
            top(draw, line, 5);
            line.text(b"/*");
            below(draw, line);
            line.byte(b'/');
        }
        65..73 => {
            line.text(b"/*");
            line.text(draw.text(&[b".pdf$", b".doc$", b".xls$", b".php$", b".xml$", b".zip$", b".inc$"]));
        }
        73..83 => {
            top(draw, line, 6);
            line.text(b"/*");
            line.word(draw.pick(&EXTENSIONS));
        }
        83..92 => {
            top(draw, line, 10);
            line.byte(b'*');
        }
        92..96 => {
            top(draw, line, 5);
            line.text(b"/*?");
        }
        _ => {
            line.text(b"/*");
            line.word(draw.pick(&WORDS));
            line.byte(b'-');
            line.word(draw.pick(&WORDS));
        }
    }
}

/// A pattern with two or three stars.
fn several_stars(draw: &mut Draw, line: &mut Line) {
    match draw.below(6) {
        0 => {
            line.text(b"/*?*");
            line.word(draw.pick(&PARAMETERS));
            line.byte(b'=');
            if draw.chance(5_000) {
                line.byte(b'*');
            }
        }
        1 => {
            line.text(b"/*/");
            line.word(draw.pick(&KEPT_OUT));
            line.text(b"/*/");
            line.word(draw.pick(&KEPT_OUT));
            line.byte(b'/');
        }
        2 => {
            top(draw, line, 3);
            line.text(b"/*");
            below(draw, line);
            line.text(b"/*.pdf$");
        }
        3 => {
            line.text(b"/*");
            line.word(draw.pick(&WORDS));
            line.byte(b'*');
            line.word(draw.pick(&WORDS));
            line.byte(b'*');
        }
        4 => {
            line.byte(b'*');
            below(draw, line);
            line.text(b"/*");
        }
        _ => {
            top(draw, line, 3);
            line.text(b"/*/*");
            below(draw, line);
            line.byte(b'/');
        }
    }
}

/// The crawlers a group applies to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// `*`.
    All,
    /// Googlebot.
    Googlebot,
    /// The agents that gather text for language models; they share one group.
    Gatherers,
    /// Examplebot, the agent used in measurements.
    Examplebot,
    /// Some other agent, by its index in the vocabulary.
    Other(usize),
}

/// A group of a file, and the rules `from..to` of the template that it holds.
#[derive(Clone, Copy)]
pub struct Group {
    /// The crawlers it applies to.
    pub audience: Audience,
    /// The first rule.
    pub from: u32,
    /// One past the last rule.
    pub to: u32,
}

/// The groups of a file, in file order. A group without rules has `Disallow:`; the gatherers' group
/// has `Disallow: /`.
pub fn groups(template: &Template) -> Vec<Group> {
    let mut draw = Draw::new(template.key ^ 4);
    let n = template.rules;
    let group = |audience, from, to| Group { audience, from, to };
    let other = Audience::Other(draw.below(16) as usize);
    let shields = draw.chance(3_000);
    // The start of the last quarter, and all rules but one, which the gatherers' group replaces.
    let (part, fewer) = (n - n / 4, n.saturating_sub(1));
    match draw.below(100) {
        0..55 => vec![group(Audience::All, 0, n)],
        55..73 => vec![group(Audience::All, 0, fewer), group(Audience::Gatherers, 0, 0)],
        73..83 => vec![group(Audience::Googlebot, part, n), group(Audience::All, 0, part)],
        83..90 => {
            vec![group(Audience::All, 0, part), group(other, part.min(fewer), fewer), group(Audience::Gatherers, 0, 0)]
        }
        90..97 if shields => vec![group(Audience::Examplebot, 0, 0), group(Audience::All, 0, n)],
        90..97 => vec![group(Audience::All, 0, part), group(Audience::Examplebot, part, n)],
        97..99 => vec![group(Audience::Googlebot, part, n), group(other, 0, part)],
        // One agent with two groups.
        _ => vec![group(Audience::All, 0, part), group(other, 0, 0), group(Audience::All, part, n)],
    }
}

/// The groups that apply to Examplebot.
pub fn examplebot(template: &Template) -> Vec<Group> {
    let all = groups(template);
    let own = all.iter().any(|group| group.audience == Audience::Examplebot);
    let wanted = if own { Audience::Examplebot } else { Audience::All };
    all.into_iter().filter(|group| group.audience == wanted).collect()
}
