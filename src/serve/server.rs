//! The server: a thread for each connection, the site under a lock, events to those who wait.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;

use super::http::{Answer, Refused, media_type, read};
use crate::address::{encode, relative};
use crate::diag::Failure;

/// Most connections at a time.
const CONNECTIONS: usize = 128;

/// How long a reader may take to send a request or to take a piece of the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often a waiting page is told that nothing happened: so a closed one is noticed.
const PING: Duration = Duration::from_secs(5);

/// The page's script for live reload.
const SCRIPT: &str = include_str!("live.js");

/// What of it pages load, and where they wait for events; no page of a site has such a name.
const SCRIPT_PATH: &str = ".labdoc/live.js";
const EVENTS_PATH: &str = ".labdoc/events";

/// Where the files of the search index are.
const SEARCH: &str = "search/";

/// Where the preview stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Address {
    /// 0 takes a free one.
    pub(crate) port: u16,
    /// The folder below which the site is shown: empty, or `a/b/`.
    pub(crate) base: String,
}

/// Files by their paths in the site.
pub(crate) type Files = BTreeMap<String, Arc<[u8]>>;

/// Makes files when they are asked for.
pub(crate) type Later = Box<dyn FnOnce() -> Files + Send>;

/// What is served.
#[derive(Default)]
pub(super) struct Served {
    /// The files of the newest build that had no error.
    pub(crate) files: Files,
    /// The search index of that build, until somebody searches.
    search: Option<Later>,
    /// The findings of the newest build, as people read them.
    pub(crate) findings: Vec<String>,
    /// How many of them are errors.
    pub(crate) errors: usize,
    /// The files that the newest build changed.
    changed: Vec<String>,
    /// Counts builds that changed something.
    version: u64,
}

/// What the connections share.
struct Shared {
    base: String,
    port: u16,
    served: Mutex<Served>,
    news: Condvar,
    open: AtomicUsize,
}

/// A running server.
pub(crate) struct Server {
    shared: Arc<Shared>,
}

impl Server {
    /// Listens on loopback and answers from now on.
    ///
    /// # Errors
    /// The port is taken.
    pub(crate) fn start(address: &Address) -> Result<Server, Failure> {
        let taken = |error: io::Error| {
            Failure::new(format!("cannot listen on 127.0.0.1:{}: {error}", address.port))
                .hint("name another port with --port, or 0 for a free one")
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, address.port)).map_err(taken)?;
        let port = listener.local_addr().map_err(taken)?.port();
        let shared = Arc::new(Shared {
            base: address.base.clone(),
            port,
            served: Mutex::default(),
            news: Condvar::new(),
            open: AtomicUsize::new(0),
        });
        let for_thread = Arc::clone(&shared);
        std::thread::spawn(move || accept(&listener, &for_thread));
        Ok(Server { shared })
    }

    /// The address of the first page.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/{}", self.shared.port, encode(&self.shared.base))
    }

    /// Shows a new build; without files the old ones stay. Says how many files changed.
    pub(crate) fn show(
        &self,
        files: Option<(Files, Option<Later>)>,
        (findings, errors): (Vec<String>, usize),
    ) -> usize {
        let mut served = self.shared.lock();
        let (files, search) = files.unwrap_or_else(|| (served.files.clone(), served.search.take()));
        let gone = served.files.keys().filter(|path| !files.contains_key(*path));
        // No page shows a part of the search index, so that is no news.
        let changed: Vec<String> = files
            .iter()
            .filter(|(path, bytes)| served.files.get(*path) != Some(bytes))
            .map(|(path, _)| path)
            .chain(gone)
            .filter(|path| !path.starts_with(SEARCH))
            .cloned()
            .collect();
        if changed.is_empty() && served.findings == findings && served.version > 0 {
            (served.files, served.search) = (files, search);
            return 0;
        }
        let count = changed.len();
        let version = served.version + 1;
        *served = Served { files, search, findings, errors, changed, version };
        drop(served);
        self.shared.news.notify_all();
        count
    }
}

