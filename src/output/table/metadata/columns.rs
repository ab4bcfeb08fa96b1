//! The columns that metadata describes.

use parquet::schema::types::SchemaDescriptor;

use crate::output::columns::Kind;

/// The columns of a file that is written.
pub(in crate::output::table) struct Columns<'c> {
    /// All of them, as the file has them.
    pub schema: &'c SchemaDescriptor,
    /// The number of those that are the lists', which come first.
    pub of_list: usize,
    /// The others.
    pub added: &'c [(String, Kind)],
}

impl Columns<'_> {
    pub fn names_of_list(&self) -> impl Iterator<Item = &str> {
        self.schema.root_schema().get_fields()[..self.of_list].iter().map(|field| field.name())
    }
}
