//! `run.sh`: the blocks of a run in plain bash, without labdoc.
//!
//! The replay judges exit codes only. A block whose text it cannot compare is `skip`, so that a
//! wrong counter with exit code 0 never reads as a pass; `labdoc evidence judge` compares.

use std::fmt::Write as _;

use super::plan::{Role, Step};
use super::record::Ran;
use super::session::Streams;
use super::world::FIXED;
use crate::book::{Ready, Workdir};

/// What the script needs before its first block.
const HEAD: &str = r#"set +e
labdoc_here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd) || exit 2
labdoc_work=$(mktemp -d "${TMPDIR:-/tmp}/labdoc-replay.XXXXXX") || exit 2
mkdir "$labdoc_work/home" "$labdoc_work/work" "$labdoc_work/out" || exit 2
labdoc_failed=0
labdoc_ready=
labdoc_open=
labdoc_torn_down=
labdoc_signal=
labdoc_children=

# Prints the output of the block that just ran, with lines that look like marks escaped, and its
# check line: exit code first, and a text that is not compared here is skip, not pass.
labdoc_end() {
  local code=$1 outcome
  LC_ALL=C awk '{ if ($0 ~ /^\\*labdoc-(block|check):/) printf "%s", "\\"; print }' "$labdoc_work/output"
  if [ "$labdoc_expect" != any ] && [ "$code" != "$labdoc_expect" ]; then
    outcome=fail; labdoc_failed=1
  elif [ "$labdoc_compared" = yes ]; then
    outcome=skip
  else
    outcome=pass
  fi
  printf 'labdoc-check: %s %s exit=%s\n' "$labdoc_open" "$outcome" "$code"
  labdoc_open=
}

labdoc_begin() {
  labdoc_open=$1 labdoc_expect=$2 labdoc_compared=$3
  printf 'labdoc-block: %s\n' "$1"
}

# A block that ends the shell ends here: its check is printed, teardown runs.
labdoc_leave() {
  local code=$?
  if [ -z "$labdoc_ready" ]; then rm -rf -- "$labdoc_work"; exit "$code"; fi
  if [ -n "$labdoc_open" ]; then labdoc_end "$code"; labdoc_failed=1; fi
  if [ -z "$labdoc_torn_down" ]; then labdoc_torn_down=1; labdoc_teardown; fi
  for labdoc_child in $labdoc_children; do kill "$labdoc_child" 2>/dev/null; done
  cd /
  rm -rf -- "$labdoc_work"
  exit "${labdoc_signal:-$labdoc_failed}"
}
trap labdoc_leave EXIT
trap 'labdoc_signal=130; exit 130' INT
trap 'labdoc_signal=143; exit 143' TERM
"#;

/// Writes the replay of a run.
pub(super) fn script(ran: &Ran<'_>, bundle: &str, run_id: &str) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "#!/usr/bin/env bash\n\
         # Replays run {run_id} of bundle {bundle} ({}) without labdoc.\n\
         # Prints the transcript; exit code 1 when a block ends with another exit code than it should.\n\
         # Output is compared by: labdoc evidence judge {bundle}/{run_id} FILE\n",
        ran.plan.path
    );
    out.push_str(HEAD);
    kit(&mut out, ran);
    world(&mut out, ran);
    teardown(&mut out, ran);
    out.push_str("\nlabdoc_ready=yes\n");
    for step in ran.plan.steps.iter().filter(|step| step.role < Role::OnFailure) {
        block(&mut out, step, "");
    }
    on_failure(&mut out, ran);
    out.push_str("\nlabdoc_torn_down=1\nlabdoc_teardown\nexit 0\n");
    out
}

/// Copies the part of the kit that the run could see.
fn kit(out: &mut String, ran: &Ran<'_>) {
    if ran.plan.workdir != Workdir::Kit {
        return;
    }
    let name = ran.plan.kit.as_deref().unwrap_or_default();
    let _ = write!(
        out,
        "\nlabdoc_kit=${{KIT:-}}\n\
         for labdoc_folder in \"$labdoc_here/../../../labkit/{name}\" \"$labdoc_here/../../../../kit/{name}/files\"; do\n\
         \x20 if [ -z \"$labdoc_kit\" ] && [ -d \"$labdoc_folder\" ]; then labdoc_kit=$labdoc_folder; fi\n\
         done\n\
         if [ -z \"$labdoc_kit\" ]; then echo 'kit {name} not found; set KIT=FOLDER' >&2; exit 2; fi\n\
         while IFS= read -r labdoc_file; do\n\
         \x20 mkdir -p -- \"$labdoc_work/work/$(dirname -- \"$labdoc_file\")\" || exit 2\n\
         \x20 cp -- \"$labdoc_kit/$labdoc_file\" \"$labdoc_work/work/$labdoc_file\" || exit 2\n\
         \x20 case $(head -c 2 -- \"$labdoc_work/work/$labdoc_file\" | tr -d '\\000') in '#!') chmod 755 -- \"$labdoc_work/work/$labdoc_file\" ;; esac\n\
         done <<'LABDOC-FILES'\n"
    );
    for path in ran.world.kit.keys() {
        out.push_str(path);
        out.push('\n');
    }
    out.push_str("LABDOC-FILES\n");
}

