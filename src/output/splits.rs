//! Whom the lines of a run are split for: each crawler, or all of them together; and if policies are compared, the same again by
//! the older policy.

use crate::judge::outcomes::AllowedIf;
use crate::outcome::Partition;
use crate::robots::Agents;

/// The label of the crawler `*` in file names.
const EVERYBODY: &str = "default";

/// What stands for the older policy in names.
pub(crate) const WAS: &str = "was";

/// Whom lines are split for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splits {
    agents: Vec<Agents>,
    allowed_if: Option<AllowedIf>,
    is_compared: bool,
}

impl Splits {
    /// These crawlers, or all of them together if it is said when a line is allowed then; if policies are compared, by both.
    pub fn new(agents: Vec<Agents>, allowed_if: Option<AllowedIf>, is_compared: bool) -> Splits {
        Splits { agents, allowed_if, is_compared }
    }

    /// Whether there are those by an older policy.
    pub fn is_compared(&self) -> bool {
        self.is_compared
    }

    /// How many there are by one policy.
    pub fn by_one_policy(&self) -> usize {
        AllowedIf::split_count(self.allowed_if, self.agents.len())
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        if self.is_compared { 2 * self.by_one_policy() } else { self.by_one_policy() }
    }

    /// The agents of those by one policy. The first stands for all that lines are split for together.
    pub fn agents(&self) -> &[Agents] {
        &self.agents[..self.by_one_policy()]
    }

    /// Their names, as columns have them: first by the policy of the run, then by the older one.
    pub fn names(&self) -> Vec<String> {
        let names: Vec<String> = self.agents.iter().map(Agents::to_string).collect();
        self.by_both(match self.allowed_if {
            Some(allowed) if names.len() > 1 => vec![format!("{} of {}", allowed.name(), names.join(", "))],
            _ => names,
        })
    }

    /// Their labels in the names of files and of columns that have a name of their own. It is empty if there is only one crawler.
    pub fn labels(&self) -> Vec<String> {
        let label = |agents: &Agents| match agents.tokens() {
            _ if self.by_one_policy() == 1 => String::new(),
            [] => EVERYBODY.to_owned(),
            _ => crawler_name(agents),
        };
        self.by_both(self.agents().iter().map(label).collect())
    }

    /// The names of the partitions of all: `allowed`, or `allowed.examplebot` if there are several crawlers, then `allowed.was`.
    pub fn partitions(&self) -> Vec<String> {
        self.labels()
            .iter()
            .flat_map(|label| Partition::ALL.map(|partition| labelled(partition.name(), label)))
            .collect()
    }

    /// The names of all changes from one partition to another, such as `allowed-to-blocked`, with the label of the crawler if there are
    /// several; and the numbers of both partitions among [`Splits::partitions`], those of now.
    pub fn changes(&self) -> Vec<(String, [usize; 2])> {
        let mut all = Vec::new();
        for (split, label) in self.labels().iter().take(self.by_one_policy()).enumerate() {
            let of_split = Partition::ALL.into_iter().flat_map(|was| Partition::ALL.map(|now| (was, now)));
            for (was, now) in of_split.filter(|(was, now)| was != now) {
                let name = labelled(&format!("{}-to-{}", was.name(), now.name()), label);
                all.push((name, [was, now].map(|partition| Partition::COUNT * split + partition as usize)));
            }
        }
        all
    }

    /// The names of those by one policy, and if policies are compared, of the same by the older one.
    fn by_both(&self, names: Vec<String>) -> Vec<String> {
        let was = |name: &String| if self.by_one_policy() == 1 { WAS.to_owned() } else { format!("{WAS}.{name}") };
        let older: Vec<String> = if self.is_compared { names.iter().map(was).collect() } else { Vec::new() };
        [names, older].concat()
    }
}

/// The name of a crawler in a list of names: a crawler with several tokens has them joined by `+`, as in the names of files.
pub(crate) fn crawler_name(agents: &Agents) -> String {
    if agents.tokens().is_empty() { agents.to_string() } else { agents.tokens().join("+") }
}

/// A name with a label, if there is one.
pub(crate) fn labelled(name: &str, label: &str) -> String {
    if label.is_empty() { name.to_owned() } else { format!("{name}.{label}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_by_the_older_policy_come_last_under_names_of_their_own() {
        let of = |agents: &[&str], allowed_if, is_compared| {
            let agents = agents.iter().map(|agents| agents.parse().unwrap()).collect();
            let splits = Splits::new(agents, allowed_if, is_compared);
            assert_eq!(splits.partitions().len(), 4 * splits.count());
            assert_eq!(splits.labels().len(), splits.count());
            (splits.names(), splits.partitions()[4 * (splits.count() - 1)].clone())
        };
        assert_eq!(of(&["a"], None, false), (vec!["a".to_owned()], "allowed".to_owned()));
        assert_eq!(of(&["a"], None, true), (["a", "was"].map(str::to_owned).to_vec(), "allowed.was".to_owned()));
        // A crawler may have that name.
        let several = ["was", "*", "was.was", "was.*"].map(str::to_owned).to_vec();
        assert_eq!(of(&["was", "*"], None, true), (several, "allowed.was.default".to_owned()));
        let together = ["any of a, b", "was"].map(str::to_owned).to_vec();
        assert_eq!(of(&["a", "b"], Some(AllowedIf::Any), true), (together, "allowed.was".to_owned()));
    }
}
