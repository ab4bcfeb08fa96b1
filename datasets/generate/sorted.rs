//! The order of hosts by name, for the sorted list.

use std::ops::Range;

use crate::site::World;
use crate::text::Line;

/// All hosts sorted by name, and the first line of each.
pub struct Sorted {
    ranks: Vec<u32>,
    starts: Vec<u64>,
}

impl Sorted {
    /// Sorts the hosts of a world, by the first sixteen bytes of the name where these decide.
    ///
    /// # Panics
    ///
    /// If there are more than four billion hosts.
    pub fn new(world: &World) -> Self {
        let name = |rank: u32| {
            let mut line = Line::new();
            world.site(u64::from(rank)).authority(&mut line);
            line
        };
        let prefix = |rank: u32| {
            let (line, mut bytes) = (name(rank), [0; 16]);
            let used = line.as_bytes().len().min(16);
            bytes[..used].copy_from_slice(&line.as_bytes()[..used]);
            (u128::from_be_bytes(bytes), rank)
        };
        let hosts = u32::try_from(world.hosts).expect("at most four billion hosts");
        let mut keyed: Vec<(u128, u32)> = (0..hosts).map(prefix).collect();
        keyed.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| name(a.1).as_bytes().cmp(name(b.1).as_bytes())));
        let ranks: Vec<u32> = keyed.into_iter().map(|(_, rank)| rank).collect();
        let mut starts = Vec::with_capacity(ranks.len() + 1);
        starts.push(0);
        let mut end = 0;
        for &rank in &ranks {
            end += world.zipf.count(u64::from(rank));
            starts.push(end);
        }
        Self { ranks, starts }
    }

    /// The hosts whose lines make up a range of the list, each with the numbers of its lines in that
    /// range.
    pub fn hosts(&self, lines: Range<u64>) -> impl Iterator<Item = (u64, Range<u64>)> + '_ {
        let first = self.starts.partition_point(|&start| start <= lines.start) - 1;
        let hosts = self.ranks[first..].iter().zip(self.starts[first..].windows(2));
        let within = move |(&rank, border): (&u32, &[u64])| {
            let (from, to) = (lines.start.max(border[0]), lines.end.min(border[1]));
            (from < lines.end).then(|| (u64::from(rank), from - border[0]..to.max(from) - border[0]))
        };
        hosts.map_while(within)
    }
}
