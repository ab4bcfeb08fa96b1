//! Where the URL is in the lines of a list.
//!
//! Most lists have one URL a line, and no other field. Others have lines of fields (TSV, CSV), or are an index of web archives (CDX, CDXJ). The URL
//! is judged; the whole line is counted, hashed and written. CDX is recognised by its head line, CDXJ and JSON Lines by their first
//! entry; anything else is as the operator says ([`UrlField`]). Binary lists are opened in [`super::list`].

mod cdxj;
mod delimited;
mod find;
mod json;
pub(crate) mod url_field;

pub use delimited::Column;
pub(crate) use delimited::Found;
#[cfg(feature = "cli")]
pub(crate) use delimited::{Delimited, Separator};
pub use find::Layout;
pub(crate) use find::has_tab_inside;
#[cfg(feature = "cli")]
pub(crate) use json::{Member, names};
pub(crate) use url_field::Delimiter;
pub use url_field::UrlField;
pub(crate) use url_field::{LOOK, MARK, has_keys};
