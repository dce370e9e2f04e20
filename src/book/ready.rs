//! When a background block is ready: `ready=port:8080`, `ready=text:…`, `ready=http:…`.

use std::fmt;

/// What is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ready {
    /// A port of this machine takes connections.
    Port(u16),
    /// The output holds this text.
    Text(String),
    /// An address answers without an error.
    Http {
        /// The host, without brackets.
        host: String,
        /// The port.
        port: u16,
        /// The path, with its slash.
        path: String,
    },
}

impl Ready {
    /// Reads the value of `ready=`.
    ///
    /// # Errors
    /// A sentence, when it has none of the forms.
    pub(crate) fn parse(text: &str) -> Result<Ready, String> {
        let (kind, rest) =
            text.split_once(':').ok_or_else(|| format!("`{text}` says nothing to wait for"))?;
        match kind {
            "port" => port(rest).map(Ready::Port),
            "text" if rest.is_empty() => Err("`ready=text:` names no text".to_owned()),
            "text" => Ok(Ready::Text(rest.to_owned())),
            "http" => http(rest),
            "https" => Err("`ready=https:` cannot be asked; wait for the port".to_owned()),
            other => Err(format!("`{other}` is nothing to wait for")),
        }
    }
}

/// A port number.
fn port(text: &str) -> Result<u16, String> {
    let port = text.parse().ok().filter(|port| *port != 0);
    port.ok_or_else(|| format!("`{text}` is no port"))
}

/// `8080/path`, `localhost:8080/path`, `//host:8080/path` or `http://host:8080/path`.
fn http(text: &str) -> Result<Ready, String> {
    let text = text.strip_prefix("http:").unwrap_or(text);
    let text = text.strip_prefix("//").unwrap_or(text);
    let at = text.find('/').unwrap_or(text.len());
    let (place, path) = text.split_at(at);
    let (host, number) = match place.rsplit_once(':') {
        Some((host, number)) => (host.trim_matches(['[', ']']), number),
        None if place.chars().all(|c| c.is_ascii_digit()) => ("127.0.0.1", place),
        None => (place, "80"),
    };
    if host.is_empty() {
        return Err(format!("`{text}` names no host"));
    }
    let path = if path.is_empty() { "/" } else { path };
    Ok(Ready::Http { host: host.to_owned(), port: port(number)?, path: path.to_owned() })
}

impl fmt::Display for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ready::Port(port) => write!(f, "port {port}"),
            Ready::Text(text) => write!(f, "the text `{text}`"),
            Ready::Http { host, port, path } => write!(f, "http://{host}:{port}{path}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let got = Ready::parse(text).map_or_else(|fault| fault, |ready| ready.to_string());
        assert_eq!(got, expect, "{text}");
    }

    #[test]
    fn the_three_forms() {
        check("port:8080", "port 8080");
        check("text:now: listening", "the text `now: listening`");
        check("http:8080/health", "http://127.0.0.1:8080/health");
        check("http:localhost:8080", "http://localhost:8080/");
        check("http://[::1]:8080/x", "http://::1:8080/x");
        check("port:99999", "`99999` is no port");
        check("https://x", "`ready=https:` cannot be asked; wait for the port");
        check("soon", "`soon` says nothing to wait for");
    }
}
