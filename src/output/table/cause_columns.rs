//! The values of the [columns](super::schema) that show what blocked a line. They are null if nothing did, if no rule decided,
//! or if it is not known.
//!
//! Rules are text here. Bytes that are not UTF-8 are percent-encoded, as in the column of URLs.

use arrow_array::builder::BinaryViewBuilder;
use arrow_array::{ArrayRef, Int32Array, Int64Array};
use std::rc::Rc;
use std::sync::Arc;

use super::text::as_utf8;
use crate::output::causes::{CauseText, ChunkCauses};

/// The columns of causes of a chunk's rows.
pub(super) fn columns(rows: usize, crawler: usize, causes: &mut ChunkCauses<'_>) -> [ArrayRef; 4] {
    let causes: Vec<Option<Rc<CauseText>>> = (0..rows).map(|row| causes.of(crawler, row)).collect();
    let (mut rules, mut agents) = (BinaryViewBuilder::new(), BinaryViewBuilder::new());
    let known = || causes.iter().map(Option::as_deref);
    for cause in known() {
        let rule = cause.and_then(|cause| Some(as_utf8(&cause.rule.as_ref()?.0)));
        rules.append_option(rule);
        agents.append_option(cause.and_then(|cause| cause.agent.as_deref()));
    }
    // Null if the line number does not fit the type, as in a robots.txt of 2 GiB, or if the time in milliseconds overflows.
    let line = |cause: &CauseText| i32::try_from(cause.rule.as_ref()?.1).ok();
    let time = |cause: &CauseText| cause.captured?.checked_mul(1000);
    let lines: Int32Array = known().map(|cause| cause.and_then(line)).collect();
    let times: Int64Array = known().map(|cause| cause.and_then(time)).collect();
    [Arc::new(rules.finish()), Arc::new(lines), Arc::new(agents.finish()), Arc::new(times)]
}
