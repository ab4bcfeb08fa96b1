//! URLs in parts, as Common Crawl's columnar index has them.

/// A URL in the parts that Common Crawl's columnar index has of it.
///
/// ```
/// use robosieve::python_package::UrlParts;
///
/// let parts = UrlParts { protocol: Some(b"http"), host: Some(b"a.example"), port: Some(8080), ..UrlParts::default() };
/// let mut url = Vec::new();
/// assert!(parts.append_to(&mut url));
/// assert_eq!(url, b"http://a.example:8080/");
/// assert!(!UrlParts { host: None, ..parts }.append_to(&mut url));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UrlParts<'p> {
    /// The scheme. Without one, there is no URL.
    pub protocol: Option<&'p [u8]>,
    /// The host. Without one, there is no URL.
    pub host: Option<&'p [u8]>,
    /// The port. The index has it if the URL states one; else it has -1 or nothing.
    pub port: Option<i64>,
    /// The path, with its first slash.
    pub path: Option<&'p [u8]>,
    /// The query, without its question mark.
    pub query: Option<&'p [u8]>,
}

impl UrlParts<'_> {
    /// The names of the columns, in the order of the fields. The third has integers, the others text.
    pub const COLUMNS: [&'static str; 5] = ["url_protocol", "url_host_name", "url_port", "url_path", "url_query"];

    /// Appends the URL; nothing if there is none. Returns whether there is one.
    pub fn append_to(&self, text: &mut Vec<u8>) -> bool {
        let (Some(protocol), Some(host)) = (self.protocol, self.host) else { return false };
        text.extend_from_slice(protocol);
        text.extend_from_slice(b"://");
        text.extend_from_slice(host);
        if let Some(port) = self.port.filter(|&port| port >= 0) {
            text.push(b':');
            text.extend_from_slice(port.to_string().as_bytes());
        }
        text.extend_from_slice(self.path.unwrap_or(b"/"));
        if let Some(query) = self.query {
            text.push(b'?');
            text.extend_from_slice(query);
        }
        true
    }
}
