//! Opaque errors. What the library promises of an error is its kind, its message and its source; inside the crate,
//! code may also ask what the problem is [about](super::About).

/// Defines an error, and the kinds of its problems.
macro_rules! opaque {
    (
        $(#[$meta:meta])*
        pub struct $Error:ident;

        $(#[$of_kind:meta])*
        pub enum $Kind:ident { $($(#[$of_variant:meta])* $Variant:ident,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $Error {
            kind: $Kind,
            problem: Box<$crate::error::Problem>,
        }

        $(#[$of_kind])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $Kind {
            $($(#[$of_variant])* $Variant,)+
        }

        impl $Kind {
            /// The error for a problem of this kind.
            pub(crate) fn of(self, problem: impl Into<$crate::error::Problem>) -> $Error {
                $Error { kind: self, problem: Box::new(problem.into()) }
            }

            /// Turns the system's error into one that says what could not be done, and to which file.
            pub(crate) fn with_file<'p>(
                self,
                doing: &'static str,
                path: &'p std::path::Path,
            ) -> impl Fn(std::io::Error) -> $Error + Copy + use<'p> {
                move |error| self.of($crate::error::Problem::with_file(doing, path)(error))
            }
        }

        #[allow(dead_code, reason = "not asked of each")]
        impl $Error {
            /// The kind of problem.
            pub fn kind(&self) -> $Kind {
                self.kind
            }

            pub(crate) fn problem(&self) -> &$crate::error::Problem {
                &self.problem
            }

            pub(crate) fn is_about(&self, about: $crate::error::About) -> bool {
                self.problem.about == Some(about)
            }

            /// Adds what the problem is about.
            pub(crate) fn about(self, about: $crate::error::About) -> $Error {
                self.kind.of(self.problem.about(about))
            }

            /// Says something before the message.
            pub(crate) fn within(self, before: impl std::fmt::Display) -> $Error {
                self.kind.of(self.problem.within(before))
            }

            /// The same error, without what helps only elsewhere.
            pub(crate) fn plain(mut self) -> $Error {
                self.problem.about = None;
                self
            }
        }

        impl From<$Error> for $crate::error::Problem {
            fn from(error: $Error) -> $crate::error::Problem {
                *error.problem
            }
        }

        impl std::fmt::Display for $Error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.problem.fmt(f)
            }
        }

        impl std::error::Error for $Error {
            fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                self.problem.source.as_ref().map(|source| source as _)
            }
        }
    };
}
