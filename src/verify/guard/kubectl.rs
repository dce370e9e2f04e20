//! Questions to a cluster, through the real kubectl and never without a time limit.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::trouble::{Kind, Trouble};
use crate::proc::{Tool, find_program, run_tool};

/// How long one question may take.
pub(super) const LIMIT: Duration = Duration::from_secs(10);

/// How long the API server may take to say who it is: a server that is not there must be told
/// apart soon.
const IDENTITY_LIMIT: Duration = Duration::from_secs(7);

/// By how much the limit of a request lies below that of kubectl, so that kubectl can say why.
const GRACE: Duration = Duration::from_secs(2);

/// A kubectl with a kubeconfig: the user's own, or a pinned one.
#[derive(Clone, Debug)]
pub(crate) struct Kubectl {
    program: PathBuf,
    env: Vec<(OsString, OsString)>,
    options: Vec<String>,
}

impl Kubectl {
    /// The kubectl in labdoc's own `PATH`, on the user's files.
    pub(crate) fn find() -> Option<Kubectl> {
        let program = find_program("kubectl", None)?;
        Some(Kubectl { program, env: Vec::new(), options: Vec::new() })
    }

    /// The same program on one kubeconfig, with its cache beside that file.
    pub(crate) fn on(&self, config: &Path) -> Kubectl {
        let cache = config.with_file_name("cache");
        Kubectl {
            program: self.program.clone(),
            env: vec![("KUBECONFIG".into(), config.into())],
            options: vec![format!("--cache-dir={}", cache.display())],
        }
    }

    /// The same program on one of the user's files alone.
    pub(super) fn on_file_of_user(&self, config: &Path) -> Kubectl {
        let env = vec![("KUBECONFIG".into(), config.into())];
        Kubectl { program: self.program.clone(), env, options: Vec::new() }
    }

    /// Runs it and returns what it prints.
    ///
    /// # Errors
    /// What kubectl says, or that it did not end in time.
    pub(crate) fn text(&self, args: &[&str], input: Option<&[u8]>) -> Result<String, Trouble> {
        self.within(args, input, LIMIT)
    }

    /// The same within another limit.
    fn within(
        &self,
        args: &[&str],
        input: Option<&[u8]>,
        limit: Duration,
    ) -> Result<String, Trouble> {
        let (text, trouble) = self.both(args, input, limit)?;
        match trouble {
            None => Ok(text),
            Some(trouble) => Err(trouble),
        }
    }

    /// Runs it and reads what it prints as JSON.
    ///
    /// # Errors
    /// What kubectl says, or that its answer is no JSON.
    pub(crate) fn json(&self, args: &[&str]) -> Result<Value, Trouble> {
        let text = self.text(args, None)?;
        serde_json::from_str(&text).map_err(|error| {
            Trouble::new(Kind::Other, format!("kubectl {}: no JSON: {error}", args.join(" ")))
        })
    }

    /// Asks the API server for one path, without discovery.
    ///
    /// # Errors
    /// What kubectl says.
    pub(super) fn raw(&self, path: &str) -> Result<String, Trouble> {
        self.within(&["get", "--raw", path], None, IDENTITY_LIMIT)
    }

    /// What it prints even where it fails, and the failure.
    ///
    /// # Errors
    /// It cannot be started at all.
    pub(crate) fn both(
        &self,
        args: &[&str],
        input: Option<&[u8]>,
        limit: Duration,
    ) -> Result<(String, Option<Trouble>), Trouble> {
        let mut all: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let rest = all.iter().position(|arg| arg == "--").unwrap_or(all.len());
        let local = args.first() == Some(&"config");
        let request = format!("--request-timeout={}s", limit.saturating_sub(GRACE).as_secs());
        let options = self.options.iter().cloned().chain((!local).then_some(request));
        all.splice(rest..rest, options);
        let tool = Tool { program: &self.program, args: &all, env: &self.env, input, limit };
        let end = run_tool(&tool).map_err(|error| {
            let message = format!("cannot run {}: {error}", self.program.display());
            Trouble::new(Kind::Other, message)
        })?;
        let stdout = String::from_utf8_lossy(&end.stdout).into_owned();
        let trouble = match (end.late, end.code) {
            (true, _) => {
                let asked = args.iter().take(3).copied().collect::<Vec<_>>().join(" ");
                let message = format!("kubectl {asked} did not end within {limit:?}");
                Some(Trouble::new(Kind::Unreachable, message))
            }
            (false, Some(0)) => None,
            (false, code) => Some(Trouble::of(&String::from_utf8_lossy(&end.stderr), code)),
        };
        Ok((stdout, trouble))
    }
}