impl Shared {
    /// The site; a thread that died while it held the lock changed nothing by halves.
    fn lock(&self) -> MutexGuard<'_, Served> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes connections for ever.
fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming().flatten() {
        if shared.open.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS {
            shared.open.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let shared = Arc::clone(shared);
        std::thread::spawn(move || {
            // A reader who goes away in the middle of an answer is no fault of the server.
            let _ = answer(&stream, &shared);
            let _ = stream.shutdown(Shutdown::Both);
            shared.open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

/// Answers one connection.
fn answer(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut to = stream;
    let request = match read(&mut BufReader::new(stream), shared.port)? {
        Ok(request) => request,
        Err(Refused(status, why)) => return plain(to, (status, why), false),
    };
    let Some(path) = request.path.strip_prefix(&shared.base) else {
        let moved = format!("/{}", encode(&shared.base));
        return redirect(to, &moved, request.head);
    };
    match path {
        EVENTS_PATH if !request.head => events(to, shared),
        SCRIPT_PATH => ok(to, (SCRIPT_PATH, SCRIPT.as_bytes()), request.head),
        _ => {
            let (path, found, missing) = {
                let mut served = shared.lock();
                if path.starts_with(SEARCH)
                    && let Some(index) = served.search.take()
                {
                    served.files.extend(index());
                }
                let path = match path {
                    "" => "index.html".to_owned(),
                    folder if folder.ends_with('/') => format!("{folder}index.html"),
                    path => path.to_owned(),
                };
                let missing = served.files.get("404.html").cloned();
                (path.clone(), served.files.get(&path).cloned(), missing)
            };
            if let Some(bytes) = found {
                return ok(&mut to, (&path, &bytes), request.head);
            }
            if shared.lock().files.contains_key(&format!("{path}/index.html")) {
                let moved = format!("/{}{}/", encode(&shared.base), encode(&path));
                return redirect(to, &moved, request.head);
            }
            not_found(to, shared, (&path, missing), request.head)
        }
    }
}

/// A file.
fn ok(mut to: impl io::Write, (path, body): (&str, &[u8]), head: bool) -> io::Result<()> {
    let kind = media_type(path);
    Answer { status: "200 OK", kind, location: None, body }.write(&mut to, head)
}

/// A sentence.
fn plain(mut to: impl io::Write, (status, why): (&str, &str), head: bool) -> io::Result<()> {
    let kind = "text/plain; charset=utf-8";
    Answer { status, kind, location: None, body: why.as_bytes() }.write(&mut to, head)
}

/// The way to another address.
fn redirect(mut to: impl io::Write, location: &str, head: bool) -> io::Result<()> {
    let kind = "text/plain; charset=utf-8";
    let answer = Answer { status: "302 Found", kind, location: Some(location), body: b"" };
    answer.write(&mut to, head)
}

/// The site's page for what is not there; before the first good build, one that waits for it.
fn not_found(
    mut to: impl io::Write,
    shared: &Shared,
    (path, page): (&str, Option<Arc<[u8]>>),
    head: bool,
) -> io::Result<()> {
    let status = "404 Not Found";
    let kind = "text/html; charset=utf-8";
    let body = match page {
        // Its links are those of the root, so deeper addresses are led there.
        Some(bytes) if !path.contains('/') => bytes.to_vec(),
        Some(_) => {
            let to = format!("/{}404.html", encode(&shared.base));
            format!("<!doctype html>\n<meta http-equiv=\"refresh\" content=\"0; url={to}\">\n<title>404</title>\n")
                .into_bytes()
        }
        None => waiting_page(path).into_bytes(),
    };
    Answer { status, kind, location: None, body: &body }.write(&mut to, head)
}

/// A page that shows the findings through its script, and reloads when there is a site.
fn waiting_page(path: &str) -> String {
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>labdoc</title>\n<script src=\"{}\" defer></script>\n",
        relative(path, SCRIPT_PATH)
    )
}

/// Tells a page about every new build until it goes away.
fn events(mut to: &TcpStream, shared: &Shared) -> io::Result<()> {
    write!(
        to,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-store\r\n\
         connection: close\r\n\r\n"
    )?;
    let mut told = None;
    loop {
        let message = {
            let mut served = shared.lock();
            if told == Some(served.version) {
                let waited = shared.news.wait_timeout(served, PING);
                served = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            if told == Some(served.version) {
                ": nothing new\n\n".to_owned()
            } else {
                // A page that was away hears everything as changed.
                let all = told.is_some_and(|told| told + 1 < served.version);
                told = Some(served.version);
                let data = json!({
                    "version": served.version, "errors": served.errors,
                    "findings": served.findings, "changed": served.changed, "all": all,
                });
                format!("event: build\ndata: {data}\n\n")
            }
        };
        to.write_all(message.as_bytes())?;
        to.flush()?;
    }
}
