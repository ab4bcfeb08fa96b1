//! Which crawlers agree on a block of lines. Nearly all do on most blocks, so what is done for all lines and all crawlers is done
//! once for each group that agrees.

use std::ops::Range;

use crate::outcome::Outcome;

/// The crawlers of a block in groups that agree on all of its lines.
#[derive(Debug, Default)]
pub(crate) struct Agreement {
    /// For each group, one of its crawlers.
    firsts: Vec<usize>,
    /// For each crawler, its group.
    groups: Vec<usize>,
}

impl Agreement {
    /// Finds the groups of a block, given the outcomes for each crawler.
    pub fn find(&mut self, outcomes: &[Vec<Outcome>], block: Range<usize>) {
        self.firsts.clear();
        self.groups.clear();
        let of = |crawler: usize| bytemuck::cast_slice::<Outcome, u8>(&outcomes[crawler][block.clone()]);
        for crawler in 0..outcomes.len() {
            let group = self.firsts.iter().position(|&first| of(first) == of(crawler));
            self.groups.push(group.unwrap_or(self.firsts.len()));
            if group.is_none() {
                self.firsts.push(crawler);
            }
        }
    }

    /// For each group, one of its crawlers.
    pub fn firsts(&self) -> &[usize] {
        &self.firsts
    }

    /// For each crawler, its group.
    pub fn groups(&self) -> &[usize] {
        &self.groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crawlers_agree_if_all_outcomes_of_the_block_are_the_same() {
        let outcome = |number: usize| Outcome::from_index(number);
        let outcomes = [[1, 2, 3], [1, 2, 4], [9, 2, 3], [1, 2, 3]].map(|row| row.map(outcome).to_vec());
        let mut agreement = Agreement::default();
        agreement.find(&outcomes, 0..3);
        assert_eq!((agreement.firsts(), agreement.groups()), (&[0, 1, 2][..], &[0, 1, 2, 0][..]));
        agreement.find(&outcomes, 1..2);
        assert_eq!((agreement.firsts(), agreement.groups()), (&[0][..], &[0; 4][..]));
        agreement.find(&outcomes, 1..3);
        assert_eq!(agreement.groups(), [0, 1, 0, 0]);
    }
}
