//! Stand-ins for a pool in a program built without one: the calling thread does all work, at once.

/// The number of threads that was asked for, of which there is one.
pub(crate) fn asked(_threads: usize) -> usize {
    1
}

/// How many threads to start: none.
pub(crate) fn worth_starting(_milliseconds: usize, _most: usize) -> usize {
    0
}

/// Does `work`.
pub(crate) fn on<T: Send>(_threads: usize, work: impl FnOnce() -> T + Send) -> T {
    work()
}

/// The number of threads that share work given here.
pub(crate) fn number() -> usize {
    1
}

/// Does both.
pub(crate) fn both<A: Send, B: Send>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B + Send) -> (A, B) {
    (one(), other())
}

/// What `of` makes of each item, in order.
pub(crate) fn map<T: Send, R: Send>(items: impl IntoIterator<Item = T>, of: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
    let of = |item| {
        super::check();
        of(item)
    };
    items.into_iter().map(of).collect()
}

/// Sorts by a key. Equal items may change places.
pub(crate) fn sort_by_key<T: Send, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K + Sync) {
    items.sort_unstable_by_key(key)
}

/// Work that is done.
pub(crate) struct Soon<T>(T);

impl<T: Send + 'static> Soon<T> {
    /// Does it.
    pub fn begin(work: impl FnOnce() -> T + Send + 'static) -> Soon<T> {
        Soon(work())
    }

    /// Whether it is done.
    pub fn is_done(&mut self) -> bool {
        true
    }

    /// What came of it.
    pub fn wait(self) -> T {
        self.0
    }
}
