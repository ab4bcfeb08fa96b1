//! What receipts tell of a run: its crawlers and its options.

use serde_json::Value;
use std::collections::BTreeMap;

use super::html::text;
use crate::outcome::Partition;
use crate::output::receipt::{PartitionPart, Receipt};

/// The name of a partition, and what a crawler has in it.
pub(super) type OfPartition = (&'static str, PartitionPart);

/// The crawlers, each with its partitions.
pub(super) fn crawlers(receipt: &Receipt) -> Vec<(String, Vec<OfPartition>)> {
    let names = receipt.splits().partitions();
    let part = |(partition, name): (Partition, &String)| {
        (partition.name(), receipt.partitions.get(name).cloned().unwrap_or_default())
    };
    let parts = names.chunks(Partition::COUNT).map(|names| Partition::ALL.into_iter().zip(names).map(part).collect());
    receipt.splits().names().into_iter().zip(parts).collect()
}

/// The heading of a crawler, if there are several.
pub(super) fn heading(receipt: &Receipt, agent: &str) -> String {
    if receipt.splits().names().len() > 1 { format!("<h3>{}</h3>\n", text(agent)) } else { String::new() }
}

/// The options, as they are named on the command line.
pub(super) fn options(receipt: &Receipt) -> BTreeMap<String, String> {
    let options = serde_json::to_value(&receipt.options).unwrap_or_default();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    options.as_object().into_iter().flatten().map(|(name, value)| (name.replace('_', "-"), text(value))).collect()
}
