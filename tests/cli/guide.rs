//! The user guide against the program: its blocks run, and its tables name what the program knows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::support::World;

/// The repository.
fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file of the repository.
fn text(path: &str) -> String {
    std::fs::read_to_string(repository().join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A page of the guide without its fences.
fn page(name: &str) -> String {
    let text = text(&format!("content/guide/{name}.en.md"));
    let mut open = 0;
    let mut out = String::new();
    for line in text.lines() {
        let run = line.len() - line.trim_start_matches('`').len();
        match (open, run) {
            (0, 3..) => open = run,
            (0, _) => out.push_str(&format!("{line}\n")),
            (_, _) if run >= open && line.len() == run => open = 0,
            _ => {}
        }
    }
    assert_eq!(open, 0, "{name}: a fence is open");
    out
}

/// The part of a page below a heading, up to the next one of its level or above.
fn below<'a>(page: &'a str, heading: &str) -> &'a str {
    let at = page.find(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no `{heading}`"));
    let body = &page[at + heading.len() + 2..];
    let level = heading.split(' ').next().map_or(0, str::len);
    let ends = (1..=level).filter_map(|n| body.find(&format!("\n{} ", "#".repeat(n)))).min();
    &body[..ends.unwrap_or(body.len())]
}

/// The cells of the tables in a text, row by row, without their heads.
fn rows(text: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| -> Vec<String> {
        let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
        inner.split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let lines: Vec<&str> = text.lines().collect();
    let is_rule = |line: &&str| line.starts_with("|--");
    let heads: BTreeSet<usize> =
        (1..lines.len()).filter(|at| is_rule(&lines[*at])).flat_map(|at| [at - 1, at]).collect();
    let table =
        lines.iter().enumerate().filter(|(at, line)| line.starts_with('|') && !heads.contains(at));
    table.map(|(_, line)| cells(line)).collect()
}

/// The words in backticks.
fn words(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The words of the first cells of the tables in a text.
fn keys(text: &str) -> BTreeSet<String> {
    rows(text).iter().flat_map(|row| words(&row[0])).collect()
}

/// The fields of a struct of the program, but those that are not read.
fn fields(file: &str, name: &str) -> BTreeSet<String> {
    let source = text(file);
    let at = source.find(&format!("struct {name} {{\n")).unwrap_or_else(|| panic!("no {name}"));
    let body = &source[at..];
    let body = &body[..body.find("\n}").expect("end")];
    let field = Regex::new(r"^    (?:pub(?:\([a-z]+\))? )?([a-z0-9_]+): ").expect("pattern");
    let lines: Vec<&str> = body.lines().collect();
    let is_read = |at: &usize| !lines[at - 1].contains("serde(skip)");
    let found = (1..lines.len()).filter(is_read).filter_map(|at| field.captures(lines[at]));
    found.map(|found| found[1].to_owned()).collect()
}

/// The words of a constant list of the program.
fn list(file: &str, name: &str) -> BTreeSet<String> {
    let source = text(file);
    let at = source.find(&format!("const {name}: ")).unwrap_or_else(|| panic!("no {name}"));
    let body = &source[at..];
    let body = &body[..body.find("];").expect("end")];
    body.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_blocks_of_the_guide_print_what_it_shows() {
    let world = World::new();
    let labdoc = Path::new(env!("CARGO_BIN_EXE_labdoc"));
    let folder = labdoc.parent().expect("folder").to_string_lossy();
    let ended = world
        .labdoc("verify content/guide")
        .current_dir(&repository())
        .env("PATH", &format!("{folder}:/usr/local/bin:/usr/bin:/bin"))
        .any_output()
        .success();
    assert!(ended.stdout.trim_end().ends_with("0 differ, 0 failed, 0 skipped"), "{}", ended.stdout);
}

#[test]
fn every_command_stands_in_the_guide_with_its_help() {
    let world = World::new();
    let mut commands = vec![String::new()];
    let mut at = 0;
    while at < commands.len() {
        let of = commands[at].clone();
        let help = world.labdoc(&format!("{of} --help")).any_output().success().stdout;
        let listed = help.split("Commands:\n").nth(1).unwrap_or_default();
        // A name is indented by two blanks; what continues its sentence by more.
        let is_name = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
        let names = listed.lines().take_while(|line| !line.trim().is_empty()).filter(is_name);
        let names = names.filter_map(|line| line.split_whitespace().next());
        commands.extend(names.filter(|n| *n != "help").map(|n| format!("{of} {n}")));
        at += 1;
    }
    let page = text("content/guide/commands.en.md");
    let asked = Regex::new(r"(?m)^labdoc( [a-z -]+)? --help$").expect("pattern");
    let shown: BTreeSet<String> = asked
        .captures_iter(&page)
        .map(|found| found.get(1).map_or(String::new(), |name| name.as_str().to_owned()))
        .collect();
    assert_eq!(shown, commands.into_iter().collect());
}

#[test]
fn the_keys_of_book_toml_are_the_guide_s() {
    let page = page("settings");
    let mut shown: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in rows(below(&page, "## book.toml")) {
        let table = row[0].trim_matches('`').to_owned();
        shown.entry(table).or_default().extend(words(&row[1]));
    }
    shown.entry("[vars]".to_owned()).or_default();
    let model = "src/config/model.rs";
    let tables = [
        ("[book]", "BookTable"),
        ("[kit.NAME]", "KitTable"),
        ("[verify]", "VerifyTable"),
        ("[verify.classes.NAME]", "ClassTable"),
        ("[evidence]", "EvidenceTable"),
        ("[links]", "LinksTable"),
        ("[markup]", "MarkupTable"),
        ("[theme]", "ThemeTable"),
        ("[offline]", "OfflineTable"),
        ("[environments.KEY]", "Axis"),
    ];
    let mut known: BTreeMap<String, BTreeSet<String>> =
        tables.iter().map(|(table, name)| ((*table).to_owned(), fields(model, name))).collect();
    known.insert("[vars]".to_owned(), BTreeSet::new());
    assert_eq!(shown, known);
    let top: BTreeSet<String> = shown
        .keys()
        .map(|table| table.trim_matches(['[', ']']).split('.').next().unwrap_or("").to_owned())
        .collect();
    assert_eq!(top, fields(model, "BookToml"));
}

#[test]
fn the_keys_of_a_header_are_the_guide_s() {
    let page = page("settings");
    let part = below(&page, "## The header of a page");
    let (of_page, of_verify) = part.split_once("| key below `verify` |").expect("two tables");
    let model = "src/book/header.rs";
    assert_eq!(keys(of_page), fields(model, "FrontMatter"));
    let of_verify = format!("| key |{of_verify}");
    assert_eq!(keys(&of_verify), fields(model, "VerifyHeader"));
}

#[test]
fn the_keys_of_the_evidence_files_are_the_guide_s() {
    let page = page("settings");
    let check = |heading: &str, file: &str, name: &str| {
        assert_eq!(keys(below(&page, heading)), fields(file, name), "{heading}");
    };
    check("## claims.yaml", "src/evidence/claims_raw.rs", "RawEntry");
    check("## evidence/reports.yaml", "src/evidence/records.rs", "Report");
    check("## evidence/sources.yaml", "src/evidence/records.rs", "Source");
    check("## evidence/corrections.yaml", "src/evidence/corrections.rs", "Raw");
    check("## evidence/waivers.yaml", "src/evidence/waivers.rs", "Waiver");
}

/// The option names in a text's words: `timeout=60s` is `timeout`, `.setup` is `.setup`.
fn options(words: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    let name = |word: String| match word.split_once('=') {
        Some((key, _)) => Some(key.to_owned()),
        None => word.starts_with('.').then_some(word),
    };
    words.into_iter().filter_map(name).collect()
}

/// The option names that the program knows: keys, and classes with their dot.
fn known_options(keys: &str, classes: &str) -> BTreeSet<String> {
    let file = "src/book/blocks/options.rs";
    let classes = list(file, classes);
    list(file, keys).into_iter().chain(classes.iter().map(|name| format!(".{name}"))).collect()
}

#[test]
fn the_options_of_blocks_and_outputs_are_the_guide_s() {
    let page = page("blocks");
    let of_blocks = below(&page, "## Options of a block");
    assert_eq!(options(keys(of_blocks)), known_options("BLOCK_KEYS", "BLOCK_CLASSES"));
    let of_outputs = below(&page, "## Options of an output");
    assert_eq!(options(keys(of_outputs)), known_options("OUTPUT_KEYS", "OUTPUT_CLASSES"));
    let manifest = of_blocks.lines().find(|line| line.starts_with("A manifest ")).expect("line");
    assert_eq!(options(words(manifest)), known_options("YAML_KEYS", "YAML_CLASSES"));
}

#[test]
fn the_value_classes_are_the_guide_s_in_their_order() {
    let source = text("src/vary/builtin.rs");
    let row = Regex::new(r#"row\(\s*"([a-z]+)",\s*Kind::(Name|Quantity)"#).expect("pattern");
    let mut known: Vec<(String, String)> =
        row.captures_iter(&source).map(|r| (r[1].to_owned(), r[2].to_lowercase())).collect();
    known.dedup();
    let page = page("blocks");
    let shown: Vec<(String, String)> = rows(below(&page, "## Value classes"))
        .into_iter()
        .filter(|row| row.len() == 3)
        .map(|row| (words(&row[0]).concat(), row[1].clone()))
        .collect();
    assert_eq!(shown, known);
}

#[test]
fn the_guide_names_every_page_of_its_own() {
    let index = page("index");
    for entry in std::fs::read_dir(repository().join("content/guide")).expect("folder") {
        let name = entry.expect("entry").file_name().to_string_lossy().into_owned();
        if name.ends_with(".en.md") && name != "index.en.md" {
            assert!(index.contains(&format!("]({name})")), "index.en.md does not lead to {name}");
        }
    }
}
