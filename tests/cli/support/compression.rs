//! Texts in the three compressed formats.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A way to compress a text.
pub type Compress = fn(&[u8]) -> Vec<u8>;

pub fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

pub fn zstd(text: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::with_dictionary(Vec::new(), 3, dictionary).expect("an encoder");
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

/// A text, so many times, as Zstandard that declares a window of `1 << window` bytes, whether or not it uses it.
pub fn looking_back(text: &[u8], times: usize, window: u32) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).expect("an encoder");
    encoder.window_log(window).expect("a window");
    (0..times).for_each(|_| encoder.write_all(text).expect("memory"));
    encoder.finish().expect("memory")
}

/// Zstandard with a checksum, without which damage in the text does not show.
pub fn checked_zstd(text: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).expect("an encoder");
    encoder.include_checksum(true).expect("an encoder");
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

pub fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}
