//! Brute force for tests: the simplest matcher, and all short paths.

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
