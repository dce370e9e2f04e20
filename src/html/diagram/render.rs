//! The call of merman: source in, SVG text out, bounded in time and size.

use std::sync::LazyLock;
use std::time::Duration;

use merman::svg::{RenderResourcePolicy, SvgPipeline, SvgRenderOptions};
use merman::{
    Engine, MermaidConfig, OperationControl, ParseOptions, RenderError, RenderOutput,
    RenderRequest, Renderer, SvgEnvironment, SvgRequest,
};

use super::{Drawing, Face, Fault, KINDS, colour, measure, svg};

/// How long one drawing may take. A usual one takes milliseconds; only a source that was made to
/// be slow gets here.
const LIMIT: Duration = Duration::from_secs(20);

/// Stack of the thread that draws: layouts of nested groups recurse.
const STACK: usize = 16 * 1024 * 1024;

/// Keys that a diagram may not set for itself: what decides about colours, fonts and safety.
const SECURE: &[&str] = &[
    "secure",
    "securityLevel",
    "startOnLoad",
    "maxTextSize",
    "suppressErrorRendering",
    "maxEdges",
    "theme",
    "themeVariables",
    "themeCSS",
    "fontFamily",
    "altFontFamily",
    "look",
    "layout",
    "htmlLabels",
    "darkMode",
];

/// Labels as SVG text, for all kinds but two.
static TEXT: LazyLock<Renderer> = LazyLock::new(|| renderer(false));
/// Labels measured as HTML and then written as text: classes and states are aligned better so.
static HTML: LazyLock<Renderer> = LazyLock::new(|| renderer(true));

/// A renderer with our settings.
fn renderer(html_labels: bool) -> Renderer {
    let config = serde_json::json!({
        "theme": "base",
        "look": "classic",
        "layout": "dagre",
        "fontFamily": "sans-serif",
        "fontSize": 16,
        "htmlLabels": html_labels,
        "flowchart": { "wrappingWidth": 260, "htmlLabels": html_labels },
        "secure": SECURE,
        "themeVariables": colour::theme_variables(),
    });
    let engine = Engine::new().with_site_config(MermaidConfig::from_value(config));
    Renderer::new().with_engine(engine).with_parse_options(ParseOptions::strict())
}

/// Draws a source.
///
/// # Errors
/// The source is no diagram, or one that is too much.
pub(super) fn render(source: &str, id: &str, face: Option<&Face>) -> Result<Drawing, Fault> {
    let text = decoded(source);
    let job = || raw_svg(&text, face);
    let raw = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, job);
        thread.map_err(|error| error.to_string()).and_then(|thread| {
            thread.join().map_err(|_| "the diagram made the renderer fail".to_owned())
        })
    });
    let raw = match raw {
        Ok(Ok(raw)) => raw,
        Ok(Err(error)) => return Err(fault(&error, source)),
        Err(message) => return Err(Fault { message, at: 0 }),
    };
    svg::drawing(&raw, source, id).map_err(|message| Fault { message, at: 0 })
}

/// The SVG as merman writes it.
fn raw_svg(source: &str, face: Option<&Face>) -> Result<String, RenderError> {
    let environment = SvgEnvironment::deterministic()
        .with_resource_policy(RenderResourcePolicy::interactive())
        .with_text_measurement_policy(measure::policy(face));
    let request = SvgRequest {
        environment,
        pipeline: Some(SvgPipeline::resvg_safe()),
        options: SvgRenderOptions { diagram_id: Some("m".to_owned()), ..Default::default() },
        ..Default::default()
    };
    let control = OperationControl::new().with_deadline(LIMIT);
    let renderer = if wants_html(source) { &HTML } else { &TEXT };
    match renderer.render(RenderRequest::svg(source, control, request))? {
        RenderOutput::Svg(Some(output)) => Ok(output.into_parts().0),
        _ => Err(RenderError::NoDiagram),
    }
}

/// Whether a source is of a kind that is drawn with HTML labels.
fn wants_html(source: &str) -> bool {
    keyword(source).is_some_and(|(_, word)| {
        word.starts_with("classDiagram") || word.starts_with("stateDiagram")
    })
}

/// The first word of a diagram, behind its header, comments and directives, and where it stands.
fn keyword(source: &str) -> Option<(usize, &str)> {
    let mut at = 0;
    let mut header = false;
    for line in source.split_inclusive('\n') {
        let text = line.trim();
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        if text == "---" {
            header = !header;
        } else if !header && !text.is_empty() && !text.starts_with("%%") {
            let end = text.find(char::is_whitespace).unwrap_or(text.len());
            return Some((start, &text[..end]));
        }
    }
    None
}

