//! An override with its rules stored, ready to be applied to a resolved origin.

use std::cmp::Ordering;

use crate::policy::answer::{CompareRules, Resolved, StoredRules};
use crate::policy::side_records;
use crate::policy::state::{OverrideState, Ruling};
use crate::robots::NoteCounts;

/// The override for an origin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Placement {
    pub operator_override: OverrideState,
    /// The rules that replace the origin's, for [`Ruling::RobotsTxt`].
    pub robots_txt: StoredRules,
    /// The lines of that file that were dropped or cut.
    pub notes: NoteCounts,
    /// The crawl delay in seconds, as a decimal number.
    pub crawl_delay: Option<Box<str>>,
}

impl Placement {
    /// Applies the override to an origin. The origin's own state is kept as well.
    pub fn apply(&self, resolved: &mut Resolved) {
        resolved.state.operator_override = self.operator_override;
        if self.operator_override.ruling == Some(Ruling::RobotsTxt) {
            resolved.rules = self.robots_txt;
        }
    }

    /// The operator's own side records, encoded: the crawl delay.
    pub fn side_records(&self) -> Option<Vec<u8>> {
        self.crawl_delay.as_deref().map(side_records::operators_delay)
    }

    /// Adds another override for the same origin. Overrides have no time, so of two that contradict, the stricter counts. Returns
    /// whether they do.
    pub fn merge<C: CompareRules>(&mut self, other: Placement, rules: &mut C) -> Result<bool, C::Error> {
        let (own, others) = (self.operator_override, other.operator_override);
        let contradicts = |is_set: bool, is_other: bool, differs: bool| is_set && is_other && differs;
        let mut by_ruling = strictness(own.ruling).cmp(&strictness(others.ruling));
        if own.ruling == Some(Ruling::RobotsTxt) && others.ruling == own.ruling {
            by_ruling = rules.compare(self.robots_txt, other.robots_txt)?;
        }
        let seconds =
            |placement: &Placement| placement.crawl_delay.as_deref().and_then(|delay| delay.parse::<f64>().ok());
        let by_delay = match (seconds(self), seconds(&other)) {
            (one, two) if one == two => self.crawl_delay.cmp(&other.crawl_delay),
            (one, two) => one.partial_cmp(&two).unwrap_or(Ordering::Equal),
        };
        let told = contradicts(own.ruling.is_some(), others.ruling.is_some(), by_ruling.is_ne())
            || contradicts(self.crawl_delay.is_some(), other.crawl_delay.is_some(), by_delay.is_ne())
            || contradicts(
                own.paused_until.is_some(),
                others.paused_until.is_some(),
                own.paused_until != others.paused_until,
            );
        if by_ruling.is_lt() {
            self.operator_override.ruling = others.ruling;
            (self.robots_txt, self.notes) = (other.robots_txt, other.notes);
        }
        if by_delay.is_lt() {
            self.crawl_delay = other.crawl_delay;
        }
        self.operator_override.paused_until = own.paused_until.max(others.paused_until);
        Ok(told)
    }
}

/// Rulings from the least strict to the strictest.
fn strictness(ruling: Option<Ruling>) -> u8 {
    match ruling {
        None => 0,
        Some(Ruling::AllowAll) => 1,
        Some(Ruling::RobotsTxt) => 2,
        Some(Ruling::ForbidAll) => 3,
    }
}
