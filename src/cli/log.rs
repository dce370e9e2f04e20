//! What labdoc says of its own work, for `--verbose` and `LABDOC_LOG`: paths, programs, numbers and
//! times, and never what a block prints or a variable holds.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::time::uptime;

use crate::diag::Failure;
use crate::proc::variable;

/// Which parts say how much, as in `labdoc::verify=debug`.
const VARIABLE: &str = "LABDOC_LOG";

/// Begins to say what is done, on standard error. `LABDOC_LOG` decides before `--verbose`; without
/// both nothing is said.
///
/// # Errors
/// `LABDOC_LOG` cannot be read.
pub(super) fn start(verbose: u8) -> Result<(), Failure> {
    let asked = variable(VARIABLE).filter(|value| !value.is_empty());
    let directives = match (asked, verbose) {
        (Some(value), _) => value.to_string_lossy().into_owned(),
        (None, 0) => return Ok(()),
        (None, 1) => "labdoc=info".to_owned(),
        (None, 2) => "labdoc=debug".to_owned(),
        (None, _) => "labdoc=trace".to_owned(),
    };
    let filter = EnvFilter::builder().parse(&directives).map_err(|error| {
        Failure::new(format!("{VARIABLE}={directives}: {error}"))
            .hint("write it like labdoc=info, or labdoc::verify=debug,labdoc::disk=trace")
    })?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_timer(uptime())
        .init();
    Ok(())
}
