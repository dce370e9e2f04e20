//! What the programs of `fuzz/` call: each target takes any bytes and panics where a promise does
//! not hold. The tests give the targets the seeds, and what fuzzing ever found.

/// A target: any bytes, and a panic where a promise does not hold.
pub type Target = fn(&[u8]);

/// Every target by its name, which is that of its program and of its folder of seeds.
pub const TARGETS: &[(&str, Target)] = &[
    ("archive", crate::evidence::fuzz::archive),
    ("compare", crate::compare::fuzz::comparison),
    ("escape", crate::html::fuzz::escaping),
    ("fence", crate::fence::fuzz::fence),
    ("page", crate::html::fuzz::page),
    ("paths", crate::kit::fuzz::paths),
    ("records", crate::evidence::fuzz::records),
    ("refresh", crate::verify::fuzz::refresh),
    ("search", crate::site::fuzz_search),
    ("settings", crate::book::fuzz::settings),
];

/// Gives bytes to the target of that name.
///
/// # Panics
/// A promise does not hold, or no target has that name.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    let (_, target) = target.unwrap_or_else(|| panic!("no target {name}"));
    target(data);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::disk;

    /// The files below a folder of `fuzz/`.
    fn inputs(folder: &str) -> Vec<(String, Vec<u8>)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(folder);
        if !disk::is_folder(&folder) {
            return Vec::new();
        }
        let names = disk::files_below(&folder).expect("a folder of fuzz/");
        let read = |name: &String| disk::read(&folder.join(name)).expect("an input");
        names.iter().map(|name| (name.clone(), read(name))).collect()
    }

    /// Each target has seeds and a program, and every input stands in the folder of a target.
    #[test]
    fn targets_programs_and_seeds_belong_together() {
        let names: BTreeSet<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
        let folder = |path: &str| path.split('/').next().unwrap_or("").to_owned();
        let seeded: BTreeSet<String> =
            inputs("seeds").iter().map(|(path, _)| folder(path)).collect();
        assert!(seeded.iter().map(String::as_str).eq(names.iter().copied()), "{seeded:?}");
        let programs = inputs("fuzz_targets");
        let programs: BTreeSet<&str> =
            programs.iter().map(|(path, _)| path.trim_end_matches(".rs")).collect();
        assert_eq!(programs, names);
    }

    #[test]
    fn seeds_and_what_fuzzing_found_hold() {
        for from in ["seeds", "found"] {
            for (path, bytes) in inputs(from) {
                let (target, _) = path.split_once('/').expect("a folder of a target");
                let ended = std::panic::catch_unwind(|| run(target, &bytes));
                assert!(ended.is_ok(), "fuzz/{from}/{path} fails; the reason stands above");
            }
        }
    }
}
