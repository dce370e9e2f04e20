//! Whether the executable pages of a book can be run as they say.

use std::path::Path;

use crate::book::{Book, Need, Page, Workdir, class_names};
use crate::diag::{Diagnostic, Failure, nearest};
use crate::disk;
use crate::fence::parse_duration;
use crate::kit::LABKIT;
use crate::source::{Sources, Span};
use crate::vary::{Kind, captures};

/// The findings for the chosen pages.
///
/// # Errors
/// A folder cannot be looked at.
pub(crate) fn runnable(
    root: &Path,
    book: &Book,
    chosen: &[usize],
    sources: &Sources,
) -> Result<Vec<Diagnostic>, Failure> {
    let mut findings = Vec::new();
    for at in chosen {
        let page = &book.pages[*at];
        let check = PageCheck { book, page, sources };
        findings.extend(check.header());
        findings.extend(check.classes());
        findings.extend(check.bounds());
        findings.extend(check.needs());
        findings.extend(check.captures());
        findings.extend(super::terminal::terminal(page));
        findings.extend(check.kit(root)?);
    }
    findings.extend(super::after::after(book, chosen, sources));
    Ok(findings)
}

/// One page under check.
struct PageCheck<'a> {
    book: &'a Book,
    page: &'a Page,
    sources: &'a Sources,
}

