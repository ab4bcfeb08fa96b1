//! Waiting between threads, tried with many orders of the threads' steps.
//!
//! The files that wait are compiled here once more, with the locks of `shuttle` in place of the standard library's: it decides which
//! thread takes the next step, and finds every order in which one would wait forever. The lists whose chunks are handed out are
//! [made up](input::list).

#![allow(dead_code, unreachable_pub)]

use shuttle::thread;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use chunk::LongChunks;
use cut::{Cut, Parallelism};
use formats::compression::{GZIP, ZSTD};
use hand_out::Chunks;
use input::list::{Buffer, List};
use lock::Mutex;
use made_ahead::{Made, MadeAhead};
use queue::{Queue, Step, Turns};
use schedule::Schedule;

#[path = "../src/input/chunks/chunk.rs"]
mod chunk;
#[path = "../src/input/chunks/cut.rs"]
mod cut;
mod error {
    pub mod run {
        #[derive(Debug)]
        pub enum Error {
            /// A decompressor needs more memory.
            Window,
            LineTooLong,
            Changed,
        }

        impl Error {
            pub fn of_bad_list(&self) -> Option<String> {
                None
            }

            pub fn is_window_too_large(&self) -> bool {
                matches!(self, Error::Window)
            }
        }
    }
}
mod formats {
    pub(crate) use crate::made_ahead;

    pub mod compression {
        #[derive(Clone, Copy)]
        pub struct Compression(Codec);

        impl Compression {
            pub fn codec(self) -> Codec {
                self.0
            }
        }

        #[derive(Clone, Copy)]
        pub struct Codec {
            pub usual_memory: u64,
            pub asks_for_memory: bool,
        }

        pub const GZIP: Compression = Compression(Codec { usual_memory: 1, asks_for_memory: false });
        /// Only of Zstandard it is not known how much memory a decompressor needs.
        pub const ZSTD: Compression = Compression(Codec { usual_memory: 1, asks_for_memory: true });
    }
}
#[path = "../src/input/chunks/hand_out.rs"]
mod hand_out;
#[path = "waiting/input.rs"]
mod input;
#[path = "../src/formats/made_ahead.rs"]
mod made_ahead;
#[path = "../src/monitor.rs"]
mod monitor;
mod outcome {
    #[derive(Debug, Clone, Copy)]
    pub enum Reason {}
}
#[path = "../src/run/queue.rs"]
mod queue;
#[path = "../src/run/schedule.rs"]
mod schedule;
#[path = "waiting/store.rs"]
mod store;

/// What `src/lock.rs` gives, of `shuttle`.
mod lock {
    pub use shuttle::sync::{Condvar, Mutex};
    use shuttle::sync::{MutexGuard, PoisonError};

    pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn wait<'g, T>(change: &Condvar, guard: MutexGuard<'g, T>) -> MutexGuard<'g, T> {
        change.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    pub fn into_inner<T>(mutex: Mutex<T>) -> T {
        mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing here panics.
    pub struct OnPanic<F: Fn()>(pub F);
}

/// Orders of steps that each test tries.
const ORDERS: usize = 2000;

/// The tickets of each test.
const TICKETS: u64 = 9;

/// The threads of each test.
const THREADS: u64 = 3;

