//! Panics that are no defect: a malformed file can break assertions of the library that reads it.

/// Says nothing of panics that become errors.
#[cfg(feature = "parquet")]
pub(super) fn hide_caught() {
    let others = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !crate::formats::columnar::panics_are_caught() {
            others(panic);
        }
    }));
}

/// There are none.
#[cfg(not(feature = "parquet"))]
pub(super) fn hide_caught() {}
