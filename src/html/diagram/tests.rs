//! Tests of drawings that need no site.

use super::*;

/// The drawing of a source, which must be drawn.
fn drawing(source: &str) -> Drawing {
    match &*Diagrams::default().draw(source) {
        Ok(drawing) => drawing.clone(),
        Err(fault) => panic!("{fault:?}\n{source}"),
    }
}

/// The place of a fault, as the rest of its line.
fn fault(source: &str) -> (String, String) {
    match &*Diagrams::default().draw(source) {
        Ok(_) => panic!("drawn: {source}"),
        Err(fault) => {
            let line = source[fault.at..].lines().next().unwrap_or("").to_owned();
            (fault.message.clone(), line)
        }
    }
}

#[test]
fn a_drawing_is_attributes_and_theme_colours() {
    let drawing = drawing("flowchart LR\n  A[\"가\"] -->|나| B{다}\n");
    assert!(!drawing.inner.contains("style") && !drawing.inner.contains("class=\"flow"));
    assert!(drawing.inner.contains("var(--mm-node)"), "{}", drawing.inner);
    assert!(drawing.inner.contains("var(--mm-line)"), "{}", drawing.inner);
    assert!(!drawing.inner.contains("#0101") && !drawing.inner.contains("rgba"));
    for word in ["가", "나", "다"] {
        assert!(drawing.inner.contains(word), "{word}");
    }
}

#[test]
fn an_authors_colour_stays_and_its_text_is_readable() {
    let drawing =
        drawing("flowchart LR\n  A[\"가\"] --> B\n  style A fill:#fff3cd,stroke:#d39e00\n");
    assert!(
        drawing.inner.contains("fill=\"#fff3cd\"") && drawing.inner.contains("stroke=\"#d39e00\"")
    );
    assert!(drawing.inner.contains("fill=\"#1b2330\""), "{}", drawing.inner);
}

#[test]
fn a_theme_of_the_source_is_left_out() {
    let plain = drawing("flowchart LR\n  A --> B\n");
    let forest = drawing("---\nconfig:\n  theme: forest\n---\nflowchart LR\n  A --> B\n");
    assert_eq!(plain.inner.replace(&plain.id, ""), forest.inner.replace(&forest.id, ""));
}

#[test]
fn titles_descriptions_and_links_are_taken_out() {
    let drawing = drawing(
        "flowchart LR\n  accTitle: 제목\n  accDescr: 설명\n  A --> B\n  click A \"b.md\"\n  click B \"javascript:alert(1)\"\n",
    );
    assert_eq!(drawing.title.as_deref(), Some("제목"));
    assert_eq!(drawing.description.as_deref(), Some("설명"));
    assert_eq!(drawing.links, ["b.md"]);
    assert!(
        drawing.inner.contains("href=\"\u{e000}0\u{e001}\"") && !drawing.inner.contains("alert")
    );
}

#[test]
fn entities_are_decoded_and_markup_is_text() {
    let drawing =
        drawing("flowchart LR\n  A[\"#quot;가#quot; #9829; &lt;t&gt;\"]\n  style A fill:#333;\n");
    assert!(drawing.inner.contains("”가”") && drawing.inner.contains('♥'), "{}", drawing.inner);
    assert!(drawing.inner.contains("fill=\"#333\""), "{}", drawing.inner);
}

#[test]
fn a_comment_may_stand_behind_a_statement() {
    drawing("flowchart LR\n  A[\"a %% b\"] --> B %% 주석\n");
}

#[test]
fn faults_have_a_place() {
    assert_eq!(fault("flowchrt TD\n  A --> B\n").1, "flowchrt TD");
    assert_eq!(fault("flowchart TD\n  A --> B\n  B --> C[\"가\n").1, "[\"가");
    assert_eq!(fault("").0, "the diagram is empty");
    assert!(fault(&"x".repeat(LONGEST + 1)).0.contains("longer than"));
}

#[test]
fn equal_sources_are_drawn_once_and_alike() {
    let diagrams = Diagrams::default();
    let first = diagrams.draw("pie\n  \"가\" : 1\n");
    assert!(Arc::ptr_eq(&first, &diagrams.draw("pie\n  \"가\" : 1\n")));
    assert_eq!(*first, *Diagrams::default().draw("pie\n  \"가\" : 1\n"));
}

#[test]
fn a_milestone_stands_on_its_tip_with_its_name_beside_it() {
    let gantt = |name: &str, after: &str| {
        drawing(&format!(
            "gantt\n  dateFormat YYYY-MM-DD\n  일 :a, 2026-07-01, 30d\n  {name} :milestone, m, {after}, 0d\n"
        ))
        .inner
    };
    for (name, after) in
        [("배포", "after a"), ("아주 긴 이름의 배포", "after a"), ("배포", "2026-07-02")]
    {
        let inner = gantt(name, after);
        let mark = inner.split("<rect ").find(|rect| rect.contains("rotate(45)")).expect("a mark");
        let number = |text: &str, name: &str| -> f64 {
            let rest = text.split(&format!(" {name}=\"")).nth(1).expect("attribute");
            rest.split('"').next().and_then(|value| value.parse().ok()).expect("number")
        };
        let (left, width) = (number(mark, "x"), number(mark, "width"));
        let text =
            inner.split("<text ").find(|text| text.contains(&format!(">{name}"))).expect("name");
        let at = number(&format!(" {text}"), "x");
        let outside =
            if text.contains("text-anchor=\"end\"") { at < left } else { at > left + width };
        assert!(outside, "{mark}\n{text}");
    }
}

#[test]
fn labels_are_measured_by_the_font_that_a_site_names() {
    let source = "flowchart LR\n  A[\"가나다라마바사아자차\"] --> B[\"x\"]\n";
    let drawn = |diagrams: &Diagrams| match &*diagrams.draw(source) {
        Ok(drawing) => drawing.size.0,
        Err(fault) => panic!("{}", fault.message),
    };
    let of = |advance| {
        let face = Face::new(&face::tests::hangul(advance), None);
        Diagrams::kept(Arc::default(), Some(face.expect("a font")))
    };
    // The usual width of a syllable is 0.96 of the size: a font of that width changes nothing.
    let usual = drawn(&Diagrams::default());
    assert_eq!(drawn(&of(960)), usual);
    let (narrow, wide) = (drawn(&of(860)), drawn(&of(1060)));
    let (less, more) = (f64::from(usual - narrow), f64::from(wide - usual));
    assert!(less > 10.0 && (less - more).abs() < 2.0, "{narrow} {usual} {wide}");
}
