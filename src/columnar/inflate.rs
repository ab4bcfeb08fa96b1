//! Pages that are compressed as gzip.
//!
//! The library inflates a page to its end, and looks only then whether it became as long as its header claims: a page whose
//! header lies takes a thousand times the room that was made sure of. So the library is told that such a column is not
//! compressed, and hands its pages on as they are stored. They are inflated here, not beyond what their headers claim.

use bytes::Bytes;
use flate2::bufread::MultiGzDecoder;
use parquet::column::page::Page;
use parquet::errors::ParquetError;
use std::io::{self, ErrorKind, Read};

/// Inflates a page, which is to have so many octets then.
pub(super) fn inflate(page: &mut Page, claimed: u64) -> Result<(), ParquetError> {
    let (octets, plain) = match page {
        Page::DictionaryPage { buf, .. } | Page::DataPage { buf, .. } => (buf, 0),
        Page::DataPageV2 { is_compressed: false, .. } => return Ok(()),
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            (buf, u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len))
        }
    };
    let wrong = |problem| ParquetError::External(format!("a page of it that is compressed as gzip {problem}").into());
    *octets = inflated(octets, plain, claimed).map_err(wrong)?;
    Ok(())
}

/// What octets become of which the first are not compressed.
fn inflated(stored: &[u8], plain: u64, claimed: u64) -> Result<Bytes, String> {
    let at = usize::try_from(plain).ok().filter(|_| plain <= claimed);
    let Some((plain, stored)) = at.and_then(|at| stored.split_at_checked(at)) else {
        return Err(format!("has no room for its levels, which are {plain} octets"));
    };
    let length = usize::try_from(claimed).map_err(|_| format!("claims {claimed} octets"))?;
    let mut octets = vec![0; length];
    let (levels, values) = octets.split_at_mut(plain.len());
    levels.copy_from_slice(plain);
    // Where there are no values, there need not be anything that they could be inflated of.
    if !values.is_empty() {
        let mut decoder = MultiGzDecoder::new(stored);
        let wrong = |error: io::Error| match error.kind() {
            ErrorKind::UnexpectedEof => format!("ends before the {length} octets that its header claims"),
            // The same for all pages, so that rows behind each other that are left out for it are told together.
            _ => format!("is damaged: {error}"),
        };
        decoder.read_exact(values).map_err(wrong)?;
        // Its checksum stands behind the last octet.
        if decoder.read(&mut [0]).map_err(wrong)? > 0 {
            return Err(format!("inflates to more than the {length} octets that its header claims"));
        }
    }
    Ok(octets.into())
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

    fn after(mut page: Page, claimed: u64) -> Result<Vec<u8>, String> {
        inflate(&mut page, claimed).map_err(|error| error.to_string())?;
        Ok(page.buffer().to_vec())
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
}
