//! What a policy knows of one origin, as a Python object.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use robosieve::inspect::{AgentEntry, AnswerTimes, OriginEntry};
use robosieve::policy::source::time_of_text;

/// The object of an entry for one crawler.
pub fn object<'py>(py: Python<'py>, entry: &OriginEntry) -> PyResult<Bound<'py, PyAny>> {
    let OriginEntry { answer: AnswerTimes { fetched_at, expires, .. }, operator_override, .. } = entry;
    let ruling = operator_override.as_ref().and_then(|given| given.ruling);
    let paused_until = operator_override.as_ref().and_then(|given| given.paused_until.as_ref());
    let fields = PyDict::new(py);
    fields.set_item("origin", &entry.origin)?;
    fields.set_item("state", entry.origin_status.name())?;
    fields.set_item("status", entry.status)?;
    fields.set_item("fetched_at", seconds(fetched_at.as_ref()))?;
    fields.set_item("expires", seconds(expires.as_ref()))?;
    fields.set_item("unreachable_since", seconds(entry.unreachable_since.as_ref()))?;
    fields.set_item("last_good", entry.last_good.as_ref().map(|good| good.origin_status.name()))?;
    fields.set_item("usable_until", seconds(entry.usable_until.as_ref()))?;
    fields.set_item("html_page", entry.html_page)?;
    fields.set_item("ruling", ruling.map(|ruling| ruling.name()))?;
    fields.set_item("paused_until", seconds(paused_until))?;
    fields.set_item("sitemaps", entry.sitemaps.iter().map(|line| &line.value).collect::<Vec<_>>())?;
    for agent in &entry.agents {
        of_agent(agent, &fields)?;
    }
    py.import("robosieve._origin")?.getattr("Origin")?.call((), Some(&fields))
}

/// The fields of the robots.txt as it applies to a crawler.
fn of_agent(entry: &AgentEntry, fields: &Bound<'_, PyDict>) -> PyResult<()> {
    let rules = entry.rules.iter().map(|rule| format!("{}: {}", rule.key(), String::from_utf8_lossy(&rule.value)));
    fields.set_item("agent", &entry.agent)?;
    fields.set_item("group", entry.group.name())?;
    fields.set_item("user_agents", entry.user_agent.iter().map(|line| &line.value).collect::<Vec<_>>())?;
    fields.set_item("rules", rules.collect::<Vec<_>>())?;
    fields.set_item("crawl_delay", entry.crawl_delay.as_ref().and_then(|delay| delay.seconds))
}

/// The seconds of Unix time of an entry's time: text in RFC 3339, or a number beyond its years.
fn seconds(time: Option<&String>) -> Option<i64> {
    let time = time?;
    time_of_text(time).ok().or_else(|| time.parse().ok())
}
