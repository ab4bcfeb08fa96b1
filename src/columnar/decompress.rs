//! Pages of gzip and of LZ4.
//!
//! The library decompresses these to their end, and looks only then whether a page became as long as its header claims: one
//! whose header lies takes a thousand times the room that was made sure of. So the library is told that such a column is
//! not compressed, and hands its pages on as they are stored. They are decompressed here, not beyond what their headers claim.

use bytes::Bytes;
use flate2::bufread::MultiGzDecoder;
use lz4_flex::block::decompress_into;
use lz4_flex::frame::FrameDecoder;
use parquet::basic::Compression;
use parquet::column::page::Page;
use parquet::errors::ParquetError;
use std::io::{self, ErrorKind, Read};

/// How the pages of a column are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    /// As gzip.
    Gzip,
    /// As LZ4, in one of the three ways that were called so: blocks with their lengths before them, as Hadoop has it, one
    /// frame, or one block.
    Lz4,
}

/// What an LZ4 frame begins with.
const LZ4_FRAME: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];

/// Octets that who reads an LZ4 frame keeps: a block as it is stored, and what it becomes with as much before it.
pub(super) const FRAME_KEPT: u64 = 3 * (4 << 20);

impl Codec {
    /// That of a column, if it is one of these.
    pub fn of(codec: Compression) -> Option<Codec> {
        match codec {
            Compression::GZIP(_) => Some(Codec::Gzip),
            Compression::LZ4 => Some(Codec::Lz4),
            _ => None,
        }
    }

    /// Whether a page takes [`FRAME_KEPT`] beside itself while it is decompressed.
    pub fn keeps_frame(self, page: &Page) -> bool {
        self == Codec::Lz4 && values(page).is_some_and(|at| page.buffer().get(at..).is_some_and(is_frame))
    }

    /// Decompresses a page, which is to have so many octets then.
    pub fn decompress(self, page: &mut Page, claimed: u64) -> Result<(), ParquetError> {
        let Some(at) = values(page) else { return Ok(()) };
        let (Page::DictionaryPage { buf, .. } | Page::DataPage { buf, .. } | Page::DataPageV2 { buf, .. }) = page;
        let name = match self {
            Codec::Gzip => "gzip",
            Codec::Lz4 => "LZ4",
        };
        let wrong =
            |problem| ParquetError::External(format!("a page of it that is compressed as {name} {problem}").into());
        *buf = self.decompressed(buf, at, claimed).map_err(wrong)?;
        Ok(())
    }

    /// What octets become of which the first are not compressed.
    fn decompressed(self, stored: &[u8], plain: usize, claimed: u64) -> Result<Bytes, String> {
        let Some((plain, stored)) = stored.split_at_checked(plain).filter(|(plain, _)| plain.len() as u64 <= claimed)
        else {
            return Err(format!("has no room for its levels, which are {plain} octets"));
        };
        let length = usize::try_from(claimed).map_err(|_| format!("claims {claimed} octets"))?;
        let mut octets = vec![0; length];
        let (levels, values) = octets.split_at_mut(plain.len());
        levels.copy_from_slice(plain);
        // Where there are no values, there need not be anything that they could be made of.
        match self {
            _ if values.is_empty() => {}
            Codec::Gzip => read_all(MultiGzDecoder::new(stored), values)?,
            Codec::Lz4 if fill_by_blocks(stored, values) => {}
            Codec::Lz4 if is_frame(stored) => read_all(FrameDecoder::new(stored), values)?,
            Codec::Lz4 if becomes(stored, values) => {}
            Codec::Lz4 => return Err(format!("is damaged: nothing of {} octets comes of it", values.len())),
        }
        Ok(octets.into())
    }
}

