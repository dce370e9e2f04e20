//! The only door to the network, and only `labdoc check --external` goes through it: it asks whether
//! an address still answers, and reads no more of the answer than that takes.

mod proxy;

use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body, Error, http};
use url::Url;

pub(crate) use proxy::Proxies;

use crate::diag::Failure;

/// How long a server may take for one answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long it may take where only the head of an answer is asked for.
const HEAD: Duration = Duration::from_secs(8);

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// How often an address may lead on to another.
const MOST_HOPS: usize = 10;

/// How much of a page is looked through for an anchor.
const MOST_TEXT: u64 = 8 << 20;

/// What asks.
pub(crate) struct Client {
    proxies: Proxies,
    direct: Agent,
    through: Vec<(String, Agent)>,
}

/// What a server said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The status, such as 404.
    pub(crate) status: u16,
    /// Where the address has moved for good, if it has.
    pub(crate) moved: Option<String>,
    /// The page, if it was asked for and is HTML.
    pub(crate) html: Option<String>,
    /// Seconds after which the server wants to be asked again.
    pub(crate) wait: Option<u64>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// No such host, or nothing listens there.
    Unreachable(String),
    /// It takes too long.
    Slow,
    /// The certificate is not good.
    Certificate(String),
    /// The proxy does not let it be asked.
    Proxy(String),
    /// It leads on and on.
    Loop,
    /// What came is no answer.
    Other(String),
}

impl Client {
    /// A client that trusts the certificates of this machine (and `SSL_CERT_FILE`).
    ///
    /// # Errors
    /// A proxy's address cannot be read.
    pub(crate) fn new(proxies: Proxies) -> Result<Client, Failure> {
        let found = rustls_native_certs::load_native_certs().certs;
        let roots: Vec<Certificate<'static>> =
            found.iter().map(|one| Certificate::from_der(one).to_owned()).collect();
        let agent = |proxy: Option<ureq::Proxy>| {
            let tls = TlsConfig::builder()
                .root_certs(RootCerts::new_with_certs(&roots))
                .unversioned_rustls_crypto_provider(Arc::new(
                    rustls::crypto::ring::default_provider(),
                ))
                .build();
            let config = Agent::config_builder()
                .tls_config(tls)
                .proxy(proxy)
                .http_status_as_error(false)
                .max_redirects(0)
                .max_redirects_will_error(false)
                .timeout_global(Some(PATIENCE))
                .timeout_connect(Some(CONNECT))
                .user_agent(concat!("labdoc/", env!("CARGO_PKG_VERSION")))
                .build();
            config.new_agent()
        };
        let mut through = Vec::new();
        for address in proxies.addresses() {
            let proxy = ureq::Proxy::new(address).map_err(|_| {
                Failure::new(format!("the proxy {} is not readable", proxy::shown(address)))
                    .hint("write HTTPS_PROXY as http://HOST:PORT")
            })?;
            through.push((address.to_owned(), agent(Some(proxy))));
        }
        Ok(Client { direct: agent(None), through, proxies })
    }

    /// Asks for an address, without its fragment, and follows where it leads. The page itself is
    /// read only where it is `wanted`.
    pub(crate) fn ask(&self, address: &str, wanted: bool) -> Result<Reply, Trouble> {
        let mut url = Url::parse(address).map_err(|error| Trouble::Other(error.to_string()))?;
        url.set_fragment(None);
        let (mut hops, mut for_good) = (0, true);
        loop {
            let response = self.answer(&url, wanted)?;
            let status = response.status().as_u16();
            let header = |name: http::HeaderName| response.headers().get(name)?.to_str().ok();
            let to =
                header(http::header::LOCATION).filter(|_| matches!(status, 301..=303 | 307 | 308));
            if let Some(next) = to.and_then(|to| url.join(to).ok()) {
                hops += 1;
                if hops > MOST_HOPS || !matches!(next.scheme(), "http" | "https") {
                    return Err(Trouble::Loop);
                }
                for_good &= matches!(status, 301 | 308);
                url = next;
                continue;
            }
            let wait = header(http::header::RETRY_AFTER).and_then(|text| text.trim().parse().ok());
            let kind = header(http::header::CONTENT_TYPE).unwrap_or("").to_ascii_lowercase();
            let is_html = kind.starts_with("text/html") || kind.starts_with("application/xhtml");
            let html = (wanted && is_html).then(|| text(response)).transpose()?;
            let moved = (hops > 0 && for_good).then(|| url.to_string());
            return Ok(Reply { status, moved, html, wait });
        }
    }

    /// One answer: to HEAD, and to GET where the page is wanted or HEAD is not understood.
    fn answer(&self, url: &Url, wanted: bool) -> Result<http::Response<Body>, Trouble> {
        let agent = match self.proxies.of(url) {
            Some(proxy) => self.through.iter().find(|(known, _)| known == proxy).map(|(_, a)| a),
            None => None,
        };
        let agent = agent.unwrap_or(&self.direct);
        if !wanted {
            let head = agent.head(url.as_str()).config().timeout_global(Some(HEAD)).build();
            match head.call().map_err(trouble) {
                Ok(response) if response.status().as_u16() < 400 => return Ok(response),
                // A server that does not know HEAD refuses it, or says nothing.
                Ok(_) | Err(Trouble::Slow | Trouble::Other(_)) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        agent.get(url.as_str()).call().map_err(trouble)
    }
}

/// The beginning of an answer's text.
fn text(response: http::Response<Body>) -> Result<String, Trouble> {
    let mut bytes = Vec::new();
    let mut reader = response.into_body().into_reader().take(MOST_TEXT);
    reader.read_to_end(&mut bytes).map_err(|error| trouble(Error::from(error)))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What an error of the client means.
fn trouble(error: Error) -> Trouble {
    match error {
        Error::Timeout(_) => Trouble::Slow,
        Error::HostNotFound => Trouble::Unreachable("the host is not known".to_owned()),
        Error::ConnectionFailed => Trouble::Unreachable("nothing answers there".to_owned()),
        Error::ConnectProxyFailed(why) => Trouble::Proxy(why),
        Error::Tls(why) => Trouble::Certificate(why.to_owned()),
        Error::Rustls(why) => Trouble::Certificate(why.to_string()),
        Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => Trouble::Slow,
        Error::Io(error) => match error.get_ref().map(ToString::to_string) {
            Some(why) if why.contains("certificate") => Trouble::Certificate(why),
            _ => Trouble::Unreachable(error.to_string()),
        },
        other => Trouble::Other(other.to_string()),
    }
}
