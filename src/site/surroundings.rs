//! What a page's HTML asks of the rest of the site: where links lead, how claims, runs and live
//! numbers stand.

use super::Site;
use super::evidence_pages::bundle_title;
use super::record::{
    CORRECTIONS_PAGE, SOURCES_PAGE, bundle_page, claim_page, environment_words, line_of,
    report_page, run_page,
};
use super::record_tables::ended_word;
use super::words::{reason, shown, state_word};
use crate::address::relative;
use crate::book::{Block, Page, class_names, is_claim_id};
use crate::check::links::{Target, anchors};
use crate::evidence::CheckOutcome;
use crate::html::{Chip, Diagrams, Highlight, RunState, State, World};
use crate::vary::Classes;

/// One page in one of its languages, and the site around it.
pub(super) struct Surroundings<'a> {
    pub(super) site: &'a Site<'a>,
    pub(super) page: &'a Page,
    /// Where it is shown.
    pub(super) out: &'a str,
}

impl Surroundings<'_> {
    /// A path of the site as seen from this page.
    fn to(&self, path: &str) -> String {
        relative(self.out, path)
    }

    /// Where a link leads in the language of the page: a link to a page under its plain name
    /// means its translation, where the page itself is one.
    fn translated(&self, path: String, fragment: Option<String>) -> (String, Option<String>) {
        let book = self.site.book;
        let default = &book.config.file.book.language;
        let found = book.translation(&path, default).filter(|_| self.site.language != default);
        let Some(at) = found else { return (path, fragment) };
        let version = self.site.version(at);
        let known = |id: &String| anchors(version.page).contains(id);
        (version.out, fragment.filter(known))
    }

    /// The state of a claim as a chip.
    fn chip(&self, id: &str, href: String) -> Option<Chip> {
        let state = self.site.evidence.states.get(id)?;
        let word = state_word(self.site, state.word);
        let mut title = format!("{id}: {word}");
        for sentence in state.reasons.iter().map(|why| reason(self.site, why)) {
            title.push_str(" · ");
            title.push_str(&sentence);
        }
        Some(Chip { href, state: Some(shown(state.word)), word, title })
    }
}

impl World for Surroundings<'_> {
    fn href(&self, dest: &str) -> Option<String> {
        match self.site.map.resolve(self.page, dest) {
            Ok(Target::Inside { path, fragment }) => {
                let (path, fragment) = self.translated(path, fragment);
                let here = path == self.out && fragment.is_some();
                let address = if here { String::new() } else { self.to(&path) };
                Some(match fragment {
                    Some(id) => format!("{address}#{}", crate::address::encode(&id)),
                    None => address,
                })
            }
            Ok(Target::Elsewhere) | Err(_) => None,
        }
    }

    fn claim(&self, id: &str) -> Option<Chip> {
        self.chip(id, format!("#record-{id}"))
    }

    fn cite(&self, id: &str) -> Option<Chip> {
        if is_claim_id(id) {
            let Some(claim) = self.site.evidence.claim(id) else {
                let gone = self.site.evidence.gone.iter().find(|gone| gone.id == id)?;
                let word = ended_word(self.site, id, gone.word);
                let title = format!("{id}: {word} · {}", gone.statement);
                let (href, state) = (self.to(&claim_page(id)), Some(shown(gone.word)));
                return Some(Chip { href, state, word, title });
            };
            let out = &self.site.book.pages[claim.page].out;
            let address = if out == self.out { String::new() } else { self.to(out) };
            return self.chip(id, format!("{address}#{id}"));
        }
        if let Some(correction) = self.site.evidence.records.corrections.get(id) {
            let href = format!("{}#{id}", self.to(CORRECTIONS_PAGE));
            let title = format!("{}: {}", correction.dated(), correction.reason);
            return Some(Chip { href, state: None, word: String::new(), title });
        }
        if let Some(source) = self.site.evidence.records.sources.get(id) {
            let href = format!("{}#{id}", self.to(SOURCES_PAGE));
            let title = format!("{id}: {}", source.publisher);
            return Some(Chip { href, state: None, word: String::new(), title });
        }
        let (to, title) = if let Some(bundle) = self.site.evidence.bundles.get(id) {
            (bundle_page(id), bundle_title(bundle).to_owned())
        } else {
            let report = self.site.evidence.records.reports.get(id)?;
            (report_page(id), report.title.clone())
        };
        Some(Chip {
            href: self.to(&to),
            state: None,
            word: String::new(),
            title: format!("{id}: {title}"),
        })
    }

    fn live(&self, name: &str) -> Option<String> {
        let own = self.page.front.verify.as_ref().and_then(|verify| verify.bundle.as_deref());
        let (bundle, name) = name.split_once('#').map_or((own, name), |(b, n)| (Some(b), n));
        let run = self.site.evidence.newest(bundle?, &self.page.front.environment)?;
        let line = run.verdict.values.get(name)?.line?;
        let (path, fragment) = line_of(&run.verdict.bundle, &run.verdict.run_id, line);
        Some(self.to(&path) + &fragment)
    }

    fn run(&self, block: &str) -> Option<RunState> {
        let bundle = self.page.front.verify.as_ref()?.bundle.as_deref()?;
        let run = self.site.evidence.newest(bundle, &self.page.front.environment)?;
        let check = run.verdict.checks.iter().find(|check| check.id == block)?;
        let changed =
            self.site.evidence.changed_blocks.contains(&(bundle.to_owned(), block.to_owned()));
        let stale = changed || self.site.evidence.stale_bundles.contains(bundle);
        let (state, key) = match (check.outcome, stale) {
            (CheckOutcome::Pass, false) => (State::Ok, "state_verified"),
            (CheckOutcome::Pass, true) => (State::Stale, "state_stale"),
            (CheckOutcome::Skip, _) => (State::Idle, "state_pending"),
            (CheckOutcome::Fail | CheckOutcome::Error, _) => (State::Bad, "state_failed"),
        };
        let date = run.verdict.date();
        let environment = environment_words(&run.verdict.environment);
        let detail = if environment.is_empty() {
            date.to_string()
        } else {
            format!("{date}, {environment}")
        };
        let href = self.to(&run_page(bundle, &run.verdict.run_id));
        #[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
        let seconds = check.duration_ms as f64 / 1000.0;
        let unit = self.site.theme.word("seconds").replace("{n}", &format!("{seconds:.1}"));
        Some(RunState {
            state,
            word: self.site.theme.word(key).to_owned(),
            detail,
            bundle: Some((bundle.to_owned(), href)),
            duration: Some(unit),
        })
    }

    fn classes(&self, block: &Block) -> Classes {
        let config = &self.site.book.config;
        config.classes.select(class_names(self.page, block, config))
    }

    fn word(&self, key: &str) -> &str {
        self.site.theme.words.get(key).map_or_else(|| default_word(key), String::as_str)
    }

    fn highlight(&self) -> &Highlight {
        self.site.highlight
    }

    fn diagrams(&self) -> &Diagrams {
        self.site.diagrams
    }

    fn image_size(&self, dest: &str) -> Option<(u32, u32)> {
        super::images::size(self.site, self.page, dest)
    }
}

/// The English word of the page's HTML for a key that the theme lacks.
fn default_word(key: &str) -> &'static str {
    crate::html::WORDS.iter().find(|(known, _)| *known == key).map_or("", |(_, word)| word)
}
