//! A plain web server on a free port of this machine, for as long as the test process lives.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is answered to one request.
pub(crate) struct Answer {
    /// `200`.
    pub(crate) status: u16,
    /// What the header says of the body; none where it says nothing.
    pub(crate) content_type: Option<&'static str>,
    /// The body.
    pub(crate) body: Vec<u8>,
    /// How long the header says that it is, where that is not true.
    pub(crate) length: Option<usize>,
    /// Where the header leads on to.
    pub(crate) location: Option<&'static str>,
    /// When the header wants to be asked again.
    pub(crate) retry_after: Option<&'static str>,
}

impl Answer {
    /// A body that is found.
    pub(crate) fn ok(body: impl Into<Vec<u8>>) -> Answer {
        Answer {
            status: 200,
            content_type: None,
            body: body.into(),
            length: None,
            location: None,
            retry_after: None,
        }
    }

    /// Nothing there.
    pub(crate) fn not_found() -> Answer {
        Answer { status: 404, ..Answer::ok("gone") }
    }
}

/// A running server.
pub(crate) struct Server {
    /// `http://127.0.0.1:4711`.
    pub(crate) address: String,
    requests: Arc<AtomicUsize>,
}

impl Server {
    /// Serves a folder; a path that is a folder is not found, as on hosts that know no index.
    pub(crate) fn of(folder: &Path) -> Server {
        let folder = folder.to_owned();
        Server::answering(move |path| file(&folder, path))
    }

    /// Answers each path.
    pub(crate) fn answering(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("port");
        let address = format!("http://{}", listener.local_addr().expect("address"));
        let requests = Arc::new(AtomicUsize::new(0));
        let (count, answer) = (Arc::clone(&requests), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                let answer = Arc::clone(&answer);
                // A client that goes away is no fault of the server.
                std::thread::spawn(move || drop(respond(&stream, &*answer)));
            }
        });
        Server { address, requests }
    }

    /// A proxy that connects to `target`, whatever it is asked for, and tells each first line.
    pub(crate) fn tunnel(target: &str, told: impl Fn(&str) + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("port");
        let address = format!("http://{}", listener.local_addr().expect("address"));
        let (target, told) = (target.to_owned(), Arc::new(told));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (target, told) = (target.clone(), Arc::clone(&told));
                std::thread::spawn(move || drop(connect(&stream, &target, &*told)));
            }
        });
        Server { address, requests: Arc::default() }
    }

    /// How many requests there were.
    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

/// A file of a folder.
pub(crate) fn file(folder: &Path, path: &str) -> Answer {
    let full: PathBuf = folder.join(path.trim_start_matches('/'));
    let outside = path.split('/').any(|part| part == "..");
    match std::fs::read(&full) {
        Ok(bytes) if !outside => Answer::ok(bytes),
        _ => Answer::not_found(),
    }
}

/// One connection of a proxy: the head is read, then both sides are passed on.
fn connect(stream: &TcpStream, target: &str, told: &dyn Fn(&str)) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    told(first.trim_end());
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let there = TcpStream::connect(target)?;
    (&*stream).write_all(b"HTTP/1.1 200 Connected\r\n\r\n")?;
    let (mut back, mut to) = (there.try_clone()?, stream.try_clone()?);
    let answers = std::thread::spawn(move || {
        let copied = std::io::copy(&mut back, &mut to);
        // The other side learns that nothing more comes.
        copied.and(to.shutdown(std::net::Shutdown::Both))
    });
    let _ = std::io::copy(&mut reader, &mut &there);
    drop(answers.join());
    Ok(())
}

/// One request, one answer.
fn respond(stream: &TcpStream, answer: &dyn Fn(&str) -> Answer) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let path = first.split(' ').nth(1).unwrap_or("/").split('?').next().unwrap_or("/");
    let Answer { status, content_type, body, length, location, retry_after } =
        answer(&decode(path));
    let mut head = format!("HTTP/1.1 {status} X\r\n");
    for (name, value) in
        [("Content-Type", content_type), ("Location", location), ("Retry-After", retry_after)]
    {
        head.extend(value.map(|value| format!("{name}: {value}\r\n")));
    }
    let length = length.unwrap_or(body.len());
    write!(&*stream, "{head}Content-Length: {length}\r\nConnection: close\r\n\r\n")?;
    if first.starts_with("HEAD ") { Ok(()) } else { (&*stream).write_all(&body) }
}

/// A path with its percent signs taken out.
fn decode(path: &str) -> String {
    let mut out = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let hex = |rest: &mut std::str::Bytes| {
            let digits = [rest.next()?, rest.next()?];
            u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()
        };
        out.push(if byte == b'%' { hex(&mut rest).unwrap_or(b'%') } else { byte });
    }
    String::from_utf8_lossy(&out).into_owned()
}
