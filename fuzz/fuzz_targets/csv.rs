//! Any bytes as a line of fields: nothing panics, and the field found is the one that a bytewise reading of RFC 4180 finds.
//! The first byte chooses the field, the second the delimiter.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve::Reason;
use robosieve::internals::input::Layout;

/// The fields of a line of CSV.
fn fields(line: &[u8], delimiter: u8) -> Result<Vec<Vec<u8>>, Reason> {
    let (mut fields, mut at) = (Vec::new(), 0);
    loop {
        let mut field = Vec::new();
        if line.get(at) == Some(&b'"') {
            at += 1;
            loop {
                match (line.get(at), line.get(at + 1)) {
                    (Some(b'"'), Some(b'"')) => (field.push(b'"'), at += 2).1,
                    (Some(b'"'), _) => break at += 1,
                    (Some(&byte), _) => (field.push(byte), at += 1).1,
                    (None, _) => return Err(Reason::Quote),
                }
            }
            if line[at..] == *b"\r" {
                at += 1;
            }
        } else {
            while let Some(&byte) = line.get(at).filter(|&&byte| byte != delimiter) {
                if byte == b'"' {
                    return Err(Reason::Quote);
                }
                field.push(byte);
                at += 1;
            }
        }
        fields.push(field);
        match line.get(at) {
            None => return Ok(fields),
            Some(&byte) if byte == delimiter => at += 1,
            Some(_) => return Err(Reason::Quote),
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let [column, delimiter, line @ ..] = input else { return };
    let (column, delimiter) = (usize::from(*column % 8), b",;\t|"[usize::from(*delimiter % 4)]);
    let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let expected = if delimiter == b',' || delimiter == b';' {
        fields(line, delimiter)
    } else {
        Ok(line.split(|&byte| byte == delimiter).map(<[u8]>::to_vec).collect())
    };
    let expected = expected.and_then(|fields| fields.get(column).cloned().ok_or(Reason::Column));
    let found = Layout::delimited(delimiter, column).url(line).map(|url| url.into_owned());
    assert_eq!(found, expected, "{}", line.escape_ascii());
});
