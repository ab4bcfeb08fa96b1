//! `Content-Signal`: signals between commas (contentsignals.org, September 2025), as `search=yes, ai-train=no, use=reference`.

use super::preference::{Preference, PreferenceSource, Use};

/// What a value says of each use. Its publishers have no grammar, so names and values are compared without case, and blanks around them
/// are ignored. Of one signal that is there twice, `no` counts. `use=` and unknown signals are ignored; if anything is no signal, or a
/// known one is neither `yes` nor `no`, all that the line does not say clearly is broken.
pub(super) fn read(value: &[u8]) -> [Preference; Use::COUNT] {
    let source = PreferenceSource::ContentSignal;
    let mut said = [Preference::Unknown; Use::COUNT];
    let mut is_broken = value.is_empty();
    for signal in value.split(|&byte| byte == b',') {
        let Some((name, word)) = signal_of(signal) else {
            is_broken = true;
            continue;
        };
        let Some(use_) = use_of(name) else { continue };
        let preference = match word {
            _ if word.eq_ignore_ascii_case(b"yes") => Preference::Yes,
            _ if word.eq_ignore_ascii_case(b"no") => Preference::No,
            _ => Preference::Broken,
        };
        is_broken |= preference == Preference::Broken;
        said[use_ as usize] = said[use_ as usize].max(preference);
    }
    let least = if is_broken { source.broken() } else { said };
    std::array::from_fn(|use_| said[use_].max(least[use_]))
}

/// The use that a signal's name means.
fn use_of(name: &[u8]) -> Option<Use> {
    let label = |use_| PreferenceSource::ContentSignal.label(use_);
    Use::ALL.into_iter().find(|use_| label(*use_).is_some_and(|label| name.eq_ignore_ascii_case(label.as_bytes())))
}

/// The names of signals that are not known.
pub(super) fn unknown(value: &[u8]) -> Vec<String> {
    let names = value.split(|&byte| byte == b',').filter_map(|signal| Some(signal_of(signal)?.0));
    let unknown = names.filter(|name| use_of(name).is_none() && !name.eq_ignore_ascii_case(b"use"));
    unknown.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// The words of `use=`, in small letters.
pub(super) fn uses(value: &[u8]) -> impl Iterator<Item = String> {
    let signals = value.split(|&byte| byte == b',').filter_map(signal_of);
    let words = signals.filter(|(name, _)| name.eq_ignore_ascii_case(b"use")).map(|(_, word)| word);
    words.map(|word| String::from_utf8_lossy(word).to_ascii_lowercase())
}

/// The name and the value of a signal.
fn signal_of(signal: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = signal.iter().position(|&byte| byte == b'=')?;
    let (name, word) = (signal[..at].trim_ascii(), signal[at + 1..].trim_ascii());
    let is_word =
        |text: &[u8]| !text.is_empty() && text.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    (is_word(name) && is_word(word)).then_some((name, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_as_publishers_write_them() {
        use Preference::{Broken, No, Unknown, Yes};
        for (value, train_ai, search, ai_input) in [
            ("search=yes, ai-train=no", No, Yes, Unknown),
            ("search=yes,ai-train=no,use=reference", No, Yes, Unknown),
            ("ai-train=yes, search=yes, ai-input=yes", Yes, Yes, Yes),
            ("AI-Train = NO", No, Unknown, Unknown),
            ("ai-train=yes, ai-train=no", No, Unknown, Unknown),
            ("use=full", Unknown, Unknown, Unknown),
            ("search-ai=no", Unknown, Unknown, Unknown),
            ("ai-train=maybe, search=no", Broken, No, Broken),
            ("ai-train=no; search=yes", Broken, Broken, Broken),
            ("ai-train=no search=yes", Broken, Broken, Broken),
            ("search=yes,", Broken, Broken, Broken),
            ("/blog/ ai-train=no", Broken, Broken, Broken),
            ("ai-train", Broken, Broken, Broken),
            ("", Broken, Broken, Broken),
        ] {
            assert_eq!(read(value.as_bytes()), [train_ai, search, ai_input], "{value}");
        }
    }
}
