//! Adds answers in memory.

use std::path::Path;

use super::answer::Answer;
use super::error::no_answer;
use super::intake::take;
use super::options::Options;
use super::passed_over::Reason;
use crate::error::policy::Error;
use crate::policy::Captures;

/// Stands for the path of the source in messages.
const IN_MEMORY: &str = "responses in memory";

/// Adds answers from memory, like a file of JSON Lines with the same fields. They are compiled in the background;
/// [`Options::names`] is not used.
///
/// Pass the answers for redirect targets in the same call, or add them to the same captures.
///
/// ```
/// use robosieve::policy::source::{Answer, Options, add_answers};
/// use robosieve::{Agents, Dialect, Partition, policy::Captures};
///
/// let mut captures = Captures::new("examplebot".parse::<Agents>()?, Dialect::DEFAULT);
/// let answers = [
///     Answer::found("https://a.example", *b"User-agent: *\nDisallow: /private\n", 1_768_219_200),
///     Answer::new("https://b.example/robots.txt", Some(404)).fetched_at(Some(1_768_219_200)),
///     Answer::new("https://c.example/robots.txt", None),
/// ];
/// add_answers(answers, &Options::default(), &mut captures)?;
/// let matcher = captures.policy()?.matcher("examplebot")?;
/// let partition = |origin: &str| matcher.judge(format!("{origin}/private")).partition();
/// assert_eq!(partition("https://a.example"), Partition::Blocked);
/// assert_eq!(partition("https://b.example"), Partition::Allowed);
/// assert_eq!(partition("https://c.example"), Partition::Deferred);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If one of them is invalid, unless [`Options::skip_bad`] passes it over; also beyond what a policy can hold.
pub fn add_answers(
    answers: impl IntoIterator<Item = Answer, IntoIter: Send>,
    options: &Options,
    captures: &mut Captures,
) -> Result<(), Error> {
    let (answers, source) = (answers.into_iter(), Path::new(IN_MEMORY));
    take(options, captures, |intake| {
        let limit = intake.body_limit();
        intake.time_of_source = intake.times.of_memory(source)?;
        for (number, answer) in (1..).zip(answers) {
            let read = answer
                .capture(intake.times.bounds, limit)
                .map_err(|flaw| (Reason::BadAnswer, no_answer(number, flaw.to_string())));
            if let Some(capture) = intake.capture_of(source, || format!("answer {number}"), read)? {
                intake.add_answer(source, capture)?;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::Agents;
    use crate::{Dialect, Policy};

    const NOW: i64 = 1_768_219_200;

    fn options() -> Options {
        Options::default().now(Some(NOW))
    }

    fn answers() -> Vec<Answer> {
        let url = |host: &str| format!("https://{host}.example/robots.txt");
        let redirect = |from: &str, to: &str| Answer::new(url(from), Some(301)).location(Some(to.to_owned()));
        vec![
            Answer::found("https://a.example", *b"User-agent: *\nDisallow: /\xff", None),
            Answer::new("HTTPS://B.example:443/robots.txt", Some(404)).fetched_at(Some(NOW)),
            Answer::new(url("c"), None).unreachable_since(Some(NOW - 5)).fetched_at(Some(NOW)),
            redirect("d", "https://www.d.example/page"),
            Answer::new("https://www.d.example/page", Some(200)).body(Some((*b"User-agent: *\nDisallow: /d").into())),
            Answer::new(url("e"), Some(206)).body(Some((*b"User-agent: *\nAllow: /").into())),
            Answer::new(url("f"), Some(200)).body_base64(Some(b"ZGlzYWxsb3c6Lw==".to_vec())).expires(Some(NOW + 5)),
            Answer::new(url("g"), Some(999)),
            Answer::new("https://h.example/page", Some(404)),
        ]
    }

    #[cfg(feature = "batch")]
    const LINES: &str = r#"{"origin":"https://a.example","status":200,"body_base64":"VXNlci1hZ2VudDogKgpEaXNhbGxvdzogL/8="}
{"url":"HTTPS://B.example:443/robots.txt","status":404,"fetched_at":"2026-01-12T12:00:00Z"}
{"url":"https://c.example/robots.txt","status":null,"unreachable_since":1768219195,"fetched_at":1768219200}
{"url":"https://d.example/robots.txt","status":301,"location":"https://www.d.example/page"}
{"url":"https://www.d.example/page","status":200,"body":"User-agent: *\nDisallow: /d"}
{"url":"https://e.example/robots.txt","status":206,"body":"User-agent: *\nAllow: /"}
{"url":"https://f.example/robots.txt","status":200,"body_base64":"ZGlzYWxsb3c6Lw==","expires":1768219205}
{"url":"https://g.example/robots.txt","status":999}
{"url":"https://h.example/page","status":404}
"#;

    #[cfg(feature = "batch")]
    #[test]
    fn they_make_the_policy_of_a_file_with_the_same_fields() {
        let captures = || Captures::new(Agents::everybody(), Dialect::DEFAULT);
        let (mut of_file, mut of_memory) = (captures(), captures());
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), LINES).unwrap();
        crate::policy::source::add(&[file.path()], &options(), &mut of_file).unwrap();
        add_answers(answers(), &options(), &mut of_memory).unwrap();
        let told = |captures: &Captures| captures.passed_over().iter().map(ToString::to_string).collect::<Vec<_>>();
        let after =
            |told: Vec<String>| told.iter().map(|text| text.split_once(": ").unwrap().1.to_owned()).collect::<Vec<_>>();
        assert_eq!(told(&of_memory).len(), 1);
        assert_eq!(after(told(&of_memory)), after(told(&of_file)));
        let [of_file, of_memory]: [Policy; 2] = [of_file, of_memory].map(|captures| captures.policy().unwrap());
        assert_eq!(of_memory.statistics().origins, 7);
        assert!(of_file.bytes() == of_memory.bytes());
    }

    #[test]
    fn one_that_is_none_is_told_by_its_number() {
        let url = "https://a.example/robots.txt";
        for (wrong, problem) in [
            (Answer::new(url, Some(200)), "its status is 200, but its body is null"),
            (Answer::new(url, Some(1000)), "1000 is no HTTP status"),
            (Answer::new(url, Some(404)).origin(Some("https://a.example".to_owned())), "both a URL and an origin"),
            (Answer::default().status(Some(404)), "it has no URL"),
            (Answer::new("/robots.txt", Some(404)), "expected an absolute"),
            (Answer::found("a.example", *b"", None), "not an origin"),
            (Answer::new(url, Some(404)).fetched_at(Some(NOW * 1000)), "milliseconds"),
        ] {
            let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
            let all = [Answer::found("https://b.example", *b"", None), wrong];
            let error = add_answers(all.clone(), &options(), &mut captures).unwrap_err().to_string();
            assert!(error.starts_with("answer 2: ") && error.contains(problem), "{error}");
            let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
            add_answers(all, &options().skip_bad(true), &mut captures).unwrap();
            let told = captures.passed_over()[0].to_string();
            assert!(told.starts_with("responses in memory: 1 response is none: ") && told.contains(problem), "{told}");
            assert_eq!(captures.policy().unwrap().statistics().origins, 1);
        }
    }

    /// Of an answer with a `Content-Encoding`, if it has one: where it is judged to be, and what is told of it.
    #[cfg(not(feature = "batch"))]
    fn judged(coding: &str, body: &[u8]) -> (crate::Outcome, Vec<String>) {
        let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
        let headers = if coding.is_empty() { vec![] } else { vec![("Content-Encoding".to_owned(), coding.to_owned())] };
        let answer = Answer::found("https://a.example", body, NOW).headers(headers);
        let live = crate::LivePolicy::new(Agents::everybody(), Dialect::DEFAULT);
        let problem = live.put(answer.clone()).unwrap().problem;
        add_answers([answer], &options(), &mut captures).unwrap();
        let told: Vec<String> = captures.passed_over().iter().map(ToString::to_string).collect();
        let matcher = captures.policy().unwrap().matcher("*").unwrap();
        let outcome = matcher.judge("https://a.example/private");
        let live = live.matcher("*", crate::Choices::default()).unwrap();
        assert_eq!(live.judge("https://a.example/private"), outcome);
        assert_eq!(problem.is_some(), !told.is_empty());
        assert!(problem.is_none_or(|problem| told[0].contains(&problem)), "{told:?}");
        (outcome, told)
    }

    #[cfg(not(feature = "batch"))]
    #[test]
    fn what_no_decoder_is_there_for_is_deferred_and_says_so() {
        const GZIP: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x0b-N-\xd2MLO\xcd+\xb1R\xd0\xe2r\xc9,N\xcc\xc9\xc9/\xb7R\xd0/(\xca,K,I\xe5\x02\x00jSw\xcc!\x00\x00\x00";
        const ZSTD: &[u8] = b"(\xb5/\xfd\x04X\x09\x01\x00User-agent: *\x0aDisallow: /private\x0af,Yf";
        const BZIP2: &[u8] = b"BZh91AY&SY\xee\xbc\x89\x82\x00\x00\x05_\x80\x00\x10@\x12\x80\x10\x04\x00\x02\x00\x22\xa5\xdd\x80 \x00\x22&!\xa0\x1a1\x0a\x06\x9a\x19\x191\x0a\xf5\x09\xf4Z\x10,\xf1E5\xe6\x0b\xdb\x15(ft8\xf8\xbb\x92)\xc2\x84\x87u\xe4L\x10";
        const ZLIB: &[u8] =
            b"x\x9c\x0b-N-\xd2MLO\xcd+\xb1R\xd0\xe2r\xc9,N\xcc\xc9\xc9/\xb7R\xd0/(\xca,K,I\xe5\x02\x00\xbf\xbe\x0b7";
        const DEFLATE: &[u8] = b"\x0b-N-\xd2MLO\xcd+\xb1R\xd0\xe2r\xc9,N\xcc\xc9\xc9/\xb7R\xd0/(\xca,K,I\xe5\x02\x00";
        const BROTLI: &[u8] = b"\x1b7\x00\xe0-\x0e\xccs\xb9N\x22\x8a\xee\x5c(\x9d,\xfa5Q\xd5\x1c\x9dRyi\x85\x9779\x09R\x96V-:\xb0\x01'D\x81\x14\x0ex\xaeN\xa0\xacQn\xe0t\xe8\xf0U/\x00";
        for (coding, name, body) in [
            ("gzip", "gzip", GZIP),
            ("", "gzip", GZIP),
            ("zstd", "Zstandard", ZSTD),
            ("", "Zstandard", ZSTD),
            ("", "bzip2", BZIP2),
            ("deflate", "deflate", ZLIB),
            ("", "deflate", ZLIB),
            ("deflate", "deflate", DEFLATE),
            ("", "deflate", DEFLATE),
            ("br", "Brotli", BROTLI),
            ("", "deflate", BROTLI),
        ] {
            let characters = body.iter().map(|&byte| char::from(byte)).collect::<String>().into_bytes();
            for body in [body, &body[..body.len() - 3], &characters] {
                let (outcome, told) = judged(coding, body);
                let place = format!("{coding} {}: {told:?}", body.escape_ascii());
                assert_eq!(outcome, crate::Outcome::new(crate::Partition::Deferred, crate::Reason::NotText), "{place}");
                let cause = format!("its {name} data is not decoded without the cargo feature `batch`");
                assert!(told.len() == 1 && told[0].contains(&cause), "{place}");
            }
        }
        // Decoded before, or no compressed data.
        let text = b"User-agent: *\nDisallow: /private\n";
        let older = b"# \xef\xf0\xe8\xe2\xe5\xf2, \xef\xf0\xe8\xe2\xe5\xf2\nUser-agent: *\nDisallow: /private\n";
        let with_nul = b"User-agent: *\nDisallow: /private\n# \0\xff\n";
        for (coding, body) in
            [("gzip", &text[..]), ("br", text), ("deflate", text), ("zstd", text), ("", older), ("", with_nul)]
        {
            let blocked = crate::Outcome::new(crate::Partition::Blocked, crate::Reason::Rules);
            assert_eq!(judged(coding, body), (blocked, vec![]), "{coding} {}", body.escape_ascii());
        }
    }
}
