//! The columns of tables, and their values.

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// The name of the column.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: Kind,
    /// Whether every row has a value in it.
    pub always: bool,
}

/// The kind of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Texts.
    Text,
    /// Whole numbers.
    Whole,
    /// Numbers with decimals.
    Decimal,
    /// Times.
    Time,
}

/// A value in a table.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Value<'v> {
    /// No value.
    None,
    /// A text as written in a robots.txt; usually UTF-8.
    Text(&'v [u8]),
    /// A whole number.
    Whole(u64),
    /// A number with decimals.
    Decimal(f64),
    /// A time, in seconds of Unix time.
    Time(i64),
}

pub(in crate::show) const fn always(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, always: true }
}

pub(in crate::show) const fn perhaps(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, always: false }
}

/// A function that receives rows.
pub(super) type Each<'e, E> = dyn FnMut(&[Value<'_>]) -> Result<(), E> + 'e;
