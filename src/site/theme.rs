//! The theme: templates, static files and words, embedded in the binary and overridden by the
//! site's own `templates/` and `static/`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tera::{Context, Tera};

use super::look;
use crate::config::Config;
use crate::diag::{Checked, Diagnostic, Failure};
use crate::digest::sha256_hex;
use crate::disk;
use crate::html::Face;
use crate::source::Sources;

/// The folder of a site's own templates.
pub(crate) const TEMPLATES: &str = "templates";

/// The folder of a site's own static files.
pub(crate) const STATIC: &str = "static";

/// Embeds files of a folder of this repository under their names.
macro_rules! embed {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../", $folder, "/", $name)) as &[u8])),+]
    };
}

/// The default templates and words.
const DEFAULT_TEMPLATES: &[(&str, &[u8])] = embed!("templates":
    "404.html", "base.html", "bundle.html", "claim.html", "corrections.html", "folder.html", "i18n/en.json",
    "i18n/ko.json", "kit.html", "page.html", "parts.html", "record.html", "redirect.html", "run.html",
    "section.html", "sources.html", "viewer.html",
);

/// The default static files.
const DEFAULT_STATIC: &[(&str, &[u8])] = embed!("static":
    "favicon.svg", "labdoc-search.js", "labdoc.css",
    "labdoc.js",
);

/// UI strings by key.
type Words = BTreeMap<String, String>;

/// Templates ready to render, the words of one language, and static files.
pub(crate) struct Theme {
    tera: Arc<Tera>,
    /// UI strings by key.
    pub(crate) words: Words,
    /// The same for templates.
    strings: tera::Value,
    /// Digest of templates and words.
    pub(crate) digest: String,
    /// The same theme in the site's other languages.
    others: BTreeMap<String, Theme>,
    /// Whether no template is the site's own.
    pub(crate) is_default: bool,
    /// Static files by their path in the site.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// Whether `[theme]` of `book.toml` asks for a sheet of its own.
    pub(super) has_look: bool,
    /// The font that `[theme]` names and its bold face, as paths of files.
    fonts: (Option<String>, Option<String>),
}

impl Theme {
    /// Reads the theme of a site; a template that cannot be read is a finding. Where all templates
    /// are the default ones, and `only` some of them will be rendered, the others are left out.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(crate) fn load(
        root: &Path,
        (language, others): (&str, &[String]),
        only: Option<&[&str]>,
    ) -> Result<Checked<Theme>, Failure> {
        let texts = overlay(DEFAULT_TEMPLATES, &root.join(TEMPLATES))?;
        let files = overlay(DEFAULT_STATIC, &root.join(STATIC))?;
        let mut diagnostics = Vec::new();
        let words_of: Vec<Words> = std::iter::once(language)
            .chain(others.iter().map(String::as_str))
            .map(|language| words(&texts, language, &mut diagnostics))
            .collect();
        let all: Vec<String> =
            texts.iter().map(|(n, b)| format!("{n} {}", sha256_hex(b))).collect();
        let digest = sha256_hex(all.join("\n").as_bytes());
        let own = |(name, bytes): (&String, &Vec<u8>)| {
            name.ends_with(".html")
                && !DEFAULT_TEMPLATES.contains(&(name.as_str(), bytes.as_slice()))
        };
        let is_default = !texts.iter().any(own);
        let mut tera = Tera::default();
        let mut templates: Vec<(String, String)> = texts
            .into_iter()
            .filter(|(name, _)| name.ends_with(".html"))
            .filter(|(name, _)| {
                !is_default || only.is_none_or(|only| only.contains(&name.as_str()))
            })
            .map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).into_owned()))
            .collect();
        templates.extend(replaced(&templates));
        let added = tera.add_raw_templates(templates.iter().map(|(n, t)| (n.as_str(), t.as_str())));
        if let Err(error) = added {
            diagnostics.push(template_error(&error));
        }
        let tera = Arc::new(tera);
        let theme = |words: Words| Theme {
            tera: Arc::clone(&tera),
            strings: tera::Value::from_serializable(&words),
            words,
            digest: digest.clone(),
            others: BTreeMap::new(),
            is_default,
            files: BTreeMap::new(),
            has_look: false,
            fonts: (None, None),
        };
        let mut words_of = words_of.into_iter();
        let mut main = theme(words_of.next().unwrap_or_default());
        main.others = others.iter().cloned().zip(words_of.map(theme)).collect();
        main.files = files;
        Ok(Checked { value: main, diagnostics })
    }

    /// Adds what `[theme]` of `book.toml` asks for.
    pub(crate) fn dress(&mut self, config: &Config, sources: &Sources) -> Vec<Diagnostic> {
        let looked = look::sheet(&self.files, config, sources);
        self.fonts = (config.file.theme.font.clone(), config.file.theme.font_bold.clone());
        if let Some(sheet) = looked.value {
            self.files.insert(look::SHEET.to_owned(), sheet.into_bytes());
            for theme in std::iter::once(&mut self.has_look)
                .chain(self.others.values_mut().map(|other| &mut other.has_look))
            {
                *theme = true;
            }
        }
        looked.diagnostics
    }

    /// The font files that the site names: its font, then the bold face.
    pub(crate) fn fonts(&self) -> Vec<&[u8]> {
        let paths = [&self.fonts.0, &self.fonts.1].into_iter().flatten();
        paths.filter_map(|path| self.files.get(path)).map(Vec::as_slice).collect()
    }

    /// The same for measuring, if that can be done.
    pub(crate) fn face(&self) -> Option<Face> {
        let fonts = self.fonts();
        Face::new(fonts.first()?, fonts.get(1).copied())
    }

    /// The theme in another of the site's languages.
    pub(crate) fn in_language(&self, language: &str) -> &Theme {
        self.others.get(language).unwrap_or(self)
    }

    /// Renders a template.
    ///
    /// # Errors
    /// A finding that says what the template lacks.
    pub(crate) fn render(
        &self,
        template: &str,
        context: &serde_json::Value,
    ) -> Result<String, Diagnostic> {
        let mut context =
            Context::from_serialize(context).map_err(|error| template_error(&error))?;
        context.insert_value("t", self.strings.clone());
        self.tera.render(template, &context).map_err(|error| template_error(&error))
    }

    /// The word for a key, or the key itself.
    pub(crate) fn word<'a>(&'a self, key: &'a str) -> &'a str {
        self.words.get(key).map_or(key, String::as_str)
    }
}

