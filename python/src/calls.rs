//! Calls that may take long: Ctrl-C ends them, a callback is told how far they are, and other threads get the interpreter's lock.
//!
//! Python runs the handlers of signals in its main thread only, and only while that asks for them. So the thread that calls waits, and
//! asks ten times a second, while another does the work. Work that holds the interpreter's lock is done in pieces.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use robosieve::python_package::{Stopped, stoppable};

use crate::error;

/// The interval at which signals are asked for and progress is reported.
const EVERY: Duration = Duration::from_millis(100);

/// How far a call is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Done {
    /// Lines, rows or answers.
    pub lines: u64,
    pub bytes: u64,
    /// The share of the input that this is, if it is known.
    pub share: Option<f64>,
}

/// Rows that are counted while they are worked on.
#[derive(Debug, Default)]
pub struct Rows {
    lines: AtomicU64,
    bytes: AtomicU64,
    /// How many there are, if that is known.
    all: Option<u64>,
}

impl Rows {
    /// Rows of an object with a length.
    pub fn of(object: &Bound<'_, PyAny>) -> Rows {
        // The length of a mapping is the number of its columns.
        let is_mapping = object.hasattr("keys").unwrap_or(false);
        Rows { all: object.len().ok().filter(|_| !is_mapping).map(|all| all as u64), ..Rows::default() }
    }

    pub fn add(&self, lines: usize, bytes: usize) {
        self.lines.fetch_add(lines as u64, Relaxed);
        self.bytes.fetch_add(bytes as u64, Relaxed);
    }

    pub fn done(&self) -> Done {
        let (lines, bytes) = (self.lines.load(Relaxed), self.bytes.load(Relaxed));
        let share = self.all.map(|all| (lines as f64 / all.max(1) as f64).min(1.0));
        Done { lines, bytes, share }
    }
}

/// The most rows, each for so many crawlers, that are worked on in the calling thread, without looking at the rest of the world.
const SHORT: usize = 1 << 16;

/// A call from Python, in the thread that makes it.
pub struct Call<'c, 'py> {
    callback: Option<Bound<'py, PyAny>>,
    done: Box<dyn Fn() -> Done + 'c>,
    begun: Instant,
    asked: Cell<Instant>,
    /// Set once the call must end.
    pub stop: Arc<AtomicBool>,
}

impl<'c, 'py> Call<'c, 'py> {
    /// A call that reports to this function.
    pub fn new(callback: Option<&Bound<'py, PyAny>>) -> PyResult<Call<'c, 'py>> {
        if let Some(given) = callback.filter(|given| !given.is_callable()) {
            return Err(PyTypeError::new_err(format!("progress: expected a function, not {}", given.repr()?)));
        }
        Ok(Call { callback: callback.cloned(), ..Call::silent() })
    }

    /// A call that reports to nobody.
    pub fn silent() -> Call<'c, 'py> {
        let begun = Instant::now();
        Call { callback: None, done: Box::new(Done::default), begun, asked: Cell::new(begun), stop: Arc::default() }
    }

    /// The same call; `done` says how far it is.
    pub fn with_progress(self, done: impl Fn() -> Done + 'c) -> Call<'c, 'py> {
        Call { done: Box::new(done), ..self }
    }

    /// Does `work` on so many rows, as [`Call::work`] does if they are many.
    pub fn work_on<T: Send>(
        &self,
        py: Python<'py>,
        rows: usize,
        work: impl FnOnce() -> PyResult<T> + Send,
    ) -> PyResult<T> {
        if rows <= SHORT { error::guarded(|| py.detach(work)) } else { self.work(py, work) }
    }

    /// Does `work` in another thread and without the interpreter's lock; at Ctrl-C it unwinds, where the library asks whether it must.
    pub fn work<T: Send>(&self, py: Python<'py>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
        // No other thread of Python is told of signals.
        if self.callback.is_none() && !is_main_thread(py)? {
            return error::guarded(|| py.detach(work));
        }
        self.work_fed(py, work, || Ok(()))
    }

