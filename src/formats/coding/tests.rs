use std::io::Write;

use super::undo::SURELY_TEXT;
use super::*;

const TEXT: &[u8] = b"User-agent: *\nDisallow: /private\nDisallow: /private/too\n";
const LIMIT: usize = 1 << 20;

/// [`TEXT`] in brotli.
pub(crate) const BROTLI: &[u8] = b"\x1b\x37\x00\xe0\x2d\x0e\xcc\x73\xb9\x4e\x22\x8a\xee\x5c\x28\x9d\x2c\xfa\x35\x51\xd5\x1c\x9d\x52\x79\x69\x85\x97\x37\x39\x09\x52\x96\x56\x2d\x3a\xb0\x01\x27\x44\x81\x14\x0e\x78\xae\x4e\xa0\xac\x51\x6e\xe0\x74\xe8\xf0\x55\x2f\x00";

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn deflate(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// The bytes of a body and how it ends.
type Found = Option<(Vec<u8>, Ending)>;

fn decoded_within(raw: &[u8], codings: &str, limit: usize) -> Found {
    let codings: Vec<&[u8]> = codings.split_whitespace().map(str::as_bytes).collect();
    let body = decode(Body::whole(raw.into()), &codings, limit)?;
    Some((body.bytes.into_owned(), body.ending))
}

fn decoded(raw: &[u8], codings: &str) -> Found {
    decoded_within(raw, codings, LIMIT)
}

fn whole(bytes: &[u8]) -> Found {
    Some((bytes.to_vec(), Ending::Whole))
}

/// Each coding, with [`TEXT`] encoded in it.
fn encoded() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("gzip", gzip(TEXT)),
        ("X-GZip", [gzip(&TEXT[..20]), gzip(&TEXT[20..])].concat()),
        ("deflate", zlib(TEXT)),
        ("deflate", deflate(TEXT)),
        ("zstd", zstd::encode_all(TEXT, 3).unwrap()),
        ("br", BROTLI.to_vec()),
        ("br gzip", gzip(BROTLI)),
        ("zstd deflate", zlib(&zstd::encode_all(TEXT, 3).unwrap())),
    ]
}

#[test]
fn every_coding_is_undone_and_a_decoded_body_is_left_as_it_is() {
    for (codings, raw) in encoded() {
        assert_eq!(decoded(&raw, codings), whole(TEXT), "{codings}");
        for text in [TEXT, b"# a longer comment\n", b"\xef\xbb\xbfUser-agent: *\n", b"\xff\xfea\0"] {
            assert_eq!(decoded(text, codings), whole(text), "{codings}");
        }
    }
    for text in [TEXT, b""] {
        assert_eq!(decoded(text, "UTF-8"), whole(text), "no coding at all");
    }
}

/// A few bytes may be the beginning of a stream of brotli or deflate; they are never its end.
#[test]
fn a_text_of_any_first_byte_is_no_stream() {
    for first in b' '..=0xff {
        for codings in ["gzip", "deflate", "zstd", "br"] {
            for tail in [TEXT, b"\n", b"a"].iter().take(if first < 0x7f { 3 } else { 1 }) {
                let text = [&[first], *tail].concat();
                let found = decoded(&text, codings).unwrap();
                let name = format!("{codings}: {}", text.escape_ascii());
                if text.len() > SURELY_TEXT && first != 0x7f {
                    assert_eq!(Some(found), whole(&text), "{name}");
                } else if found.1 == Ending::Whole {
                    assert_eq!(found.0, text, "{name}");
                }
            }
        }
    }
}

#[test]
fn what_is_cut_short_anywhere_is_not_whole() {
    for (codings, raw) in encoded() {
        for end in 0..raw.len() {
            let body = decoded(&raw[..end], codings).unwrap_or_else(|| panic!("{codings} {end}"));
            // The second of two files does not matter.
            let is_first = codings == "X-GZip" && end == gzip(&TEXT[..20]).len();
            if !is_first {
                assert_eq!(body.1, Ending::Cut, "{codings}, {end}: {body:?}");
            }
            assert!(TEXT.starts_with(&body.0) || codings.contains(' '), "{codings}, {end}: {body:?}");
        }
    }
    let long: Vec<u8> =
        (0..60_000u32).flat_map(|n| format!("Disallow: /{}\n", n * 7919 % 1_000_003).into_bytes()).collect();
    for (codings, raw) in [("gzip", gzip(&long)), ("zstd", zstd::encode_all(&long[..], 3).unwrap())] {
        let body = decoded(&raw[..raw.len() / 2], codings).unwrap();
        assert!(body.1 == Ending::Cut && body.0.len() > 1000, "{codings}");
        assert!(long.starts_with(&body.0), "{codings}");
    }
}

