//! The origins of several policies, side by side.

use crate::policy::{Policy, Record};

/// The record of an origin in a policy, with the policy whose groups it names, which may be that of layers; `None` if it has none.
pub(super) type Found<'p> = Option<(&'p Policy, Record<'p>)>;

/// All origins that any of these policies has, in order, each with its record by every policy.
pub(super) fn side_by_side<'p>(policies: &[&'p Policy]) -> impl Iterator<Item = (&'p [u8], Vec<Found<'p>>)> + use<'p> {
    let mut records: Vec<_> = policies.iter().map(|policy| policy.records().peekable()).collect();
    std::iter::from_fn(move || {
        let first = records.iter_mut().filter_map(|records| records.peek().map(|(_, record)| record.origin)).min()?;
        let found = records.iter_mut().map(|records| records.next_if(|(_, record)| record.origin == first));
        Some((first, found.collect()))
    })
}
