//! A small lab in a temporary folder: one page with three blocks, its `claims.yaml`, a kit of
//! two files, and the runs that a test records through the room's own writer.

mod bundles;
mod definitions;
mod recordings;
mod stale;
mod states;

use std::collections::BTreeMap;

use super::holds::Environment;
use super::{
    CheckOutcome, ClaimState, Now, PlanNow, Policy, Records, Site, Word, findings, join,
    judge_claims, load_bundles, load_records, read_claims,
};
use crate::book::{
    Block, BlockKind, BlockOptions, Cite, ClaimSpan, FrontMatter, OutputFence, Page, PageKind,
    VerifyHeader,
};
use crate::diag::{Diagnostic, Place};
use crate::digest::sha256_tagged;
use crate::fence::parse_header;
use crate::source::{FileId, Sources, Span};

/// The path of the page.
const PAGE: &str = "content/guide.md";

/// A site that a test changes and asks again.
pub(super) struct Lab {
    pub(super) dir: tempfile::TempDir,
    /// Id and statement; `{n}` marks a bare number, `{=name}` a live one.
    pub(super) statements: Vec<(&'static str, &'static str)>,
    pub(super) claims_yaml: String,
    /// Id, commands and printed output.
    pub(super) blocks: Vec<(&'static str, &'static str, &'static str)>,
    pub(super) capture: &'static str,
    pub(super) kit: BTreeMap<String, String>,
    pub(super) environment: Environment,
    pub(super) as_of: Option<&'static str>,
    pub(super) cites: Vec<&'static str>,
    pub(super) bundle: Option<&'static str>,
    pub(super) release: bool,
    /// `[evidence] sealed`.
    pub(super) sealed: bool,
}

/// What a recorded run measured.
pub(super) struct Measured {
    pub(super) at: &'static str,
    pub(super) lost: &'static str,
    pub(super) flip: CheckOutcome,
    pub(super) environment: &'static [(&'static str, &'static str)],
}

impl Default for Measured {
    fn default() -> Measured {
        Measured {
            at: "2026-11-29T10:15:00Z",
            lost: "0",
            flip: CheckOutcome::Pass,
            environment: &[("envoy", "1.38.3")],
        }
    }
}

/// The answer of the room.
pub(super) struct Answer {
    pub(super) sources: Sources,
    pub(super) states: Vec<ClaimState>,
    pub(super) found: Vec<Diagnostic>,
}

impl Lab {
    /// One claim, C14, on bundle T1, with the given entry.
    pub(super) fn new(entry: &str) -> Lab {
        let file = |text: &str| sha256_tagged(text.as_bytes());
        let kit = BTreeMap::from([
            ("manifests/pvc.yaml".to_owned(), file("a")),
            ("scripts/up.sh".to_owned(), file("b")),
        ]);
        Lab {
            dir: crate::disk::temporary_folder("labdoc-test-").expect("temp"),
            statements: vec![("C14", "연결이 끊기지 않는다")],
            claims_yaml: format!("C14: {entry}\n"),
            blocks: vec![
                ("setup", "sh setup.sh\n", "ready\n"),
                ("flip", "sh flip.sh\n", "lost 0\n"),
                ("clean", "sh clean.sh\n", ""),
            ],
            capture: r"lost (\d+)",
            kit,
            environment: Environment::from([("envoy".into(), "1.38".into())]),
            as_of: None,
            cites: Vec::new(),
            bundle: Some("T1"),
            release: false,
            sealed: false,
        }
    }

    /// The usual claim.
    pub(super) fn measured() -> Lab {
        Lab::new("{grade: measured, evidence: [T1#flip], expect: [\"flip.lost == 0\"]}")
    }

