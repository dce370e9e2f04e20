//! Diagrams, formulas and pictures that blow up.

use super::{Case, build, check, hold, page};
use crate::support::World;

/// A page with a diagram.
fn diagram(source: &str) -> World {
    page(&format!("```mermaid\n{source}\n```"))
}

/// A page with a formula; formulas are switched on.
fn formula(source: &str) -> World {
    let book = format!("{}[markup]\nmath = true\n", crate::support::BOOK);
    page(&format!("$$\n{source}\n$$")).file("book.toml", book)
}

/// A page with an SVG file as an image.
fn picture(svg: &str) -> World {
    page("![x](x.svg)").file("content/x.svg", svg)
}

/// Entities of entities of entities.
fn entities() -> String {
    let level = |n: u32| format!("<!ENTITY e{n} \"{}\">", format!("&e{};", n - 1).repeat(10));
    let levels: String = (1..10).map(level).collect();
    format!(
        "<?xml version=\"1.0\"?><!DOCTYPE svg [<!ENTITY e0 \"xxxxxxxxxx\">{levels}]><svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"><text>&e9;</text></svg>"
    )
}

const CASES: &[Case] = &[
    build("a diagram of ten thousand arrows", 1, "error[DG", || {
        diagram(&format!(
            "flowchart TD\n{}",
            (0..10_000).map(|n| format!("a{n}-->b{}\n", n % 97)).collect::<String>()
        ))
    }),
    build("everything with everything", 1, "error[DG", || {
        let names = (0..200).map(|n| format!("n{n}")).collect::<Vec<_>>().join(" & ");
        diagram(&format!("flowchart TD\n{names} --> {names}\n"))
    }),
    build("groups in groups", 0, "1 page", || {
        diagram(&format!(
            "flowchart TD\n{}x\n{}",
            "subgraph a\n".repeat(2_000),
            "end\n".repeat(2_000)
        ))
    }),
    build("a mind map that is ever deeper", 1, "error[DG", || {
        diagram(&format!(
            "mindmap\n{}",
            (0..2_000).map(|n| format!("{}x{n}\n", " ".repeat(n + 1))).collect::<String>()
        ))
    }),
    build("states in states", 1, "error[DG", || {
        let open: String = (0..1_000).map(|n| format!("state s{n} {{\n")).collect();
        diagram(&format!("stateDiagram-v2\n{open}x --> y\n{}", "}\n".repeat(1_000)))
    }),
    build("a label of a megabyte", 1, "error[DG", || {
        diagram(&format!("flowchart TD\na[\"{}\"]\n", "x".repeat(1_000_000)))
    }),
    build("a link in a diagram that runs something", 0, "1 page", || {
        diagram("flowchart TD\na[x]\nclick a href \"javascript:alert(1)\"\n")
    }),
    build("fractions in fractions", 1, "error[MA", || {
        formula(&format!("{}x{}", "\\frac{".repeat(20_000), "}{y}".repeat(20_000)))
    }),
    build("open braces of a formula", 0, "1 page", || formula(&"{".repeat(50_000))),
    build("macros that call each other", 1, "error[MA", || formula("\\def\\a{\\a\\a}\\a")),
    check("entities of entities in a picture", 0, "", || picture(&entities())),
    check("elements in elements of a picture", 0, "", || {
        picture(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\">{}{}</svg>",
            "<g>".repeat(50_000),
            "</g>".repeat(50_000)
        ))
    }),
    check("a picture that says it is huge", 0, "", || {
        let world = page("![x](x.png)");
        world.write(
            "content/x.png",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xff\xff\xff\xff\xff\xff\xff\x08\x06\0\0\0",
        );
        world
    }),
];

#[test]
fn drawings_are_bounded() {
    hold(CASES);
}
