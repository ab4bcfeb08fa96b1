//! The crawlers of a run.

use super::html::text;
use crate::outcome::Partition;
use crate::output::receipt::{PartitionPart, Receipt};

/// The crawlers, each with its partitions.
pub(super) fn crawlers(receipt: &Receipt) -> Vec<(String, Vec<(&'static str, PartitionPart)>)> {
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