/// Starts the threads, each with its number, and waits until all have ended.
fn at_once(work: impl Fn(u64) + Send + Sync + 'static) {
    let work = Arc::new(work);
    let start = |number| {
        let work = Arc::clone(&work);
        thread::spawn(move || work(number))
    };
    let threads: Vec<_> = (0..THREADS).map(start).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Each thread has every third ticket.
fn tickets(number: u64) -> impl Iterator<Item = u64> {
    (number..TICKETS).step_by(THREADS as usize)
}

#[test]
fn turns_follow_the_order_of_the_tickets() {
    let turns = || {
        let steps = Arc::new((Turns::default(), [(); 2].map(|()| Mutex::new(Vec::new()))));
        let shared = Arc::clone(&steps);
        at_once(move |number| {
            let (turns, [first, second]) = &*shared;
            for ticket in tickets(number) {
                for (step, state) in [(Step::LeavingOut, first), (Step::Gathering, second)] {
                    turns.take(step, ticket, state, |passed: &mut Vec<u64>| passed.push(ticket)).expect("not stopped");
                }
            }
        });
        let (_, passed) = Arc::into_inner(steps).unwrap();
        assert!(passed.map(lock::into_inner).into_iter().all(|passed| passed.into_iter().eq(0..TICKETS)));
    };
    shuttle::check_random(turns, ORDERS);
}

/// Of all steps, by whom the queue is stopped.
#[test]
fn turns_end_when_they_are_stopped() {
    let stopped = || {
        let queue: Arc<Queue<u64, ()>> = Arc::new(Queue::new((), 0));
        let nothing = Arc::new(Mutex::new(()));
        let waiting = [Step::Following, Step::Gathering].map(|step| {
            let (queue, nothing) = (Arc::clone(&queue), Arc::clone(&nothing));
            thread::spawn(move || queue.turns.take(step, 1, &nothing, |()| ()).is_none())
        });
        queue.stop();
        assert!(waiting.into_iter().all(|waiting| waiting.join().unwrap()));
        assert!(queue.turns.take(Step::Following, 0, &nothing, |()| ()).is_none());
    };
    shuttle::check_random(stopped, ORDERS);
}

#[test]
fn chunks_are_written_in_the_order_of_their_tickets() {
    for most in [0, 1, 5] {
        let written = move || {
            let queue = Arc::new(Queue::new(Vec::new(), most));
            let shared = Arc::clone(&queue);
            at_once(move |number| {
                for ticket in tickets(number) {
                    let write = |written: &mut Vec<u64>, chunk: &mut u64| {
                        written.push(*chunk);
                        Ok::<_, ()>(())
                    };
                    shared.hand_in(ticket, ticket, write).unwrap();
                    if ticket == 4 {
                        shared.wait_for(4);
                    }
                }
            });
            let written = Arc::into_inner(queue).unwrap().into_inner();
            assert!(written.into_iter().eq(0..TICKETS));
        };
        shuttle::check_random(written, ORDERS);
    }
}

#[test]
fn waiting_workers_learn_that_nothing_more_is_written() {
    let stopped = || {
        let queue: Arc<Queue<u64, ()>> = Arc::new(Queue::new((), 0));
        let (handing_in, waiting) = (Arc::clone(&queue), Arc::clone(&queue));
        let handing_in = thread::spawn(move || handing_in.hand_in(1, 1, |(), _| Err("stopped")));
        let waiting = thread::spawn(move || waiting.wait_for(0));
        queue.stop();
        assert_eq!(handing_in.join().unwrap(), Ok(None));
        waiting.join().unwrap();
        assert_eq!(queue.hand_in(0, 0, |(), _| Err("stopped")), Ok(None));
        assert!(queue.is_stopped());
    };
    shuttle::check_random(stopped, ORDERS);
}

#[test]
fn one_long_chunk_at_a_time_is_held() {
    let held = || {
        let (chunks, holders) = (Arc::new(LongChunks::default()), Arc::new(shuttle::sync::atomic::AtomicUsize::new(0)));
        at_once(move |_| {
            for _ in 0..3 {
                let permit = chunks.permit();
                assert_eq!(holders.fetch_add(1, shuttle::sync::atomic::Ordering::SeqCst), 0);
                holders.fetch_sub(1, shuttle::sync::atomic::Ordering::SeqCst);
                drop(permit);
            }
        });
    };
    shuttle::check_random(held, ORDERS);
}

/// One thread saves what others take in their turns, however they wait for it.
#[test]
fn what_is_taken_is_saved_once_and_in_order() {
    for waits in [false, true] {
        let saved = move || {
            let schedule = Arc::new(Schedule::new(Instant::now()));
            let (taking, saving) = (Arc::clone(&schedule), Arc::clone(&schedule));
            let saving = thread::spawn(move || {
                let mut saved = Vec::new();
                while let Some(taken) = saving.taken() {
                    saved.push(taken);
                    saving.saved(Instant::now());
                }
                saved
            });
            let turns = Arc::new((Turns::default(), Mutex::new(Vec::new())));
            let shared = Arc::clone(&turns);
            at_once(move |number| {
                for ticket in tickets(number) {
                    let turn = |all: &mut Vec<u64>| {
                        if taking.is_due() {
                            all.push(ticket);
                            taking.take(ticket, waits);
                        }
                    };
                    shared.0.take(Step::Gathering, ticket, &shared.1, turn).expect("not stopped");
                }
            });
            schedule.stop();
            let taken = lock::into_inner(Arc::into_inner(turns).unwrap().1);
            assert!(!taken.is_empty() && (!waits || taken.len() as u64 == TICKETS));
            assert_eq!(saving.join().unwrap(), taken);
        };
        shuttle::check_random(saved, ORDERS);
    }
}

/// A piece: its number and one, as a text.
#[derive(Default)]
struct Piece(Vec<u8>);

impl Made for Piece {
    fn bytes(&self) -> u64 {
        self.0.len() as u64
    }
}

/// The reader gets every piece, whether a helper has made it, makes it now, fails, or never claimed it.
#[test]
fn a_reader_gets_every_piece_once() {
    let read = || {
        // Room for two pieces.
        let ahead = Arc::new(MadeAhead::<Piece>::new(TICKETS, 1, 2));
        let helpers: Vec<_> = (0..2)
            .map(|_| {
                let ahead = Arc::clone(&ahead);
                thread::spawn(move || {
                    while let Some(piece) = ahead.claim() {
                        ahead.make(piece, || if piece == 5 { Piece::default() } else { Piece(vec![piece as u8]) });
                    }
                })
            })
            .collect();
        for piece in 0..TICKETS {
            let made = ahead.take(piece, |other| ahead.make(other, || Piece(vec![other as u8])));
            let text = made.map(|made| made.0).filter(|text| !text.is_empty());
            assert_eq!(text.unwrap_or_else(|| vec![piece as u8]), [piece as u8]);
        }
        helpers.into_iter().for_each(|helper| helper.join().unwrap());
        assert!(ahead.has_only_spares());
    };
    shuttle::check_random(read, ORDERS);
}

/// Lists of all kinds: more than are read at once, with long lines, and one whose decompressor needs all memory.
fn lists() -> Vec<List> {
    let gzip = |text| List::new(text, Some(GZIP), 0);
    vec![
        gzip("a1\na2\na3\n"),
        List::new("b1\nb, which is long\nb2\n", None, 0),
        gzip("c1\nc, which is long\nc2\n"),
        List::new("d1\nd2\n", Some(ZSTD), 2),
        gzip(""),
        gzip("e1\ne2\ne3\n"),
    ]
}

/// The number of a chunk's list, and its text.
type Given = (usize, Vec<u8>);

/// What workers do with chunks: each is written in its turn, and a long one is held until then.
fn work(chunks: &Chunks<'_>, queue: &Queue<Given, Vec<Given>>) {
    let mut buffer = Buffer::default();
    while let Some(mut chunk) = chunks.next(&mut buffer).unwrap() {
        chunks.read(&mut chunk, &mut buffer).unwrap();
        let (ticket, permit) = (chunk.ticket, chunk.take_permit());
        let write = |written: &mut Vec<Given>, due: &mut Given| {
            written.push(std::mem::take(due));
            Ok::<_, ()>(())
        };
        queue.hand_in(ticket, (chunk.list, chunk.text().to_vec()), write).unwrap();
        if chunk.is_long {
            queue.wait_for(ticket);
        }
        drop(permit);
    }
}

/// Two lists of one long line each, so that whoever has the right to hold one often meets who wants it.
fn long_lines() -> Vec<List> {
    let text = "long enough\n";
    vec![List::new(text, Some(GZIP), 0), List::new(text, None, 0)]
}

#[test]
fn all_chunks_of_all_lists_are_handed_out() {
    type Case = (fn() -> Vec<List>, bool, u64, bool);
    let cases: [Case; 4] = [
        (lists, true, 16 << 20, false),
        (lists, true, 4 << 20, true),
        (lists, false, 16 << 20, false),
        (long_lines, false, 16 << 20, false),
    ];
    for (lists, in_order, memory, has_folder) in cases {
        let handed_out = move || {
            let (lists, source): (&[List], &AtomicU64) = (lists().leak(), Box::leak(Box::default()));
            let cut = Cut {
                parallelism: Parallelism { lists: 3, in_order },
                memory,
                folder: has_folder.then(Default::default),
                ..Cut::all(lists, 3, source)
            };
            let chunks = Arc::new(Chunks::new(cut));
            let queue = Arc::new(Queue::new(Vec::new(), 2));
            let shared = (Arc::clone(&chunks), Arc::clone(&queue));
            at_once(move |_| work(&shared.0, &shared.1));
            let written = Arc::into_inner(queue).unwrap().into_inner();
            for (number, list) in lists.iter().enumerate() {
                let of_list = written.iter().filter(|(other, _)| *other == number);
                assert_eq!(of_list.flat_map(|(_, text)| text).copied().collect::<Vec<u8>>(), list.text);
            }
            assert!(!in_order || written.is_sorted_by_key(|(list, _)| *list));
        };
        shuttle::check_random(handed_out, ORDERS / 4);
    }
}

#[test]
fn workers_learn_that_nothing_more_is_handed_out() {
    let stopped = || {
        let (lists, source): (&[List], &AtomicU64) = (lists().leak(), Box::leak(Box::default()));
        let parallelism = Parallelism { lists: 3, in_order: true };
        let chunks = Arc::new(Chunks::new(Cut { parallelism, ..Cut::all(lists, 3, source) }));
        let stopping = Arc::clone(&chunks);
        at_once(move |number| {
            let mut buffer = Buffer::default();
            while let Some(mut chunk) = chunks.next(&mut buffer).unwrap() {
                drop(chunk.take_permit());
                if number == 0 {
                    chunks.stop();
                    assert!(chunks.next(&mut buffer).unwrap().is_none());
                }
            }
        });
        assert!(stopping.next(&mut Buffer::default()).unwrap().is_none());
    };
    shuttle::check_random(stopped, ORDERS);
}
