//! Verdicts in every dialect: all engines, the plain reading and the explanation agree with the oracle.

use proptest::prelude::*;
use robosieve::Agents;
use robosieve::internals::Axes;
use robosieve::{Dialect, RuleSet, Verdict};

use super::{config, strategies};
use crate::oracle;
use crate::support::{Engines, verdict};

/// The agents in the library's own type.
fn asked(agents: &[&str]) -> Agents {
    agents.join(",").parse().expect("a list of product tokens, or *")
}

/// Checks that all engines agree with the oracle on these paths.
fn judge(name: &str, agents: &[&str], file: &[u8], paths: &[Vec<u8>]) -> Result<(), TestCaseError> {
    let dialect = Dialect::named(name).expect("a dialect");
    let mut engines = Engines::all(file, &asked(agents), dialect);
    for path in paths {
        let expected = verdict(oracle::allowed(name, agents, file, path));
        let got = engines.verdict(path);
        prop_assert_eq!(got, Ok(expected), "{}, {:?}, {}", name, agents, path.escape_ascii());
        explained(&engines.rules, dialect, path)?;
    }
    Ok(())
}

/// The rule an explanation names has the explained verdict, and blocks the path on its own.
fn explained(rules: &RuleSet, dialect: &Dialect, path: &[u8]) -> Result<(), TestCaseError> {
    let explanation = rules.explain(path);
    let Some(rule) = explanation.rule else {
        // A body that is no robots.txt blocks everything, by no rule.
        let without = if rules.flaw().is_some() { Verdict::Blocked } else { Verdict::Allowed };
        prop_assert_eq!(explanation.verdict, without);
        return Ok(());
    };
    prop_assert_eq!(explanation.verdict, verdict(rule.allow));
    prop_assert!(rules.rules().contains(rule));
    // An Allow may match through a pattern other than its own, and robots.txt itself is always allowed.
    let is_robots_txt = *dialect.encoding().path(&dialect.url_path().judged(path)) == *b"/robots.txt";
    if !(rule.allow && (dialect.name == "google" || is_robots_txt)) {
        let alone = [b"User-agent: *\nDisallow: ", rule.value.as_slice(), b"\n"].concat();
        prop_assert!(!oracle::allowed(dialect.name, &["*"], &alone, path), "line {} does not match", rule.line);
    }
    Ok(())
}

macro_rules! verdicts_are_the_oracles {
    ($($property:ident: $name:literal),* $(,)?) => {
        proptest! {
            #![proptest_config(config())]
            $(
                #[test]
                fn $property((file, paths) in strategies::case(), agents in strategies::agents()) {
                    judge($name, &agents, &file, &paths)?;
                }
            )*
        }
    };
}

verdicts_are_the_oracles! {
    rfc9309: "rfc9309",
    google: "google",
    mandelbot: "mandelbot",
    extended_2008: "extended-2008",
    draft_1996: "draft-1996",
    original_1994: "original-1994",
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn patterns_rich_in_wildcards(
        (rules, paths) in strategies::patterns_and_paths(),
        name in prop::sample::select(Dialect::names()),
    ) {
        judge(name, &["*"], &strategies::as_robots(&rules), &paths)?;
    }

    #[test]
    fn the_normal_form_is_its_own(path in strategies::path()) {
        for dialect in Dialect::ALL {
            let normal = dialect.encoding().path(&path);
            let again = dialect.encoding().path(&normal);
            // In draft-1996 a second pass changes more: an escaped escape becomes an escape.
            if dialect.name != "draft-1996" {
                prop_assert_eq!(&normal, &again, "{}", dialect.name);
            }
            let changed = dialect.encoding().changed_bytes();
            prop_assert!(*normal == *path || path.iter().any(|&byte| changed.contains(byte)));
        }
    }
}
