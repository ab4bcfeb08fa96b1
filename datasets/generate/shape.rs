//! The number of lines per host and of rules per file: the two long tails, in closed form.
//!
//! [`Zipf`] distributes a fixed number of lines over ranks, so that line `i` finds its host without a
//! table of hosts: ranks are grouped into blocks that grow by a sixty-fourth, a block's share of the
//! lines is the integral of `x^-s`, and within a block the lines are distributed evenly, in whole
//! numbers. A list over twenty million hosts needs about 900 blocks, which stay in the first-level
//! cache.

/// Lines distributed over hosts by Zipf's law.
pub struct Zipf {
    starts: Vec<u64>,
    blocks: Vec<Block>,
}

/// Adjacent ranks that share their lines evenly: `base` each, and one more for the first `extra` of
/// them.
struct Block {
    first_rank: u64,
    base: u64,
    extra: u64,
}

impl Zipf {
    /// Distributes `lines` over `hosts` ranks with the given exponent.
    pub fn new(lines: u64, hosts: u64, exponent: f64) -> Self {
        let whole = weight(hosts, exponent);
        let (mut starts, mut blocks) = (Vec::new(), Vec::new());
        let (mut first_rank, mut start) = (0, 0);
        while first_rank < hosts {
            let next_rank = (first_rank + (first_rank / 64).max(1)).min(hosts);
            let end = if next_rank == hosts {
                lines
            } else {
                (lines as f64 * (weight(next_rank, exponent) / whole)).round() as u64
            };
            let (share, width) = (end - start, next_rank - first_rank);
            starts.push(start);
            blocks.push(Block { first_rank, base: share / width, extra: share % width });
            (first_rank, start) = (next_rank, end);
        }
        Self { starts, blocks }
    }

    /// The rank that line `index` belongs to, and the number of the line within that host.
    pub fn locate(&self, index: u64) -> (u64, u64) {
        let at = self.starts.partition_point(|&start| start <= index) - 1;
        let block = &self.blocks[at];
        let offset = index - self.starts[at];
        let long = block.extra * (block.base + 1);
        if offset < long {
            let width = block.base + 1;
            (block.first_rank + offset / width, offset % width)
        } else {
            let offset = offset - long;
            (block.first_rank + block.extra + offset / block.base, offset % block.base)
        }
    }

    /// The number of lines of a rank.
    pub fn count(&self, rank: u64) -> u64 {
        let at = self.blocks.partition_point(|block| block.first_rank <= rank) - 1;
        let block = &self.blocks[at];
        block.base + u64::from(rank - block.first_rank < block.extra)
    }
}

/// The integral of `x^-s` from one half to `rank + 1/2`: very nearly the sum over the first `rank`
/// ranks.
fn weight(rank: u64, s: f64) -> f64 {
    let (from, to) = (0.5, rank as f64 + 0.5);
    if (s - 1.0).abs() < 1e-9 { (to / from).ln() } else { (to.powf(1.0 - s) - f64::powf(from, 1.0 - s)) / (1.0 - s) }
}

/// Steps of each of the two tables of [`Sizes`].
const STEPS: usize = 1024;

/// The number of rules of a file: a log-normal distribution with a cap, as a table of quantiles.
///
/// A second table refines the last step of the first, so that the tail reaches one file in a
/// million.
pub struct Sizes {
    body: Vec<u32>,
    tail: Vec<u32>,
}

impl Sizes {
    /// The distribution with this median, this standard deviation of the logarithm, and this cap.
    pub fn new(median: f64, sigma: f64, cap: u32) -> Self {
        let size = |p: f64| ((median * (sigma * normal_quantile(p)).exp()).round() as u32).min(cap);
        let middle = |step: usize| (step as f64 + 0.5) / STEPS as f64;
        let last = 1.0 / STEPS as f64;
        Self {
            body: (0..STEPS).map(|step| size(middle(step))).collect(),
            tail: (0..STEPS).map(|step| size(1.0 - last + last * middle(step))).collect(),
        }
    }

    /// The size at the quantile given by 64 random bits.
    pub fn at(&self, bits: u64) -> u32 {
        let step = (bits >> 54) as usize;
        if step + 1 < STEPS { self.body[step] } else { self.tail[(bits >> 44) as usize % STEPS] }
    }
}

/// The quantile of the standard normal distribution, by bisection of its distribution function.
fn normal_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (-8.0, 8.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if normal_below(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The standard normal distribution function, by Abramowitz and Stegun's formula 26.2.17 (error
/// below 7.5e-8).
fn normal_below(x: f64) -> f64 {
    if x < 0.0 {
        return 1.0 - normal_below(-x);
    }
    let t = 1.0 / (1.0 + 0.231_641_9 * x);
    let terms = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_530];
    let sum = terms.iter().fold(0.0, |sum, term| (sum + term) * t);
    1.0 - sum * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt()
}

#[cfg(test)]
mod tests {
    use super::{Sizes, Zipf};

    #[test]
    fn every_line_has_one_place() {
        for (lines, hosts, exponent) in [(1000, 20, 0.9), (10, 50, 1.0), (9999, 700, 1.3), (5, 1, 0.0)] {
            let zipf = Zipf::new(lines, hosts, exponent);
            let mut expected = Vec::new();
            for rank in 0..hosts {
                expected.extend((0..zipf.count(rank)).map(|k| (rank, k)));
            }
            let found: Vec<_> = (0..lines).map(|i| zipf.locate(i)).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn the_median_is_the_median() {
        let sizes = Sizes::new(12.0, 1.5, 20_000);
        assert_eq!(sizes.at(1 << 63), 12);
        assert_eq!(sizes.at(0), 0);
        assert!(sizes.at(u64::MAX) > 5_000);
    }
}
