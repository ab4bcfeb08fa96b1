//! A choice from a list of names.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A parser for one of these values, given by its name.
pub(super) fn one_of<T: Clone + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = (impl Into<PossibleValue>, T)>,
) -> impl TypedValueParser<Value = T> {
    let (names, values): (Vec<PossibleValue>, Vec<T>) =
        choices.into_iter().map(|(name, value)| (name.into(), value)).unzip();
    PossibleValuesParser::new(names.clone()).try_map(move |given| {
        let place = names.iter().position(|name| name.matches(&given, false));
        place.map(|place| values[place].clone()).ok_or("it is none of them")
    })
}
