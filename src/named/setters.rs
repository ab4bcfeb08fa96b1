//! Structs whose fields have setters.

/// Gives a struct a method for each of these fields, which takes the struct and returns it with another value: for other crates,
/// to which the struct is not exhaustive.
macro_rules! setters {
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
