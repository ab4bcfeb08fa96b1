//! Macros that derive from names: for enums, the names of their variants; for structs, setters named like their fields.

/// Defines an enum, all its variants in order, and their names, which `Display`, `FromStr` and serde use.
macro_rules! named {
    (
        $(#[$meta:meta])*
        $visible:vis enum $Enum:ident {
            $($(#[$of_variant:meta])* $Variant:ident = $name:literal,)+
        }
    ) => {
        $(#[$meta])*
        $visible enum $Enum {
            $($(#[$of_variant])* #[serde(rename = $name)] $Variant,)+
        }

        impl $Enum {
            /// All of them, in numeric order.
            pub(crate) const ALL: [$Enum; [$($name),+].len()] = [$($Enum::$Variant),+];

            /// All of them, in numeric order, which starts at 0.
            #[allow(dead_code, reason = "not asked of each")]
            pub fn all() -> impl ExactSizeIterator<Item = $Enum> {
                $Enum::ALL.into_iter()
            }

            /// The one with this [name](Self::name).
            pub(crate) fn from_name(name: &[u8]) -> Option<$Enum> {
                $Enum::ALL.into_iter().find(|known| known.name().as_bytes() == name)
            }

            /// Its name on the command line and in output.
            pub fn name(self) -> &'static str {
                match self {
                    $($Enum::$Variant => $name,)+
                }
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $Enum {
            type Err = $crate::error::ValueError;

            fn from_str(name: &str) -> Result<$Enum, Self::Err> {
                let known = || $Enum::ALL.map($Enum::name).join(", ");
                $Enum::from_name(name.as_bytes()).ok_or_else(|| $crate::error::ValueError::unknown_name(name, &known()))
            }
        }
    };
}

/// Gives a struct a method for each of these fields, which takes the struct and returns it with another value: for other crates,
/// to which the struct is not exhaustive.
///
/// The struct may be defined in it; then its fields are listed once.
macro_rules! setters {
    ($(#[$meta:meta])* $visible:vis struct $Struct:ident { $($(#[$of_field:meta])* pub $field:ident: $Type:ty,)+ }) => {
        $(#[$meta])*
        $visible struct $Struct {
            $($(#[$of_field])* pub $field: $Type,)+
        }

        setters! { $Struct { $($field: $Type,)+ } }
    };
    ($Struct:ident { $($field:ident: $Type:ty,)+ }) => {
        impl $Struct {
            $(
                #[doc = concat!("Sets [`", stringify!($Struct), "::", stringify!($field), "`](field@", stringify!($Struct), "::", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, value: $Type) -> $Struct {
                    self.$field = value;
                    self
                }
            )+
        }
    };
}
