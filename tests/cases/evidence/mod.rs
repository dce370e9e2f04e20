//! Evidence, kits and the offline copy: cases 1 to 43, one test each, named by its number. Those
//! that need a browser stand in `tests/browser/evidence.mjs`.

mod arriving;
mod kits;
mod links;
mod offline;
mod runs;
mod shown;

use std::collections::BTreeMap;

use regex::Regex;

use crate::support::World;

/// The lab, built.
fn built() -> World {
    let world = World::site("lab");
    world.labdoc("build").any_output().success();
    world
}

#[test]
fn every_case_has_one_test_of_its_number() {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut texts = vec![
        std::fs::read_to_string(format!("{root}/tests/browser/evidence.mjs")).expect("browser"),
    ];
    let folder = std::fs::read_dir(format!("{root}/tests/cases/evidence")).expect("folder");
    for entry in folder {
        texts.push(std::fs::read_to_string(entry.expect("entry").path()).expect("text"));
    }
    let named = Regex::new(r"(?:\n#\[test\]\nfn |\n  await )case_(\d\d)_").expect("pattern");
    let mut count: BTreeMap<u32, u32> = (1..=43).map(|number| (number, 0)).collect();
    for text in &texts {
        for found in named.captures_iter(text) {
            *count.entry(found[1].parse().expect("number")).or_default() += 1;
        }
    }
    let wrong: Vec<_> = count.iter().filter(|(_, tests)| **tests != 1).collect();
    assert!(count.len() == 43 && wrong.is_empty(), "number and tests: {wrong:?}");
}
