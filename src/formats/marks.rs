//! Formats that are known by their first bytes: archives of the web, and Parquet.

/// The mark at the start and end of a Parquet file, which is read from its end.
pub(crate) const PARQUET_MARK: &[u8] = b"PAR1";

const WARC: &[u8] = b"WARC/";

/// The beginning of an ARC archive: the URL of its first record.
const ARC: &[u8] = b"filedesc://";

/// The beginnings of zip files: with a first file, without any, and in several parts.
const ZIP: [&[u8]; 3] = [b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Archive {
    Warc,
    /// What WARC replaced.
    Arc,
    /// What WACZ is: a zip file of WARC archives and their index.
    Zip,
}

impl Archive {
    /// How many bytes of a text are enough to recognise any of them.
    pub const MARK: usize = ARC.len();

    /// The kind of an archive that begins with these bytes, decompressed, if it is one.
    pub fn of(start: &[u8]) -> Option<Archive> {
        match start {
            start if start.starts_with(WARC) => Some(Archive::Warc),
            start if start.starts_with(ARC) => Some(Archive::Arc),
            start if ZIP.iter().any(|mark| start.starts_with(mark)) => Some(Archive::Zip),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Archive::Warc => "a WARC archive",
            Archive::Arc => "an ARC archive",
            Archive::Zip => "a zip file, as WACZ archives are",
        }
    }
}
