//! The lines in which the keeper tells labdoc what happened.

/// One line of the keeper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Report {
    /// The shell runs.
    Started,
    /// The shell could not be started, and why.
    Failed(String),
    /// The shell ended with this status (128 and the signal when killed).
    Exited(i32),
    /// The command lines of the processes that still live below the keeper.
    Survivors(Vec<String>),
    /// Nothing lives below the keeper any more.
    Childless,
    /// The keeper itself is gone.
    Gone,
}

impl Report {
    /// The line for the pipe, with its end.
    pub(super) fn line(&self) -> String {
        match self {
            Self::Started => "started\n".to_owned(),
            Self::Failed(why) => format!("failed {}\n", why.replace('\n', " ")),
            Self::Exited(status) => format!("exited {status}\n"),
            Self::Survivors(names) => format!("survivors {}\n", serde_json::json!(names)),
            Self::Childless => "childless\n".to_owned(),
            Self::Gone => String::new(),
        }
    }

    /// Reads a line back; `None` for a line that is none of the keeper's.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "started" => Some(Self::Started),
            "failed" => Some(Self::Failed(rest.to_owned())),
            "exited" => rest.parse().ok().map(Self::Exited),
            "survivors" => serde_json::from_str(rest).ok().map(Self::Survivors),
            "childless" => Some(Self::Childless),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Report;

    #[test]
    fn every_report_is_one_line_and_comes_back() {
        for report in [
            Report::Started,
            Report::Exited(137),
            Report::Survivors(vec!["sh -c a\nb".to_owned(), "sleep 600".to_owned()]),
            Report::Childless,
        ] {
            let line = report.line();
            assert_eq!(line.matches('\n').count(), 1);
            assert_eq!(Report::parse(line.trim_end()), Some(report));
        }
    }
}
