//! What each kind of finding means, with an example: the list in the documentation is made from this.

use super::FindingKind;

/// What a kind of finding means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explained {
    /// Its meaning, as a part of a sentence.
    pub meaning: &'static str,
    /// The lines of a robots.txt in which it is found; none if it is about a whole file, or a long one. Without a `User-agent` line,
    /// they are part of a record.
    pub example: Option<&'static str>,
}

impl FindingKind {
    /// Its meaning, with an example.
    pub fn explained(self) -> Explained {
        let (meaning, example) = texts(self);
        Explained { meaning, example: Some(example).filter(|example| !example.is_empty()) }
    }
}

#[rustfmt::skip]
fn texts(kind: FindingKind) -> (&'static str, &'static str) {
    use FindingKind as Kind;
    match kind {
        Kind::LooksLikeHtml => ("an HTML page", "<!doctype html>"),
        Kind::Utf16 => ("UTF-16 instead of UTF-8", ""),
        Kind::EncodingMended => ("UTF-16 that is damaged", ""),
        Kind::FileWithoutDisallow => ("a file without any record", "# nothing to say"),
        Kind::FileCut => ("lines beyond what crawlers of the dialect read", ""),
        Kind::FileTooLong => ("lines beyond the 500 KiB that all crawlers read", ""),
        Kind::LineCut => ("the end of a line beyond what crawlers of the dialect read", ""),
        Kind::MissingColon => ("no colon after the key", "Disallow /private/"),
        Kind::MisspeltKey => ("a key that is nearly another one", "Dissallow: /private/"),
        Kind::UnknownRecord => ("a key that nobody knows", "Robots: none"),
        Kind::AgentCut => ("an agent of which only a part counts, or nothing", "User-agent: examplebot/1.0\nDisallow: /"),
        Kind::StarNotAlone => ("a star with other text", "User-agent: * all\nDisallow: /"),
        Kind::AgentRepeated => ("a second record for one crawler", "User-agent: a\nDisallow: /x\n\nUser-agent: a\nDisallow: /y"),
        Kind::EverybodyRepeated => ("a second record for everybody", "User-agent: *\nDisallow: /x\n\nUser-agent: *\nDisallow: /y"),
        Kind::SeveralAgents => ("more agents than crawlers of 1994 read", "User-agent: a\nUser-agent: b\nDisallow: /x"),
        Kind::RecordWithoutDisallow => ("a record that forbids nothing", "User-agent: a\nAllow: /x"),
        Kind::BlankLineInRecord => ("a blank line that does not do what it seems to", "User-agent: a\n\nUser-agent: b\nDisallow: /x"),
        Kind::RuleOutsideGroup => ("a rule that belongs to no agent", "Disallow: /x\nUser-agent: *\nDisallow: /y"),
        Kind::AllowIgnored => ("`Allow`, where the dialect has none", "Allow: /x"),
        Kind::RuleWithoutSlash => ("a rule that is no path", "Disallow: private/"),
        Kind::SeveralPaths => ("several paths on a line", "Disallow: /a /b"),
        Kind::RegularExpression => ("a regular expression", "Disallow: /[0-9]+/"),
        Kind::LiteralWildcard => ("a wildcard, where the dialect has none", "User-agent: example*\nDisallow: /x"),
        Kind::Unescaped => ("a character that should be percent-encoded", "Disallow: /a b"),
        Kind::DotSegment => ("a rule for paths that nobody asks for", "Disallow: /a/../b"),
        Kind::UnreachableRule => ("a rule against which another one always wins", "Allow: /a*\nDisallow: /a"),
        Kind::RelativeSitemap => ("a sitemap without scheme and host", "Sitemap: /sitemap.xml"),
        Kind::CrawlDelayOutOfRange => ("a delay that its crawler does not accept", "User-agent: bingbot\nDisallow: /x\nCrawl-delay: 60"),
        Kind::CrawlDelayIgnored => ("a delay, where crawlers of the dialect ignore it", "Crawl-delay: 5"),
        Kind::BrokenContentUsage => ("preferences that cannot be read", "Content-Usage: train-ai=no"),
        Kind::UnknownContentUsage => ("a preference about an unknown use", "Content-Usage: ai=n"),
        Kind::BrokenContentSignal => ("signals that cannot be read", "Content-Signal: ai-train=n"),
        Kind::UnknownContentSignal => ("an unknown signal", "Content-Signal: training=no"),
        Kind::NotInherited => ("a record that lacks what `*` blocks", "User-agent: *\nDisallow: /search\n\nUser-agent: a\nCrawl-delay: 5"),
        Kind::RulesLifted => ("the same, where the record says that all is allowed", "User-agent: *\nDisallow: /search\n\nUser-agent: a\nAllow: /"),
        Kind::BlocksEverything => ("everything is blocked for all crawlers that are not named", "User-agent: *\nDisallow: /"),
        Kind::AllowAllOverruled => ("an allow-all beside a record of the same crawler that blocks something", "User-agent: a\nAllow: /\n\nUser-agent: a\nDisallow: /x"),
        Kind::RuleWithoutEffect => ("a rule without which nothing would be otherwise", "Disallow: /a/\nDisallow: /a/b"),
        Kind::EmptyDisallow => ("a `Disallow` without a value beside others", "Disallow: /a\nDisallow:"),
        Kind::CrawlDelayNoNumber => ("a delay that is no number", "Crawl-delay: 0,5"),
        Kind::CrawlDelayRepeated => ("a second delay for one crawler", "Crawl-delay: 1\nCrawl-delay: 2"),
        Kind::CrawlDelayDecimals => ("a delay with decimals, which some crawlers ignore", "Crawl-delay: 2.5"),
        Kind::AgentsOnOneLine => ("several agents on a line", "User-agent: Googlebot, Bingbot\nDisallow: /x"),
        Kind::ForeignComment => ("a comment without `#`", "Disallow: /x <!-- old -->"),
        Kind::RuleWithHost => ("a rule with a scheme and a host", "Disallow: /https://www.example.com/x"),
        Kind::DollarInside => ("a `$` that is not at the end", "Disallow: /*.php$*"),
        Kind::Backslash => ("a `\\` instead of a `/`", "Disallow: /a\\b"),
        Kind::DeadRecord => ("a record that nobody reads any more, with what replaced it", "Noindex: /x"),
        Kind::SitemapRepeated => ("a sitemap that is there twice", "Sitemap: https://example.com/s.xml\nSitemap: https://example.com/s.xml"),
        Kind::RepeatedStar => ("more than one `*` in a row", "Disallow: /a**b"),
        Kind::DotStar => ("`.*` at the end of a name, which is less than `*`", "Disallow: /foo.*"),
        Kind::RecordOfFew => ("a record that few read, with who does", "Clean-param: ref /shop/"),
        Kind::ByteOrderMark => ("a byte order mark", "\u{feff}User-agent: *\nDisallow: /x"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::lint::check;

    #[test]
    fn each_example_is_one() {
        for kind in FindingKind::ALL {
            let Some(example) = kind.explained().example else { continue };
            let is_whole = example.to_ascii_lowercase().contains("user-agent") || example.starts_with(['#', '<']);
            let file = if is_whole {
                example.to_owned()
            } else {
                format!("User-agent: examplebot\nDisallow: /1\n{example}\n")
            };
            let is_found =
                |dialect: &Dialect| check(file.as_bytes(), dialect).findings.iter().any(|found| found.kind == kind);
            assert!(Dialect::ALL.iter().any(is_found), "{}: {example}", kind.name());
        }
        let without = FindingKind::ALL.into_iter().filter(|kind| kind.explained().example.is_none()).count();
        assert_eq!(without, 5, "only those about whole files and long lines");
    }
}
