//! The compared matchers, each behind a feature of its name: crates for robots.txt as their documentation recommends, and general
//! engines that know nothing of robots.txt, to show what can be built from them.

use crate::Result;
use crate::args::Args;
use crate::run;
use crate::table::Peer;

#[cfg(feature = "aho-corasick")]
pub mod aho_corasick;
#[cfg(feature = "dense-dfa")]
pub mod dense_dfa;
#[cfg(feature = "fast-robots")]
pub mod fast_robots;
#[cfg(feature = "robotstxt")]
pub mod robotstxt;
#[cfg(feature = "robotxt")]
pub mod robotxt;
#[cfg(feature = "texting_robots")]
pub mod texting_robots;

/// A name, and the program around the matcher of that name.
pub type Program = (&'static str, fn(&Args) -> Result<()>);

/// The programs around all matchers that are built in.
pub const PROGRAMS: &[Program] = &[
    #[cfg(feature = "aho-corasick")]
    around::<aho_corasick::AhoCorasickVerified>(),
    #[cfg(feature = "dense-dfa")]
    around::<dense_dfa::DenseDfa>(),
    #[cfg(feature = "fast-robots")]
    around::<fast_robots::Fast>(),
    #[cfg(feature = "robotstxt")]
    around::<robotstxt::Robotstxt>(),
    #[cfg(feature = "robotxt")]
    around::<robotxt::Robotxt>(),
    #[cfg(feature = "texting_robots")]
    around::<texting_robots::Texting>(),
];

/// The program around a matcher.
pub const fn around<P: Peer>() -> Program {
    (P::NAME, run::main::<P>)
}
