//! The text of a robots.txt, and its entry in JSON Lines.

use std::io::Write;

use crate::rng::{Draw, mix};
use crate::rules::{Audience, Group, groups, rule};
use crate::site::{Site, Status};
use crate::text::Line;
use crate::vocabulary::{AGENTS, WORDS};

/// The spelling of keys and line ends in one file.
struct Style {
    user_agent: &'static [u8],
    disallow: &'static [u8],
    allow: &'static [u8],
    end: &'static [u8],
}

impl Style {
    /// One of the usual styles.
    fn draw(draw: &mut Draw) -> Self {
        let end: &[u8] = if draw.chance(800) { b"\r\n" } else { b"\n" };
        match draw.below(20) {
            0 => Self { user_agent: b"user-agent: ", disallow: b"disallow: ", allow: b"allow: ", end },
            1 => Self { user_agent: b"User-Agent: ", disallow: b"Disallow:\t", allow: b"Allow:\t", end },
            2 => Self { user_agent: b"User-agent:", disallow: b"Disallow:", allow: b"Allow:", end },
            _ => Self { user_agent: b"User-agent: ", disallow: b"Disallow: ", allow: b"Allow: ", end },
        }
    }
}

/// Appends the host's robots.txt. A shared template gives the same bytes for every host.
pub fn body(site: &Site, line: &mut Line, out: &mut Vec<u8>) {
    let template = &site.template;
    let mut draw = Draw::new(template.key ^ 5);
    let style = Style::draw(&mut draw);
    let mut sitemap = |when: bool, out: &mut Vec<u8>| {
        if when && !template.shared {
            line.clear();
            site.origin(true, line);
            out.extend_from_slice(b"Sitemap: ");
            out.extend_from_slice(line.as_bytes());
            out.extend_from_slice(b"/sitemap.xml");
            out.extend_from_slice(style.end);
        }
    };
    let (early, late) = (draw.chance(1_500), draw.chance(4_500));
    if draw.chance(4_000) {
        comment(&mut draw, &style, out);
    }
    sitemap(early, out);
    let groups = groups(template);
    for (i, entry) in groups.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(style.end);
        }
        group(site, entry, &style, &mut draw, out);
    }
    if late && !template.shared {
        out.extend_from_slice(style.end);
    }
    sitemap(late, out);
}

/// Appends a comment line.
fn comment(draw: &mut Draw, style: &Style, out: &mut Vec<u8>) {
    let mut line = Line::new();
    line.text(draw.text(&[b"# robots.txt ", b"# Please be gentle: ", b"#", b"# rules for ", b"# last changed: "]));
    line.word(draw.pick(&WORDS));
    line.byte(b' ');
    line.word(draw.pick(&WORDS));
    out.extend_from_slice(line.as_bytes());
    out.extend_from_slice(style.end);
}

/// Appends a group: its agents, occasionally a delay, and its rules.
fn group(site: &Site, group: &Group, style: &Style, draw: &mut Draw, out: &mut Vec<u8>) {
    agents(group.audience, style, out);
    if draw.chance(1_000) {
        out.extend_from_slice(b"Crawl-delay: ");
        out.extend_from_slice(draw.text(&[b"1", b"2", b"5", b"10", b"0.5", b"30"]));
        out.extend_from_slice(style.end);
    }
    if group.from == group.to {
        let all: &[u8] = if group.audience == Audience::Gatherers { b"/" } else { b"" };
        out.extend_from_slice(style.disallow);
        out.extend_from_slice(all);
        out.extend_from_slice(style.end);
    }
    let mut pattern = Line::new();
    for j in group.from..group.to {
        pattern.clear();
        let allow = rule(&site.template, j, &mut pattern);
        out.extend_from_slice(if allow { style.allow } else { style.disallow });
        out.extend_from_slice(pattern.as_bytes());
        if draw.chance(100) {
            out.extend_from_slice(b" # ");
            out.extend_from_slice(draw.text(&[b"old pages", b"duplicates", b"not for robots"]));
        }
        out.extend_from_slice(style.end);
        if draw.chance(150) {
            comment(draw, style, out);
        }
    }
}

/// Appends a group's `User-agent` lines.
fn agents(audience: Audience, style: &Style, out: &mut Vec<u8>) {
    let names: &[&[u8]] = match audience {
        Audience::All => &[b"*"],
        Audience::Googlebot => &[b"Googlebot"],
        Audience::Examplebot => &[b"Examplebot"],
        Audience::Gatherers => &[b"GPTBot", b"CCBot", b"ClaudeBot", b"Google-Extended"],
        Audience::Other(i) => &[AGENTS[i].as_bytes()],
    };
    for name in names {
        out.extend_from_slice(style.user_agent);
        out.extend_from_slice(name);
        out.extend_from_slice(style.end);
    }
}

/// Appends a host's entries as JSON Lines: its main origin, and for some hosts the redirect of the
/// other scheme.
pub fn entries(site: &Site, line: &mut Line, body_text: &mut Vec<u8>, out: &mut Vec<u8>) {
    if site.status == Status::Missing {
        return;
    }
    entry_start(site, true, line, out);
    match site.status {
        Status::Found => {
            body_text.clear();
            body(site, line, body_text);
            out.extend_from_slice(b"\"status\":200,\"body\":\"");
            escape(body_text, out);
            out.push(b'"');
        }
        Status::Absent => out.extend_from_slice(b"\"status\":404"),
        Status::Unavailable => out.extend_from_slice(b"\"status\":503"),
        Status::Missing => unreachable!("left above"),
    }
    entry_end(site, out);
    if site.dual {
        entry_start(site, false, line, out);
        out.extend_from_slice(b"\"status\":301,\"location\":\"");
        line.clear();
        site.origin(true, line);
        line.text(b"/robots.txt\"");
        out.extend_from_slice(line.as_bytes());
        entry_end(site, out);
    }
}

/// Appends the beginning of an entry, up to the comma after its URL.
fn entry_start(site: &Site, main: bool, line: &mut Line, out: &mut Vec<u8>) {
    line.clear();
    line.text(b"{\"url\":\"");
    site.origin(main, line);
    line.text(b"/robots.txt\",");
    out.extend_from_slice(line.as_bytes());
}

/// Appends the time of the fetch, a random second of January 2026, and ends the entry.
fn entry_end(site: &Site, out: &mut Vec<u8>) {
    let mut draw = Draw::new(mix(site.key));
    let (day, hour, minute, second) = (1 + draw.below(31), draw.below(24), draw.below(60), draw.below(60));
    writeln!(out, ",\"fetched_at\":\"2026-01-{day:02}T{hour:02}:{minute:02}:{second:02}Z\"}}")
        .expect("writing to memory does not fail");
}

/// Appends text escaped for a JSON string.
fn escape(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            _ => out.push(byte),
        }
    }
}
