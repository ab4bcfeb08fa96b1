//! The front of an automaton: a prefilter that settles most paths without a walk.
//!
//! Nearly all paths get the *base verdict*: that of the best pattern that matches every path, or "allowed" if there is
//! none. Only higher-ranked patterns with the opposite verdict can change that. The front checks whether one of them
//! may match; if none can, the base verdict holds. The front errs in one direction only: a path may pass although the
//! walk then finds the base verdict.
//!
//! * Literal **prefixes** (module `prefixes`) are cut to one of four lengths and stored as 16-bit fingerprints of a
//!   hash.
//! * **Triples** (module `triples`) are three consecutive bytes of the literals after a `*`, in nibble tables as in the Teddy
//!   algorithm. A pattern that begins with `*` or `/*` has only a triple; any other with a `*` has a prefix and a triple, and
//!   both must be found.
//!
//! Before prefixes are probed, a **Bloom filter** of their beginnings rules them out for most paths.
//!
//! Lanes tie a prefix to its triple. A bucket has eight fingerprints, and a triple table has eight classes. Lane `i` of
//! each bucket belongs to class `i`: a path passes if a lane and its class are found, or either alone if the lane is
//! *free*. Free lanes hold prefixes that need no triple, and free classes hold triples that need no prefix.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod build;
mod item;
mod portable;
mod prefixes;
mod rarity;
mod triples;

#[cfg(target_arch = "x86_64")]
pub use avx2::{begins_avx2, passes_avx2, prefixes_avx2, triples_avx2};
pub(super) use build::{FrontSpace, build};
pub(super) use item::check;
pub(crate) use item::engine_words;
pub use item::{PADDING, base_is_blocked, has_free_classes, never_passes, words};
pub use portable::{Prefixes, begins, passes, prefixes, triples};
