//! What a command judges by: the sources of a policy, the overrides over it, and its crawlers; and whole files that it reads, none of
//! which may be endless.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use super::error::Failure;
use super::say::say;
use crate::dialect::Dialect;
use crate::formats::compression::DEFAULT_WINDOW;
use crate::formats::error::FileError;
use crate::input::STANDARD_INPUT;
use crate::policy::source::{self, Options, PassedOver, Robots, body_limit};
use crate::policy::{Captures, Crawler, CrawlerError, Overrides, Policy};
use crate::robots::Agents;

/// The sources that a policy is made from.
pub struct Sources<'a> {
    /// Folders and files, or a single robots.txt if there is an origin.
    pub paths: &'a [PathBuf],
    /// The origin of the single robots.txt.
    pub origin: Option<&'a str>,
    /// How to read them.
    pub options: Options,
    /// The file with the operator's overrides for origins.
    pub overrides: Option<&'a Path>,
    /// Tells what was passed over.
    pub tell: &'a dyn Fn(&PassedOver),
}

impl Sources<'_> {
    /// Adds all sources to `captures`, and returns it.
    pub fn read(&self, mut captures: Captures) -> Result<Captures, Failure> {
        // First, because the operator should not learn of a mistake in them after an hour of reading.
        if let Some(path) = self.overrides {
            captures.add_overrides(&Overrides::read(path)?)?;
        }
        match (self.origin, self.paths) {
            (Some(origin), [single]) => source::add_single(single, origin, &self.options, &mut captures)?,
            (Some(_), several) => return Err(Failure::OneRobots { given: several.len() }),
            (None, several) if self.options.fetched_at.is_some() && !several.iter().any(|source| source.is_dir()) => {
                return Err(Failure::NothingWithoutTime);
            }
            (None, several) => source::add(several, &self.options, &mut captures)?,
        }
        captures.passed_over().iter().for_each(self.tell);
        Ok(captures)
    }
}

/// Tells on standard error what was passed over in sources.
pub fn say_passed_over(passed: &PassedOver) {
    let kind = if passed.is_warning() { "warning: " } else { "" };
    say(format_args!("robosieve: {kind}{passed}"));
}

/// A policy with the operator's overrides, if there are any.
pub fn with_overrides(policy: Policy, overrides: Option<&Path>) -> Result<Policy, Failure> {
    match overrides {
        Some(path) => Ok(policy.with_overrides(&Overrides::read(path)?, &std::env::temp_dir())?),
        None => Ok(policy),
    }
}

/// The crawlers asked for; if none is, the only one of the policy.
pub(super) fn crawlers(agents: &[Agents], policy: &Policy) -> Result<Vec<Crawler>, CrawlerError> {
    match agents {
        [] => Ok(vec![policy.crawler(None)?]),
        several => several.iter().map(|agents| policy.crawler(Some(agents))).collect(),
    }
}

/// The crawler asked for; if none is, all crawlers of the policy.
pub(super) fn crawlers_or_all(agents: Option<&Agents>, policy: &Policy) -> Result<Vec<Crawler>, CrawlerError> {
    crawlers(agents.map_or(policy.columns().all(), std::slice::from_ref), policy)
}

/// The most bytes of a line with a URL.
const LINE: u64 = 64 << 20;

/// The text of one robots.txt, decompressed if it is compressed, as far as any of these dialects reads.
pub(super) fn robots_txt<'d>(path: &Path, dialects: impl IntoIterator<Item = &'d Dialect>) -> Result<Robots, Failure> {
    let read = || Robots::read(open(path)?, body_limit(dialects), DEFAULT_WINDOW);
    Ok(read().map_err(FileError::of("read", path))?)
}

/// Reads the next line of standard input, with its line feed; an empty one is the end.
pub(super) fn url_line(input: &mut impl BufRead) -> Result<Vec<u8>, Failure> {
    let mut line = Vec::new();
    let read = input.take(LINE + 1).read_until(b'\n', &mut line);
    let problem = (line.len() as u64 > LINE)
        .then(|| io::Error::new(io::ErrorKind::InvalidData, format!("it has a line of more than {LINE} bytes")));
    match read.err().or(problem) {
        Some(error) => Err(FileError::of("read", Path::new(STANDARD_INPUT))(error).into()),
        None => Ok(line),
    }
}

/// Opens a file, or standard input.
fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    Ok(match path.as_os_str() == STANDARD_INPUT {
        true => Box::new(io::stdin()),
        false => Box::new(File::open(path)?),
    })
}