/// The default templates that the site's own stand in for, as `labdoc/NAME`: one that only changes
/// a block extends it. Components have one name each, so their file is left out.
fn replaced(templates: &[(String, String)]) -> Vec<(String, String)> {
    let is_replaced = |(name, bytes): &&(&str, &[u8])| {
        let own = templates.iter().find(|(known, _)| known == name);
        *name != "parts.html" && own.is_some_and(|(_, text)| text.as_bytes() != *bytes)
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let found = DEFAULT_TEMPLATES.iter().filter(|(name, _)| name.ends_with(".html"));
    found.filter(is_replaced).map(|(name, bytes)| (format!("labdoc/{name}"), text(bytes))).collect()
}

/// An error of the template engine as a finding.
fn template_error(error: &tera::Error) -> Diagnostic {
    let text = error.to_string();
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or("template error");
    let first = first.strip_prefix("error: ").unwrap_or(first).to_owned();
    let rest: Vec<&str> = lines.collect();
    let finding = Diagnostic::error("TP001", first);
    let finding = if rest.is_empty() { finding } else { finding.note(rest.join("\n")) };
    finding.hint("the site's own templates/ override the default theme; see templates/README.md")
}

/// The embedded files with those of a folder laid over them.
fn overlay(
    embedded: &[(&str, &[u8])],
    folder: &Path,
) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let mut files: BTreeMap<String, Vec<u8>> =
        embedded.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
    if disk::is_folder(folder) {
        for path in disk::files_below(folder)? {
            if !path.split('/').any(|part| part.starts_with('.')) {
                files.insert(path.clone(), disk::read(&folder.join(&path))?);
            }
        }
    }
    Ok(files)
}

/// The UI strings of a language, English where it lacks one.
fn words(
    texts: &BTreeMap<String, Vec<u8>>,
    language: &str,
    findings: &mut Vec<Diagnostic>,
) -> Words {
    let mut words = BTreeMap::new();
    for code in ["en", language] {
        let name = format!("i18n/{code}.json");
        let Some(bytes) = texts.get(&name) else { continue };
        match serde_json::from_slice::<BTreeMap<String, String>>(bytes) {
            Ok(found) => words.extend(found),
            Err(error) => {
                let finding = Diagnostic::error("TP002", format!("UI strings: {error}"));
                findings.push(finding.in_file(format!("{TEMPLATES}/{name}"), Some(error.line())));
            }
        }
    }
    words
}