    /// The page, made as the parser would.
    fn page(&self, sources: &mut Sources) -> Page {
        let mut text = String::from("---\nverify: {}\n---\n\n");
        let mut marks = Vec::new();
        for (id, statement) in &self.statements {
            let start = text.len();
            text.push_str(&format!("[{statement}]{{#{id}}}"));
            marks.push((*id, *statement, start..text.len()));
            text.push_str("\n\n");
        }
        let mut fences = Vec::new();
        for (id, commands, output) in &self.blocks {
            let start = text.len();
            text.push_str(&format!("```sh {{#{id}}}\n{commands}```\n"));
            fences.push((*id, *commands, *output, start..text.len()));
        }
        let mut cites = Vec::new();
        for id in &self.cites {
            let start = text.len();
            text.push_str(&format!("[{id}]"));
            cites.push((id, start..text.len()));
        }
        let file = sources.add(PAGE, text);
        Page {
            file,
            marks: Vec::new(),
            filled: Vec::new(),
            includes: Vec::new(),
            markup: crate::book::Markup::default(),
            out: String::new(),
            base: String::new(),
            language: String::new(),
            path: PAGE.into(),
            body: 0,
            front: self.front(),
            front_span: Some(Span::new(file, 0..3)),
            title: "Guide".into(),
            headings: Vec::new(),
            blocks: fences.into_iter().map(|fence| block(file, fence)).collect(),
            commented: Vec::new(),
            links: Vec::new(),
            raw_ids: Vec::new(),
            claims: marks.into_iter().map(|mark| claim_span(file, mark)).collect(),
            cites: cites
                .into_iter()
                .map(|(id, range)| Cite { id: (*id).into(), span: Span::new(file, range) })
                .collect(),
            lives: Vec::new(),
        }
    }

    /// The page's header.
    fn front(&self) -> FrontMatter {
        let capture = BTreeMap::from([("flip.lost".into(), self.capture.into())]);
        let bundle = self.bundle.map(str::to_owned);
        FrontMatter {
            kind: PageKind::LabGuide,
            environment: self.environment.clone(),
            verify: Some(VerifyHeader { bundle, capture, ..VerifyHeader::default() }),
            ..FrontMatter::default()
        }
    }

    /// The present state of the documents.
    fn now(&self, page: &Page, sources: &Sources) -> Now {
        let plan = PlanNow::of_page(page, sources, &[], self.kit.clone());
        Now {
            as_of: self.as_of.map(|day| day.parse().expect("date")),
            environments: BTreeMap::from([(PAGE.to_owned(), self.environment.clone())]),
            plans: self.bundle.iter().map(|id| ((*id).to_owned(), plan.clone())).collect(),
            kits: BTreeMap::new(),
            source_days: None,
        }
    }

    /// Everything that the room says now.
    pub(super) fn ask(&self) -> Answer {
        let mut sources = Sources::default();
        let pages = vec![self.page(&mut sources)];
        let file = sources.add("content/claims.yaml", self.claims_yaml.clone());
        let bundles = load_bundles(self.dir.path()).expect("readable");
        let records = load_records(self.dir.path()).expect("readable");
        let policy = Policy { release: self.release, ..Policy::default() };
        let read = read_claims(&sources, file);
        let mut found = read.diagnostics;
        found.extend(records.diagnostics);
        found.extend(bundles.values().flat_map(|bundle| bundle.faults.clone()));
        let now = self.now(&pages[0], &sources);
        let records: Records = records.value;
        let site = Site {
            sources: &sources,
            pages: &pages,
            bundles: &bundles,
            records: &records,
            policy: &policy,
        };
        let joined = join(&site, &[read.value]);
        found.extend(joined.diagnostics);
        let states = judge_claims(&joined.value, &bundles, &records, &now);
        found.extend(super::standing(&site, &joined.value, (self.sealed, now.as_of)));
        found.extend(findings(&joined.value, &states, (&records, now.as_of, &policy)));
        Answer { sources, states, found }
    }

