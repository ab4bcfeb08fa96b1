//! Pieces of HTML. All text goes through [`text`], because origins, rules and file names are untrusted.

use std::cmp::Ordering;
use std::fmt::Write;

use crate::formats::visible;
use crate::output::receipt::Sample;

/// Escapes text for elements and attributes. What a browser, like a terminal, would obey is shown as escapes.
pub(super) fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for letter in visible(raw).to_string().chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(letter),
        }
    }
    out
}

/// A number with commas as thousands separators.
pub(super) fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// By how much a number grew, with its sign.
pub(super) fn difference(was: u64, now: u64) -> String {
    let sign = match now.cmp(&was) {
        Ordering::Less => "-",
        Ordering::Equal => "",
        Ordering::Greater => "+",
    };
    format!("{sign}{}", number(now.abs_diff(was)))
}

/// A part of a whole, in per cent.
pub(super) fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// A link to the robots.txt of an origin. A host may wrap after a dot, never inside a label.
fn origin_link(origin: &str) -> String {
    let labels = origin.split_inclusive('.').map(|label| format!("<span>{}</span>", text(label)));
    let labels = labels.collect::<Vec<_>>().join("<wbr>");
    let is_origin = origin.starts_with("http://") || origin.starts_with("https://");
    if !is_origin {
        return labels;
    }
    let origin = text(origin);
    format!("<a href=\"{origin}/robots.txt\" title=\"{origin}\" rel=\"noreferrer\">{labels}</a>")
}

/// A collapsed list of names with their meanings.
pub(super) fn legend(heading: &str, terms: &[(&str, &str)]) -> String {
    if terms.is_empty() {
        return String::new();
    }
    let terms = terms.iter().map(|(name, meaning)| format!("<dt>{}</dt><dd>{}</dd>\n", text(name), text(meaning)));
    format!(
        "<details><summary>{}</summary><dl class=\"terms\">{}</dl></details>\n",
        text(heading),
        terms.collect::<String>()
    )
}

/// A collapsed section.
pub(super) fn folded(id: &str, heading: &str, content: &str) -> String {
    format!(
        "<section id=\"{id}\"><details>\n<summary><h2>{}</h2></summary>\n{content}</details></section>\n",
        text(heading)
    )
}

/// A section, with a name for links.
pub(super) fn section(id: &str, heading: &str, content: &str) -> String {
    format!("<section id=\"{id}\">\n<h2>{}</h2>\n{content}</section>\n", text(heading))
}

pub(super) fn paragraph(content: &str) -> String {
    format!("<p>{}</p>\n", text(content))
}

/// A paragraph that a reader must not overlook.
pub(super) fn warning(content: &str) -> String {
    format!("<p class=\"warning\">{}</p>\n", text(content))
}

/// A paragraph that says where numbers are from.
pub(super) fn source(content: &str) -> String {
    format!("<p class=\"source\">{}</p>\n", text(content))
}

