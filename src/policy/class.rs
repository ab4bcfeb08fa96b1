//! The class of an origin: one number for the combination of its status, its last good answer, whether that is an HTML page, and
//! the operator's ruling. It depends on no path and no option.

use super::image::Record;
use super::state::{OriginStatus, Ruling};

/// The failures, in the order of their numbers.
const FAILURES: [OriginStatus; 4] =
    [OriginStatus::Unreachable, OriginStatus::RedirectUnresolved, OriginStatus::Incomplete, OriginStatus::NotModified];

/// The answers that can be in use, in the order of their numbers: none, or a definite one and whether it is an HTML page.
const IN_USE: [Option<(OriginStatus, bool)>; 5] = [
    None,
    Some((OriginStatus::RobotsTxt, false)),
    Some((OriginStatus::Unavailable, false)),
    Some((OriginStatus::Forbidden, false)),
    Some((OriginStatus::RobotsTxt, true)),
];

/// The number of combinations of the last answer and the one in use.
const STATES: u8 = (IN_USE.len() * (FAILURES.len() + 1)) as u8;

/// A combination of origin status, last good answer and ruling; or a pause, which a time decides.
///
/// ```text
/// number   25 * ruling + 5 * failure + answer; or 100, paused by the operator until some time
/// ruling   0 none, 1 to 3 as the ruling
/// failure  0 the last answer did not fail, 1 unreachable, 2 redirected to where nothing is known, 3 incomplete, 4 not
///          modified since one that is not known
/// answer   the last one, or the last good one after a failure: 0 none, 1 a robots.txt, 2 there is none, 3 forbidden,
///          4 a robots.txt that looks like an HTML page
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Class(u8);

impl Class {
    /// The operator has paused the origin; its record says until when.
    pub const PAUSED: Class = Class(STATES * (Ruling::ALL.len() as u8 + 1));

    /// The number of classes; all class numbers are below this.
    pub const COUNT: usize = Class::PAUSED.0 as usize + 1;

    /// The class of an origin that is not paused. A last good answer counts only after a failure, and only if it is definite;
    /// `html_page` only if the answer in use is a robots.txt.
    pub fn new(
        origin_status: OriginStatus,
        last_good: Option<OriginStatus>,
        html_page: bool,
        ruling: Option<Ruling>,
    ) -> Class {
        let failure = FAILURES.iter().position(|&failure| failure == origin_status).map_or(0, |failure| failure + 1);
        let answer = if failure == 0 { Some(origin_status) } else { last_good };
        let html_page = html_page && answer == Some(OriginStatus::RobotsTxt);
        let in_use = answer.map(|answer| (answer, html_page));
        let in_use = IN_USE.iter().position(|&one| one == in_use).unwrap_or(0);
        let ruling = ruling.map_or(0, |ruling| ruling as u8);
        Class(STATES * ruling + (IN_USE.len() * failure + in_use) as u8)
    }

    /// The class of the origin of a record.
    pub fn of(record: &Record<'_>) -> Class {
        match record.is_paused() {
            true => Class::PAUSED,
            false => Class::new(record.origin_status, record.last_good, record.html_page, record.ruling),
        }
    }

    /// The class with this number, if there is one.
    pub fn from_number(number: u8) -> Option<Class> {
        (number <= Class::PAUSED.0).then_some(Class(number))
    }

    /// Its number.
    pub fn number(self) -> u8 {
        self.0
    }

    /// The origin status after the last answer and, if that failed, after the last good one; `None` for [`Class::PAUSED`].
    pub fn origin_status(self) -> Option<(OriginStatus, Option<OriginStatus>)> {
        let in_use = self.in_use().map(|(origin_status, _)| origin_status);
        let failure = usize::from(self.0 % STATES) / IN_USE.len();
        (self != Class::PAUSED).then(|| match failure.checked_sub(1) {
            Some(failure) => (FAILURES[failure], in_use),
            None => (in_use.unwrap_or(OriginStatus::Unfetched), None),
        })
    }

    /// Whether the answer in use is a robots.txt that looks like an HTML page; for [`Class::PAUSED`], it is in the record.
    pub fn html_page(self) -> bool {
        self.in_use().is_some_and(|(_, html_page)| html_page)
    }

    fn in_use(self) -> Option<(OriginStatus, bool)> {
        IN_USE[usize::from(self.0 % STATES) % IN_USE.len()]
    }

    /// The operator's ruling in place of the robots.txt; for [`Class::PAUSED`], it is in the record.
    pub fn ruling(self) -> Option<Ruling> {
        let number = usize::from(self.0 / STATES).checked_sub(1)?;
        Ruling::ALL.get(number).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_has_a_class_of_its_own() {
        let mut seen = vec![Class::PAUSED];
        let goods = OriginStatus::ALL.into_iter().filter(|origin_status| origin_status.is_definite()).map(Some);
        let goods: Vec<Option<OriginStatus>> = [None].into_iter().chain(goods).collect();
        for origin_status in OriginStatus::ALL {
            for &good in if origin_status.is_failure() { &goods[..] } else { &goods[..1] } {
                let can_be_a_page = good.unwrap_or(origin_status) == OriginStatus::RobotsTxt;
                for html_page in [false, true].into_iter().take(1 + usize::from(can_be_a_page)) {
                    for ruling in [None].into_iter().chain(Ruling::ALL.map(Some)) {
                        let class = Class::new(origin_status, good, html_page, ruling);
                        assert!(!seen.contains(&class), "{origin_status:?} {good:?} {html_page} {ruling:?}");
                        assert_eq!((class.origin_status(), class.ruling()), (Some((origin_status, good)), ruling));
                        assert_eq!(class.html_page(), html_page);
                        assert_eq!(Class::from_number(class.number()), Some(class));
                        seen.push(class);
                    }
                }
            }
        }
        assert_eq!(seen.len(), Class::COUNT);
        assert_eq!(Class::from_number(Class::COUNT as u8), None);
        assert_eq!((Class::PAUSED.origin_status(), Class::PAUSED.ruling()), (None, None));
    }
}
