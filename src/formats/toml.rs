//! Problems of TOML, in the words of its author.

use super::error::words;

pub(crate) fn toml_words(error: &::toml::de::Error) -> String {
    words(error.message(), "a table")
}

#[cfg(test)]
mod tests {
    use super::super::error::tests::Wanted;
    use super::*;

    #[test]
    fn toml_is_told_in_words_of_its_author() {
        for (text, expected) in [
            ("name = 5", "5 where a text is expected"),
            ("name = \"a\"\ncount = \"x\"", "\"x\" where a number is expected"),
            ("count = 1", "the key \"name\" is missing"),
            ("name = \"a\"\none = \"x\"", "\"x\" is unknown; expected first or last"),
            ("name = \"a\"\none = 5", "a text is expected"),
            ("[name]", "a table where a text is expected"),
            ("name", "key with no value, expected \"=\""),
        ] {
            let error = ::toml::from_str::<Wanted>(text).unwrap_err();
            assert_eq!(toml_words(&error), expected, "{text}: {error}");
        }
    }
}
