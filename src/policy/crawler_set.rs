//! Sets of a policy's crawlers, as bitmaps.
//!
//! ```text
//! set     a bit for each column, the first one the lowest bit of the first byte
//! ```
//!
//! Where a set is named by its place in CRAWLERS, the place 0 means all crawlers.

/// The bytes of a set of this many columns.
pub(super) fn length(width: usize) -> usize {
    width.div_ceil(8)
}

/// The set of these columns.
pub(super) fn of(columns: impl IntoIterator<Item = usize>, width: usize) -> Vec<u8> {
    let mut set = vec![0; length(width)];
    columns.into_iter().for_each(|column| set[column / 8] |= 1 << (column % 8));
    set
}

/// Whether a column is in a set.
#[inline]
pub(crate) fn has(set: &[u8], column: usize) -> bool {
    set.get(column / 8).is_some_and(|byte| byte >> (column % 8) & 1 == 1)
}

/// The columns of a set, in order.
#[inline]
pub(crate) fn columns(set: &[u8]) -> impl Iterator<Item = usize> {
    let of_byte = |(at, &byte): (usize, &u8)| {
        let mut left = byte;
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (bit < 8).then_some(8 * at + bit)
        })
    };
    set.iter().enumerate().flat_map(of_byte)
}

/// How many columns are in a set.
pub(super) fn count(set: &[u8]) -> usize {
    set.iter().map(|byte| byte.count_ones() as usize).sum()
}

/// Checks that bytes are a set of some of this many columns, neither none nor all.
pub(super) fn check(set: &[u8], width: usize) -> Result<(), &'static str> {
    if set.len() != length(width) || columns(set).any(|column| column >= width) {
        return Err("a set has other crawlers than the policy");
    }
    match count(set) {
        0 => Err("a set has no crawlers"),
        all if all == width => Err("a set of all crawlers is not named 0"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_its_columns_and_no_others() {
        let set = of([0, 9, 11], 12);
        assert_eq!((set.as_slice(), count(&set)), (&[1, 10][..], 3));
        assert_eq!(columns(&set).collect::<Vec<_>>(), [0, 9, 11]);
        assert!(has(&set, 9) && !has(&set, 8) && !has(&set, 100));
        assert_eq!(check(&set, 12), Ok(()));
        assert!(check(&set, 11).is_err() && check(&set, 17).is_err());
        assert!(check(&[0, 0], 12).is_err() && check(&[255, 15], 12).is_err());
    }
}
