//! When requests for a URL failed.
//!
//! "Unreachable since" is the first failure after the last good answer, which is no maximum over answers. So the first and
//! the last failure of each of the newest four windows of 30 days are kept: minima and maxima, which do not depend on the
//! order in which failures become known. A gap of more than 30 days between two failures ends the time of being
//! unreachable: one failure after a silent month is no month.

/// Length of a window, and of the longest gap, in seconds.
const WINDOW: i64 = 30 * 86_400;

/// How many windows are kept. The newest may have just begun, so the others cover [`LONGEST`].
const WINDOWS: usize = 4;

/// The longest time for which an origin is surely known to have been unreachable, in seconds: three months.
pub const LONGEST: u64 = (WINDOWS as u64 - 1) * WINDOW as u64;

/// The failures of one URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Failures {
    /// The first and the last failure of each window that has one, in seconds of Unix time; the newest window first.
    windows: Vec<(i64, i64)>,
}

fn window(time: i64) -> i64 {
    time.div_euclid(WINDOW)
}

impl Failures {
    /// A failure at a time, if that is known. If a source says that requests have failed since an earlier time, they have
    /// failed in each window from then on.
    pub fn new(at: Option<i64>, since: Option<i64>) -> Failures {
        let mut failures = Failures::default();
        let Some(last) = at.or(since) else { return failures };
        let first = since.map_or(last, |since| since.min(last));
        for number in (window(first)..=window(last)).rev().take(WINDOWS) {
            let start = number.saturating_mul(WINDOW);
            failures.add((first.max(start), last.min(start.saturating_add(WINDOW - 1))));
        }
        failures
    }

    /// Failures read from a file.
    ///
    /// # Errors
    ///
    /// If they are not as [`Failures::windows`] returns them.
    pub fn of_windows(windows: Vec<(i64, i64)>) -> Result<Failures, &'static str> {
        let is_window = |&(first, last): &(i64, i64)| first <= last && window(first) == window(last);
        let are_sorted = windows.windows(2).all(|two| window(two[0].0) > window(two[1].0));
        match windows.len() <= WINDOWS && windows.iter().all(is_window) && are_sorted {
            true => Ok(Failures { windows }),
            false => Err("failures are not in windows of 30 days, the newest first"),
        }
    }

    /// The first and the last failure of each window, the newest first.
    pub fn windows(&self) -> &[(i64, i64)] {
        &self.windows
    }

    /// Adds failures of the same URL.
    pub fn merge(&mut self, other: &Failures) {
        other.windows.iter().for_each(|&window| self.add(window));
    }

    /// Adds the first and the last failure of a window.
    fn add(&mut self, (first, last): (i64, i64)) {
        let number = window(first);
        let at = self.windows.partition_point(|&(first, _)| window(first) > number);
        match self.windows.get_mut(at).filter(|&&mut (first, _)| window(first) == number) {
            Some(known) => *known = (known.0.min(first), known.1.max(last)),
            None => self.windows.insert(at, (first, last)),
        }
        self.windows.truncate(WINDOWS);
    }

    /// The time since which requests have failed, if the last one did: the first known failure after the last good answer,
    /// with no gap of more than 30 days after it.
    pub fn since(&self, last_good: Option<i64>) -> Option<i64> {
        let mut since = None;
        for &(first, last) in &self.windows {
            let is_later = |time: &i64| last_good.is_none_or(|good| *time > good);
            let follows = since.is_none_or(|since: i64| since.saturating_sub(last) <= WINDOW);
            if !is_later(&last) || !follows {
                break;
            }
            since = Some(first).filter(is_later).or(Some(last));
        }
        since
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400;

    fn failed(days: &[i64]) -> Failures {
        days.iter().fold(Failures::default(), |mut all, day| {
            all.merge(&Failures::new(Some(day * DAY), None));
            all
        })
    }

    #[test]
    fn the_first_failure_after_the_last_good_answer_counts() {
        let since = |days: &[i64], good: Option<i64>| failed(days).since(good.map(|day| day * DAY)).map(|at| at / DAY);
        assert_eq!(since(&[], None), None);
        assert_eq!(since(&[5], None), Some(5));
        assert_eq!(since(&[5, 6, 20], None), Some(5));
        assert_eq!(since(&[5, 6, 20], Some(5)), Some(20), "of a window, the first and the last are known");
        assert_eq!(since(&[5, 20], Some(20)), None);
        assert_eq!(since(&[5, 34], None), Some(5), "a gap of 29 days");
        assert_eq!(since(&[5, 36], None), Some(36), "a silent month");
        assert_eq!(since(&[5, 29, 58, 80], None), Some(5));
        assert_eq!(since(&(0..200).collect::<Vec<_>>(), None), Some(90), "four windows");
        assert_eq!(since(&(0..200).collect::<Vec<_>>(), Some(100)), Some(119), "never earlier than the truth");
        assert_eq!(since(&[-5, -40], None), Some(-5));
        assert_eq!(since(&[-5, -31], None), Some(-31));
    }

    #[test]
    fn what_a_source_says_counts_in_every_window() {
        let told = |at: Option<i64>, since: i64| Failures::new(at.map(|at| at * DAY), Some(since * DAY));
        assert_eq!(told(Some(75), 5).since(None), Some(5 * DAY));
        assert_eq!(told(None, 5).since(None), Some(5 * DAY));
        assert_eq!(told(Some(3), 5).since(None), Some(3 * DAY), "the future is not the past");
        assert!(told(Some(1000), 5).since(None).is_some_and(|since| (800 * DAY..900 * DAY + 1).contains(&since)));
        assert_eq!(Failures::new(None, None), Failures::default());
        for time in [i64::MIN, i64::MAX] {
            assert!(Failures::new(Some(time), Some(0)).since(None).is_some());
        }
    }

    #[test]
    fn the_order_does_not_matter() {
        let mut rng = crate::rng::Rng(7);
        for _ in 0..1000 {
            let days: Vec<i64> = (0..rng.below(12)).map(|_| rng.below(400) as i64).collect();
            let expected = failed(&days);
            let mut shuffled = days.clone();
            shuffled.sort_by_key(|day| day * 7919 % 401);
            let (one, other) = shuffled.split_at(shuffled.len() / 2);
            let (mut merged, again) = (failed(other), failed(one));
            merged.merge(&again);
            merged.merge(&again);
            assert_eq!(merged, expected, "{days:?}");
            assert_eq!(Failures::of_windows(expected.windows().to_vec()), Ok(expected));
        }
        assert!(Failures::of_windows(vec![(0, WINDOW)]).is_err());
        assert!(Failures::of_windows(vec![(0, 1), (2, 3)]).is_err());
        assert!(Failures::of_windows(vec![(0, 1), (WINDOW, WINDOW)]).is_err());
    }
}
