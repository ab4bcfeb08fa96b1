//! `Content-Usage`: a path, if there is one, and a dictionary (draft-ietf-aipref-attach-05, 3.2; draft-ietf-aipref-vocab-07).

use sfv::{BareItem, Dictionary, Item, ListEntry, Parser};

use super::preference::{Preference, PreferenceSource, Use};

/// Splits a value into its path, empty if there is none, and the statement. A path begins with a slash, and ends before the first
/// space or tab.
pub(super) fn split(value: &[u8]) -> (&[u8], &[u8]) {
    if !value.starts_with(b"/") {
        return (b"", value);
    }
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let end = value.iter().position(is_blank).unwrap_or(value.len());
    let blanks = value[end..].iter().take_while(|byte| is_blank(byte)).count();
    (&value[..end], &value[end + blanks..])
}

/// What a statement says of each use: the dictionary of RFC 9651, of which only the tokens `y` and `n` are known. Labels are compared
/// with case, the last of several with one label counts; unknown labels and parameters are ignored. A known label with another value
/// is broken; so are all of them if the statement is no dictionary.
pub(super) fn read(statement: &[u8]) -> [Preference; Use::COUNT] {
    let source = PreferenceSource::ContentUsage;
    let Ok(dictionary) = Parser::new(statement).parse::<Dictionary>() else { return source.broken() };
    let of = |label| match dictionary.get(label) {
        None => Preference::Unknown,
        Some(ListEntry::Item(Item { bare_item: BareItem::Token(token), .. })) if token.as_str() == "y" => {
            Preference::Yes
        }
        Some(ListEntry::Item(Item { bare_item: BareItem::Token(token), .. })) if token.as_str() == "n" => {
            Preference::No
        }
        Some(_) => Preference::Broken,
    };
    Use::ALL.map(|use_| source.label(use_).map_or(Preference::Unknown, of))
}

/// The labels of a statement that are not known; none if it cannot be read.
pub(super) fn unknown(statement: &[u8]) -> Vec<String> {
    let Ok(dictionary) = Parser::new(statement).parse::<Dictionary>() else { return Vec::new() };
    let is_known = |label: &str| Use::ALL.iter().any(|use_| PreferenceSource::ContentUsage.label(*use_) == Some(label));
    dictionary.keys().map(|label| label.as_str().to_owned()).filter(|label| !is_known(label)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_the_drafts() {
        use Preference::{Broken, No, Unknown, Yes};
        for (statement, train_ai, search) in [
            ("train-ai=n", No, Unknown),
            ("train-ai=y, search=n", Yes, No),
            ("train-ai=y,\tsearch=n ", Yes, No),
            // The last of a label counts, and is no token.
            ("train-ai=y, train-ai, search=n, search=\"n\"", Broken, Broken),
            ("train-ai, train-ai=y", Yes, Unknown),
            ("train-ai;allow=n, train-ai=y", Yes, Unknown),
            ("train-ai=n;x=y;z", No, Unknown),
            ("train-ai=maybe, search=y", Broken, Yes),
            ("train-ai=Y, search=(y)", Broken, Broken),
            ("train-ai=1", Broken, Unknown),
            ("ai=n, bots=y", Unknown, Unknown),
            ("", Unknown, Unknown),
            // No dictionaries.
            ("train-ai;has;parameters=\"?\";", Broken, Broken),
            ("Train-AI=n", Broken, Broken),
            ("train-ai = n", Broken, Broken),
            ("train-ai=n search=n", Broken, Broken),
            ("train-ai=n,", Broken, Broken),
            ("train-ai=n; search=\u{e9}", Broken, Broken),
        ] {
            assert_eq!(read(statement.as_bytes()), [train_ai, search, Unknown], "{statement}");
        }
    }

    #[test]
    fn a_path_ends_at_the_first_blank() {
        for (value, path, statement) in [
            ("train-ai=n", "", "train-ai=n"),
            ("/ai-ok/ train-ai=y", "/ai-ok/", "train-ai=y"),
            ("/a*b$\t \ttrain-ai=y, search=n", "/a*b$", "train-ai=y, search=n"),
            ("/a", "/a", ""),
            ("*/a train-ai=y", "", "*/a train-ai=y"),
            ("", "", ""),
        ] {
            assert_eq!(split(value.as_bytes()), (path.as_bytes(), statement.as_bytes()), "{value}");
        }
    }
}