/// Folder and variables as they were.
fn world(out: &mut String, ran: &Ran<'_>) {
    out.push('\n');
    for (name, value) in FIXED {
        let _ = writeln!(out, "export {name}={}", quoted(value));
    }
    for (name, value) in &ran.plan.params {
        let _ = writeln!(out, "export {name}=${{{name}-{}}}", quoted(value));
    }
    out.push_str("export HOME=$labdoc_work/home LABDOC_OUT=$labdoc_work/out\n");
    let folder = match ran.plan.workdir {
        Workdir::Kit | Workdir::Temp => "\"$labdoc_work/work\"".to_owned(),
        Workdir::Page => {
            let folder = crate::book::folder_of(&ran.plan.path);
            format!("\"$labdoc_here/../../../{folder}\"")
        }
    };
    let _ = writeln!(out, "cd -- {folder} || exit 2\nshopt -s expand_aliases");
}

/// The blocks that run only when one before them failed.
fn on_failure(out: &mut String, ran: &Ran<'_>) {
    for step in ran.plan.steps.iter().filter(|step| step.role == Role::OnFailure) {
        out.push_str("\nif [ \"$labdoc_failed\" = 1 ]; then\n");
        block(out, step, "  ");
        out.push_str("else\n");
        skipped(out, step, "  ");
        out.push_str("fi\n");
    }
}

/// A block that is not run.
fn skipped(out: &mut String, step: &Step, indent: &str) {
    let id = &step.id;
    let _ = writeln!(out, "\n{indent}printf 'labdoc-block: {id}\\nlabdoc-check: {id} skip\\n'");
}

/// The teardown blocks as a function, since they also run when a block ends the shell.
fn teardown(out: &mut String, ran: &Ran<'_>) {
    out.push_str("\nlabdoc_teardown() {\n  :\n");
    for step in ran.plan.steps.iter().filter(|step| step.role == Role::Teardown) {
        block(out, step, "  ");
    }
    out.push_str("}\n");
}

/// One block.
fn block(out: &mut String, step: &Step, indent: &str) {
    if step.skip.is_some() {
        skipped(out, step, indent);
        return;
    }
    for unit in &step.units {
        let expect = step.exit.map_or("any".to_owned(), |code| code.to_string());
        let compared = unit.printed.is_some() || !step.parts.is_empty();
        let compared = if compared { "yes" } else { "no" };
        let mark = heredoc_mark(&unit.text);
        let id = &unit.id;
        let _ = write!(
            out,
            "\n{indent}labdoc_begin {id} {expect} {compared}\n\
             {indent}IFS= read -r -d '' labdoc_text <<'{mark}'\n{}{mark}\n",
            unit.text
        );
        let stderr = if step.streams == Streams::Apart { "/dev/null" } else { "&1" };
        let run = format!("eval \"$labdoc_text\" </dev/null >\"$labdoc_work/output\" 2>{stderr}");
        match step.retry {
            _ if step.background => started(out, step, indent),
            Some(retry) => {
                let seconds = retry.as_secs().max(1);
                let _ = write!(
                    out,
                    "{indent}labdoc_until=$((SECONDS + {seconds}))\n\
                     {indent}while :; do\n\
                     {indent}  {run}\n\
                     {indent}  labdoc_code=$?\n\
                     {indent}  if [ \"$labdoc_code\" = \"$labdoc_expect\" ] || [ \"$labdoc_expect\" = any ] \
                     || [ \"$SECONDS\" -ge \"$labdoc_until\" ]; then break; fi\n\
                     {indent}  sleep 1\n\
                     {indent}done\n\
                     {indent}labdoc_end \"$labdoc_code\"\n"
                );
            }
            None => {
                let _ = write!(out, "{indent}{run}\n{indent}labdoc_end $?\n");
            }
        }
    }
}

/// A background block: started, waited for, and judged by no more than that it got ready. What it
/// prints is not part of the replay's transcript.
fn started(out: &mut String, step: &Step, indent: &str) {
    let limit = step.timeout.as_secs().max(1);
    let _ = write!(
        out,
        "{indent}: >\"$labdoc_work/output\"\n\
         {indent}( eval \"$labdoc_text\" ) </dev/null >\"$labdoc_work/output-{id}\" 2>&1 &\n\
         {indent}labdoc_children=\"$labdoc_children $!\"; disown\n\
         {indent}labdoc_code=0 labdoc_until=$((SECONDS + {limit}))\n",
        id = step.id
    );
    let ready = match &step.ready {
        None => {
            let _ = writeln!(out, "{indent}labdoc_end 0");
            return;
        }
        Some(Ready::Port(port)) => format!("(: </dev/tcp/127.0.0.1/{port}) 2>/dev/null"),
        Some(Ready::Text(text)) => {
            format!("grep -qF -- {} \"$labdoc_work/output-{}\"", quoted(text), step.id)
        }
        Some(Ready::Http { host, port, path }) => format!(
            "(exec 3<>/dev/tcp/{host}/{port} && printf 'GET %s HTTP/1.0\\r\\nHost: {host}\\r\\n\\r\\n' {} >&3 \
             && read -r _ labdoc_status _ <&3 && [ \"$labdoc_status\" -lt 400 ]) 2>/dev/null",
            quoted(path)
        ),
    };
    let _ = write!(
        out,
        "{indent}until {ready}; do\n\
         {indent}  if [ \"$SECONDS\" -ge \"$labdoc_until\" ]; then labdoc_code=1; break; fi\n\
         {indent}  sleep 0.1\n\
         {indent}done\n\
         {indent}labdoc_expect=0 labdoc_end \"$labdoc_code\"\n"
    );
}

/// A mark that is no line of the text.
fn heredoc_mark(text: &str) -> String {
    let mut mark = "LABDOC-TEXT".to_owned();
    while text.lines().any(|line| line == mark) {
        mark.push('-');
    }
    mark
}

/// A value in single quotes.
fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', r"'\''"))
}