    /// Does the same in another thread of any; in this one, `feed` gives it what Python has.
    pub fn work_fed<T: Send>(
        &self,
        py: Python<'py>,
        work: impl FnOnce() -> PyResult<T> + Send,
        feed: impl FnOnce() -> PyResult<()>,
    ) -> PyResult<T> {
        let stop = &self.stop;
        let work = || match stoppable(stop, work) {
            Ok(ended) => ended,
            Err(Stopped) => Err(PyKeyboardInterrupt::new_err(())),
        };
        self.watched(py, work, feed)
    }

    /// Does `work` in another thread and without the interpreter's lock, which sees by `stop` that it must end.
    pub fn watch<T: Send>(&self, py: Python<'py>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
        self.watched(py, work, || Ok(()))
    }

    fn watched<T: Send>(
        &self,
        py: Python<'py>,
        work: impl FnOnce() -> PyResult<T> + Send,
        feed: impl FnOnce() -> PyResult<()>,
    ) -> PyResult<T> {
        thread::scope(|scope| {
            let (sender, mut end) = mpsc::channel();
            // The receiver outlives the thread, so sending cannot fail.
            let run = move || drop(sender.send(error::guarded(work)));
            let running = thread::Builder::new().spawn_scoped(scope, run).map_err(error::run)?;
            let mut raised = error::guarded(feed).err();
            let ended = loop {
                self.stop.store(raised.is_some(), Relaxed);
                let end = &mut end;
                match py.detach(move || end.recv_timeout(EVERY)) {
                    Ok(ended) => break ended,
                    Err(RecvTimeoutError::Disconnected) => break Err(error::run("the work ended unexpectedly")),
                    Err(RecvTimeoutError::Timeout) if raised.is_none() => raised = self.ask(py).err(),
                    Err(RecvTimeoutError::Timeout) => {}
                }
            };
            // Not only its work must have ended: the process may fork next.
            if let Err(panic) = running.join() {
                return Err(error::panicked(&*panic));
            }
            raised.map_or(ended, Err)
        })
    }

    /// Asks for signals, and reports how far the call is, unless that was a moment ago.
    pub fn ask(&self, py: Python<'py>) -> PyResult<()> {
        if self.asked.get().elapsed() < EVERY / 2 {
            return Ok(());
        }
        self.asked.set(Instant::now());
        py.check_signals()?;
        self.report()
    }

    /// Reports how far the call is.
    pub fn report(&self) -> PyResult<()> {
        let Some(callback) = &self.callback else { return Ok(()) };
        let Done { lines, bytes, share } = (self.done)();
        let numbers = PyDict::new(callback.py());
        numbers.set_item("lines", lines)?;
        numbers.set_item("bytes", bytes)?;
        numbers.set_item("seconds", self.begun.elapsed().as_secs_f64())?;
        numbers.set_item("share", share)?;
        callback.call1((numbers,)).map(drop)
    }
}

/// Does `work` as [`Call::work`] does, for a call without a callback.
pub fn work<T: Send>(py: Python<'_>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    Call::silent().work(py, work)
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    let this: u64 = threading.call_method0("get_ident")?.extract()?;
    Ok(threading.call_method0("main_thread")?.getattr("ident")?.extract::<u64>()? == this)
}

/// Work that holds the interpreter's lock, and lets others have it now and then.
///
/// Python gives the lock to a thread that has waited for five milliseconds, once this one lets it go; one that has waited for less finds
/// it taken again. So it is let go every ten milliseconds, not oftener.
pub struct Pauses {
    last: Instant,
    /// Items and bytes since the clock was asked.
    items: usize,
    bytes: usize,
}

impl Pauses {
    pub fn begin() -> Pauses {
        Pauses { last: Instant::now(), items: 0, bytes: 0 }
    }

    /// After an item of so many bytes: lets others have the lock, and asks for signals, if that was long ago.
    pub fn after_item(&mut self, py: Python<'_>, bytes: usize) -> PyResult<()> {
        self.items += 1;
        self.bytes += bytes;
        if self.items < 256 && self.bytes < 1 << 20 {
            return Ok(());
        }
        (self.items, self.bytes) = (0, 0);
        self.after_piece(py)
    }

    /// The same, after many items.
    pub fn after_piece(&mut self, py: Python<'_>) -> PyResult<()> {
        if self.last.elapsed() < EVERY / 10 {
            return Ok(());
        }
        py.detach(|| ());
        self.last = Instant::now();
        py.check_signals()
    }
}