    /// The state of C14, and checks that it is `word` for reasons that hold `part`.
    pub(super) fn check(&self, word: Word, part: &str) -> Answer {
        let answer = self.ask();
        let state = &answer.states[0];
        let sentences = state.sentences().join(" | ");
        assert_eq!(state.word, word, "{sentences}\n{:#?}", answer.found);
        assert!(sentences.contains(part), "{part:?} is not in: {sentences}");
        answer
    }
}

/// The releases of Envoy in which a claim holds.
fn holds_in(state: &ClaimState) -> Vec<&str> {
    let runs = state.links.iter().flat_map(|link| &link.environments);
    let held = runs.filter(|runs| runs.counts && runs.passed == Some(true));
    held.map(|runs| runs.environment["envoy"].as_str()).collect()
}

impl Answer {
    /// Checks that a finding has the code, stands at the place and its text holds the part.
    pub(super) fn has(&self, code: &str, place: &str, part: &str) -> &Diagnostic {
        let matches = |found: &&Diagnostic| {
            found.code == code && self.place(found) == place && found.message.contains(part)
        };
        let all = || {
            let line = |f: &Diagnostic| format!("{} {} {}", f.code, self.place(f), f.message);
            self.found.iter().map(line).collect::<Vec<_>>().join("\n")
        };
        let found = self.found.iter().find(matches);
        let found =
            found.unwrap_or_else(|| panic!("no {code} at {place} with {part:?} in:\n{}", all()));
        assert!(found.hint.is_some(), "{found:?} has no next step");
        found
    }

    /// Checks which codes there are.
    pub(super) fn codes(&self, expect: &[&str]) {
        let codes: Vec<&str> = self.found.iter().map(|found| found.code).collect();
        assert_eq!(codes, expect, "{:#?}", self.found);
    }

    /// `content/guide.md:5`, or `evidence/…` without the run's id.
    fn place(&self, found: &Diagnostic) -> String {
        match &found.place {
            Place::Text(span) => {
                format!("{}:{}", self.sources.path(span.file), self.sources.line(*span))
            }
            Place::File(path, line) => {
                let parts: Vec<&str> = path
                    .split('/')
                    .map(|p| if super::record::is_run_id(p) { "RUN" } else { p })
                    .collect();
                let line = line.map_or(String::new(), |line| format!(":{line}"));
                format!("{}{line}", parts.join("/"))
            }
            Place::None => String::new(),
        }
    }
}

/// An environment from pairs.
pub(super) fn environment(pairs: &[(&str, &str)]) -> Environment {
    pairs.iter().map(|(key, version)| ((*key).to_owned(), (*version).to_owned())).collect()
}

/// A block as the parser would make it.
fn block(file: FileId, of: (&str, &str, &str, std::ops::Range<usize>)) -> Block {
    let (id, commands, output, range) = of;
    let span = Span::new(file, range);
    let header = parse_header(&format!("sh {{#{id}}}")).expect("valid header");
    let output = (!output.is_empty()).then(|| OutputFence {
        text: output.into(),
        lines: Vec::new(),
        content: span,
        open_run: span,
        close_run: span,
        prefix: String::new(),
        span,
        vary: Vec::new(),
        within: crate::vary::Within::default(),
        order: crate::book::Order::Natural,
    });
    Block {
        id: id.into(),
        kind: BlockKind::Shell,
        text: commands.into(),
        attributes: header.attributes.unwrap_or_default(),
        options: BlockOptions::default(),
        span,
        lines: Vec::new(),
        output,
    }
}

/// A statement as the parser would make it.
fn claim_span(file: FileId, of: (&str, &str, std::ops::Range<usize>)) -> ClaimSpan {
    let (id, statement, range) = of;
    let span = Span::new(file, range);
    let mut bare_numbers = Vec::new();
    let mut lives = Vec::new();
    for part in statement.split('{').skip(1).filter_map(|rest| rest.split('}').next()) {
        match part.strip_prefix('=') {
            Some(name) => lives.push(name.to_owned()),
            None => bare_numbers.push((part.to_owned(), span)),
        }
    }
    ClaimSpan {
        id: id.into(),
        statement: statement.into(),
        digest_text: statement.into(),
        span,
        bare_numbers,
        lives,
    }
}
