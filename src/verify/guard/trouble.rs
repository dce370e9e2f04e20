//! What kubectl complains about, told apart: no way to the cluster, no valid credential, a verb
//! that is not allowed, an object that is not there. None of these is drift.

use crate::diag::Failure;

/// What kind of trouble it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The API server cannot be reached, or does not answer in time.
    Unreachable,
    /// The credential is missing, wrong or expired.
    Unauthorized,
    /// The credential is good, but RBAC does not allow the verb.
    Forbidden,
    /// The object or its kind is not there.
    NotFound,
    /// The object is there already, or was changed by somebody else.
    Conflict,
    /// Anything else.
    Other,
}

impl Kind {
    /// The next step.
    pub(crate) fn hint(self) -> Option<&'static str> {
        match self {
            Kind::Unreachable => Some(
                "start the cluster, or look at its address: kubectl get --raw /readyz must print ok",
            ),
            Kind::Unauthorized => {
                Some("renew the credential (log in again); kubectl auth whoami must print a name")
            }
            Kind::Forbidden => Some(
                "let RBAC allow it, or use another user; kubectl auth can-i VERB KIND -n NAMESPACE must print yes",
            ),
            Kind::NotFound | Kind::Conflict | Kind::Other => None,
        }
    }

    /// What stands against the work, in a few words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Kind::Unreachable => "the cluster cannot be reached",
            Kind::Unauthorized => "the cluster does not accept the credential",
            Kind::Forbidden => "the cluster forbids it",
            Kind::NotFound => "it is not in the cluster",
            Kind::Conflict => "somebody else changed it",
            Kind::Other => "kubectl failed",
        }
    }
}

/// A complaint of kubectl's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// What kind it is.
    pub(crate) kind: Kind,
    /// The sentence as kubectl says it.
    pub(crate) sentence: String,
}

impl Trouble {
    /// A trouble with its sentence.
    pub(super) fn new(kind: Kind, sentence: impl Into<String>) -> Trouble {
        Trouble { kind, sentence: sentence.into() }
    }

    /// What kubectl's error stream says.
    pub(super) fn of(stderr: &str, code: Option<i32>) -> Trouble {
        found(stderr).unwrap_or_else(|| {
            let last = stderr.lines().rev().find(|line| !line.trim().is_empty());
            let ended = code.map_or("a signal".to_owned(), |code| format!("exit code {code}"));
            let silent = format!("kubectl ended with {ended} and said nothing");
            Trouble::new(Kind::Other, last.map_or(silent, |line| line.trim().to_owned()))
        })
    }

    /// As a failure of the tool: exit code 2, the sentence of kubectl, the next step.
    pub(crate) fn failure(&self, doing: &str) -> Failure {
        let failure = Failure::new(format!("{doing}: {}: {}", self.kind.words(), self.sentence));
        match self.kind.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

/// How the sentences begin that say what kind of trouble it is. They stand at the beginning of a
/// line, so that a page that prints such words within its own output is not misread.
const BEGINNINGS: &[(&str, Kind)] = &[
    ("Error from server (Forbidden)", Kind::Forbidden),
    ("Error from server (Unauthorized)", Kind::Unauthorized),
    ("error: You must be logged in to the server", Kind::Unauthorized),
    ("error: the server has asked for the client to provide credentials", Kind::Unauthorized),
    ("Unable to connect to the server: getting credentials", Kind::Unauthorized),
    ("error: getting credentials", Kind::Unauthorized),
    ("error: exec plugin", Kind::Unauthorized),
    ("The connection to the server ", Kind::Unreachable),
    ("Unable to connect to the server", Kind::Unreachable),
    ("Error from server (Timeout)", Kind::Unreachable),
    ("error: unable to read server response", Kind::Unreachable),
    ("Error from server (NotFound)", Kind::NotFound),
    ("error: the server doesn't have a resource type", Kind::NotFound),
    ("Error from server (AlreadyExists)", Kind::Conflict),
    ("Error from server (Conflict)", Kind::Conflict),
    (
        "The request is invalid: the server rejected our request due to an error in our request",
        Kind::Conflict,
    ),
];

/// What stands within sentences of `kubectl apply`, of istioctl and of kubectl's discovery.
const WITHIN: &[(&str, Kind)] = &[
    (" is forbidden: User \"", Kind::Forbidden),
    ("getting credentials: exec", Kind::Unauthorized),
    (
        "err=\"couldn't get current server API group list: the server has asked for the client to provide credentials",
        Kind::Unauthorized,
    ),
    ("couldn't get current server API group list: Get ", Kind::Unreachable),
];

/// The trouble that a text tells of: in the error stream of kubectl or the output of a block.
pub(crate) fn found(text: &str) -> Option<Trouble> {
    let at_begin = text.lines().find_map(|line| {
        let line = line.trim();
        let known = BEGINNINGS.iter().find(|(begin, _)| line.starts_with(begin));
        known.map(|(_, kind)| Trouble::new(*kind, line))
    });
    at_begin.or_else(|| {
        text.lines().find_map(|line| {
            let known = WITHIN.iter().find(|(part, _)| line.contains(part));
            known.map(|(_, kind)| Trouble::new(*kind, line.trim()))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<Kind>) {
        assert_eq!(found(text).map(|trouble| trouble.kind), expect, "{text}");
    }

    #[test]
    fn sentences_of_kubectl_are_told_apart() {
        check(
            "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n",
            Some(Kind::Unreachable),
        );
        check(
            "Unable to connect to the server: net/http: TLS handshake timeout\n",
            Some(Kind::Unreachable),
        );
        check(
            "error: You must be logged in to the server (Unauthorized)\n",
            Some(Kind::Unauthorized),
        );
        check(
            "Unable to connect to the server: getting credentials: exec: executable nope not found\n",
            Some(Kind::Unauthorized),
        );
        check(
            "pod/x created\nError from server (Forbidden): secrets is forbidden: User \"a\" cannot list\n",
            Some(Kind::Forbidden),
        );
        check("Error from server (NotFound): pods \"x\" not found\n", Some(Kind::NotFound));
        check("curl: (7) Failed to connect: Connection refused\n", None);
        check("a page about Error from server (Forbidden)\n", None);
    }

    #[test]
    fn other_sentences_are_kept() {
        assert_eq!(
            Trouble::of("warn\nerror: cannot locate context x\n", Some(1)).sentence,
            "error: cannot locate context x"
        );
        assert_eq!(
            Trouble::of("", Some(3)).sentence,
            "kubectl ended with exit code 3 and said nothing"
        );
    }
}
