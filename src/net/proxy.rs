//! Which proxy an address is asked through, by the variables that curl and most tools know.

use std::ffi::OsString;

use url::Url;

/// The proxies of the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Proxies {
    http: Option<String>,
    https: Option<String>,
    /// Hosts that are asked directly; `*` is all of them.
    none: Vec<String>,
}

impl Proxies {
    /// Reads `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, in small or capital letters.
    /// `HTTP_PROXY` counts as well, since labdoc is no CGI program.
    pub(crate) fn of_environment(variable: &dyn Fn(&str) -> Option<OsString>) -> Proxies {
        let read = |name: &str| {
            let value = variable(name).or_else(|| variable(&name.to_ascii_uppercase()))?;
            let value = value.into_string().ok()?.trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
        let all = read("all_proxy");
        let none = read("no_proxy").unwrap_or_default();
        let host =
            |part: &str| part.trim().trim_start_matches("*.").trim_matches('.').to_lowercase();
        Proxies {
            http: read("http_proxy").or_else(|| all.clone()),
            https: read("https_proxy").or(all),
            none: none.split([',', ' ']).map(host).filter(|part| !part.is_empty()).collect(),
        }
    }

    /// The proxies, each once.
    pub(super) fn addresses(&self) -> impl Iterator<Item = &str> {
        let second = self.https.as_ref().filter(|https| self.http.as_ref() != Some(https));
        self.http.iter().chain(second).map(String::as_str)
    }

    /// The proxy for an address.
    pub(super) fn of(&self, url: &Url) -> Option<&str> {
        let host = url.host_str()?.to_lowercase();
        let direct = |known: &String| {
            known == "*"
                || *known == host
                || host.strip_suffix(known.as_str()).is_some_and(|rest| rest.ends_with('.'))
        };
        if self.none.iter().any(direct) {
            return None;
        }
        if url.scheme() == "https" { self.https.as_deref() } else { self.http.as_deref() }
    }
}

/// A proxy's address without the password that may stand in it.
pub(super) fn shown(address: &str) -> String {
    match address.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], address: &str, expect: Option<&str>) {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name)?;
            Some(OsString::from(found.1))
        };
        let proxies = Proxies::of_environment(&variable);
        let url = Url::parse(address).expect("address");
        assert_eq!(proxies.of(&url), expect, "{variables:?} {address}");
    }

    #[test]
    fn each_scheme_has_its_proxy() {
        let two = [("http_proxy", "http://p:1"), ("HTTPS_PROXY", "http://p:2")];
        check(&two, "http://a.example/", Some("http://p:1"));
        check(&two, "https://a.example/", Some("http://p:2"));
        check(&[("ALL_PROXY", "http://p:3")], "https://a.example/", Some("http://p:3"));
        check(&[("https_proxy", "")], "https://a.example/", None);
    }

    #[test]
    fn some_hosts_are_asked_directly() {
        let with = |none| [("all_proxy", "p:1"), ("no_proxy", none)];
        check(&with("a.example, .b.example"), "http://a.example/", None);
        check(&with("a.example"), "http://x.a.example/", None);
        check(&with(".b.example"), "http://x.b.example/", None);
        check(&with("a.example"), "http://xa.example/", Some("p:1"));
        check(&with(""), "http://a.example/", Some("p:1"));
        check(&with("*"), "http://a.example/", None);
        check(&with("127.0.0.1"), "http://127.0.0.1:80/", None);
    }

    #[test]
    fn a_password_is_not_shown() {
        assert_eq!(shown("http://me:secret@proxy:3128"), "…@proxy:3128");
        assert_eq!(shown("proxy:3128"), "proxy:3128");
    }
}
