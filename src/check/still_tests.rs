//! Pages that change, and what others ask them for.

use std::collections::BTreeSet;

use super::*;
use crate::check::offline;

/// Whether a site of these files still works when one of them has another text.
fn still(files: &[(&str, &str)], (name, text): (&str, &str)) -> (bool, Wanted) {
    let names: BTreeSet<String> = files.iter().map(|(name, _)| (*name).to_owned()).collect();
    let read = |name: &str| {
        let text = files.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text);
        Ok(Some(text.as_bytes().to_vec()))
    };
    let (found, mut wanted) = offline(&names, &read).expect("readable");
    assert_eq!(found, []);
    let changed = BTreeMap::from([(name.to_owned(), text.as_bytes().to_vec())]);
    let still = is_offline_still(&|name| names.contains(name), &changed, &mut wanted, &read)
        .expect("readable");
    (still, wanted)
}

#[test]
fn a_page_that_changes_keeps_what_others_ask_it_for_and_asks_for_what_is_there() {
    let site = [("a.html", "<p id=x><p id=y>"), ("b.html", "<p id=z><a href='a.html#x'>a</a>")];
    let check = |name: &str, text: &str, expect: bool| {
        assert_eq!(still(&site, (name, text)).0, expect, "{name}: {text}");
    };
    check("a.html", "<p id=x>", true);
    check("a.html", "<p id=y>", false);
    check("a.html", "<p id=x><a href='b.html#z'>b</a>", true);
    check("a.html", "<p id=x><a href='b.html#w'>b</a>", false);
    check("a.html", "<p id=x><a href='#y'>b</a>", false);
    check("a.html", "<p id=x><a href='c.html'>b</a>", false);
    check("a.html", "<p id=x><script type=module></script>", false);
    check("b.html", "<a href='a.html#y'>a</a>", true);
    let (_, wanted) = still(&site, ("b.html", "<a href='a.html#y'>a</a>"));
    assert_eq!(wanted["a.html"], BTreeSet::from(["x".to_owned(), "y".to_owned()]));
}
