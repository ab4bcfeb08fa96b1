//! The command line, the same for all programs; a program ignores options that do not concern it.

use std::path::PathBuf;

use crate::Result;

/// All options of all programs, as given.
#[derive(Debug, Clone)]
pub struct Args {
    /// `--robots DIR`: robots.txt files, named by host.
    pub robots: Option<PathBuf>,
    /// `--urls FILE`: one URL per line.
    pub urls: Option<PathBuf>,
    /// `--out DIR`: the folder for copies.
    pub out: Option<PathBuf>,
    /// `--allowed FILE`: where lines go that may be fetched; without it, calls are measured.
    pub allowed: Option<PathBuf>,
    /// `--blocked FILE`: where lines go that may not.
    pub blocked: Option<PathBuf>,
    /// `--threads N`: 1 is a plain loop, more uses rayon (or threads, for `copy`).
    pub threads: usize,
    /// `--agent NAME`: the crawler's product token.
    pub agent: String,
    /// `--mode NAME`: the kind of copy, or nothing.
    pub mode: Option<String>,
    /// `--peer NAME`: the matcher.
    pub peer: Option<String>,
    /// `--rounds N`: the number of measurements inside the process.
    pub rounds: usize,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            robots: None,
            urls: None,
            out: None,
            allowed: None,
            blocked: None,
            threads: 1,
            agent: "examplebot".to_owned(),
            mode: None,
            peer: None,
            rounds: 9,
        }
    }
}

impl Args {
    /// Reads the process's own arguments.
    ///
    /// # Errors
    ///
    /// On an unknown option, or one without its value.
    pub fn from_env() -> Result<Self> {
        Self::parse(std::env::args().skip(1))
    }

    /// Reads arguments; every option takes a value.
    ///
    /// # Errors
    ///
    /// On an unknown option, or one without its value.
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Self> {
        let mut args = Self::default();
        while let Some(option) = words.next() {
            let value = words.next().ok_or(format!("{option} needs a value"))?;
            match option.as_str() {
                "--robots" => args.robots = Some(value.into()),
                "--urls" => args.urls = Some(value.into()),
                "--out" => args.out = Some(value.into()),
                "--allowed" => args.allowed = Some(value.into()),
                "--blocked" => args.blocked = Some(value.into()),
                "--threads" => args.threads = value.parse::<usize>()?.max(1),
                "--agent" => args.agent = value,
                "--mode" => args.mode = Some(value),
                "--peer" => args.peer = Some(value),
                "--rounds" => args.rounds = value.parse::<usize>()?.max(1),
                _ => return Err(format!("unknown option {option}").into()),
            }
        }
        Ok(args)
    }

    /// The robots.txt directory, for programs that need one.
    ///
    /// # Errors
    ///
    /// If it was not given.
    pub fn robots(&self) -> Result<&PathBuf> {
        self.robots.as_ref().ok_or_else(|| "--robots DIR is missing".into())
    }

    /// The list, for programs that need one.
    ///
    /// # Errors
    ///
    /// If it was not given.
    pub fn urls(&self) -> Result<&PathBuf> {
        self.urls.as_ref().ok_or_else(|| "--urls FILE is missing".into())
    }
}

#[cfg(test)]
mod tests {
    use super::Args;

    fn parse(line: &str) -> crate::Result<Args> {
        Args::parse(line.split(' ').map(str::to_owned))
    }

    #[test]
    fn options_and_defaults() {
        let args = parse("--robots r --urls u --threads 2").unwrap();
        assert_eq!(args.threads, 2);
        assert_eq!(args.agent, "examplebot");
        assert!(args.out.is_none());
        assert_eq!(args.urls().unwrap().to_str(), Some("u"));
    }

    #[test]
    fn wrong_options() {
        assert!(parse("--nope 1").is_err());
        assert!(parse("--urls").is_err());
        assert!(parse("--threads many").is_err());
    }
}
