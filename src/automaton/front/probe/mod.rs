//! Probes a front: on any processor, and with AVX2.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;

#[cfg(target_arch = "x86_64")]
pub use avx2::{begins_avx2, passes_avx2, prefixes_avx2, triples_avx2};
pub use portable::{Prefixes, begins, passes, prefixes, triples};
