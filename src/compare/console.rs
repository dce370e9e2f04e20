//! Which lines of a `console` block are commands: `$ ` begins one, `> ` goes on with it.

/// The text of a command line, without its prompt.
pub(crate) fn command(line: &str) -> Option<&str> {
    if line == "$" { Some("") } else { line.strip_prefix("$ ") }
}

/// Whether an output could not stand below its command: a line of it would be read as a command,
/// or as going on with one.
pub(crate) fn reads_as_command(measured: &[String]) -> bool {
    measured.iter().any(|line| command(line).is_some())
        || measured.first().is_some_and(|line| line.starts_with("> "))
}

/// The printed output of each command of a console block.
pub(crate) fn console_outputs(text: &str) -> Vec<String> {
    let mut outputs: Vec<String> = Vec::new();
    let mut in_command = false;
    for line in text.lines() {
        if command(line).is_some() {
            outputs.push(String::new());
            in_command = true;
        } else if !(in_command && line.starts_with("> ")) {
            in_command = false;
            if let Some(output) = outputs.last_mut() {
                output.push_str(line);
                output.push('\n');
            }
        }
    }
    outputs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_follow_their_commands() {
        let text = "$ a\n> b\n1\n> 2\n$ c\n$\n3\n";
        assert_eq!(console_outputs(text), ["1\n> 2\n", "", "3\n"]);
    }
}
