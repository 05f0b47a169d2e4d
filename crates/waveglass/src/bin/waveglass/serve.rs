//! `waveglass serve`: the reference on loopback, with a page that decodes.

mod decode;
mod http;
mod state;

use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use waveglass::reference::site;

use crate::failure::Failure;
use crate::output;
use http::Answer;

/// The most connections at a time.
const CONNECTIONS: usize = 32;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  waveglass serve --port 8412\n\nEnd it with Ctrl-C.")]
pub(crate) struct ServeArgs {
    /// The port on 127.0.0.1; 0 for any that is free.
    #[arg(long, default_value_t = 8412)]
    port: u16,
}

pub(crate) fn main(args: &ServeArgs) -> Result<(), Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(|e| {
        let help = match e.kind() {
            ErrorKind::AddrInUse => "; --port 0 takes one that is free",
            _ => "",
        };
        anyhow!("--port {}: {e}{help}", args.port)
    })?;
    let port = listener.local_addr()?.port();
    output::write(&format!("http://localhost:{port}/\n"))?;
    serve(&listener, port);
    Ok(())
}

/// Answers connections, each on a thread of its own.
fn serve(listener: &TcpListener, port: u16) {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Out of file descriptors, for one; connections that end give them back.
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        let place = Place::take(&open);
        let spawned = std::thread::Builder::new().spawn(move || connection(stream, port, place));
        if spawned.is_err() {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// A place among the connections, given back when it is dropped.
struct Place {
    open: Arc<AtomicUsize>,
    granted: bool,
}

impl Place {
    fn take(open: &Arc<AtomicUsize>) -> Self {
        Self {
            granted: open.fetch_add(1, Ordering::Relaxed) < CONNECTIONS,
            open: Arc::clone(open),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

fn connection(mut stream: TcpStream, port: u16, place: Place) {
    if !place.granted {
        let busy = Answer::refusal(503, "too many connections at a time");
        http::write(stream, &busy, false);
        return;
    }
    match http::read(&mut stream, port) {
        Ok(request) => {
            let answer = answer(&request.path, &request.query);
            http::write(stream, &answer, request.head_only);
        }
        Err(refusal) => http::write(stream, &refusal, false),
    }
}

/// The answer to a request.
fn answer(path: &str, query: &str) -> Answer {
    let html = "text/html; charset=utf-8";
    if path == "/decode" {
        let (status, page) = decode::page(query);
        return Answer {
            status,
            content_type: html,
            body: page.into_bytes(),
        };
    }
    let mut file = path.trim_start_matches('/').to_owned();
    if file.is_empty() || file.ends_with('/') {
        file.push_str("index.html");
    }
    match site::page(&file) {
        Some(text) => {
            let content_type = site::content_type(&file);
            let text = if content_type == html {
                // The way to the page that only a server has.
                text.replacen("</nav>", "<a href=/decode>Decode</a></nav>", 1)
            } else {
                text.into_owned()
            };
            Answer {
                status: 200,
                content_type,
                body: text.into_bytes(),
            }
        }
        None => Answer::refusal(404, "there is no such page"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    fn start() -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("bound").port();
        std::thread::spawn(move || serve(&listener, port));
        port
    }

    fn ask(port: u16, request: &[u8]) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("connected");
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(port: u16, target: &str) -> String {
        ask(
            port,
            format!("GET {target} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n").as_bytes(),
        )
    }

    #[test]
    fn pages_come_over_http() {
        let port = start();
        let page = get(port, "/cdna4/v_add_f32.html");
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
        assert!(page.contains("<h1>v_add_f32</h1>"));
        assert!(page.contains("<a href=/decode>"));
        assert!(get(port, "/").contains("<details"));
        assert!(get(port, "/cdna4/").contains("<h1>CDNA 4</h1>"));
        assert!(get(port, "/s.css").contains("text/css"));
        let head = ask(
            port,
            format!("HEAD / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n").as_bytes(),
        );
        assert!(head.ends_with("\r\n\r\n"));
    }

    #[test]
    fn hostile_requests_end_in_a_refusal() {
        let port = start();
        let status = |answer: String| answer.split(' ').nth(1).unwrap_or_default().to_owned();
        for target in [
            "/../../etc/passwd",
            "/cdna4/../../../etc/passwd",
            "/%2e%2e/%2e%2e/etc/passwd",
            "/cdna4/%00",
            "//etc/passwd",
            "/cdna4/v_add_f32.html/",
            "/.waveglass-site",
        ] {
            assert_eq!(status(get(port, target)), "404", "{target}");
        }
        let long = "a".repeat(1 << 20);
        assert_eq!(status(get(port, &format!("/{long}"))), "431");
        assert_eq!(
            status(ask(port, b"\x16\x03\x01\x02\x00\x01\r\n\r\n")),
            "400"
        );
        let rebound = format!("GET / HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n");
        assert_eq!(status(ask(port, rebound.as_bytes())), "421");
        // Broken queries of the page that decodes.
        for query in [
            "target=gfx9999&code=00",
            "target=gfx900&code=%ff%fe%zz",
            "target=gfx900&code=ffffffffffffffff",
            "target=gfx900&wave=7&code=00",
            &format!("target=gfx900&code={}", "0".repeat(9000)),
            "target=gfx900&code=global_load_dword+v0,v[0:1],off&state=1&reg=v300=1",
            "target=gfx900&code=global_load_dword+v0,v[0:1],off&state=1&map=0:999999999999",
            "target=gfx900&code=global_load_dword+v0,v[0:1],off&state=1&lds=99999999",
            "target=gfx900&code=global_load_dword+v0,v[0:1],off&state=1&exec=zz",
        ] {
            let answer = get(port, &format!("/decode?{query}"));
            assert_eq!(status(answer), "400", "{query}");
        }
        // It still answers.
        assert_eq!(status(get(port, "/")), "200");
    }
}