/// A cell of a [`table`].
pub(super) enum Cell {
    /// Our own words.
    Words(String),
    /// A name of our own, with its meaning.
    Term(String, &'static str),
    /// Untrusted text.
    Code(String),
    /// An origin, linked to its robots.txt, and text that follows it.
    Origin(String, String),
    /// The name of a partition, shown with its colour.
    Partition(&'static str),
    /// The name of a partition, with its colour, and that of a reason with its meaning.
    Outcome(&'static str, String, &'static str),
    Number(u64),
    /// By how much a number grew, from the first to the second.
    Difference(u64, u64),
    /// A part of a whole.
    Share(u64, u64),
}

/// A table with these columns, which can be sorted by any of them. Empty without rows.
pub(super) fn table<R: IntoIterator<Item = Cell>>(
    caption: &str,
    columns: &[&str],
    rows: impl IntoIterator<Item = R>,
) -> String {
    let rows: Vec<Vec<Cell>> = rows.into_iter().map(|cells| cells.into_iter().collect()).collect();
    let Some(first) = rows.first() else { return String::new() };
    let column = |(name, cell): (&&str, &Cell)| {
        let class = if cell.is_number() { " class=\"number\"" } else { "" };
        format!("<th scope=\"col\"{class}>{}</th>", text(name))
    };
    let row = |cells: &Vec<Cell>| {
        let partition = cells.iter().find_map(Cell::partition);
        let head = partition.map_or_else(|| "<tr>".to_owned(), |name| format!("<tr data-partition=\"{name}\">"));
        format!("{head}{}</tr>\n", cells.iter().map(Cell::html).collect::<String>())
    };
    let columns: String = columns.iter().zip(first).map(column).collect();
    let (caption, rows) = (text(caption), rows.iter().map(row).collect::<String>());
    format!(
        "<div class=\"scroll\"><table>\n<caption>{caption}</caption>\n<thead><tr>{columns}</tr></thead>\n<tbody>\n{rows}</tbody>\
         </table></div>\n"
    )
}

impl Cell {
    /// The partition that it is about, if it is about one.
    fn partition(&self) -> Option<&'static str> {
        match self {
            Cell::Partition(name) | Cell::Outcome(name, ..) => Some(name),
            _ => None,
        }
    }

    fn is_number(&self) -> bool {
        matches!(self, Cell::Number(_) | Cell::Difference(..) | Cell::Share(..))
    }

    fn html(&self) -> String {
        match self {
            Cell::Words(words) => format!("<td>{}</td>", text(words)),
            Cell::Term(name, meaning) => format!("<td><abbr title=\"{}\">{}</abbr></td>", text(meaning), text(name)),
            Cell::Origin(origin, more) => format!("<td><code>{}{}</code></td>", origin_link(origin), text(more)),
            Cell::Code(code) => format!("<td><code>{}</code></td>", text(code)),
            Cell::Partition(name) => {
                format!("<td class=\"partition\"><span class=\"swatch {name}\"></span>{name}</td>")
            }
            Cell::Outcome(partition, reason, meaning) => format!(
                "<td><span class=\"swatch {partition}\"></span>{partition}: <abbr title=\"{}\">{}</abbr></td>",
                text(meaning),
                text(reason)
            ),
            Cell::Number(value) => format!("<td class=\"number\" data-value=\"{value}\">{}</td>", number(*value)),
            Cell::Difference(was, now) => {
                let (value, shown) = (i128::from(*now) - i128::from(*was), difference(*was, *now));
                format!("<td class=\"number\" data-value=\"{value}\">{shown}</td>")
            }
            Cell::Share(part, whole) => {
                let share = percent(*part, *whole);
                format!(
                    "<td class=\"number share\" data-value=\"{share}\">{share:.2}%<svg class=\"meter\" viewBox=\"0 0 100 4\" \
                     preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect width=\"{share:.3}\" height=\"4\"/></svg></td>"
                )
            }
        }
    }
}

/// A caption with the number of items shown, the number of all items, and the accuracy of the counts.
pub(super) fn caption(what: &str, known: usize, most: usize, error: u64) -> String {
    let shown = if known > most { format!(": the first {most} of {}", number(known as u64)) } else { String::new() };
    match error {
        0 => format!("{what}{shown}"),
        _ => format!("{what}{shown} or more; counts may be too small by up to {}", number(error)),
    }
}

/// An HTTP status, if there is one.
pub(super) fn status(status: Option<u16>) -> String {
    status.map_or_else(|| "none".to_owned(), |status| status.to_string())
}

// Charts as SVG inside the page. Their labels are HTML, so that they stay readable on a narrow screen.

/// A bar of parts, each with its name (also its CSS class) and its number.
pub(super) fn bar_of_parts(label: &str, parts: &[(&'static str, u64)]) -> String {
    // Saturating, because a receipt may have been tampered with.
    let whole = parts.iter().fold(0u64, |whole, (_, part)| whole.saturating_add(*part));
    let (mut bars, mut legend, mut at) = (String::new(), String::new(), 0.0);
    for (name, part) in parts {
        let share = percent(*part, whole);
        // Writing to a string cannot fail, here and below.
        let _ = write!(
            bars,
            "<rect class=\"{name}\" x=\"{at:.4}\" width=\"{share:.4}\" height=\"10\"><title>{name}: {share:.2}%</title></rect>"
        );
        let _ = write!(
            legend,
            "<li><span class=\"swatch {name}\"></span>{name} <strong>{share:.2}%</strong> {}</li>",
            number(*part)
        );
        at += share;
    }
    let label = text(label);
    format!(
        "<figure><svg class=\"parts\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{label}\">\
         {bars}</svg><ul class=\"legend\">{legend}</ul></figure>\n"
    )
}

/// Lines per second over the time of a run.
pub(super) fn speed_chart(samples: &[Sample]) -> String {
    let steps = steps(samples);
    let end = steps.last().map_or(0.0, |step| step.1);
    let most = steps.iter().map(|step| step.2).fold(0.0, f64::max);
    if end <= 0.0 || most <= 0.0 {
        return "<p>The run was too short to measure.</p>\n".to_owned();
    }
    let mut line = String::new();
    for (from, to, pace) in &steps {
        let y = 40.0 - 38.0 * pace / most;
        let _ = write!(line, "{:.3},{y:.3} {:.3},{y:.3} ", 100.0 * from / end, 100.0 * to / end);
    }
    let line = line.trim_end();
    format!(
        "<figure><div class=\"scale\"><span>{} lines a second</span></div><svg class=\"speed\" viewBox=\"0 0 100 40\" \
         preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Lines a second over time\"><polygon points=\"0,40 {line} \
         100,40\"/><polyline points=\"{line}\"/></svg><div class=\"scale\"><span>0 s</span><span>{end:.2} s</span></div>\
         </figure>\n",
        number(most as u64)
    )
}

/// The start, end and lines per second of each interval between samples.
fn steps(samples: &[Sample]) -> Vec<(f64, f64, f64)> {
    let (mut steps, mut before) = (Vec::new(), Sample { seconds: 0.0, lines: 0, bytes: 0 });
    for sample in samples.iter().filter(|sample| sample.seconds.is_finite()) {
        let seconds = sample.seconds - before.seconds;
        if seconds > 0.0 {
            let lines = sample.lines.saturating_sub(before.lines);
            steps.push((before.seconds, sample.seconds, lines as f64 / seconds));
            before = *sample;
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_only_text() {
        let raw = "<script>alert(\"1\")</script>&amp;'\u{202e}\u{7}\nä\u{200f}\u{61c}\u{9b}";
        let expected = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;amp;&#39;\\u{202e}\\u{7}\\nä\\u{200f}\\u{61c}\\u{9b}";
        assert_eq!(text(raw), expected);
        assert_eq!(table("<b>", &["<i>"], [[]; 0]), "");
        let html = table("<b>", &["<i>"], [[Cell::Code("</code><u>".to_owned()), Cell::Words("<s>".to_owned())]]);
        assert!(["<b>", "<i>", "<u>", "<s>"].iter().all(|markup| !html.contains(markup)), "{html}");
    }

    #[test]
    fn a_host_is_broken_after_dots() {
        let link = origin_link("http://a-b.example:80");
        let expected = "<a href=\"http://a-b.example:80/robots.txt\" title=\"http://a-b.example:80\" rel=\"noreferrer\">\
                        <span>http://a-b.</span><wbr><span>example:80</span></a>";
        assert_eq!(link, expected);
        assert_eq!(origin_link("javascript:<x>"), "<span>javascript:&lt;x&gt;</span>");
    }

    #[test]
    fn thousands_have_commas() {
        for (value, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (12_345_678, "12,345,678")] {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn steps_are_what_was_done_between_samples() {
        let sample = |seconds, lines| Sample { seconds, lines, bytes: 0 };
        let samples = [sample(1.0, 100), sample(1.0, 100), sample(3.0, 500)];
        assert_eq!(steps(&samples), [(0.0, 1.0, 100.0), (1.0, 3.0, 200.0)]);
        let chart = speed_chart(&samples);
        assert!(chart.contains("0.000,21.000 33.333,21.000 33.333,2.000 100.000,2.000"), "{chart}");
        assert!(chart.contains("200 lines a second") && chart.contains("3.00 s"), "{chart}");
        for none in [&[][..], &[sample(0.0, 0)], &[sample(f64::NAN, 3)], &[sample(1.0, 0)]] {
            assert!(speed_chart(none).contains("too short"));
        }
    }

    #[test]
    fn parts_fill_the_bar() {
        let chart = bar_of_parts("what", &[("allowed", 3), ("blocked", 1), ("invalid", 0)]);
        assert!(chart.contains("x=\"0.0000\" width=\"75.0000\"") && chart.contains("x=\"75.0000\" width=\"25.0000\""));
        assert!(bar_of_parts("nothing", &[("allowed", 0)]).contains("width=\"0.0000\""));
        assert!(bar_of_parts("too much", &[("allowed", u64::MAX), ("blocked", 1)]).contains("width=\"100.0000\""));
    }
}
