//! What a policy knows of one origin, as a Python object.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use robosieve::inspect::OriginEntry;
use robosieve::python_package::time_of_text;
use serde_json::Value;

use crate::error;

/// The object of an entry for one crawler.
pub fn object<'py>(py: Python<'py>, entry: &OriginEntry) -> PyResult<Bound<'py, PyAny>> {
    let entry = serde_json::to_value(entry).map_err(error::policy)?;
    let given = &entry["override"];
    let fields = PyDict::new(py);
    fields.set_item("origin", entry["origin"].as_str())?;
    fields.set_item("state", entry["origin_status"].as_str())?;
    fields.set_item("status", entry["status"].as_u64())?;
    fields.set_item("fetched_at", seconds(&entry["fetched_at"]))?;
    fields.set_item("expires", seconds(&entry["expires"]))?;
    fields.set_item("unreachable_since", seconds(&entry["unreachable_since"]))?;
    fields.set_item("last_good", entry["last_good"]["origin_status"].as_str())?;
    fields.set_item("usable_until", seconds(&entry["usable_until"]))?;
    fields.set_item("html_page", entry["html_page"].as_bool())?;
    fields.set_item("ruling", given["ruling"].as_str())?;
    fields.set_item("paused_until", seconds(&given["paused_until"]))?;
    fields.set_item("sitemaps", each(&entry["sitemaps"]).filter_map(value).collect::<Vec<_>>())?;
    for agent in each(&entry["agents"]) {
        of_agent(agent, &fields)?;
    }
    py.import("robosieve._origin")?.getattr("Origin")?.call((), Some(&fields))
}

/// What an entry says of a crawler.
fn of_agent(entry: &Value, fields: &Bound<'_, PyDict>) -> PyResult<()> {
    let rules = each(&entry["rules"]).filter_map(|rule| Some(format!("{}: {}", rule["key"].as_str()?, value(rule)?)));
    fields.set_item("agent", entry["agent"].as_str())?;
    fields.set_item("group", entry["group"].as_str())?;
    fields.set_item("user_agents", each(&entry["user_agent"]).filter_map(value).collect::<Vec<_>>())?;
    fields.set_item("rules", rules.collect::<Vec<_>>())?;
    fields.set_item("crawl_delay", entry["crawl_delay"]["seconds"].as_f64())
}

fn each(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn value(line: &Value) -> Option<&str> {
    line["value"].as_str()
}

/// A time that is RFC 3339, or a number that has no date there.
fn seconds(time: &Value) -> Option<i64> {
    let time = time.as_str()?;
    time_of_text(time).ok().or_else(|| time.parse().ok())
}
