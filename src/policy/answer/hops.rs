//! The URLs that redirects lead through.

use super::kept::Kept;
use super::kind::AnswerKind;

/// The URLs that the redirect of a URL leads to, one after the other, with their answers.
#[derive(Debug, Default)]
pub(crate) struct Hops(Vec<(String, Kept)>);

impl Hops {
    /// Follows the redirect of a URL through what is known, to `most` URLs at most.
    pub fn from(kept: &Kept, most: usize, known: impl Fn(&str) -> Option<Kept>) -> Hops {
        let mut hops = Hops::default();
        let target = |kept: &Kept| Some(kept.of_kind(AnswerKind::Redirect)?.target()?.to_owned());
        let mut next = target(kept);
        while let Some(url) = next.take().filter(|url| hops.0.len() < most && hops.get(url).is_none())
            && let Some(kept) = known(&url)
        {
            next = target(&kept);
            hops.0.push((url, kept));
        }
        hops
    }

    /// The answers of a URL, if it is one of them.
    pub fn get(&self, url: &str) -> Option<&Kept> {
        self.0.iter().find(|(hop, _)| hop == url).map(|(_, kept)| kept)
    }
}

#[cfg(test)]
mod tests {
    use super::super::kept::{Answer, Content};
    use super::*;

    fn redirect(target: &str) -> Kept {
        let content = Content::Target(Some(target.into()));
        let (kind, exact, status, incomplete) = (AnswerKind::Redirect, true, Some(301), false);
        let answer = Answer { kind, exact, status, incomplete, fetched_at: None, expires: None, content, notes: None };
        Kept::of([answer].into_iter().collect(), Default::default())
    }

    #[test]
    fn redirects_are_followed_to_their_end_into_a_loop_or_so_far() {
        let next = |url: &str| url.parse::<u32>().ok().filter(|&number| number < 9).map(|number| number + 1);
        let chain = Hops::from(&redirect("1"), 100, |url| Some(redirect(&next(url)?.to_string())));
        assert_eq!(chain.0.iter().map(|(url, _)| url.as_str()).collect::<String>(), "12345678");
        assert!(chain.get("8").is_some() && chain.get("9").is_none() && chain.get("0").is_none());
        let round = Hops::from(&redirect("1"), 100, |url| Some(redirect(if url == "1" { "2" } else { "1" })));
        assert_eq!(round.0.len(), 2);
        let far = Hops::from(&redirect("1"), 5, |url| Some(redirect(&(url.parse::<u32>().ok()? + 1).to_string())));
        assert_eq!(far.0.len(), 5);
        assert_eq!(Hops::from(&Kept::default(), 5, |_| unreachable!("nothing leads on")).0.len(), 0);
    }
}