impl PageCheck<'_> {
    /// A word of the header as a place; the header's start where it is not found.
    fn header_word(&self, word: &str) -> Span {
        let Some(front) = self.page.front_span else {
            return Span::new(self.page.file, 0..0);
        };
        let text = self.sources.slice(front);
        let found = text.find(word).map(|at| front.start + at..front.start + at + word.len());
        Span::new(self.page.file, found.unwrap_or(front.start..front.start))
    }

    /// `verify:` belongs to a page with blocks, and its durations have units.
    fn header(&self) -> Vec<Diagnostic> {
        let Some(verify) = &self.page.front.verify else { return Vec::new() };
        let mut findings = Vec::new();
        let allowed = verify.empty.as_deref() == Some("ok");
        if self.page.blocks.is_empty() && !allowed {
            let message = "the page has `verify:` but no runnable block";
            let hint = "give a block an id, as in ```sh {#setup}, or write `empty: ok`";
            let at = self.header_word("verify");
            findings.push(Diagnostic::error("PG007", message).at(at).hint(hint));
        }
        for value in [&verify.timeout, &verify.page_timeout].into_iter().flatten() {
            if parse_duration(value).is_none() {
                let message = format!("`{value}` is no duration");
                let finding = Diagnostic::error("PG008", message).at(self.header_word(value));
                findings.push(finding.hint("write it like 500ms, 60s, 5m or 2h"));
            }
        }
        findings
    }

    /// Every value class that is named is known.
    fn classes(&self) -> Vec<Diagnostic> {
        let known = &self.book.config.classes;
        let page_wide = self.page.front.verify.iter().flat_map(|verify| &verify.vary);
        let mut named: Vec<(&String, Span)> =
            page_wide.map(|name| (name, self.header_word(name))).collect();
        for block in &self.page.blocks {
            named.extend(
                block.options.vary.iter().map(|name| (name, self.vary_span(block.span, name))),
            );
            if let Some(output) = &block.output {
                named.extend(
                    output.vary.iter().map(|name| (name, self.vary_span(output.span, name))),
                );
            }
        }
        let unknown = named.into_iter().filter(|(name, _)| !known.knows(name));
        let finding = |(name, at): (&String, Span)| {
            let message = format!("value class `{name}` is not known");
            let hint = nearest(name, known.names()).map_or_else(
                || "declare it in book.toml under [verify.vary.NAME]".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            Diagnostic::error("BL011", message).at(at).hint(hint)
        };
        unknown.map(finding).collect()
    }

    /// A class name in the header of a fence.
    fn vary_span(&self, fence: Span, name: &str) -> Span {
        self.header_value(fence, ("vary=", name))
    }

    /// A word behind a key in the header of a fence.
    fn header_value(&self, fence: Span, (key, word): (&str, &str)) -> Span {
        let text = self.sources.slice(fence);
        let header = text.lines().next().unwrap_or("");
        let after = header.find(key).unwrap_or(0);
        let found = header[after..].find(word).map(|at| fence.start + after + at);
        let start = found.unwrap_or(fence.start);
        Span::new(fence.file, start..start + word.len())
    }

    /// Bounds are on quantities that may vary there.
    fn bounds(&self) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        for block in &self.page.blocks {
            let (within, span) = match &block.output {
                Some(output) => (&output.within, output.span),
                None => (&block.options.within, block.span),
            };
            let named = class_names(self.page, block, &self.book.config);
            let in_effect = self.book.config.classes.select(named);
            for class in within.classes() {
                let at = self.header_value(span, ("within=", class));
                let mut report = |message: String, hint: String| {
                    findings.push(Diagnostic::error("BL013", message).at(at).hint(hint));
                };
                match in_effect.kind(class) {
                    Some(Kind::Quantity) => {}
                    Some(Kind::Name) => report(
                        format!("`{class}` is a class of names, which have no bound"),
                        "only quantities such as n, age or duration can be bounded".to_owned(),
                    ),
                    None => report(
                        format!("`{class}` does not vary here, so its bound says nothing"),
                        format!("add vary={class}"),
                    ),
                }
            }
        }
        findings
    }

    /// What the page needs is named as it can be looked for.
    fn needs(&self) -> Vec<Diagnostic> {
        let needs = self.page.front.verify.iter().flat_map(|verify| &verify.needs);
        let faults = needs.filter_map(|need| Some((need, Need::parse(need).err()?)));
        faults
            .map(|(need, message)| {
                let at = self.header_word(need);
                Diagnostic::error("PG014", message).at(at).hint(Need::FORMS)
            })
            .collect()
    }

    /// Captures are expressions on blocks of this page, and what is measured is captured.
    fn captures(&self) -> Vec<Diagnostic> {
        let Some(verify) = &self.page.front.verify else { return Vec::new() };
        let (good, bad) = captures(&verify.capture);
        let fault = |fault: &crate::vary::CaptureFault| {
            Diagnostic::error("PG009", fault.message.clone()).at(self.header_word(&fault.name))
        };
        let mut findings: Vec<Diagnostic> = bad.iter().map(fault).collect();
        for capture in good.iter().filter(|c| self.page.block(&c.block).is_none()) {
            let message = format!(
                "capture `{}` reads block `{}`, which this page does not have",
                capture.name, capture.block
            );
            let ids = self.page.blocks.iter().map(|block| block.id.as_str());
            let mut finding =
                Diagnostic::error("PG009", message).at(self.header_word(&capture.name));
            finding.hint =
                nearest(&capture.block, ids).map(|near| format!("did you mean `{near}`?"));
            findings.push(finding);
        }
        for (key, name) in verify.measure.iter().filter(|(_, n)| !verify.capture.contains_key(*n)) {
            let message =
                format!("environment key `{key}` is measured by `{name}`, which is not captured");
            let mut finding = Diagnostic::error("PG009", message).at(self.header_word(name));
            let names = verify.capture.keys().map(String::as_str);
            finding.hint = nearest(name, names).map(|near| format!("did you mean `{near}`?"));
            findings.push(finding);
        }
        findings
    }

    /// The kit that the page names is there.
    fn kit(&self, root: &Path) -> Result<Vec<Diagnostic>, Failure> {
        let workdir = self.page.front.verify.as_ref().and_then(|verify| verify.workdir);
        let Some(kit) = &self.page.front.kit else {
            let mut findings = Vec::new();
            if workdir == Some(Workdir::Kit) {
                let message = "`workdir: kit`, but the page names no kit";
                let finding = Diagnostic::error("PG012", message).at(self.header_word("workdir"));
                findings.push(finding.hint("add `kit: NAME`, a folder under labkit/"));
            }
            return Ok(findings);
        };
        let labkit = root.join(LABKIT);
        let safe = disk::check_relative(kit).is_ok() && !kit.contains('/');
        if safe && disk::is_folder(&labkit.join(kit)) {
            return Ok(Vec::new());
        }
        let names: Vec<String> = if disk::is_folder(&labkit) {
            disk::list(&labkit)?.into_iter().filter_map(|entry| entry.name).collect()
        } else {
            Vec::new()
        };
        let message = format!("kit `{kit}` is not there: labkit/{kit}/ does not exist");
        let mut finding = Diagnostic::error("PG011", message).at(self.header_word(kit));
        finding.hint = nearest(kit, names.iter().map(String::as_str))
            .map(|near| format!("did you mean `{near}`?"));
        Ok(vec![finding])
    }
}
