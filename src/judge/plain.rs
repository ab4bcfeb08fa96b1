//! Which bytes make a line not [plain](super::lines), and how many bytes are checked at once.

/// Bytes of a block.
pub(super) const BLOCK: usize = 64;

/// Whether a byte makes a line not plain, whatever its neighbours.
pub(super) const fn needs_a_look(byte: u8) -> bool {
    !matches!(byte, b'!' | b'$' | b'&'..=b';' | b'=' | b'?'..=b'[' | b']' | b'_' | b'a'..=b'z' | b'~')
}
