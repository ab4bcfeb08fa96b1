//! Asking a front: on any processor, and with AVX2.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;

#[cfg(target_arch = "x86_64")]
pub use avx2::passes_avx2;
pub use portable::passes;
