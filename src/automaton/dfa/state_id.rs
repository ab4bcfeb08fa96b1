//! The number of a state.

pub(crate) type StateId = u32;
