//! As much of HTTP/1.1 as a page on loopback needs: one GET or HEAD a connection, with limits on
//! size and time. The head is parsed by `httparse`; servers that are crates either have no such
//! limits (tiny_http) or bring an asynchronous runtime with them.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// The longest head of a request.
const HEAD: usize = 16 << 10;
/// The most headers.
const HEADERS: usize = 64;
/// How long a request may take to arrive, and an answer to be taken.
const TIME: Duration = Duration::from_secs(5);

/// A request that is well-formed and meant for this server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) query: String,
    /// Whether only the head of the answer is asked for.
    pub(crate) head_only: bool,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// An answer of a line of text.
    pub(crate) fn refusal(status: u16, why: &str) -> Self {
        Self {
            status,
            content_type: "text/plain; charset=utf-8",
            body: format!("{why}\n").into_bytes(),
        }
    }
}

/// Reads a request from a connection; `port` is the server's own.
pub(crate) fn read(stream: &mut TcpStream, port: u16) -> Result<Request, Answer> {
    let start = Instant::now();
    let mut head: Vec<u8> = Vec::with_capacity(1024);
    loop {
        if let Some(parsed) = parse(&head, port) {
            return parsed;
        }
        if head.len() >= HEAD {
            return Err(Answer::refusal(431, "the request's head is too long"));
        }
        let late = || Answer::refusal(408, "the request took too long");
        let left = TIME.checked_sub(start.elapsed()).filter(|t| !t.is_zero());
        let _ = stream.set_read_timeout(Some(left.ok_or_else(late)?));
        let mut part = [0; 4096];
        match stream.read(&mut part) {
            Ok(0) => return Err(Answer::refusal(400, "the request ends too early")),
            Ok(n) => head.extend_from_slice(&part[..n]),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Err(late());
            }
            Err(_) => return Err(Answer::refusal(400, "the connection broke")),
        }
    }
}

/// The request of a head; `None` while it goes on.
fn parse(head: &[u8], port: u16) -> Option<Result<Request, Answer>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(head) {
        Ok(httparse::Status::Partial) => return None,
        Ok(httparse::Status::Complete(_)) => {}
        Err(httparse::Error::TooManyHeaders) => {
            return Some(Err(Answer::refusal(431, "too many headers")));
        }
        Err(_) => return Some(Err(Answer::refusal(400, "no HTTP/1.1 request"))),
    }
    let mut hosts = parsed
        .headers
        .iter()
        .filter(|h| h.name.eq_ignore_ascii_case("host"));
    let (host, second) = (hosts.next(), hosts.next());
    let Some(host) = host.filter(|_| second.is_none()) else {
        return Some(Err(Answer::refusal(400, "a request names one Host")));
    };
    // A page elsewhere whose name was made to mean this machine (DNS rebinding) names that Host.
    if !is_loopback(host.value, port) {
        return Some(Err(Answer::refusal(
            421,
            "this server answers for localhost alone",
        )));
    }
    let head_only = match parsed.method {
        Some("GET") => false,
        Some("HEAD") => true,
        _ => return Some(Err(Answer::refusal(405, "GET and HEAD are answered"))),
    };
    let target = parsed.path.unwrap_or_default();
    if !target.starts_with('/') {
        return Some(Err(Answer::refusal(400, "the path begins with /")));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Some(Ok(Request {
        path: path.to_owned(),
        query: query.to_owned(),
        head_only,
    }))
}

fn is_loopback(host: &[u8], port: u16) -> bool {
    let Ok(host) = std::str::from_utf8(host) else {
        return false;
    };
    let host = host.trim().to_ascii_lowercase();
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| {
        host.strip_prefix(name)
            .is_some_and(|rest| match rest.strip_prefix(':') {
                Some(digits) => digits.parse() == Ok(port),
                None => rest.is_empty() && port == 80,
            })
    })
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Error",
    }
}

/// Writes an answer and ends the connection. A client that has gone, or does not take it in time,
/// is left alone.
pub(crate) fn write(mut stream: TcpStream, answer: &Answer, head_only: bool) {
    let _ = stream.set_write_timeout(Some(TIME));
    let allow = if answer.status == 405 {
        "Allow: GET, HEAD\r\n"
    } else {
        ""
    };
    let head = format!(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-cache\r\n\
         Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'\r\n{allow}\r\n",
        answer.status,
        reason(answer.status),
        answer.content_type,
        answer.body.len()
    );
    let body: &[u8] = if head_only { &[] } else { &answer.body };
    let sent = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body))
        .and_then(|()| stream.shutdown(Shutdown::Write));
    if sent.is_ok() {
        // What the client still sends is taken in for a moment, or closing would reset the
        // connection under the answer.
        let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
        let mut rest = [0; 4096];
        for _ in 0..64 {
            if !matches!(stream.read(&mut rest), Ok(1..)) {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(head: &str) -> Option<Result<Request, u16>> {
        parse(head.as_bytes(), 8000).map(|r| r.map_err(|a| a.status))
    }

    #[test]
    fn a_request_has_a_path_and_a_query() {
        let r = of("GET /a/b?c=d&e HTTP/1.1\r\nHost: localhost:8000\r\n\r\n");
        let expected = Request {
            path: "/a/b".into(),
            query: "c=d&e".into(),
            head_only: false,
        };
        assert_eq!(r, Some(Ok(expected)));
        assert_eq!(of("GET / HTTP/1.1\r\nHost: loc"), None);
    }

    #[test]
    fn other_hosts_are_refused() {
        for (host, status) in [
            ("evil.example", 421),
            ("evil.example:8000", 421),
            ("localhost.evil.example:8000", 421),
            ("localhost:8001", 421),
            ("localhost", 421),
            ("127.0.0.1.evil.example:8000", 421),
            ("", 421),
        ] {
            let head = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
            assert_eq!(of(&head), Some(Err(status)), "{host}");
        }
        for host in ["LOCALHOST:8000", "127.0.0.1:8000", "[::1]:8000"] {
            let head = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
            assert!(of(&head).is_some_and(|r| r.is_ok()), "{host}");
        }
    }

    #[test]
    fn broken_requests_are_refused() {
        for (head, status) in [
            ("\0\0\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\n\r\n", 400),
            (
                "GET / HTTP/1.1\r\nHost: localhost:8000\r\nHost: localhost:8000\r\n\r\n",
                400,
            ),
            (
                "GET http://localhost:8000/ HTTP/1.1\r\nHost: localhost:8000\r\n\r\n",
                400,
            ),
            ("POST / HTTP/1.1\r\nHost: localhost:8000\r\n\r\n", 405),
            ("GET / HTTP/9.9\r\nHost: localhost:8000\r\n\r\n", 400),
        ] {
            assert_eq!(of(head), Some(Err(status)), "{head:?}");
        }
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(HEADERS + 1));
        assert_eq!(of(&many), Some(Err(431)));
    }
}
