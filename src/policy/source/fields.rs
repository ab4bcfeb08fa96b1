//! The names of an answer's fields in a source.

use serde::Serialize;
use std::str::FromStr;

use crate::error::{ValueError, ValueErrorKind};

const COUNT: usize = Field::ALL.len();

/// The names of the fields in JSON Lines and Parquet.
///
/// Parsed from text such as `url=target_uri,fetched_at=date`; fields not listed keep the names of JSON Lines, such as `url` and
/// `fetched_at`. An empty name, as in `status=`, means that there is no such field. Without a status, every answer is a file with
/// status 200.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldNames {
    names: [Option<String>; COUNT],
    given: [bool; COUNT],
}

impl Default for FieldNames {
    fn default() -> FieldNames {
        FieldNames { names: Field::ALL.map(|field| Some(field.name().to_owned())), given: [false; COUNT] }
    }
}

impl FieldNames {
    /// The name of a field; `None` if there is no such field.
    pub(crate) fn name(&self, field: Field) -> Option<&str> {
        self.names[field as usize].as_deref()
    }

    /// Whether the operator has named it.
    pub(super) fn is_given(&self, field: Field) -> bool {
        self.given[field as usize]
    }

    pub(super) fn field(&self, name: &str) -> Option<Field> {
        Field::ALL.into_iter().find(|&field| self.name(field) == Some(name))
    }

    /// Gives the field called `field` another name.
    ///
    /// # Errors
    ///
    /// [`ValueError`] if there is no such field, it was given a name before, or the name is that of another one; or if the
    /// name is empty and the field is one that every source has.
    pub fn give(&mut self, field: &str, name: &str) -> Result<(), ValueError> {
        let wrong = || no_field(&format!("{field}={name}"));
        let field = Field::from_name(field.as_bytes()).ok_or_else(wrong)?;
        let is_needed = matches!(field, Field::Url | Field::Body);
        if self.is_given(field) || is_needed && name.is_empty() {
            return Err(wrong());
        }
        // A given name no longer belongs to another field.
        if let Some(other) = self.field(name).filter(|&other| other != field) {
            if self.is_given(other) {
                return Err(wrong());
            }
            self.names[other as usize] = None;
        }
        self.names[field as usize] = Some(name.to_owned()).filter(|name| !name.is_empty());
        self.given[field as usize] = true;
        Ok(())
    }

    /// The columns of a table that hold the fields of answers, as Parquet files and tables in memory have them. `find` gives the
    /// place of the column with a name.
    ///
    /// `url`, `status`, `body` and `fetched_at` are needed, unless the operator says that there are none; a table without `url` may
    /// have `origin`. The others may be missing.
    ///
    /// # Errors
    ///
    /// The name of a column that is needed and not there.
    pub(crate) fn columns(&self, find: impl Fn(&str) -> Option<usize>) -> Result<Vec<(Field, usize)>, String> {
        let place = |field| self.name(field).and_then(&find);
        let mut columns = Vec::new();
        for field in Field::ALL {
            let is_given = self.is_given(field);
            let (is_wanted, is_needed) = match field {
                Field::Url => (true, is_given || !self.is_given(Field::Origin) && place(Field::Origin).is_none()),
                Field::Origin => (is_given || place(Field::Url).is_none(), is_given),
                Field::Body => (true, is_given || !self.is_given(Field::BodyBase64)),
                Field::BodyBase64 => (is_given, true),
                Field::Status | Field::FetchedAt => (true, true),
                Field::Location | Field::Expires | Field::UnreachableSince | Field::Headers => (true, is_given),
            };
            match (self.name(field).filter(|_| is_wanted), place(field)) {
                (Some(_), Some(at)) => columns.push((field, at)),
                (Some(name), None) if is_needed => return Err(name.to_owned()),
                _ => {}
            }
        }
        Ok(columns)
    }
}

fn no_field(given: &str) -> ValueError {
    let known = Field::ALL.map(Field::name).join(", ");
    let message = format!(
        "{given:?} names no field, or one that has a name; expected FIELD=NAME, separated by commas, where FIELD is one of {known}"
    );
    ValueErrorKind::Fields.of(message)
}

impl FromStr for FieldNames {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<FieldNames, ValueError> {
        let mut names = FieldNames::default();
        for part in text.split(',') {
            let (field, name) = part.split_once('=').ok_or_else(|| no_field(part))?;
            names.give(field, name)?;
        }
        Ok(names)
    }
}

named! {
    /// A field of an answer: a key of JSON Lines, or a column of Parquet.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[repr(u8)]
    #[non_exhaustive]
    pub enum Field {
        /// The requested URL: text.
        Url = "url",
        /// The origin, in place of the URL of its robots.txt: text.
        Origin = "origin",
        /// The HTTP status: an integer, or null if there was no response.
        Status = "status",
        /// The target of a redirect: text.
        Location = "location",
        /// The body: text, in Parquet also bytes.
        Body = "body",
        /// The body in Base64: text.
        BodyBase64 = "body_base64",
        /// The time of the answer: text in RFC 3339, seconds of Unix time, in Parquet also a time stamp.
        FetchedAt = "fetched_at",
        /// The server's `Expires`, as a time.
        Expires = "expires",
        /// The time since which the origin has been unreachable.
        UnreachableSince = "unreachable_since",
        /// The headers: an object or a list of pairs of texts, in Parquet also a map, or a text with either in JSON.
        Headers = "headers",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_named_by_their_roles() {
        let names: FieldNames = "url=a,status=,body=text".parse().unwrap();
        let of = Field::ALL.map(|field| names.name(field).unwrap_or("-"));
        let expected = [
            "a",
            "origin",
            "-",
            "location",
            "text",
            "body_base64",
            "fetched_at",
            "expires",
            "unreachable_since",
            "headers",
        ];
        assert_eq!(of, expected);
        assert_eq!(names.field("text"), Some(Field::Body));
        assert_eq!(["body", "url", "status", ""].map(|name| names.field(name)), [None; 4]);
        let swapped: FieldNames = "body=location,location=body".parse().unwrap();
        assert_eq!((swapped.field("location"), swapped.field("body")), (Some(Field::Body), Some(Field::Location)));
    }

    #[test]
    fn what_names_no_field_is_refused() {
        for wrong in ["", "url", "url=", "body=", "uri=a", "url=a,", "url=a,url=b", "url=a,body=a"] {
            let given = wrong.rsplit(',').next().unwrap().to_owned();
            assert_eq!(wrong.parse::<FieldNames>(), Err(no_field(&given)), "{wrong}");
        }
    }
}
