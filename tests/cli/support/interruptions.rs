//! Runs that are ended before they are done, and resumed.

use std::fs;
use std::process::{Command, Stdio};

use super::program::Bench;

/// The most interruptions before a run is left alone.
const MAX: usize = 8;

/// Runs the program with the words for one, two or three threads, interrupts or kills it after its next checkpoint in `out`, and
/// so on until it is done; returns the number of interruptions.
pub fn interrupted_until_done(bench: &Bench, words: impl Fn(usize) -> String) -> usize {
    let checkpoint = bench.path("out/.checkpoint.json");
    let mut interrupted = 0;
    loop {
        let before = fs::read(&checkpoint).ok();
        let mut child = bench.command(&words(1 + interrupted % 3)).stderr(Stdio::null()).spawn().expect("the program");
        while child.try_wait().expect("the program").is_none()
            && (interrupted == MAX || fs::read(&checkpoint).ok() == before)
        {
            std::thread::yield_now();
        }
        let signal = ["-INT", "-KILL"][interrupted % 2];
        // It may have ended in the meantime.
        let _ = Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status();
        if child.wait().expect("the program ends").success() {
            return interrupted;
        }
        interrupted += 1;
    }
}
