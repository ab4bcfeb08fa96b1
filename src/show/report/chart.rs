//! Charts as SVG inside the page. Their labels are HTML, so that they stay readable on a narrow screen.

use std::fmt::Write;

use super::html::{number, percent, text};
use crate::output::samples::Sample;

/// A bar of parts, each with its name (also its CSS class) and its number.
pub(super) fn parts(label: &str, parts: &[(&'static str, u64)]) -> String {
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
pub(super) fn speed(samples: &[Sample]) -> String {
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
    fn steps_are_what_was_done_between_samples() {
        let sample = |seconds, lines| Sample { seconds, lines, bytes: 0 };
        let samples = [sample(1.0, 100), sample(1.0, 100), sample(3.0, 500)];
        assert_eq!(steps(&samples), [(0.0, 1.0, 100.0), (1.0, 3.0, 200.0)]);
        let chart = speed(&samples);
        assert!(chart.contains("0.000,21.000 33.333,21.000 33.333,2.000 100.000,2.000"), "{chart}");
        assert!(chart.contains("200 lines a second") && chart.contains("3.00 s"), "{chart}");
        for none in [&[][..], &[sample(0.0, 0)], &[sample(f64::NAN, 3)], &[sample(1.0, 0)]] {
            assert!(speed(none).contains("too short"));
        }
    }

    #[test]
    fn parts_fill_the_bar() {
        let chart = parts("what", &[("allowed", 3), ("blocked", 1), ("invalid", 0)]);
        assert!(chart.contains("x=\"0.0000\" width=\"75.0000\"") && chart.contains("x=\"75.0000\" width=\"25.0000\""));
        assert!(parts("nothing", &[("allowed", 0)]).contains("width=\"0.0000\""));
        assert!(parts("too much", &[("allowed", u64::MAX), ("blocked", 1)]).contains("width=\"100.0000\""));
    }
}
