//! Whether a background block is ready: a port, an address or a text.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use crate::book::Ready;

/// How long one attempt to connect or one answer may take.
const LIMIT: Duration = Duration::from_millis(500);

/// Whether what is waited for is there; `output` is what the block has printed so far.
pub(super) fn is_ready(ready: &Ready, output: &[u8]) -> bool {
    match ready {
        Ready::Port(port) => is_open(&[("127.0.0.1", *port), ("::1", *port)]),
        Ready::Text(text) => contains(output, text.as_bytes()),
        Ready::Http { host, port, path } => answers(host, *port, path),
    }
}

/// The port that the block is going to listen on, if somebody else does already.
pub(super) fn taken_port(ready: &Ready) -> Option<u16> {
    match ready {
        Ready::Port(port) => is_ready(ready, &[]).then_some(*port),
        Ready::Http { host, port, .. } => is_open(&[(host, *port)]).then_some(*port),
        Ready::Text(_) => None,
    }
}

/// Whether one of these places takes connections.
fn is_open(places: &[(&str, u16)]) -> bool {
    places.iter().any(|(host, port)| connect(host, *port).is_some())
}

/// A connection.
fn connect(host: &str, port: u16) -> Option<TcpStream> {
    let addresses: Vec<SocketAddr> = (host, port).to_socket_addrs().ok()?.collect();
    addresses.iter().find_map(|address| TcpStream::connect_timeout(address, LIMIT).ok())
}

/// Whether an address answers with a status below 400.
fn answers(host: &str, port: u16, path: &str) -> bool {
    let ask = || -> Option<Vec<u8>> {
        let mut stream = connect(host, port)?;
        stream.set_read_timeout(Some(LIMIT)).ok()?;
        stream.set_write_timeout(Some(LIMIT)).ok()?;
        let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = vec![0; 64];
        let mut read = 0;
        while read < answer.len() && !answer[..read].contains(&b'\n') {
            match stream.read(&mut answer[read..]).ok()? {
                0 => break,
                count => read += count,
            }
        }
        answer.truncate(read);
        Some(answer)
    };
    ask().and_then(|answer| status(&answer)).is_some_and(|status| status < 400)
}

/// The status in the first line of an answer.
fn status(answer: &[u8]) -> Option<u16> {
    let text = String::from_utf8_lossy(answer);
    let (version, rest) = text.split_once(' ')?;
    if version.starts_with("HTTP/") { rest.get(..3)?.parse().ok() } else { None }
}

/// Whether a text stands in an output.
fn contains(output: &[u8], text: &[u8]) -> bool {
    output.windows(text.len().max(1)).any(|window| window == text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// A server that answers one question after the other with `answer`.
    fn serve(answer: &'static str) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
        let port = listener.local_addr().expect("address").port();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("stream");
                let mut question = [0; 512];
                if stream.read(&mut question).is_ok_and(|count| count > 0) {
                    stream.write_all(answer.as_bytes()).expect("answer");
                }
            }
        });
        port
    }

    #[test]
    fn a_port_and_an_address() {
        let free = TcpListener::bind("127.0.0.1:0").expect("bind").local_addr().expect("address");
        let http = |port| Ready::Http { host: "127.0.0.1".into(), port, path: "/x".into() };
        assert!(!is_ready(&Ready::Port(free.port()), b""));
        assert!(!is_ready(&http(free.port()), b""));
        let port = serve("HTTP/1.1 204 No Content\r\n\r\n");
        assert!(is_ready(&Ready::Port(port), b""));
        assert!(is_ready(&http(port), b""));
        assert_eq!(taken_port(&http(port)), Some(port));
        assert!(!is_ready(&http(serve("HTTP/1.1 503 No\r\n\r\n")), b""));
        assert!(!is_ready(&http(serve("220 smtp\r\n")), b""));
    }

    #[test]
    fn a_text_that_is_printed() {
        let ready = Ready::Text("listening on".into());
        assert!(is_ready(&ready, b"x\nnow listening on 80\n"));
        assert!(!is_ready(&ready, b"listen"));
    }
}