/// The source with mermaid's `#name;` and `#NNN;` decoded where that changes no syntax: labels
/// that are SVG text would show them as they are. Lines of styles hold colours instead.
fn decoded(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let is_flow = keyword(source).is_some_and(|(_, word)| matches!(word, "flowchart" | "graph"));
    for line in source.split_inclusive('\n') {
        let line = if is_flow { without_comment(line) } else { line };
        let first = line.split_whitespace().next().unwrap_or("");
        // The second line of a group's title would lie behind the group's first node.
        let joined = (first == "subgraph").then(|| without_breaks(line));
        let line = joined.as_deref().unwrap_or(line);
        let styles = matches!(first, "style" | "classDef" | "linkStyle") || first.starts_with("%%");
        if styles {
            out.push_str(line)
        } else {
            decode_line(line, &mut out)
        }
        if !line.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

/// A line with its `<br/>` as blanks.
fn without_breaks(line: &str) -> String {
    ["<br/>", "<br />", "<br>"].iter().fold(line.to_owned(), |line, mark| line.replace(mark, " "))
}

/// A line of a flowchart without the comment behind its statement, which the grammar knows only
/// on a line of its own.
fn without_comment(line: &str) -> &str {
    let (mut depth, mut quoted) = (0_i32, false);
    for (at, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '[' | '(' | '{' if !quoted => depth += 1,
            ']' | ')' | '}' if !quoted => depth -= 1,
            '%' if !quoted && depth <= 0 && line[at..].starts_with("%% ") => {
                return if line[..at].trim().is_empty() { line } else { &line[..at] };
            }
            _ => {}
        }
    }
    line
}

/// One line of [`decoded`].
fn decode_line(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(at) = rest.find('#') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.find(';').filter(|end| (1..=8).contains(end));
        match end.and_then(|end| Some((entity(&rest[..end])?, end))) {
            Some((c, end)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => out.push('#'),
        }
    }
    out.push_str(rest);
}

/// The character of an entity; a quote becomes one that ends no label.
fn entity(name: &str) -> Option<char> {
    Some(match name {
        "quot" | "34" => '”',
        "amp" => '&',
        "nbsp" => '\u{a0}',
        "hearts" => '♥',
        number => match char::from_u32(number.parse().ok()?)? {
            c if c.is_control() || matches!(c, '<' | '>' | '"' | '\\' | '`') => return None,
            c => c,
        },
    })
}

/// What went wrong, and where in the source as its author wrote it.
fn fault(error: &RenderError, source: &str) -> Fault {
    let first = keyword(source).map_or(0, |(at, _)| at);
    match error {
        RenderError::NoDiagram => no_kind(source, first),
        RenderError::Parse(diagnostic) => {
            let details = diagnostic.terminal_diagnostic_details();
            if details.code.ends_with("no_diagram_detected") {
                return no_kind(source, first);
            }
            let message = diagnostic.terminal_safe_message();
            let message = message.lines().next().unwrap_or("cannot be read").to_owned();
            let text = decoded(source);
            let at = details.span.map_or(first, |span| same_line(&text, source, span.start));
            Fault { message, at }
        }
        RenderError::Cancelled(_) => {
            let message = format!("the diagram takes longer than {} s to draw", LIMIT.as_secs());
            Fault { message, at: first }
        }
        RenderError::ResourceLimitExceeded(limit) => {
            let message = format!("the diagram is too large: {limit}");
            Fault { message: message.lines().next().unwrap_or("").to_owned(), at: first }
        }
        other => Fault { message: other.to_string(), at: first },
    }
}

/// The fault of a first line that names no kind of diagram.
fn no_kind(source: &str, at: usize) -> Fault {
    let word = keyword(source).map_or("", |(_, word)| word);
    let near = crate::diag::nearest(word, KINDS.iter().copied());
    let near = near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
    Fault { message: format!("`{word}` is no kind of diagram{near}"), at }
}

/// A place in the decoded text as one in the source: the same line, and the same column where
/// nothing before it was decoded.
fn same_line(text: &str, source: &str, at: usize) -> usize {
    let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let line = text[..at].matches('\n').count();
    let column = at - text[..at].rfind('\n').map_or(0, |start| start + 1);
    let start: usize = source.split_inclusive('\n').take(line).map(str::len).sum();
    let length = source[start..].find('\n').unwrap_or(source.len() - start);
    let at = start + column.min(length);
    (start..=at).rev().find(|at| source.is_char_boundary(*at)).unwrap_or(start)
}
