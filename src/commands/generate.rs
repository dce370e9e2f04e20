//! What packages and editors want to have of labdoc: completions, manual pages, JSON schemas.

use std::path::Path;

use clap_complete::{Shell, generate};
use clap_mangen::Man;
use serde_json::Value;

use super::Ended;
use crate::cli::{Console, Schema, command_line};
use crate::config::BookToml;
use crate::diag::Failure;
use crate::disk;

/// Prints the completions of a shell.
///
/// # Errors
/// None; the signature is that of all commands.
pub(crate) fn completions(shell: Shell, console: &Console) -> Result<Ended, Failure> {
    let mut text = Vec::new();
    generate(shell, &mut command_line(), "labdoc", &mut text);
    console.result(String::from_utf8_lossy(&text).trim_end());
    Ok(Ended::Clean)
}

/// Prints the manual page of labdoc, or writes it and those of all commands into a folder.
///
/// # Errors
/// A page cannot be written.
pub(crate) fn man(out: Option<&Path>, console: &Console) -> Result<Ended, Failure> {
    let Some(out) = out else {
        console.result(roff(&Man::new(command_line()))?.trim_end());
        return Ok(Ended::Clean);
    };
    let mut commands = vec![command_line()];
    let mut pages = 0;
    while let Some(mut command) = commands.pop() {
        command.build();
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        let text = roff(&Man::new(command.clone()))?;
        disk::write(&out.join(format!("{name}.1")), text.as_bytes())?;
        pages += 1;
        let below = command
            .get_subcommands()
            .filter(|below| below.get_name() != "help" && !below.is_hide_set());
        commands.extend(
            below.map(|below| below.clone().display_name(format!("{name}-{}", below.get_name()))),
        );
    }
    let sentence = format!("{pages} manual pages in {}", out.display());
    console.summary(&sentence, &serde_json::json!({ "outcome": "clean", "pages": pages }));
    Ok(Ended::Clean)
}

/// A manual page as its formatter reads it.
fn roff(man: &Man) -> Result<String, Failure> {
    let mut text = Vec::new();
    man.render(&mut text)
        .map_err(|error| Failure::new(format!("cannot write a manual page: {error}")))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Prints the JSON schema of a file that an author writes.
///
/// # Errors
/// It cannot be written as JSON, which would be a bug.
pub(crate) fn schema(schema: Schema, console: &Console) -> Result<Ended, Failure> {
    let (title, found) = match schema {
        Schema::Book => ("book.toml of labdoc", schemars::schema_for!(BookToml)),
        Schema::Page => {
            ("the header of a page of labdoc", schemars::schema_for!(crate::book::FrontMatter))
        }
        Schema::Claims => ("claims.yaml of labdoc", crate::evidence::claims_schema()),
        Schema::Manifest => {
            ("manifest.yaml of labdoc", schemars::schema_for!(crate::evidence::Manifest))
        }
    };
    let mut found: Value = found.into();
    if let Some(object) = found.as_object_mut() {
        object.insert("title".to_owned(), title.into());
    }
    let text = serde_json::to_string_pretty(&found)
        .map_err(|error| Failure::new(format!("cannot write the schema: {error}")))?;
    console.result(&text);
    Ok(Ended::Clean)
}