#[test]
fn what_is_damaged_anywhere_is_not_whole() {
    let checked = |text: &[u8]| {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    for (codings, raw) in [
        ("gzip", gzip(TEXT)),
        ("gzip", [gzip(&TEXT[..20]), gzip(&TEXT[20..])].concat()),
        ("deflate", zlib(TEXT)),
        ("zstd", checked(TEXT)),
        ("gzip zstd", checked(&gzip(TEXT))),
    ] {
        for at in 0..raw.len() {
            for bit in [0x01, 0x10, 0x80] {
                let mut damaged = raw.clone();
                damaged[at] ^= bit;
                let body = decoded(&damaged, codings);
                // Some bytes do not matter, such as the time in a gzip file; and what follows a file may be anything.
                let good = |bytes: &[u8]| bytes == TEXT || codings == "gzip" && bytes == &TEXT[..20];
                let is_fine = body.as_ref().is_none_or(|body| body.1 != Ending::Whole || good(&body.0));
                assert!(is_fine, "{codings}, {at}, {bit:x}: {body:?}");
            }
        }
    }
    let second = [gzip(&TEXT[..20]), {
        let mut member = gzip(&TEXT[20..]);
        member[14] ^= 0x55;
        member
    }]
    .concat();
    assert_eq!(decoded(&second, "gzip").unwrap().1, Ending::Broken);
    let more = [&gzip(TEXT)[..], b"garbage"].concat();
    assert_eq!(decoded(&more, "gzip"), whole(TEXT), "what follows is ignored");
    let more = [BROTLI, b"garbage"].concat();
    assert_eq!(decoded(&more, "br").unwrap().1, Ending::Broken, "nothing proves that brotli ended");
}

#[test]
fn what_is_neither_encoded_nor_text_is_nothing() {
    for (codings, raw) in [
        ("br", gzip(TEXT)),
        ("gzip", zstd::encode_all(TEXT, 3).unwrap()),
        ("compress", b"\x1f\x9d\x90U\xe6\x94\x01".to_vec()),
        ("gzip gzip gzip gzip gzip gzip gzip gzip gzip", TEXT.to_vec()),
    ] {
        assert_eq!(decoded(&raw, codings), None, "{codings}");
    }
}

#[test]
fn no_more_is_decoded_than_the_limit() {
    let zeros = vec![b'a'; 1 << 20];
    for (codings, raw) in [
        ("gzip", gzip(&zeros)),
        ("gzip", [gzip(b"a"), gzip(&zeros)].concat()),
        ("deflate", zlib(&zeros)),
        ("deflate", deflate(&zeros)),
        ("zstd", zstd::encode_all(&zeros[..], 3).unwrap()),
    ] {
        let (bytes, ending) = decoded_within(&raw, codings, 1000).unwrap();
        let is_whole = ending == Ending::Whole;
        assert!(is_whole && (1000..=1500).contains(&bytes.len()), "{codings}: {}", bytes.len());
    }
}

fn by_marks(raw: &[u8]) -> (Vec<u8>, Ending, Option<&'static str>) {
    let body = decode_by_marks(Body::whole(raw.into()), LIMIT);
    (body.bytes.into_owned(), body.ending, body.damaged)
}

pub(crate) fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut encoder = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn codings_are_known_by_their_marks() {
    let zstd = |text: &[u8]| zstd::encode_all(text, 3).unwrap();
    for raw in [
        gzip(TEXT),
        [gzip(&TEXT[..20]), gzip(&TEXT[20..])].concat(),
        gzip(&gzip(TEXT)),
        zstd(TEXT),
        [b"\x50\x2a\x4d\x18\x01\0\0\0x", &zstd(TEXT)[..]].concat(),
        bzip2(TEXT),
        [bzip2(&TEXT[..20]), bzip2(&TEXT[20..])].concat(),
        zlib(TEXT),
        zlib(&bzip2(&zstd(&gzip(TEXT)))),
        TEXT.to_vec(),
    ] {
        assert_eq!(by_marks(&raw), (TEXT.to_vec(), Ending::Whole, None), "{}", raw.escape_ascii());
    }
    for text in [&b"x^2\n"[..], b"x\x01", b"(", b"BZh9 is how bzip2 begins", b"BZh", b"P*M", b""] {
        let is_text = by_marks(text) == (text.to_vec(), Ending::Whole, None);
        assert_eq!(is_text, text != b"x\x01", "{}", text.escape_ascii());
    }
}

#[test]
fn what_is_cut_or_damaged_behind_its_mark_is_not_whole() {
    for (raw, name, least) in [
        (gzip(TEXT), "gzip", 1),
        (zstd::encode_all(TEXT, 3).unwrap(), "Zstandard", 2),
        (bzip2(TEXT), "bzip2", 5),
        (zlib(TEXT), "deflate", 3),
    ] {
        for end in least..raw.len() {
            let (_, ending, damaged) = by_marks(&raw[..end]);
            assert_eq!((ending, damaged), (Ending::Cut, Some(name)), "{name} {end}");
        }
    }
    // A frame of nothing that claims a window of 256 MiB.
    let frame = b"\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00";
    assert_eq!(by_marks(frame), (Vec::new(), Ending::Costly, Some("Zstandard")));
}

#[test]
fn layers_are_bounded() {
    let layered = |layers: usize| (0..layers).fold(TEXT.to_vec(), |text, _| gzip(&text));
    assert_eq!(by_marks(&layered(MAX_CODINGS)).0, TEXT);
    assert!(is_marked(&by_marks(&layered(MAX_CODINGS + 1)).0));
}
