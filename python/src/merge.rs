//! Merges policies into one.

use std::path::PathBuf;

use pyo3::prelude::*;
use robosieve::policy::{self, ErrorKind, Merged};

use crate::arguments::{self, items};
use crate::compile::{ensured, locked, unwritable};
use crate::policy::{Policy, mapped};
use crate::{calls, error, warn};

/// Merges policy files into one, which has the answers of all.
///
/// The result does not depend on their order, and is, byte for byte, what `compile` makes of all their sources at once. `out` may
/// be one of them: from before the first is opened until it is replaced, other processes that write it wait. `overrides` is
/// a file with the operator's own verdicts for origins, which replaces the overrides of all policies. Without it, the stricter of
/// two counts; a warning tells of those that contradict each other.
///
/// >>> import robosieve, tempfile, os
/// >>> base, today = (os.path.join(tempfile.mkdtemp(), "policy.rsv") for _ in range(2))
/// >>> for source, path in ("datasets/sites", base), ("datasets/origins.jsonl", today):
/// ...     policy = robosieve.compile([source], agents=["examplebot"], out=path)
/// >>> robosieve.merge([base, today], out=base).origins
/// 59
#[pyfunction]
#[pyo3(signature = (policies, out, *, overrides=None))]
pub fn merge(
    py: Python<'_>,
    policies: &Bound<'_, PyAny>,
    out: PathBuf,
    overrides: Option<PathBuf>,
) -> PyResult<Policy> {
    let policies = items("policies", policies)?;
    let overrides = overrides.as_deref().map(arguments::overrides).transpose()?;
    let lock = py.detach(|| locked(ensured(&out, &[])?))?;
    let mut opened = Vec::new();
    for path in policies {
        let path: PathBuf = path?;
        opened.push(calls::work(py, || mapped(&path))?);
    }
    let merge = || {
        let merged = policy::merge(&opened, overrides.as_ref(), &lock).map_err(|problem| match problem.kind() {
            ErrorKind::Differ => error::policy(problem),
            _ => unwritable(&out, problem),
        })?;
        Ok((merged, Policy::open(out.clone())?))
    };
    let (merged, policy) = calls::work(py, merge)?;
    drop(lock);
    warn_of(py, &merged)?;
    Ok(policy)
}

/// Warns of what the policies disagree about.
fn warn_of(py: Python<'_>, merged: &Merged) -> PyResult<()> {
    warn::of_ties(py, &merged.statistics)?;
    if let [first, ..] = &merged.contradictions[..] {
        let count = merged.contradictions.len();
        let told = format_args!(
            "overrides of {count} origins contradict each other, such as those of {first}; the stricter ones count"
        );
        warn::of(py, told)?;
    }
    Ok(())
}
