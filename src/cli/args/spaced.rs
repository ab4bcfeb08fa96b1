//! Options whose value may be left out, written with a space before it.
//!
//! `--unique` alone is followed by a list, so its value is joined to it by `=`. A following word that is exactly one of its values is
//! taken for the value, too; a list of that name is written `./bytes`.

use std::ffi::OsString;

use crate::judge::SameUrl;

/// The option.
const UNIQUE: &str = "--unique";

/// Arguments as given, with each value of `--unique` after a space joined to it.
pub fn joined(given: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    let mut ended = false;
    for word in given {
        ended |= word == "--";
        match joined.last_mut() {
            Some(last) if !ended && last == UNIQUE && SameUrl::from_name(word.as_encoded_bytes()).is_some() => {
                last.push("=");
                last.push(word);
            }
            _ => joined.push(word),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_word_that_is_a_value_is_joined() {
        for (given, expected) in [
            ("filter --unique fetched x", "filter --unique=fetched x"),
            ("filter --unique bytes --unique surt", "filter --unique=bytes --unique=surt"),
            ("filter --unique bytes bytes", "filter --unique=bytes bytes"),
            ("filter --unique=bytes fetched", "filter --unique=bytes fetched"),
            ("filter --unique ./bytes", "filter --unique ./bytes"),
            ("filter --unique urls bytes", "filter --unique urls bytes"),
            ("filter --unique -- bytes", "filter --unique -- bytes"),
            ("filter -- --unique bytes", "filter -- --unique bytes"),
            ("filter --unique", "filter --unique"),
            ("", ""),
        ] {
            let joined = joined(given.split(' ').map(OsString::from));
            assert!(joined.iter().map(|word| word.as_os_str()).eq(expected.split(' ')), "{given}: {joined:?}");
        }
    }
}
