//! How Parquet files are known.

/// What a Parquet file begins and ends with.
pub(crate) const PARQUET_MARK: &[u8] = b"PAR1";
