//! A console session: prompts and output are shown but not copied, commands are coloured.

/// A stretch of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Lines of one command without their prompts, and the prompts.
    Command(Vec<(&'static str, String)>),
    /// Lines of output.
    Output(Vec<String>),
}

/// Lines of text as lines of HTML.
type Lines<'f> = dyn Fn(&str) -> Vec<String> + 'f;

/// The session as HTML. `commands` writes lines of commands, `output` lines of output.
pub(super) fn session(text: &str, commands: &Lines<'_>, output: &Lines<'_>) -> String {
    let mut html = String::new();
    for part in parts(text) {
        match part {
            Part::Command(lines) => command(&mut html, &lines, commands),
            Part::Output(lines) => {
                let shown = output(&lines.join("\n")).join("\n");
                html.push_str(&format!("<span class=\"u\">{shown}\n</span>"));
            }
        }
    }
    html
}

/// Takes a session apart. A command goes on with `> `, and also behind a line that ends in `\`.
fn parts(text: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for line in text.lines() {
        let last = parts.last_mut();
        let continues = matches!(&last, Some(Part::Command(lines))
            if lines.last().is_some_and(|(_, text)| text.ends_with('\\')));
        match (line, last) {
            (line, _) if line == "$" || line.starts_with("$ ") => {
                let command = line.get(2..).unwrap_or("").to_owned();
                parts.push(Part::Command(vec![("$ ", command)]));
            }
            (line, Some(Part::Command(lines))) if line == ">" || line.starts_with("> ") => {
                lines.push(("> ", line.get(2..).unwrap_or("").to_owned()));
            }
            (line, Some(Part::Command(lines))) if continues => lines.push(("", line.to_owned())),
            (line, Some(Part::Output(lines))) => lines.push(line.to_owned()),
            (line, _) => parts.push(Part::Output(vec![line.to_owned()])),
        }
    }
    parts
}

/// Writes one command.
fn command(html: &mut String, lines: &[(&'static str, String)], commands: &Lines<'_>) {
    let mut text = String::new();
    for (_, line) in lines {
        text.push_str(line);
        text.push('\n');
    }
    let coloured = commands(&text);
    for ((prompt, _), line) in lines.iter().zip(coloured.iter()) {
        if !prompt.is_empty() {
            let prompt = if *prompt == "$ " { "$ " } else { "&gt; " };
            html.push_str(&format!("<span class=\"g\">{prompt}</span>"));
        }
        html.push_str(line);
        html.push('\n');
    }
}
