//! What rows show besides the outcomes of their lines.

use crate::judge::explain::{Cause, Explainer};
use crate::judge::line_urls::LineUrls;
use crate::judge::matcher::PreferredLines;
use crate::judge::outcomes::Refusals;

/// For the lines of a chunk: explainers of what blocked them for each crawler, the crawlers that may not fetch them, and the
/// preferences of their pages; each is empty if it is not wanted.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
pub(crate) struct ChunkCauses<'c> {
    pub explainers: &'c mut [Explainer],
    pub refusals: Option<&'c Refusals>,
    pub preferred: Option<&'c PreferredLines>,
    pub text: &'c [u8],
    pub urls: &'c LineUrls,
}

#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
impl ChunkCauses<'_> {
    /// What blocked a crawler's line.
    pub fn of(&mut self, crawler: usize, line: usize) -> Cause {
        self.explainers[crawler].explain(self.urls.url(self.text, line))
    }
}
