//! What a file is, by the bytes that it begins with: one table, for lists, sources, bodies and the files of operators.
//!
//! It is asked after decompression. No robots.txt, list of URLs or other text begins so: each mark has a byte that text has not, or
//! a word that no such file begins with.

/// The mark at the start and end of a Parquet file, which is read from its end.
pub(crate) const PARQUET_MARK: &[u8] = b"PAR1";

/// The mark of our policies.
pub(crate) const POLICY_MARK: [u8; 8] = *b"\x89RSV\r\n\x1a\n";

/// The mark of our files of URLs that runs have seen.
pub(crate) const SEEN_MARK: [u8; 8] = *b"\x89RSS\r\n\x1a\n";

/// How many bytes of a text are enough to recognise any file in the table.
pub(crate) const MARKED: usize = 265;

/// What files of a format hold, which decides what a reader does with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileClass {
    Parquet,
    /// A policy of ours.
    Policy,
    /// A file of ours with the URLs that runs have seen.
    Seen,
    Warc,
    /// What WARC replaced.
    Arc,
    /// What WACZ is: a zip file of WARC archives and their index.
    Zip,
    /// Files in one file.
    Archive,
    /// What only its key opens.
    Encrypted,
    /// Rows and columns, or records, in a form that is not read.
    Table,
    /// A compressed file.
    Compressed,
    /// Images, documents and programs.
    Media,
}

/// A format of files, and the bytes by which it is known.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FileMark {
    pub class: FileClass,
    /// What such a file is called, with an article.
    pub name: &'static str,
    at: usize,
    bytes: &'static [u8],
}

const fn mark(class: FileClass, name: &'static str, bytes: &'static [u8]) -> FileMark {
    FileMark { class, name, at: 0, bytes }
}

