//! Blocks allowed pages that do not meet the run's requirements on preferences.
//!
//! This happens after lines were judged, so that runs without requirements do no work for it.

use super::outcomes::Outcomes;
use super::preferred::KnownPreferences;
use super::scratch::Scratch;
use super::slow::always_allows;
use super::view::JudgeView;
use crate::dialect::Dialect;
use crate::outcome::{Outcome, Partition, Reason};
use crate::preferences::{Preferred, Requirements};
use crate::rules::chosen::KeptRule;

/// The outcome of a page that does not meet the requirements.
pub(super) const REFUSED: Outcome = Outcome::new(Partition::Blocked, Reason::Preference);

/// Blocks the allowed URLs from one on that do not meet the requirements of one policy's judges; `url` returns the URL with an
/// index, counted from that one.
pub(super) fn block<'u>(
    judges: &[JudgeView<'_>],
    from: usize,
    url: impl Fn(usize) -> &'u [u8],
    outcomes: &mut Outcomes,
    scratch: &mut Scratch,
) {
    let Some(first) = judges.first() else { return };
    let Some(requirements) = first.decisions.requirements() else { return };
    let mut known = scratch.preferences.begin();
    let mut last = None;
    outcomes.change_allowed(from, |at, crawler| {
        let page = match &last {
            Some((of, page)) if *of == at => page,
            _ => &last.insert((at, first.page(url(at - from)))).1,
        };
        let preferred = page.as_ref().and_then(|page| page.preferred(judges[crawler].groups.columns(), &mut known));
        closed_by(requirements, preferred, url(at - from), first.policy.dialect())
    });
}

impl JudgeView<'_> {
    /// The outcome of a URL for one crawler, given its outcome without preferences.
    pub(super) fn required(&self, url: &[u8], outcome: Outcome, scratch: &mut Scratch) -> Outcome {
        match self.decisions.requirements() {
            Some(_) if outcome.partition() == Partition::Allowed => {
                self.by_requirements(url, &mut scratch.preferences).unwrap_or(outcome)
            }
            _ => outcome,
        }
    }

    /// The outcome of an allowed URL that does not meet the requirements; `None` if it does.
    pub(super) fn by_requirements(&self, url: &[u8], known: &mut KnownPreferences) -> Option<Outcome> {
        let requirements = self.decisions.requirements()?;
        let preferred = self.page(url).and_then(|page| page.preferred(self.groups.columns(), &mut known.begin()));
        closed_by(requirements, preferred, url, self.policy.dialect())
    }

    /// The line that refuses a page; `None` if the site is silent on a required use.
    pub(super) fn refusing(&self, url: &[u8], known: &mut KnownPreferences) -> Option<KeptRule> {
        self.page(url)?.refusing(self.groups.columns(), self.decisions.requirements()?, known)
    }
}

/// The outcome of an allowed URL with these preferences, if it does not meet the requirements. A path that is always allowed need not
/// meet them.
pub(super) fn closed_by(
    requirements: &Requirements,
    preferred: Option<Preferred>,
    url: &[u8],
    dialect: &Dialect,
) -> Option<Outcome> {
    if requirements.are_met(&preferred.unwrap_or_default()) {
        return None;
    }
    Some(if always_allows(url, dialect) { Outcome::ROBOTS_TXT } else { REFUSED })
}

#[cfg(test)]
mod tests {
    use crate::dialect::Dialect;
    use crate::judge::{Choices, Outcomes};
    use crate::policy::{Capture, Captures, Crawlers};
    use crate::robots::Agents;

    /// All ways to judge refuse the same, for one crawler and for many.
    #[test]
    fn all_ways_to_judge_refuse_the_same() {
        let values = ["train-ai=n", "train-ai=y", "/a train-ai=n", "/a/b train-ai=y", "search=n", "?"];
        let names = ["one", "two", "three", "four", "five"];
        let agents = names.map(|name| name.parse::<Agents>().unwrap());
        let mut captures = Captures::new(Crawlers::new(agents.to_vec()).unwrap(), Dialect::DEFAULT);
        let mut number = 0;
        for site in 0..60 {
            let groups = names.iter().enumerate().filter(|(at, _)| (site >> at) & 1 == 1);
            let group = |(at, name): (usize, &&str)| {
                let value = values[(site + at) % values.len()];
                format!("User-agent: {name}\nContent-Usage: {value}\nDisallow: /{}\n\n", ["a/x", "no"][(site + at) % 2])
            };
            let body = groups.map(group).collect::<String>();
            let body = format!("{body}User-agent: *\nContent-Usage: {}\nDisallow: /no\n", values[site % 5]);
            captures.add(vec![Capture::found(&format!("http://s{site}"), &body)]).unwrap();
        }
        let policy = captures.policy().unwrap();
        let require = "train-ai!=n".parse().unwrap();
        let choices = Choices::at(0).require(require);
        let matchers = policy.matchers(&agents, choices).unwrap();
        let urls: Vec<String> = (0..62)
            .flat_map(|site| ["", "a", "a/b", "a/x", "no", "./a/b", "\t"].map(|path| format!("http://s{site}/{path}")))
            .collect();
        let text = urls.join("\n");
        let mut starts = vec![0];
        starts.extend(urls.iter().map(|url| {
            number += url.len() + 1;
            number
        }));
        let spans = || (0..urls.len()).map(|at| starts[at]..starts[at + 1] - 1);
        let (mut together, mut of_spans) = (Outcomes::default(), Outcomes::default());
        matchers.judge_all(&urls, &mut together);
        // More than are judged together.
        let (many, mut of_many) = (vec![&urls[..]; 60].concat(), Outcomes::default());
        matchers.judge_all(&many, &mut of_many);
        matchers.judge_spans(text.as_bytes(), spans(), &mut of_spans);
        for (crawler, agent) in agents.iter().enumerate() {
            let matcher = policy.matcher_with(&agent.to_string(), choices).unwrap();
            let (mut all, mut lines, mut parts) = (Vec::new(), Vec::new(), Vec::new());
            matcher.judge_all(&urls, &mut all);
            matcher.judge_lines(text.as_bytes(), &mut lines);
            matcher.judge_spans(text.as_bytes(), spans(), &mut parts);
            let each: Vec<_> = urls.iter().map(|url| matcher.judge(url)).collect();
            assert_eq!((&all, &lines, &parts), (&each, &each, &each), "{agent}");
            assert_eq!((together.of(crawler), of_spans.of(crawler)), (each.clone(), each.clone()), "{agent}");
            assert!(of_many.of(crawler).chunks(urls.len()).all(|part| part == each), "{agent}");
            let refused = each.iter().filter(|outcome| **outcome == super::REFUSED).count();
            assert!((20..300).contains(&refused), "{agent} {refused}");
            let without = policy.matcher_with(&agent.to_string(), Choices::at(0)).unwrap();
            for (url, outcome) in urls.iter().zip(&each) {
                let before = without.judge(url);
                let is_kept = before == *outcome || *outcome == super::REFUSED;
                assert!(is_kept && (before.partition() == crate::Partition::Allowed || before == *outcome), "{url}");
                if *outcome == super::REFUSED {
                    let line = matcher.explain(url).rule.expect("a line says no");
                    assert_eq!(line.key(), "Content-Usage", "no rule blocks {url}");
                    assert!(line.value.ends_with(b"train-ai=n") || line.value == b"?", "{url}: {line:?}");
                }
            }
        }
    }
}
