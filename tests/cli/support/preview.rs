//! A running `labdoc serve`, asked over real sockets.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout};
use std::time::{Duration, Instant};

use super::World;

/// Longest wait for anything here.
const LIMIT: Duration = Duration::from_secs(30);

/// A preview that runs until it is dropped.
pub(crate) struct Preview {
    child: Child,
    /// The port it listens on.
    pub(crate) port: u16,
    /// The path of the site, with a slash at both ends.
    pub(crate) base: String,
    _output: BufReader<ChildStdout>,
}

impl Drop for Preview {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer: status line, head and body.
pub(crate) struct Answer {
    /// Status line.
    pub(crate) status: String,
    /// The head, in lower case.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: String,
}

impl Preview {
    /// Starts one on a free port.
    pub(crate) fn of(world: &World, more: &str) -> Preview {
        let mut child = world.labdoc(&format!("serve --port 0 {more}")).spawn();
        let mut output = BufReader::new(child.stdout.take().expect("stdout"));
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("serving http://127.0.0.1:").expect("an address");
        let (port, base) = address.split_once('/').expect("a path");
        let (port, base) = (port.parse().expect("a port"), format!("/{base}"));
        Preview { child, port, base, _output: output }
    }

    /// A connection with deadlines.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connect");
        stream.set_read_timeout(Some(LIMIT)).expect("timeout");
        stream
    }

    /// Sends bytes as they are.
    pub(crate) fn raw(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("send");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("answer");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let status = head.lines().next().expect("status").to_owned();
        Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    /// Asks for a path under the site's folder.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.raw(&format!(
            "GET {}{path} HTTP/1.1\r\nHost: localhost:{}\r\n\r\n",
            self.base, self.port
        ))
    }

    /// The events from now on; the first tells how things stand.
    pub(crate) fn events(&self) -> Events {
        let mut stream = self.connect();
        let request = format!(
            "GET {}.labdoc/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n",
            self.base, self.port
        );
        stream.write_all(request.as_bytes()).expect("send");
        let mut events = Events { from: BufReader::new(stream) };
        events.next();
        events
    }
}

/// The events of a preview.
pub(crate) struct Events {
    from: BufReader<TcpStream>,
}

impl Events {
    /// The data of the next event.
    pub(crate) fn next(&mut self) -> String {
        self.within(LIMIT).expect("an event in time")
    }

    /// The data of the next event, if there is one in time.
    pub(crate) fn within(&mut self, limit: Duration) -> Option<String> {
        let end = Instant::now() + limit;
        let mut line = String::new();
        while Instant::now() < end {
            line.clear();
            if self.from.read_line(&mut line).expect("a line") == 0 {
                return None;
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return Some(data.to_owned());
            }
        }
        None
    }
}
