//! The guard in front of kubectl and its kin within a page's session.
//!
//! Each shim is a few lines of sh before the real program: where `KUBECONFIG` is not the pinned file
//! any more, or an argument names another cluster, it runs nothing, notes why, and ends with 125.

use std::path::{Path, PathBuf};

use crate::diag::Failure;
use crate::disk;
use crate::proc::find_program;

/// The programs that get one.
const GUARDED: &[&str] = &["kubectl", "oc", "istioctl", "helm", "kubectx", "k9s", "flux", "argocd"];

/// What the shims of one session know.
pub(super) struct Shims<'a> {
    /// The folder that stands first in the session's `PATH`.
    pub(super) folder: &'a Path,
    /// The pinned kubeconfig.
    pub(super) config: &'a Path,
    /// The pinned context.
    pub(super) context: &'a str,
    /// Where a refusal is noted.
    pub(super) refused: &'a Path,
}

impl Shims<'_> {
    /// Writes them for the programs that are there.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn write(&self, path: Option<&std::ffi::OsStr>) -> Result<(), Failure> {
        disk::create_folder(self.folder)?;
        for name in GUARDED {
            let Some(real) = find_program(name, path) else { continue };
            let file = self.folder.join(name);
            disk::write(&file, self.text(&real).as_bytes())?;
            disk::set_mode(&file, 0o755)?;
        }
        Ok(())
    }

    /// The text of one.
    fn text(&self, real: &Path) -> String {
        let word = |path: &Path| quoted(&path.to_string_lossy());
        format!(
            "#!/bin/sh\n# The real program, on this page's cluster and on no other (labdoc verify).\n\
             config={} context={} refused={} real={}\n{SCRIPT}",
            word(self.config),
            quoted(self.context),
            word(self.refused),
            word(&PathBuf::from(real)),
        )
    }
}

/// The rest of each shim.
const SCRIPT: &str = r#"refuse() {
  printf '%s\n' "$1" >>"$refused"
  printf 'labdoc: not run: %s\n' "$1" >&2
  exit 125
}
[ "${KUBECONFIG-}" = "$config" ] || refuse "KUBECONFIG was set to '${KUBECONFIG-}'"
name=${0##*/} before='' first='' second='' third='' current=''
for word do
  case $before in
  --context | --kube-context)
    [ "$word" = "$context" ] || refuse "$before $word names another context than $context"
    before=''; continue ;;
  --kubeconfig)
    [ "$word" = "$config" ] || refuse "--kubeconfig $word names another file"
    before=''; continue ;;
  -n | --namespace)
    before=''; continue ;;
  esac
  before=''
  case $word in
  --) break ;;
  --context | --kube-context | --kubeconfig | -n | --namespace) before=$word ;;
  --context=* | --kube-context=*)
    [ "${word#*=}" = "$context" ] || refuse "$word names another context than $context" ;;
  --kubeconfig=*)
    [ "${word#*=}" = "$config" ] || refuse "$word names another file" ;;
  -c)
    # istioctl's short word for --kubeconfig; kubectl's for a container.
    [ "$name" != istioctl ] || before=--kubeconfig ;;
  -c=*)
    [ "$name" != istioctl ] || [ "${word#*=}" = "$config" ] || refuse "$word names another file" ;;
  --cluster | --cluster=*)
    # istioctl means a cluster of Envoy, which it asks in this Kubernetes cluster.
    case $name in
    argocd | flux | istioctl) ;;
    *) refuse "$word names another cluster" ;;
    esac ;;
  --server | --server=* | --kube-apiserver | --kube-apiserver=*)
    case $name in
    argocd | flux) ;;
    *) refuse "$word names another cluster" ;;
    esac ;;
  -s | -s=*)
    [ "$name" != kubectl ] || refuse "$word names another cluster" ;;
  --current) current=yes ;;
  -*) ;;
  *)
    if [ -z "$first" ]; then first=$word
    elif [ -z "$second" ]; then second=$word
    elif [ -z "$third" ]; then third=$word
    fi ;;
  esac
done
case $name,$first,$second in
kubectl,config, | kubectl,config,view | kubectl,config,get-* | kubectl,config,current-context) ;;
kubectl,config,use | kubectl,config,use-context)
  [ "$third" = "$context" ] || refuse "kubectl config $second $third switches the context" ;;
kubectl,config,set-context)
  [ -n "$current" ] || [ "$third" = "$context" ] || refuse "kubectl config set-context $third makes another context" ;;
kubectl,config,*) refuse "kubectl config $second changes which cluster is meant" ;;
kubectx,*) [ -z "$first" ] || [ "$first" = "$context" ] || refuse "kubectx $first switches the context" ;;
esac
exec "$real" "$@"
"#;

