//! Whose group applies to a crawler.

use serde::Serialize;

use crate::policy::Group;

named! {
    /// Whose group applies to a crawler.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
    #[non_exhaustive]
    pub enum GroupKind {
        /// The crawler's own group.
        Own = "own",
        /// The group of `*`.
        Everybody = "everybody",
        /// No group applies.
        None = "none",
    }
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
}
