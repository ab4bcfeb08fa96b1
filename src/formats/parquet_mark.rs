//! How Parquet files are known.

/// The mark at the beginning and at the end of a Parquet file.
pub(crate) const PARQUET_MARK: &[u8] = b"PAR1";
