//! Opaque errors. What the library promises of an error is its kind, its message and its source; inside the crate,
//! functions return the problem itself, to which the program adds the options that help.

/// Defines an error that holds any problem of the crate, and the kinds of these problems.
macro_rules! opaque_error {
    (
        $(#[$meta:meta])*
        pub struct $Error:ident;

        $(#[$of_kind:meta])*
        pub enum $Kind:ident { $($(#[$of_variant:meta])* $Variant:ident,)+ }
    ) => {
        $(#[$meta])*
        pub struct $Error {
            kind: $Kind,
            problem: Box<dyn std::error::Error + Send + Sync>,
        }

        $(#[$of_kind])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $Kind {
            $($(#[$of_variant])* $Variant,)+
        }

        impl $Error {
            pub(crate) fn new(kind: $Kind, problem: impl std::error::Error + Send + Sync + 'static) -> $Error {
                $Error { kind, problem: Box::new(problem) }
            }

            /// The kind of problem.
            pub fn kind(&self) -> $Kind {
                self.kind
            }
        }

        impl std::fmt::Debug for $Error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.problem.fmt(f)
            }
        }

        impl std::fmt::Display for $Error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.problem.fmt(f)
            }
        }

        impl std::error::Error for $Error {
            fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                self.problem.source()
            }
        }
    };
}

/// Makes problems of a type such errors, of a kind that may depend on the problem.
macro_rules! is_opaque {
    ($Problem:ty as $Error:ty: $kind:expr) => {
        impl From<$Problem> for $Error {
            fn from(problem: $Problem) -> $Error {
                let kind: fn(&$Problem) -> _ = $kind;
                <$Error>::new(kind(&problem), problem)
            }
        }
    };
}

opaque_error! {
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

/// A problem that nobody asks more of than its message.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Message(String);

impl ValueError {
    /// With a message.
    pub(crate) fn of(kind: ValueErrorKind, message: String) -> ValueError {
        ValueError::new(kind, Message(message))
    }

    /// A name that nothing has.
    pub(crate) fn unknown_name(name: &str, known: &str) -> ValueError {
        ValueError::of(ValueErrorKind::Name, format!("{name:?} is unknown; expected {known}"))
    }
}