/// A text as one word of the shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The first line of a block that sets `KUBECONFIG` itself, from 1: known before it runs.
pub(crate) fn sets_kubeconfig(text: &str) -> Option<usize> {
    let sets = |line: &str| {
        line.split([';', '&', '|', '(', '{']).any(|part| {
            let mut words = part.split_whitespace().skip_while(|word| {
                matches!(*word, "export" | "env" | "declare" | "typeset" | "readonly" | "local")
                    || matches!(*word, "then" | "do" | "else" | "!" | "command" | "exec")
                    || word.starts_with('-')
                    || (word.contains('=')
                        && !word.starts_with(['$', '"', '\'', '#'])
                        && !word.starts_with("KUBECONFIG="))
            });
            words.next().is_some_and(|word| word.starts_with("KUBECONFIG="))
        })
    };
    let own = |line: &&str| line.trim_start().starts_with('#');
    text.lines().position(|line| !own(&line) && sets(line)).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proc::{Tool, run_tool};
    use std::time::Duration;

    /// What a guarded kubectl does with a line: what the real one (here `echo`) got, or the refusal.
    fn run(line: &str) -> String {
        let folder = disk::temporary_folder("labdoc-test-").expect("folder");
        let base = folder.path().to_owned();
        for program in ["real/kubectl", "real/istioctl"] {
            disk::write(&base.join(program), b"#!/bin/sh\necho \"ran $*\"\n").expect("write");
            disk::set_mode(&base.join(program), 0o755).expect("mode");
        }
        let (bin, config, refused) = (base.join("bin"), base.join("config"), base.join("refused"));
        let shims = Shims { folder: &bin, config: &config, context: "lab", refused: &refused };
        shims.write(Some(base.join("real").as_os_str())).expect("shims");
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let env = [("KUBECONFIG".into(), config.clone().into()), ("PATH".into(), path.into())];
        let args = ["-c".to_owned(), line.replace("[CONFIG]", &config.to_string_lossy())];
        let (program, limit) = (Path::new("/bin/sh"), Duration::from_secs(20));
        let end =
            run_tool(&Tool { program, args: &args, env: &env, input: None, limit }).expect("run");
        let noted = disk::read_optional(&refused).expect("read").unwrap_or_default();
        format!("{}{}", String::from_utf8_lossy(&end.stdout), String::from_utf8_lossy(&noted))
    }

    #[test]
    fn what_stays_in_the_cluster_runs() {
        for line in [
            "get pods -n x",
            "--context lab get pods",
            "--context=lab get pods",
            "config use-context lab",
            "config set-context --current --namespace=x",
            "config view",
            "exec web -- curl -s --context other http://x",
        ] {
            assert_eq!(run(&format!("kubectl {line}")), format!("ran {line}\n"));
        }
        assert_eq!(run("kubectl logs web -c app"), "ran logs web -c app\n");
        let envoy = "proxy-config endpoints deploy/web --cluster outbound|443||db";
        assert_eq!(
            run(&format!("istioctl {}", envoy.replace('|', "\\|"))),
            format!("ran {envoy}\n")
        );
        assert!(run("kubectl --kubeconfig=[CONFIG] get pods").starts_with("ran --kubeconfig="));
    }

    #[test]
    fn what_leads_elsewhere_does_not_run() {
        let check =
            |line: &str, expect: &str| assert_eq!(run(line), format!("{expect}\n"), "{line}");
        check("KUBECONFIG=/other kubectl delete pod --all", "KUBECONFIG was set to '/other'");
        check("unset KUBECONFIG; kubectl delete pod --all", "KUBECONFIG was set to ''");
        check("env KUBECONFIG=/o sh -c 'kubectl get ns'", "KUBECONFIG was set to '/o'");
        check("kubectl --context prod get ns", "--context prod names another context than lab");
        check("kubectl get ns --context=prod", "--context=prod names another context than lab");
        check("kubectl --kubeconfig /etc/x get ns", "--kubeconfig /etc/x names another file");
        check("kubectl -s https://prod get ns", "-s names another cluster");
        check("kubectl --cluster prod get ns", "--cluster names another cluster");
        check("istioctl -c /etc/x version", "--kubeconfig /etc/x names another file");
        check(
            "kubectl -n x config use-context prod",
            "kubectl config use-context prod switches the context",
        );
        check("kubectl config set-cluster lab --server=x", "--server=x names another cluster");
        check("kubectl config unset users", "kubectl config unset changes which cluster is meant");
    }

    #[test]
    fn a_block_that_sets_kubeconfig_is_seen_before_it_runs() {
        let check = |text: &str, expect| assert_eq!(sets_kubeconfig(text), expect, "{text}");
        check("echo a\nexport KUBECONFIG=~/.kube/other\n", Some(2));
        check("KUBECONFIG=x kubectl get ns", Some(1));
        check("cd /tmp && env B=1 KUBECONFIG=x kubectl get ns", Some(1));
        check("if true; then declare -x KUBECONFIG=x; fi", Some(1));
        check("# export KUBECONFIG=x\n", None);
        check("echo \"export KUBECONFIG=x\"\necho $KUBECONFIG\n", None);
        check("MY_KUBECONFIG=x\n", None);
    }
}
