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
}

impl Answer {
    /// A body that is found.
    pub(crate) fn ok(body: impl Into<Vec<u8>>) -> Answer {
        Answer { status: 200, content_type: None, body: body.into(), length: None }
    }

    /// Nothing there.
    pub(crate) fn not_found() -> Answer {
        Answer { status: 404, content_type: None, body: b"gone".to_vec(), length: None }
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
    let Answer { status, content_type, body, length } = answer(&decode(path));
    let content_type =
        content_type.map_or(String::new(), |word| format!("Content-Type: {word}\r\n"));
    write!(
        &*stream,
        "HTTP/1.1 {status} X\r\n{content_type}Content-Length: {}\r\nConnection: close\r\n\r\n",
        length.unwrap_or(body.len())
    )?;
    (&*stream).write_all(&body)
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
