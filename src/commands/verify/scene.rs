//! `--keep` and `--shell-on-fail`: the scene of a run, left as it is or entered.

use std::ffi::OsStr;

use super::talk::Talk;
use crate::cli::{Console, VerifyArgs};
use crate::diag::Failure;
use crate::disk::{self, Scratch};
use crate::proc::{find_program, interactive};
use crate::verify::outcome::PageResult;
use crate::verify::world::World;

/// Refuses what cannot be done for these pages or here.
pub(super) fn check(args: &VerifyArgs, pages: usize, console: &Console) -> Result<(), Failure> {
    if args.keep && pages > 1 {
        return Err(Failure::new(format!(
            "--keep leaves the scene of one page, and {pages} were chosen"
        ))
        .hint("name one page"));
    }
    if args.shell_on_fail && !console.is_terminal() {
        return Err(Failure::new("--shell-on-fail needs a terminal")
            .hint("leave it out here; --keep leaves the scene without one"));
    }
    Ok(())
}

/// Leaves a run's scene and says what is left.
pub(super) fn leave(world: World, result: &PageResult, talk: &Talk<'_>) {
    let env: Vec<String> = ["HOME", "LABDOC_OUT"]
        .iter()
        .filter_map(|name| Some(format!("{name}={}", world.env.get(OsStr::new(name))?.display())))
        .collect();
    talk.say(&format!("  kept: blocks ran in {} with {}", world.cwd.display(), env.join(" ")));
    for process in &result.kept {
        talk.say(&format!("  kept: process {process}"));
    }
    talk.say("  kept: nobody ends these processes or removes this folder any more:");
    talk.say(&format!("        {}", world.keep().display()));
}

/// Opens a shell where the page's blocks run, in the state that the last finished block left.
pub(super) fn enter(world: &World, page: &str, state: &[u8]) -> Result<(), Failure> {
    let folder = Scratch::new()?;
    let (state_file, start) = (folder.path().join("state"), folder.path().join("start"));
    disk::write(&state_file, state)?;
    let begin = "builtin eval \"$(<\"$LABDOC_STATE\")\" 2>/dev/null\nset +o errexit +o nounset\n\
                 unset LABDOC_STATE\nPS1='labdoc \\w $ '\n\
                 echo \"labdoc: the scene of $LABDOC_PAGE; leave it with exit, then teardown runs\"\n";
    disk::write(&start, begin.as_bytes())?;
    let mut env = world.env.clone();
    env.insert("LABDOC_STATE".into(), state_file.into());
    env.insert("LABDOC_PAGE".into(), page.into());
    if let Some(term) = crate::proc::variable("TERM") {
        env.insert("TERM".into(), term);
    }
    let path = env.get(OsStr::new("PATH")).map(std::ffi::OsString::as_os_str);
    let bash = find_program("bash", path).ok_or_else(|| Failure::new("bash is not in PATH"))?;
    let args =
        [OsStr::new("--noprofile"), OsStr::new("--rcfile"), start.as_os_str(), OsStr::new("-i")];
    interactive(&bash, &args, (&world.cwd, &env))
        .map_err(|error| Failure::new(format!("cannot open a shell: {error}")))
}
