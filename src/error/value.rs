//! The error for texts that are no values.

opaque! {
    /// A text that is not a value of the type that it is parsed as: the name of a crawler or a dialect, a list of requirements, a file of
    /// statuses, a shard...
    ///
    /// ```
    /// use robosieve::{Agents, ValueErrorKind};
    ///
    /// let error = "Mozilla/5.0 (compatible; examplebot/1.0)".parse::<Agents>().unwrap_err();
    /// assert_eq!(error.kind(), ValueErrorKind::Agent);
    /// assert!(error.to_string().ends_with("robots.txt is matched by the product token, probably examplebot"));
    /// ```
    pub struct ValueError;

    /// The type that a text is no value of.
    pub enum ValueErrorKind {
        /// The name of a crawler, or a list of them.
        Agent,
        /// One of several names: of dialects, partitions, formats...
        Name,
        /// Uses of pages, or what is required of them.
        Use,
        /// A maximum age.
        Age,
        /// Meanings of statuses.
        Statuses,
        /// The place of URLs in a list: a delimiter, or a shard of lists.
        List,
        /// Names of the fields of answers.
        Fields,
    }
}

impl PartialEq for ValueError {
    fn eq(&self, other: &ValueError) -> bool {
        self.kind == other.kind && self.to_string() == other.to_string()
    }
}

impl Eq for ValueError {}

impl ValueError {
    /// A name that nothing has.
    pub(crate) fn unknown_name(name: &str, known: &str) -> ValueError {
        ValueErrorKind::Name.of(format!("{name:?} is unknown; expected {known}"))
    }
}
