//! Putting an answer: a new version of the map, with the answer folded into those of its URL.

use std::cmp::Ordering;
use std::sync::Arc;

use super::file::LiveFile;
use super::ledger::Ledger;
use super::live_policy::{Live, LivePolicy};
use super::state::{Gathering, LiveState, LiveUrl};
use crate::dialect::AnswerKind;
use crate::error::policy::{Error, ErrorKind};
use crate::formats::time;
use crate::lock::lock;
use crate::origin;
use crate::policy::capture::Capture;
use crate::policy::captures::read_override;
use crate::policy::compiled::{chain, unasked};
use crate::policy::image::compare_rules;
use crate::policy::overrides::Overrides;
use crate::policy::source::{Answer, Captured, TimeBounds};
use crate::policy::url_answers::{Content, Failures, StoredAnswer, StoredRules};
use crate::robots;

named! {
    /// What an answer did to a live policy.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
    #[non_exhaustive]
    pub enum PutEffect {
        /// It is news.
        Changed = "changed",
        /// Nothing: a newer answer of its kind, or the same, was there.
        Older = "older",
        /// An answer of its kind with the same time has other contents; the greater bytes count, whichever came first.
        Tie = "tie",
        /// Nothing: there is no memory for it. [Write](LivePolicy::write) the policy, and [rebase](LivePolicy::rebase).
        Full = "full",
    }
}

/// The result of [`LivePolicy::put`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Put {
    /// What the answer did.
    pub effect: PutEffect,
    /// The URL to fetch next, if the answer leads to one that was never requested: the target of a redirect, or of one after it.
    pub ask: Option<String>,
    /// Why the body of the answer is no robots.txt, if it is none: its origin is deferred, and keeps its last good rules.
    pub problem: Option<String>,
}

/// An answer, ready to be folded.
struct News {
    url: String,
    answer: StoredAnswer,
    failures: Failures,
    /// The file that it brings, whose number in [`StoredAnswer`] is 0.
    file: Option<LiveFile>,
}

impl LivePolicy {
    /// Takes an answer. Every later call sees it, in all threads, and no call sees a part of it.
    ///
    /// Answers may come in any order: as in a compiled policy, the newest of each kind counts. A failure keeps the last
    /// good answer, a 304 confirms it, and a redirect is followed once its target has an answer, too.
    ///
    /// # Errors
    ///
    /// If it has no time, or another of its fields is wrong; if its URL is not an http or https URL; or if the
    /// [base](LivePolicy::over) does not fit.
    pub fn put(&self, answer: Answer) -> Result<Put, Error> {
        self.fitted()?;
        let url = answer.url.clone().or_else(|| answer.origin.clone()).unwrap_or_default();
        let wrong = |problem: String| ErrorKind::Source.of(format!("the answer for {url:?} cannot be used: {problem}"));
        let limit = robots::body_limit([self.0.dialect]);
        let read = answer.capture(TimeBounds::at(time::now()), limit);
        let Captured { capture, problem } = read.map_err(|flaw| wrong(flaw.to_string()))?;
        if capture.answered.fetched_at.is_none() {
            return Err(wrong("it has no time, by which answers are ordered".to_owned()));
        }
        Ok(Put { problem: problem.map(|problem| problem.to_string()), ..self.put_capture(capture)? })
    }

    /// Takes a capture whose URL is canonical.
    pub(crate) fn put_capture(&self, capture: Capture) -> Result<Put, Error> {
        let news = self.read(capture)?;
        let (url, kind) = (news.url.clone(), news.answer.kind);
        let (effect, state) = self.fold(news);
        if matches!(effect, PutEffect::Changed | PutEffect::Tie) {
            state.derive_ahead(&url);
        }
        let leads = matches!(kind, AnswerKind::Redirect | AnswerKind::NotModified) && effect != PutEffect::Full;
        let chain = if leads { chain(url, self.0.dialect, |url| state.kept(url)) } else { Vec::new() };
        Ok(Put { effect, ask: unasked(&chain).map(str::to_owned), problem: None })
    }

    /// Reads a capture. No lock is held meanwhile.
    fn read(&self, capture: Capture) -> Result<News, Error> {
        let live = &*self.0;
        let mut file = None;
        let read = capture.read(&live.columns, live.dialect).stored(|selected| {
            let (made, rules) = live.maker.file(selected)?;
            file = Some(made);
            Ok(rules)
        })?;
        let (answer, failures) = capture.stored(read, live.dialect);
        Ok(News { url: capture.url, answer, failures, file })
    }

