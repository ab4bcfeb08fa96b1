//! Compressed output, as frames that are complete in themselves (gzip members, Zstandard frames). Workers can make them in
//! parallel, and every tool reads the file as one text.

use flate2::write::GzEncoder;
use std::io::{self, Write};

/// How files of text are compressed: as a sequence of frames, each complete in itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FrameFormat {
    /// RFC 1952, at the default level of `gzip`.
    Gzip,
    /// RFC 8878 with a checksum, at the default level of `zstd`.
    Zstd,
}

/// The default levels of `gzip` and `zstd`.
const GZIP_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 3;

impl FrameFormat {
    /// The extension of file names, for example `gz`.
    pub fn extension(self) -> &'static str {
        match self {
            FrameFormat::Gzip => "gz",
            FrameFormat::Zstd => "zst",
        }
    }
}

/// Makes frames. The same text always gives the same frame, whatever was compressed before.
pub(crate) enum Compressor {
    Gzip,
    Zstd(zstd::bulk::Compressor<'static>),
}

impl Compressor {
    pub fn new(format: FrameFormat) -> io::Result<Compressor> {
        Ok(match format {
            FrameFormat::Gzip => Compressor::Gzip,
            FrameFormat::Zstd => {
                let mut compressor = zstd::bulk::Compressor::new(ZSTD_LEVEL)?;
                compressor.include_checksum(true)?;
                Compressor::Zstd(compressor)
            }
        })
    }

    /// Compresses a text into a frame.
    pub fn frame(&mut self, text: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Compressor::Gzip => {
                let half = Vec::with_capacity(text.len() / 2);
                let mut encoder = GzEncoder::new(half, flate2::Compression::new(GZIP_LEVEL));
                encoder.write_all(text)?;
                encoder.finish()
            }
            Compressor::Zstd(compressor) => compressor.compress(text),
        }
    }
}
