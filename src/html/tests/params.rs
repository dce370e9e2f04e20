//! Parameters of a page in its commands.

use super::{body, check};

#[test]
fn commands_of_every_kind_show_the_values() {
    check(
        "---\nparams: {ns: dns-lab}\n---\n```sh {#a}\nget \"$ns\"\n```\n",
        r##"<section class="run" id="block-a" aria-label="Runnable block a"><header><span class="id">a</span><span>bash</span><button type="button" class="copy" hidden>Copy</button></header>
<pre tabindex="0"><code><span class="n">get</span> <span class="s">&quot;</span><span class="param" data-param="ns" data-in="quotes" title="$ns">dns-lab</span><span class="s">&quot;</span></code></pre>
<footer><span class="state idle">○ no run recorded</span></footer></section>"##,
    );
    check(
        "---\nparams: {ns: it's}\n---\n```console\n$ get $ns\n$ns\n```\n",
        r##"<div class="code"><header><span>console</span><button type="button" class="copy" hidden>Copy</button></header><pre tabindex="0"><code><span class="g">$ </span><span class="n">get</span> <span class="param" data-param="ns" title="$ns">&#39;it&#39;\&#39;&#39;s&#39;</span>
<span class="u">$ns
</span></code></pre></div>"##,
    );
    check(
        "---\nparams: {ns: lab}\n---\n```bash {.numbered}\n# $ns\nx <<E\na $ns b\nE\n```\n",
        r##"<div class="code"><header><span>bash</span><button type="button" class="copy" hidden>Copy</button></header><pre tabindex="0"><code class="numbered"><span class="l"><span class="c"># $ns</span>
</span><span class="l"><span class="n">x</span> <span class="o">&lt;&lt;</span><span class="k">E</span>
</span><span class="l">a <span class="param" data-param="ns" data-in="document" title="$ns">lab</span> b
</span><span class="l"><span class="k">E</span>
</span></code></pre></div>"##,
    );
}

#[test]
fn only_what_is_shown_can_be_filled_in() {
    let page = |params: &str, script: &str| {
        let text = format!("---\nparams: {params}\n---\n```sh {{#a}}\n{script}\n```\n");
        body(&text).params
    };
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(page("{ns: a, other: b}", "echo ${ns}"), [pair("ns", "a")]);
    assert_eq!(page("{ns: a}", "ns=x; echo $ns"), []);
    assert_eq!(page("{ns: a}", "echo '$ns'"), []);
    assert_eq!(page("{ns: \"a\\nb\"}", "echo $ns"), []);
    assert_eq!(body("```sh {#a}\necho $ns\n```\n").params, []);
}