/// Where the values of a page begin, if they are compressed.
fn values(page: &Page) -> Option<usize> {
    match page {
        Page::DictionaryPage { .. } | Page::DataPage { .. } => Some(0),
        Page::DataPageV2 { is_compressed: false, .. } => None,
        Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
            Some((*def_levels_byte_len as usize).saturating_add(*rep_levels_byte_len as usize))
        }
    }
}

fn is_frame(stored: &[u8]) -> bool {
    stored.starts_with(&LZ4_FRAME)
}

/// Fills `values` with what becomes of a block; tells whether it is so much.
fn becomes(block: &[u8], values: &mut [u8]) -> bool {
    decompress_into(block, values).is_ok_and(|length| length == values.len())
}

/// Fills `values` with all that a decompressor gives.
fn read_all(mut decompressor: impl Read, values: &mut [u8]) -> Result<(), String> {
    let length = values.len();
    let wrong = |error: io::Error| match error.kind() {
        ErrorKind::UnexpectedEof => format!("ends before the {length} octets that its header claims"),
        // The same for all pages, so that rows behind each other that are left out for it are told together.
        _ => format!("is damaged: {error}"),
    };
    decompressor.read_exact(values).map_err(wrong)?;
    // A checksum may stand behind the last octet.
    match decompressor.read(&mut [0]).map_err(wrong)? {
        0 => Ok(()),
        _ => Err(format!("has more than the {length} octets that its header claims")),
    }
}