    /// Folds an answer into those of its URL; returns what it did, and the version after it.
    fn fold(&self, news: News) -> (PutEffect, Arc<LiveState>) {
        let live = &*self.0;
        let mut ledger = lock(&live.ledger);
        let state = live.state.load_full();
        let effect = effect(&state, &news);
        let News { url, mut answer, failures, file } = news;
        let next = live.next(&mut ledger, &state, &url, live.memory(), |new| {
            if let (Some(file), Content::Rules(rules)) = (file, &mut answer.content) {
                rules.source = new.add_file(file);
            }
            let sources: Vec<_> = new.files.iter().map(LiveFile::compared).collect();
            new.stored.kept.fold(answer, &failures, &|one, other| compare_rules(&sources, one, other));
        });
        drop(ledger);
        let done = next.map_or((PutEffect::Full, Arc::clone(&state)), |next| (effect, next));
        drop(state);
        live.free_retired();
        done
    }

    /// Adds overrides. They may close sites, so there is always memory for them.
    pub(super) fn fold_overrides(&self, overrides: &Overrides) -> Result<(), Error> {
        let live = &*self.0;
        for (origin, given) in overrides.iter() {
            let (mut placement, file) = read_override(origin, given, &live.columns, live.dialect)?;
            let file = file.map(|file| live.maker.file(file)).transpose()?;
            let mut ledger = lock(&live.ledger);
            let state = live.state.load_full();
            live.next(&mut ledger, &state, &origin::robots_url(origin), u64::MAX, |new| {
                if let Some((file, rules)) = file {
                    placement.robots_txt = StoredRules { source: new.add_file(file), ..rules };
                }
                let sources: Vec<_> = new.files.iter().map(LiveFile::compared).collect();
                new.stored.add_override(Box::new(placement), &|one, other| compare_rules(&sources, one, other));
            });
            drop((ledger, state));
            live.free_retired();
        }
        Ok(())
    }
}

impl Live {
    /// Makes and stores the next version, in which what is stored of a URL is changed; `None` if that would take more memory than this,
    /// and then nothing changes.
    fn next(
        &self,
        ledger: &mut Ledger,
        state: &Arc<LiveState>,
        url: &str,
        memory: u64,
        change: impl FnOnce(&mut LiveUrl),
    ) -> Option<Arc<LiveState>> {
        let before = ledger.bytes;
        let old = state.urls.get(url).map(|old| &**old);
        let mut new = old.map_or_else(LiveUrl::default, LiveUrl::copied);
        change(&mut new);
        new.drop_unused_files();
        if old.is_some_and(|old| old.stored == new.stored) {
            return Some(Arc::clone(state));
        }
        settle(ledger, &mut new, old, url);
        if ledger.bytes > before && ledger.bytes + self.other_bytes() > memory {
            undo(ledger, &new, old, before);
            return None;
        }
        new.version = state.version + 1;
        let (version, urls) = (new.version, state.urls.insert(url.into(), Arc::new(new)));
        let next = Arc::new(LiveState { urls, version, ..(**state).clone() });
        self.replace(Arc::clone(&next));
        Some(next)
    }
}

/// Counts the files of new answers, which share what others have, and no longer those of the old ones; and the bytes of both.
fn settle(ledger: &mut Ledger, new: &mut LiveUrl, old: Option<&LiveUrl>, url: &str) {
    for file in &mut new.files {
        *file = ledger.take(file.clone());
    }
    ledger.bytes += new.size(url);
    if let Some(old) = old {
        old.files.iter().for_each(|file| ledger.release(file));
        ledger.bytes -= old.size(url);
    }
}

/// Takes back what [`settle`] did.
fn undo(ledger: &mut Ledger, new: &LiveUrl, old: Option<&LiveUrl>, before: u64) {
    for file in old.iter().flat_map(|old| &old.files) {
        ledger.take(file.clone());
    }
    new.files.iter().for_each(|file| ledger.release(file));
    ledger.bytes = before;
}

/// What an answer does to those that are known, in the base or since.
fn effect(state: &LiveState, news: &News) -> PutEffect {
    if !state.has_base() && !state.urls.contains_key(&*news.url) {
        return PutEffect::Changed;
    }
    let mut gathering = Gathering::new(state);
    let Some(known) = gathering.known(&news.url) else { return PutEffect::Changed };
    let Some(same_kind) = known.kept.of_kind(news.answer.kind) else { return PutEffect::Changed };
    let mut answer = news.answer.clone();
    if let (Some(file), Content::Rules(rules)) = (&news.file, &mut answer.content) {
        rules.source = gathering.sources.len() as u32;
        gathering.sources.push(file.compared());
    }
    let rules = |one, other| compare_rules(&gathering.sources, one, other);
    let (order, only_bytes) = answer.compare(same_kind, &rules);
    let mut failures = known.kept.failures().clone();
    failures.merge(&news.failures);
    match order {
        Ordering::Less | Ordering::Greater if only_bytes => PutEffect::Tie,
        Ordering::Greater => PutEffect::Changed,
        _ if failures != *known.kept.failures() => PutEffect::Changed,
        _ => PutEffect::Older,
    }
}
