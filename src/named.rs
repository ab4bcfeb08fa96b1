//! Enums whose variants have names.

/// Defines an enum, all its variants in order, and their names, which serde uses as well.
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
            /// All of them, in numeric order, which starts at 0.
            pub const ALL: [$Enum; [$($name),+].len()] = [$($Enum::$Variant),+];

            /// The one with this [name](Self::name).
            pub fn from_name(name: &[u8]) -> Option<$Enum> {
                $Enum::ALL.into_iter().find(|known| known.name().as_bytes() == name)
            }

            /// Its name on the command line and in output.
            pub fn name(self) -> &'static str {
                match self {
                    $($Enum::$Variant => $name,)+
                }
            }
        }
    };
}
