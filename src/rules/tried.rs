//! For tests: patterns in short form, the simplest matcher, and all short paths.

use super::Patterns;
use crate::dialect::Dialect;
use crate::robots::Robots;

/// The patterns of rules between blanks, in the default dialect: `+pattern` for `Allow`, `-pattern` for `Disallow`.
pub(crate) fn patterns(rules: &str) -> Patterns {
    let key = |rule: &str| if rule.starts_with('+') { "Allow" } else { "Disallow" };
    let lines = rules.split_whitespace().map(|rule| format!("{}: {}\n", key(rule), &rule[1..]));
    let file = format!("User-agent: *\n{}", lines.collect::<String>());
    Patterns::rank(Robots::parse(file.as_bytes(), Dialect::DEFAULT).rules.iter(), Dialect::DEFAULT)
}

/// Whether a rule matches a path.
pub(crate) fn matches(rule: &[u8], path: &[u8]) -> bool {
    match (rule, path) {
        ([], _) => true,
        ([b'$'], _) => path.is_empty(),
        ([b'*', rest @ ..], _) => (0..=path.len()).any(|at| matches(rest, &path[at..])),
        ([byte, rest @ ..], [first, path @ ..]) => byte == first && matches(rest, path),
        _ => false,
    }
}

/// All paths of up to `longest` bytes after the slash, made of `a`, `b`, `/` and `x`.
pub(crate) fn paths(longest: usize) -> Vec<Vec<u8>> {
    let mut all = vec![b"/".to_vec()];
    let mut from = 0;
    for _ in 0..longest {
        let until = all.len();
        for at in from..until {
            let longer = b"ab/x".map(|byte| [all[at].as_slice(), &[byte]].concat());
            all.extend(longer);
        }
        from = until;
    }
    all
}
