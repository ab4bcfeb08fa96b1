//! Hosts in rules. A robots.txt is for its own host, and its rules are paths.

use crate::dialect::UrlPath;

/// Endings of file names, which are no domains.
const FILES: [&str; 32] = [
    "htm", "html", "shtml", "xhtml", "php", "asp", "aspx", "jsp", "cgi", "cfm", "txt", "xml", "rss", "pdf", "js",
    "css", "json", "pl", "jpg", "jpeg", "gif", "png", "svg", "ico", "webp", "swf", "zip", "gz", "doc", "docx", "xls",
    "log",
];

/// Endings of domains that no file has.
const DOMAINS: [&str; 8] = ["com", "net", "org", "edu", "gov", "mil", "info", "biz"];

/// What stands before the ending of a country.
const BELOW_COUNTRIES: [&str; 9] = ["co", "com", "net", "org", "edu", "gov", "ac", "or", "ne"];

/// Whether text is an ending of a file name.
pub(super) fn is_file_ending(text: &[u8]) -> bool {
    is_any(text, &FILES)
}

fn is_any(text: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(text))
}

/// The rest after a beginning, in whatever letters.
fn after<'t>(text: &'t [u8], start: &str) -> Option<&'t [u8]> {
    let is_start = |text: &[u8]| text.eq_ignore_ascii_case(start.as_bytes());
    text.get(..start.len()).is_some_and(is_start).then(|| &text[start.len()..])
}

/// Whether a value begins with a host, perhaps after a scheme, slashes or a star. After a single slash, a host is the name of a folder
/// unless it begins with `www.`: links without a scheme lead to such paths.
pub(super) fn has_host(value: &[u8]) -> bool {
    let text = value.strip_prefix(b"/").unwrap_or(value);
    let begins_host = |rest: &[u8]| rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80);
    if after_scheme(text).or_else(|| after(text, "www.")).is_some_and(begins_host) {
        return true;
    }
    let without_slashes = || &value[value.iter().take_while(|&&byte| byte == b'/').count()..];
    let scheme = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let host = ["http:/", "https:/", "*://*.", "*://"]
        .iter()
        .find_map(|start| after(text, start))
        .or_else(|| text[scheme..].strip_prefix(b"://"))
        .or_else(|| value.starts_with(b"//").then(without_slashes))
        .or_else(|| value.strip_prefix(b"*."))
        .or_else(|| (!value.starts_with(b"/")).then_some(value.strip_prefix(b".").unwrap_or(value)));
    // A star alone stands for the beginning of a host, if there is more of it than a domain.
    let is_below = |host: &[u8]| is_host(host) && is_host(&host[memchr::memchr(b'.', host).map_or(0, |at| at + 1)..]);
    host.is_some_and(|host| after(host, "www.").is_some() || is_host(host))
        || value.strip_prefix(b"*").is_some_and(is_below)
}

/// The rest after a scheme and two slashes.
fn after_scheme(text: &[u8]) -> Option<&[u8]> {
    after(text, "http://").or_else(|| after(text, "https://"))
}

/// Whether text begins with a host that can be nothing else: it is an address, or its ending is one of domains, or, before a slash,
/// that of a country.
fn is_host(text: &[u8]) -> bool {
    let end = text.iter().position(|byte| matches!(byte, b'/' | b'*' | b'$' | b'?' | b':')).unwrap_or(text.len());
    if std::str::from_utf8(&text[..end]).is_ok_and(|host| host.parse::<std::net::Ipv4Addr>().is_ok()) {
        return true;
    }
    let labels: Vec<&[u8]> = text[..end].split(|&byte| byte == b'.').collect();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    if labels.len() < 2 || labels.iter().any(|label| label.is_empty() || !label.iter().all(is_part)) {
        return false;
    }
    let (ending, above) = (labels[labels.len() - 1], labels[labels.len() - 2]);
    let is_country = ending.len() == 2 && ending.iter().all(u8::is_ascii_alphabetic) && !is_file_ending(ending);
    let is_before_slash = matches!(text.get(end), Some(b'/' | b':'));
    let is_below = labels.len() > 2 && is_any(above, &BELOW_COUNTRIES);
    is_any(ending, &DOMAINS) || is_country && (is_before_slash || is_below)
}

/// The path after a scheme and a host, or a host that begins with `www.`. Another host may not be that of the file.
pub(super) fn without_host(value: &[u8]) -> Option<Vec<u8>> {
    let text = value.strip_prefix(b"/").unwrap_or(value);
    if after_scheme(text).is_some() {
        let (_, at) = crate::origin::canonical(text).ok()?;
        return Some(UrlPath::AsWritten.of(&text[at..]).into_owned());
    }
    let host = text.strip_prefix(b"/").unwrap_or(text);
    after(host, "www.")?;
    Some(host[memchr::memchr(b'/', host)?..].to_vec())
}

/// Whether the first segment may be a host: it has a dot, and its ending is not one of files.
pub(super) fn is_host_perhaps(value: &[u8]) -> bool {
    let end = memchr::memchr(b'/', value).unwrap_or(value.len());
    let Some(dot) = memchr::memrchr(b'.', &value[..end]) else { return false };
    let ending = &value[dot + 1..end];
    ending.len() > 1 && ending.iter().all(u8::is_ascii_alphabetic) && !is_file_ending(ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_host_at_the_beginning_is_one() {
        for value in [
            "http://a",
            "/https://a/b",
            "//www.a.example/",
            "WWW.a.example/x",
            "/www.a.example/x",
            "//cdn.example.com/x",
            "//Example.NET",
            "///qa.example.co.za/",
            "//cdn.example.de/x",
            "//example.com:8080/",
            "*.example.com/x",
            "*.example.co.uk",
            "*qa.example.gov",
            "*d8.example.gov/*",
            "*origin-www.example.com*",
            "*://example.org/*",
            "*://*.example.org/*",
            "example.com",
            "example.com/x",
            "intern.example.edu/*",
            ".example.com/x",
            "192.0.2.1/x",
            "//192.0.2.1/",
            "ftp://example.com/",
            "/ftp://example.com/x",
            "://example.com/x",
            "/http:/example.com/x",
            "/https:/cdn.example.co.uk/x",
            "http:/example.com/x",
        ] {
            assert!(has_host(value.as_bytes()), "{value}");
        }
        for value in [
            "/redirect?url=http://",
            "/*http://",
            "/http://",
            "/https://*",
            "/www.",
            "//a",
            "/wwwx",
            "/a/www.b/",
            "//",
            "//*",
            "//?",
            "/a://b",
            "/1.2.3.4/",
            ".htaccess",
            "1.2.3/",
            "//index.php",
            "//index.php/x",
            "//login.do",
            "//scott-cullen-1.1285586",
            "/example.com/x",
            "/dx.doi.org",
            "/https:/*",
            "/http:/",
            "*://*",
            "*.print.html",
            "*.tar.gz",
            "*.spec.ts",
            "*.com",
            "*.php/x",
            "*example.com",
            "/*.example.com/",
            "*..com",
            "com.example.app/",
            "a.b/",
            "",
        ] {
            assert!(!has_host(value.as_bytes()), "{value}");
        }
    }
}
