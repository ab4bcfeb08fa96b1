//! Tab-separated values.

/// Escapes a value so that it breaks neither its column nor its row, and returns it in pieces: a tab becomes `\t`, a line feed
/// `\n`, a carriage return `\r`, a backslash `\\`; all other bytes stay as they are.
pub(crate) fn escaped(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split_inclusive(|&byte| escape(byte).is_some()).flat_map(|piece| {
        let (last, before) = piece.split_last().expect("a piece has a byte");
        escape(*last).map_or([piece, b""], |escape| [before, escape])
    })
}

/// The escape of a byte, if it has one.
fn escape(byte: u8) -> Option<&'static [u8]> {
    match byte {
        b'\t' => Some(b"\\t"),
        b'\n' => Some(b"\\n"),
        b'\r' => Some(b"\\r"),
        b'\\' => Some(b"\\\\"),
        _ => None,
    }
}
