//! The class of an origin: one number for the combination of its status, its last good answer and the operator's ruling. It
//! depends on no path and no option.

use super::image::Record;
use super::state::{OriginStatus, Ruling};

/// The number of last good answers that a failure can have, counting none.
const GOODS: u8 = 4;
/// The number of combinations of an origin status and a last good answer.
const STATES: u8 = 12;

/// A combination of origin status, last good answer and ruling; or a pause, which a time decides.
///
/// ```text
/// number   12 * ruling + state, ruling 0 to 3, 0 for none; or 48, paused by the operator until some time
/// state    0 a robots.txt, 1 none, 2 forbidden, 3 to 6 unreachable, 7 to 10 redirected to where nothing is known,
///          11 never asked for; 3 and 7 have no last good answer, and after them come those of 0, 1 and 2
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Class(u8);

impl Class {
    /// The operator has paused the origin; its record says until when.
    pub const PAUSED: Class = Class(STATES * (Ruling::ALL.len() as u8 + 1));

    /// The number of classes; all class numbers are below this.
    pub const COUNT: usize = Class::PAUSED.0 as usize + 1;

    /// The class of an origin that is not paused. A last good answer counts only after a failure, and only if it is definite.
    pub fn new(origin_status: OriginStatus, last_good: Option<OriginStatus>, ruling: Option<Ruling>) -> Class {
        let good = last_good.filter(|good| good.is_definite()).map_or(0, |good| good as u8 + 1);
        let state = match origin_status {
            OriginStatus::RobotsTxt | OriginStatus::Unavailable | OriginStatus::Forbidden => origin_status as u8,
            OriginStatus::Unreachable => 3 + good,
            OriginStatus::RedirectUnresolved => 3 + GOODS + good,
            OriginStatus::Unfetched => STATES - 1,
        };
        Class(STATES * ruling.map_or(0, |ruling| ruling as u8) + state)
    }

    /// The class of the origin of a record.
    pub fn of(record: &Record<'_>) -> Class {
        match record.is_paused() {
            true => Class::PAUSED,
            false => Class::new(record.origin_status, record.last_good, record.ruling),
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
        let good = |number: u8| number.checked_sub(1).map(|good| OriginStatus::ALL[usize::from(good)]);
        (self != Class::PAUSED).then(|| match self.0 % STATES {
            state @ 0..3 => (OriginStatus::ALL[usize::from(state)], None),
            state @ 3..7 => (OriginStatus::Unreachable, good(state - 3)),
            state @ 7..11 => (OriginStatus::RedirectUnresolved, good(state - 7)),
            _ => (OriginStatus::Unfetched, None),
        })
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
                for ruling in [None].into_iter().chain(Ruling::ALL.map(Some)) {
                    let class = Class::new(origin_status, good, ruling);
                    assert!(!seen.contains(&class), "{origin_status:?} {good:?} {ruling:?}");
                    assert_eq!((class.origin_status(), class.ruling()), (Some((origin_status, good)), ruling));
                    assert_eq!(Class::from_number(class.number()), Some(class));
                    seen.push(class);
                }
            }
        }
        assert_eq!(seen.len(), Class::COUNT);
        assert_eq!(Class::from_number(Class::COUNT as u8), None);
        assert_eq!((Class::PAUSED.origin_status(), Class::PAUSED.ruling()), (None, None));
    }
}