/// Fills `values` with what becomes of blocks, before each of which its lengths stand; tells whether they are such blocks.
fn fill_by_blocks(mut stored: &[u8], mut values: &mut [u8]) -> bool {
    while let [a, b, c, d, e, f, g, h, rest @ ..] = stored {
        let [length, of_block] = [[*a, *b, *c, *d], [*e, *f, *g, *h]].map(|number| u32::from_be_bytes(number) as usize);
        let Some((block, rest)) = rest.split_at_checked(of_block).filter(|_| length <= values.len()) else {
            return false;
        };
        let (now, behind) = values.split_at_mut(length);
        if !becomes(block, now) {
            return false;
        }
        (stored, values) = (rest, behind);
    }
    stored.is_empty() && values.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use parquet::basic::Encoding;
    use std::io::Write;

    fn gzip(octets: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(octets).unwrap();
        encoder.finish().unwrap()
    }

    fn data(buf: Vec<u8>) -> Page {
        let (num_values, encoding, statistics) = (1, Encoding::PLAIN, None);
        let (def_level_encoding, rep_level_encoding) = (Encoding::RLE, Encoding::RLE);
        Page::DataPage { buf: buf.into(), num_values, encoding, def_level_encoding, rep_level_encoding, statistics }
    }

    fn second_version(buf: Vec<u8>, def_levels_byte_len: u32, is_compressed: bool) -> Page {
        let (num_values, num_nulls, num_rows, encoding) = (1, 0, 1, Encoding::PLAIN);
        let (buf, rep_levels_byte_len, statistics) = (buf.into(), 2, None);
        Page::DataPageV2 {
            buf,
            num_values,
            encoding,
            num_nulls,
            num_rows,
            def_levels_byte_len,
            rep_levels_byte_len,
            is_compressed,
            statistics,
        }
    }

    fn after_as(codec: Codec, mut page: Page, claimed: u64) -> Result<Vec<u8>, String> {
        codec.decompress(&mut page, claimed).map_err(|error| error.to_string())?;
        Ok(page.buffer().to_vec())
    }

    fn after(page: Page, claimed: u64) -> Result<Vec<u8>, String> {
        after_as(Codec::Gzip, page, claimed)
    }

    #[test]
    fn a_page_becomes_what_its_header_claims() {
        let text = b"some values".repeat(100);
        let dictionary = |buf: Vec<u8>| {
            let (num_values, encoding, is_sorted) = (1, Encoding::PLAIN, false);
            Page::DictionaryPage { buf: buf.into(), num_values, encoding, is_sorted }
        };
        // Several members are one stream.
        for stored in [gzip(&text), [gzip(&text[..50]), gzip(b""), gzip(&text[50..])].concat()] {
            for page in [data(stored.clone()), dictionary(stored.clone())] {
                assert_eq!(after(page, 1100).unwrap(), text);
            }
            for claimed in [0, 1, 1099] {
                let problem = after(data(stored.clone()), claimed);
                assert!(claimed == 0 || problem.unwrap_err().contains("more than"), "{claimed}");
            }
            assert!(after(data(stored.clone()), 1101).unwrap_err().contains("the 1101 octets"));
            let end = stored.len() - 1;
            assert!(after(data(stored[..end].to_vec()), 1100).is_err(), "its checksum is cut off");
            let stored = [b"level", &stored[..]].concat();
            let page = |levels| second_version(stored.clone(), levels, true);
            assert_eq!(after(page(3), 1105).unwrap(), [b"level", &text[..]].concat());
            assert!(after(page(3), 1106).is_err() && after(page(3), 1104).is_err() && after(page(4), 1106).is_err());
        }
    }

    #[test]
    fn what_is_not_compressed_stays() {
        assert_eq!(after(second_version(b"levels and values".to_vec(), 4, false), 17).unwrap(), b"levels and values");
        // Levels without values, whatever stands behind them.
        for behind in [&b""[..], &gzip(b""), b"x"] {
            let page = second_version([b"levels", behind].concat(), 4, true);
            assert_eq!(after(page, 6).unwrap(), b"levels");
        }
        // More levels than octets, stored or claimed.
        for (levels, claimed) in [(5, 6), (5, 7), (u32::MAX, 6), (u32::MAX, u64::MAX)] {
            assert!(after(second_version(b"levels".to_vec(), levels, true), claimed).unwrap_err().contains("levels"));
        }
        assert_eq!(after(data(Vec::new()), 0).unwrap(), b"");
        assert!(after(data(Vec::new()), 1).is_err());
    }

    #[test]
    fn lz4_is_read_in_all_its_forms() {
        let text = b"some values".repeat(100);
        let block = |text: &[u8]| lz4_flex::block::compress(text);
        let hadoop = |text: &[u8]| {
            let block = block(text);
            [&(text.len() as u32).to_be_bytes()[..], &(block.len() as u32).to_be_bytes(), &block].concat()
        };
        let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
        encoder.write_all(&text).unwrap();
        let frame = encoder.finish().unwrap();
        let after = |page, claimed| after_as(Codec::Lz4, page, claimed);
        for (stored, keeps) in [
            (block(&text), false),
            (hadoop(&text), false),
            ([hadoop(&text[..50]), hadoop(b""), hadoop(&text[50..])].concat(), false),
            (frame, true),
        ] {
            assert_eq!(after(data(stored.clone()), 1100).unwrap(), text);
            assert_eq!(Codec::Lz4.keeps_frame(&data(stored.clone())), keeps);
            for claimed in [1, 1099, 1101, 1 << 20] {
                assert!(after(data(stored.clone()), claimed).is_err(), "{claimed}");
            }
            for end in 1..stored.len() {
                let cut = after(data(stored[..end].to_vec()), 1100);
                // The mark of its end need not be there.
                assert!(cut.is_err() || keeps && stored.len() - end <= 4, "{end} of {}", stored.len());
            }
            let page = |levels| second_version([b"level", &stored[..]].concat(), levels, true);
            assert_eq!(after(page(3), 1105).unwrap(), [b"level", &text[..]].concat());
            assert_eq!(Codec::Lz4.keeps_frame(&page(3)), keeps);
            assert!(after(page(3), 1106).is_err() && after(page(3), 1104).is_err() && after(page(4), 1106).is_err());
        }
        for claimed in [0_u64, 1] {
            assert_eq!(after(data(Vec::new()), claimed).is_ok(), claimed == 0);
        }
    }
}
