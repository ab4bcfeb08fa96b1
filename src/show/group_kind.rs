//! Whose group applies to a crawler.

use serde::Serialize;

use crate::policy::Group;

/// Whose group applies to a crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GroupKind {
    /// The crawler's own group.
    Own,
    /// The group of `*`.
    Everybody,
    /// No group applies.
    None,
}

impl GroupKind {
    /// Whose group this is.
    pub(crate) fn of(group: Option<Group>) -> GroupKind {
        match group {
            Some(group) if group.own => GroupKind::Own,
            Some(_) => GroupKind::Everybody,
            None => GroupKind::None,
        }
    }

    /// The name, for example `own`.
    pub fn name(self) -> &'static str {
        ["own", "everybody", "none"][self as usize]
    }
}