const MARKS: &[FileMark] = &[
    mark(FileClass::Parquet, "a Parquet file", PARQUET_MARK),
    mark(FileClass::Policy, "a policy file", &POLICY_MARK),
    mark(FileClass::Seen, "a file of seen URLs", &SEEN_MARK),
    mark(FileClass::Encrypted, "an encrypted Parquet file", b"PARE"),
    mark(FileClass::Encrypted, "a file encrypted with age", b"age-encryption.org/v1\n"),
    mark(FileClass::Encrypted, "an encrypted OpenPGP message", b"-----BEGIN PGP MESSAGE-----"),
    mark(FileClass::Encrypted, "a file encrypted with openssl", b"Salted__"),
    mark(FileClass::Warc, "a WARC archive", b"WARC/"),
    // The URL of its first record.
    mark(FileClass::Arc, "an ARC archive", b"filedesc://"),
    // With a first file, without any, and in several parts.
    mark(FileClass::Zip, "a zip file, as WACZ archives are", b"PK\x03\x04"),
    mark(FileClass::Zip, "a zip file, as WACZ archives are", b"PK\x05\x06"),
    mark(FileClass::Zip, "a zip file, as WACZ archives are", b"PK\x07\x08"),
    mark(FileClass::Table, "an Arrow IPC file", b"ARROW1\0\0"),
    // A stream of Arrow begins with a message, of which this is the mark.
    mark(FileClass::Table, "an Arrow IPC stream", b"\xff\xff\xff\xff"),
    mark(FileClass::Table, "a Feather file", b"FEA1\0"),
    mark(FileClass::Table, "an ORC file", b"ORC\x0a"),
    mark(FileClass::Table, "an ORC file", b"ORC\x0b"),
    mark(FileClass::Table, "an Avro file", b"Obj\x01"),
    mark(FileClass::Table, "a Hadoop sequence file", b"SEQ\x06"),
    mark(FileClass::Table, "a SQLite database", b"SQLite format 3\0"),
    mark(FileClass::Table, "an HDF5 file", b"\x89HDF\r\n\x1a\n"),
    mark(FileClass::Table, "a NumPy array", b"\x93NUMPY"),
    mark(FileClass::Table, "an old Excel or Word file", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    mark(FileClass::Table, "a pickle of Python", b"\x80\x02"),
    mark(FileClass::Table, "a pickle of Python", b"\x80\x03"),
    mark(FileClass::Table, "a pickle of Python", b"\x80\x04\x95"),
    mark(FileClass::Table, "a pickle of Python", b"\x80\x05\x95"),
    mark(FileClass::Archive, "a 7z archive", b"7z\xbc\xaf\x27\x1c"),
    mark(FileClass::Archive, "a RAR archive", b"Rar!\x1a\x07"),
    mark(FileClass::Archive, "an archive of ar", b"!<arch>\n"),
    mark(FileClass::Compressed, "a gzip file", b"\x1f\x8b\x08"),
    mark(FileClass::Compressed, "a Zstandard file", b"\x28\xb5\x2f\xfd"),
    mark(FileClass::Compressed, "a bzip2 file", b"BZh\x31\x31\x41\x59\x26\x53\x59"),
    mark(FileClass::Compressed, "an xz file", b"\xfd7zXZ\0"),
    mark(FileClass::Compressed, "an LZ4 file", b"\x04\x22\x4d\x18"),
    mark(FileClass::Compressed, "a file of compress", b"\x1f\x9d"),
    mark(FileClass::Compressed, "an lzip file", b"LZIP\x01"),
    mark(FileClass::Compressed, "an lzop file", b"\x89LZO\0\r\n\x1a\n"),
    mark(FileClass::Compressed, "a Snappy file", b"\xff\x06\0\0sNaPpY"),
    mark(FileClass::Media, "a PDF document", b"%PDF-"),
    mark(FileClass::Media, "a PNG image", b"\x89PNG\r\n\x1a\n"),
    mark(FileClass::Media, "a JPEG image", b"\xff\xd8\xff"),
    mark(FileClass::Media, "a GIF image", b"GIF87a"),
    mark(FileClass::Media, "a GIF image", b"GIF89a"),
    mark(FileClass::Media, "an icon", b"\0\0\x01\0"),
    mark(FileClass::Media, "a TIFF image", b"II*\0"),
    mark(FileClass::Media, "a TIFF image", b"MM\0*"),
    mark(FileClass::Media, "a font", b"wOF2"),
    mark(FileClass::Media, "a font", b"wOFF"),
    mark(FileClass::Media, "a program", b"\x7fELF"),
];

/// Marks of formats that begin with numbers.
static INNER: &[FileMark] = &[
    FileMark { class: FileClass::Table, name: "an LMDB database", at: 16, bytes: b"\xde\xc0\xef\xbe" },
    FileMark { class: FileClass::Table, name: "a DuckDB database", at: 8, bytes: b"DUCK" },
    // By POSIX, and by GNU.
    FileMark { class: FileClass::Archive, name: "a tar archive", at: 257, bytes: b"ustar\0" },
    FileMark { class: FileClass::Archive, name: "a tar archive", at: 257, bytes: b"ustar  \0" },
    FileMark { class: FileClass::Media, name: "a WebP image", at: 8, bytes: b"WEBP" },
    FileMark { class: FileClass::Media, name: "an MP4 or AVIF file", at: 4, bytes: b"ftyp" },
];

/// The bytes that [`MARKS`] begin with: hardly any text does with one of them.
const FIRST_BYTES: [bool; 256] = {
    let (mut first, mut number) = ([false; 256], 0);
    while number < MARKS.len() {
        first[MARKS[number].bytes[0] as usize] = true;
        number += 1;
    }
    first
};

impl FileMark {
    /// The format of a file that begins with these bytes, decompressed; `None` if it is not in the table.
    pub fn of(start: &[u8]) -> Option<&'static FileMark> {
        // Text may have a word of a mark anywhere but at its start.
        let is_text = || !start[..start.len().min(MARKED)].iter().any(|byte| matches!(byte, 0..=8 | 14..=31));
        let has = |mark: &&FileMark| start.get(mark.at..).is_some_and(|rest| rest.starts_with(mark.bytes));
        let may_begin = start.first().is_some_and(|&byte| FIRST_BYTES[usize::from(byte)]);
        let beginning = if may_begin { MARKS.iter().find(has) } else { None };
        beginning.or_else(|| INNER.iter().find(has).filter(|_| !is_text()))
    }

    /// What to do with the file where a text, or a file that a text would be as good as, is expected.
    pub fn remedy(&self) -> &'static str {
        match self.class {
            FileClass::Policy => "give it as the policy",
            FileClass::Seen => "give it as the file of seen URLs",
            FileClass::Archive | FileClass::Zip => "unpack it, and give what is in it",
            FileClass::Compressed => "unpack it first",
            FileClass::Encrypted => "decrypt it first",
            FileClass::Parquet | FileClass::Table => "write what is in it as text",
            FileClass::Warc | FileClass::Arc | FileClass::Media => "give a text",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mark_is_within_the_bytes_that_are_read_and_hides_no_other() {
        for mark in MARKS.iter().chain(INNER) {
            let start = [&vec![0; mark.at][..], mark.bytes].concat();
            assert!(start.len() <= MARKED, "{}", mark.name);
            assert_eq!(FileMark::of(&start), Some(mark), "{}", mark.name);
        }
    }

    #[test]
    fn texts_have_no_mark() {
        for text in ["", "User-agent: *", "http://a/", "\u{feff}http://a/", "{\"url\":1}", "com,example)/ 2024", "WARC"]
        {
            assert_eq!(FileMark::of(text.as_bytes()), None, "{text}");
        }
        let tar = format!("{}mustard\n", "/".repeat(255));
        for text in ["# about WEBP images\n", "the ftyp\n", "# we are DUCKS\n", &tar] {
            assert_eq!(FileMark::of(text.as_bytes()), None, "{text}");
        }
    }
}
