//! Draws automata with Graphviz.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::automaton::{Engine, Graph, GraphState, Next, graph, priorities};
use crate::formats::visible;
use crate::formats::visible::visible_except;
use crate::policy::{Crawler, Policy, Record};
use crate::rules::Verdict;
use crate::rules::chosen::ChosenRules;

/// The maximum number of rules named for a priority.
const NAMED: usize = 6;

/// The automaton of the group that applies to a crawler of a policy, in Graphviz's DOT language; `None` if no group
/// applies.
///
/// A byte follows its edge. A byte without an edge follows the dashed one: to another state, which examines it again,
/// or back to the same state, which consumes it. At the end of a path, the state gives the verdict and the priority of
/// the rules that decide.
///
/// # Panics
///
/// If a crawler was taken from a policy for other crawlers.
pub fn dot(policy: &Policy, record: &Record<'_>, crawler: &Crawler) -> Option<String> {
    let groups = policy.groups(crawler);
    let (column, group) = groups.answer(record.row);
    let group = group?;
    let rules = policy.rules(group, column);
    let graph = graph(groups.automaton(group), &rules.patterns);
    let mut out = String::from("digraph automaton {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\"];\n");
    let origin = String::from_utf8_lossy(record.origin);
    let title = format!("{origin} for {}{}", crawler.agents(), legend(&graph, &rules));
    line(
        &mut out,
        format_args!("graph [label=\"{}\", labelloc=t, labeljust=l, fontname=\"monospace\"]", escaped(&title)),
    );
    line(&mut out, format_args!("start [shape=point]"));
    for (verdict, color) in [(Verdict::Allowed, "palegreen"), (Verdict::Blocked, "lightpink")] {
        line(&mut out, format_args!("{verdict} [label=\"{verdict}\", shape=ellipse, style=filled, fillcolor={color}]"));
    }
    line(&mut out, format_args!("start -> {}", node(graph.start)));
    for state in &graph.states {
        draw(state, graph.engine, &mut out);
    }
    out.push_str("}\n");
    Some(out)
}

fn line(out: &mut String, statement: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "  {statement};");
}

/// The legend: the engine, and the priorities with their rules.
fn legend(graph: &Graph, rules: &ChosenRules) -> String {
    let mut text = match graph.engine {
        Engine::Constant => "\nall paths have the same verdict".to_owned(),
        Engine::Dfa => "\na DFA; dashed: all other bytes".to_owned(),
        Engine::Cursors => {
            "\ncursors: this is the scanner that finds the segments of the patterns; the verdict depends on the \
             order in which it finds them"
                .to_owned()
        }
    };
    let mut priorities_of: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (rank, priority) in priorities(&rules.patterns).into_iter().enumerate() {
        priorities_of.entry(priority).or_default().push(rank);
    }
    for (priority, ranks) in priorities_of.iter().rev() {
        let named = ranks.iter().take(NAMED).map(|&rank| {
            let rule = &rules.rules[rules.patterns.all()[rank].rule as usize];
            let value = visible(String::from_utf8_lossy(&rule.value));
            format!("{}: {value} (line {}, rank {rank})", rule.key(), rule.line)
        });
        let named: Vec<String> = named.collect();
        let more = if ranks.len() > NAMED { format!(", {} more", ranks.len() - NAMED) } else { String::new() };
        let verdict = if priority % 2 == 1 { Verdict::Blocked } else { Verdict::Allowed };
        text.push_str(&format!("\npriority {priority}, {}: {}{more}", verdict.name(), named.join(", ")));
    }
    text
}

fn draw(state: &GraphState, engine: Engine, out: &mut String) {
    let mut label = match (engine, state.segment) {
        (Engine::Cursors, Some(segment)) => format!("segment {segment} ends here"),
        (Engine::Cursors, None) => String::new(),
        _ => format!("{} at the end", state.at_end.name()),
    };
    if let Some((end, reached)) = state.priorities {
        label.push_str(&format!(", priority {end}"));
        if reached != end {
            label.push_str(&format!("; else priority {reached}"));
        }
    }
    let is_run = state.edges.iter().any(|edge| edge.bytes.len() > 1);
    if is_run && engine != Engine::Cursors && state.within != state.at_end {
        label.push_str(&format!("; {} within the run", state.within.name()));
    }
    let number = state.number;
    line(out, format_args!("s{number} [label=\"{}\"]", escaped(&label)));
    let mut bytes: BTreeMap<Next, Vec<u8>> = BTreeMap::new();
    for edge in &state.edges {
        match edge.bytes.as_slice() {
            [byte] => bytes.entry(edge.next).or_default().push(*byte),
            run => line(out, format_args!("s{number} -> {} [label=\"{}\"]", node(edge.next), escaped(&shown(run)))),
        }
    }
    for (next, bytes) in bytes {
        let label = escaped(&ranges(&bytes));
        line(out, format_args!("s{number} -> {} [label=\"{label}\"]", node(next)));
    }
    let default = state.default.map_or_else(|| format!("s{number}"), node);
    line(out, format_args!("s{number} -> {default} [style=dashed]"));
}

/// Lists single bytes; three or more neighbours become a range.
fn ranges(bytes: &[u8]) -> String {
    let mut bytes = bytes.to_vec();
    bytes.sort_unstable();
    let ranges = bytes.chunk_by(|one, other| one + 1 == *other).map(|range| match range {
        [first, _, .., last] => format!("{}-{}", shown(&[*first]), shown(&[*last])),
        few => few.iter().map(|byte| shown(&[*byte])).collect::<Vec<_>>().join(" "),
    });
    ranges.collect::<Vec<_>>().join(" ")
}

/// Bytes as ASCII; those that are not visible there in hexadecimal.
fn shown(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|&byte| if byte.is_ascii_graphic() { char::from(byte).to_string() } else { format!("\\x{byte:02X}") })
        .collect()
}

/// Escapes text for a quoted label, with lines aligned to the left.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in visible_except(&['\n'], text).to_string().chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\l"),
            character => out.push(character),
        }
    }
    if text.contains('\n') {
        out.push_str("\\l");
    }
    out
}

fn node(next: Next) -> String {
    match next {
        Next::Settled(verdict) => verdict.name().to_owned(),
        Next::GraphState(number) => format!("s{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_and_quoted() {
        assert_eq!(ranges(b"cab/z\xff"), "/ a-c z \\xFF");
        assert_eq!(ranges(b"ab"), "a b");
        assert_eq!(escaped("a\"b\\c\nd\t"), "a\\\"b\\\\c\\ld\\\\t\\l");
        assert_eq!(shown(b"a b"), "a\\x20b");
    }
}
