//! How Parquet files are recognised.

/// The mark at the start and end of a Parquet file.
pub(crate) const PARQUET_MARK: &[u8] = b"PAR1";
