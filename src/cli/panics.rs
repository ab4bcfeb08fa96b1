//! Panics that are not bugs: a malformed file can violate assertions of the library that reads it.

/// Silences panics that are caught and become errors.
#[cfg(feature = "parquet")]
pub(super) fn hide_caught() {
    let others = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !crate::formats::columnar::panics_are_caught() {
            others(panic);
        }
    }));
}

/// Without Parquet there are none.
#[cfg(not(feature = "parquet"))]
pub(super) fn hide_caught() {}
