//! Golden classes of each language, and the bounds.

use super::*;

/// Writes `<span class="k">x</span>` as `k(x)`, so that a golden text can be read.
fn check(language: &str, text: &str, expect: &str) {
    let lines = Highlight::default().lines(language, text).join("\n");
    let short = lines.replace("<span class=\"", "").replace("\">", "(").replace("</span>", ")");
    assert_eq!(short, expect, "{language}");
}

#[test]
fn golden_yaml() {
    check(
        "yaml",
        "# c\nkind: Pod\nlist:\n  - name: \"x\" # c\n    port: 8080\n    on: true\n",
        "c(# c)\na(kind): Pod\na(list):\n  p(-) a(name): s(&quot;x&quot;) c(# c)\n    a(port): d(8080)\n    d(on): d(true)",
    );
}

#[test]
fn golden_bash() {
    check(
        "sh",
        "if [ -n \"$A\" ]; then\n  kubectl -n dns get pods | grep 'x' > out\nfi # c\n",
        "k(if) n([) o(-n) s(&quot;)v($A)s(&quot;) n(])o(;) k(then)\n  n(kubectl) o(-n) dns get pods o(|) n(grep) s(&#39;x&#39;) o(&gt;) out\nk(fi) c(# c)",
    );
}

#[test]
fn a_comment_behind_a_command_leaves_the_next_line_alone() {
    check(
        "sh",
        "ls -l # 첫째\nkubectl -n x get pods   # 둘째\necho \"a # b\"\n",
        "n(ls) o(-l) c(# 첫째)\nn(kubectl) o(-n) x get pods   c(# 둘째)\nn(echo) s(&quot;a # b&quot;)",
    );
}

#[test]
fn golden_json() {
    check(
        "json",
        "{\"a\": [1, true, \"s\\n\"], \"b\": null}\n",
        "{a(&quot;a&quot;): [d(1), d(true), s(&quot;s)q(\\n)s(&quot;)], a(&quot;b&quot;): d(null)}",
    );
}

#[test]
fn golden_rust() {
    check(
        "rust",
        "/// doc\nfn main(x: &str) -> u8 { let y = 1; println!(\"a{}\", Foo::bar()) }\n",
        "c(/// doc)\nk(fn) n(main)(x: o(&amp;)k(str)) -&gt; k(u8) { k(let) y o(=) d(1); m(println!)(s(&quot;a)q({})s(&quot;), Foo::bar()) }",
    );
}

#[test]
fn golden_nginx() {
    check(
        "nginx",
        "server {\n  listen 80; # c\n  location /x { proxy_pass http://b$uri; }\n}\n",
        "k(server) {\n  n(listen) d(80); c(# c)\n  k(location) /x { n(proxy_pass) http://bv($uri); }\n}",
    );
}

#[test]
fn golden_dockerfile() {
    check(
        "dockerfile",
        "FROM debian:12 AS b\nRUN apt-get install -y x && true\nENV A=1\n",
        "k(FROM) debian:d(12) k(AS) v(b)\nk(RUN) n(apt-get) install o(-y) x o(&amp;&amp;) n(true)\nk(ENV )A=1",
    );
}

#[test]
fn golden_diff() {
    check(
        "diff",
        "--- a\n@@ -1 +1 @@\n-x <y>\n+y\n",
        "h(--- a)\nd(@@ -1 +1 @@)\nx(-x &lt;y&gt;)\ni(+y)",
    );
}

#[test]
fn golden_toml() {
    check("toml", "[a]\nb = \"c\"\nd = 1\n", "[h(a)]\na(b) = s(&quot;c&quot;)\na(d) = d(1)");
}

#[test]
fn golden_mermaid() {
    check(
        "mermaid",
        "flowchart LR\n  A[\"가\"] -->|x| B\n  %% c\n  A --x B: 실패\n",
        "k(flowchart) LR\n  A[s(&quot;가&quot;)] o(--&gt;)|x| B\n  c(%% c)\n  A o(--x) B: 실패",
    );
}

#[test]
fn golden_corefile() {
    check("Corefile", "a.b:53 {\n  cache 30 # s\n}", "t(a.b:53) {\n  n(cache) d(30) c(# s)\n}");
}

#[test]
fn large_blocks_and_long_lines_are_shown_plain_at_once() {
    let highlight = Highlight::default();
    let block = "a: \"b\"\n".repeat(LONGEST_BLOCK / 7 + 1);
    let line = format!("a: \"{}\"\nb: 1\n", "x".repeat(LONGEST_LINE));
    for text in [&block, &line] {
        assert!(!highlight.lines("yaml", text).iter().any(|line| line.contains("<span")));
    }
}

#[test]
fn a_line_that_was_seen_before_is_coloured_by_what_stands_before_it() {
    let texts = [
        ("bash", "echo a # b\ncat <<'E'\necho a # b\nif x\nE\necho a # b\n"),
        ("yaml", "a: 1\nb: |\n  a: 1\n  # no\na: 1\n# yes\n"),
        ("rust", "/* fn a() {}\nfn a() {}\n*/\nfn a() {}\n"),
        ("json", "{\"a\": 1}\n{\"a\": 1}"),
    ];
    let all = || texts.map(|(language, text)| Highlight::default().lines(language, text));
    // A thread of its own has seen nothing yet.
    let fresh = texts.map(|(language, text)| {
        let colour = move || Highlight::default().lines(language, text);
        std::thread::spawn(colour).join().expect("no panic")
    });
    assert_eq!(all(), fresh);
    assert_eq!(all(), fresh);
    let rust = &fresh[2];
    assert_ne!(rust[1], rust[3]);
}
