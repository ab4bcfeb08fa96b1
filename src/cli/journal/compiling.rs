//! Shows the progress of a policy that takes long to compile.

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::bar::Bar;
use super::watch::run_watched;
use crate::cli::say::say;
use crate::policy::CompileProgress;

/// The interval between messages if there is no bar.
const EVERY: Duration = Duration::from_secs(10);

const STYLE: &str = "{elapsed_precise} {spinner}  {wide_msg}";

/// Calls `run`, and shows its progress meanwhile.
pub fn watch_compiling<T>(progress: &CompileProgress, run: impl FnOnce() -> T) -> T {
    run_watched(|end| report(progress, &end), run)
}

fn report(progress: &CompileProgress, end: &Receiver<()>) {
    let is_over = |every| end.recv_timeout(every) != Err(RecvTimeoutError::Timeout);
    if !Bar::is_wanted(false) {
        while !is_over(EVERY) {
            say(format!("robosieve: {}", text(progress)));
        }
        return;
    }
    // Work that ends at once gets no bar.
    if is_over(super::watch::BAR_AFTER) {
        return;
    }
    let bar = ProgressBar::new_spinner().with_elapsed(super::watch::BAR_AFTER);
    bar.set_style(ProgressStyle::with_template(STYLE).unwrap_or_else(|_| ProgressStyle::default_spinner()));
    loop {
        bar.set_message(text(progress));
        bar.tick();
        if is_over(Bar::EVERY) {
            return bar.finish_and_clear();
        }
    }
}

fn text(progress: &CompileProgress) -> String {
    let count = HumanCount;
    match (progress.origins(), progress.placed()) {
        (0, _) => format!("{} answers read", count(progress.read())),
        (origins, placed) if placed < origins => format!("{} of {} origins placed", count(placed), count(origins)),
        (origins, _) => format!("all {} origins placed; writing the policy", count(origins)),
    }
}
