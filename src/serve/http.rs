//! HTTP/1.1 as far as a preview needs it: one request a connection, no body.

use std::io::{self, BufRead, Read as _, Write};

use crate::address::decode;

/// Longest head of a request, in bytes.
const HEAD: u64 = 16 * 1024;

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// The decoded path, without a slash at its beginning, and without query.
    pub(super) path: String,
    /// Whether only the head of the answer is wanted.
    pub(super) head: bool,
}

/// Why a request is not answered: a status and a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refused(pub(super) &'static str, pub(super) &'static str);

/// Reads a request; the outer error is a connection that broke.
///
/// # Errors
/// The connection ends or times out before the head is complete.
pub(super) fn read(from: &mut impl BufRead, port: u16) -> io::Result<Result<Request, Refused>> {
    let mut from = from.take(HEAD);
    let first = line(&mut from)?;
    let mut hosts = Vec::new();
    loop {
        let header = line(&mut from)?;
        if header.is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("host")
        {
            hosts.push(value.trim().to_owned());
        }
    }
    Ok(request(&first, &hosts, port))
}

/// One line of the head.
fn line(from: &mut impl BufRead) -> io::Result<String> {
    let mut bytes = Vec::new();
    from.read_until(b'\n', &mut bytes)?;
    if bytes.pop() != Some(b'\n') {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the head ends early"));
    }
    if bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What the first line and the `Host` headers ask for. A foreign host means that some other
/// site's name was pointed at this machine to read the preview.
fn request(first: &str, hosts: &[String], port: u16) -> Result<Request, Refused> {
    let mut parts = first.split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(Refused("400 Bad Request", "this is no request"));
    };
    if !version.starts_with("HTTP/1.") {
        return Err(Refused("505 HTTP Version Not Supported", "HTTP/1.1 is spoken here"));
    }
    match hosts {
        [host] if is_own(host, port) => {}
        [_] => {
            return Err(Refused("421 Misdirected Request", "this preview is for localhost only"));
        }
        _ => return Err(Refused("400 Bad Request", "one Host header is needed")),
    }
    if method != "GET" && method != "HEAD" {
        return Err(Refused("405 Method Not Allowed", "only GET and HEAD"));
    }
    let path = target.split(['?', '#']).next().unwrap_or(target);
    let decoded = path.strip_prefix('/').and_then(decode).filter(|path| is_plain(path));
    match decoded {
        Some(path) => Ok(Request { path, head: method == "HEAD" }),
        None => Err(Refused("400 Bad Request", "this is no path of the site")),
    }
}

/// Whether a host is this machine under a name that nobody else can give.
fn is_own(host: &str, port: u16) -> bool {
    let plain = host.strip_suffix(&format!(":{port}"));
    // A browser leaves the port out only where it is 80.
    let plain = plain.or_else(|| (port == 80).then_some(host));
    plain.is_some_and(|name| {
        matches!(name.to_ascii_lowercase().as_str(), "localhost" | "127.0.0.1" | "[::1]")
    })
}

/// Whether a path stays in the site and holds no control character.
fn is_plain(path: &str) -> bool {
    !path.split(['/', '\\']).any(|part| part == "..") && !path.chars().any(char::is_control)
}

/// An answer of known length.
pub(super) struct Answer<'a> {
    /// `200 OK`.
    pub(super) status: &'a str,
    /// Media type.
    pub(super) kind: &'a str,
    /// Where a redirect leads.
    pub(super) location: Option<&'a str>,
    /// The bytes.
    pub(super) body: &'a [u8],
}

impl Answer<'_> {
    /// Writes it, without the bytes where only the head is wanted.
    ///
    /// # Errors
    /// The connection broke.
    pub(super) fn write(&self, to: &mut impl Write, head: bool) -> io::Result<()> {
        let location = self.location.map(|to| format!("location: {to}\r\n")).unwrap_or_default();
        write!(
            to,
            "HTTP/1.1 {}\r\ncontent-type: {}\r\ncontent-length: {}\r\n{location}\
             cache-control: no-store\r\nx-content-type-options: nosniff\r\n\
             cross-origin-resource-policy: same-origin\r\nconnection: close\r\n\r\n",
            self.status,
            self.kind,
            self.body.len()
        )?;
        if !head {
            to.write_all(self.body)?;
        }
        to.flush()
    }
}

/// The media type of a file.
pub(super) fn media_type(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/x-icon",
        "pdf" => "application/pdf",
        "xml" => "application/xml",
        "woff2" => "font/woff2",
        "zip" => "application/zip",
        "gz" | "tgz" => "application/gzip",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(head: &str, expect: &str) {
        let got = match read(&mut head.as_bytes(), 8000) {
            Ok(Ok(request)) => request.path,
            Ok(Err(Refused(status, _))) => status.to_owned(),
            Err(error) => error.kind().to_string(),
        };
        assert_eq!(got, expect, "{head:?}");
    }

    #[test]
    fn requests_are_read_or_refused() {
        let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost:8000\r\n\r\n");
        check(&get("/"), "");
        check(&get("/a/%EA%B0%80%20%23.html?x#y"), "a/가 #.html");
        check(&get("/../etc/passwd"), "400 Bad Request");
        check(&get("/%2e%2e/etc"), "400 Bad Request");
        check(&get("/a%2f..%2f..%2fetc"), "400 Bad Request");
        check(&get("/a%5c..%5cb"), "400 Bad Request");
        check(&get("/a%00b"), "400 Bad Request");
        check(&get("/%ff"), "400 Bad Request");
        check(&get("http://localhost:8000/"), "400 Bad Request");
        check("GET / HTTP/1.1\r\n\r\n", "400 Bad Request");
        check("GET / HTTP/1.1\r\nHost: evil.example:8000\r\n\r\n", "421 Misdirected Request");
        check("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "421 Misdirected Request");
        check("GET / HTTP/1.1\r\nhost: [::1]:8000\r\n\r\n", "");
        check("GET / HTTP/1.1\r\nHost: localhost:8000\r\nHost: x\r\n\r\n", "400 Bad Request");
        check("POST / HTTP/1.1\r\nHost: localhost:8000\r\n\r\n", "405 Method Not Allowed");
        check("hello\r\n\r\n", "400 Bad Request");
        check("GET / HTTP/1.1\r\nHost: localhost:8000\r\n", "unexpected end of file");
        check(&format!("GET /{} HTTP/1.1\r\n", "a".repeat(20_000)), "unexpected end of file");
    }
}
