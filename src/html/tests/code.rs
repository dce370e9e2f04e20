//! Fences and run units.

use super::check;

#[test]
fn a_run_unit() {
    check(
        r##"1. 실행

   ```sh {#setup .setup title="준비 <x>"}
   bash setup.sh
   kubectl -n dns-lab get pods
   ```

   ```output {for=setup vary=ip}
   DNS = <10.0.0.1>        <- 다르다 <b>
   ...
   \...
   a  \<- b
   ```"##,
        r##"<ol>
<li><p>실행</p>
<section class="run" id="block-setup" aria-label="Runnable block setup"><header><span class="id">setup</span><span class="title">준비 &lt;x&gt;</span><span>bash · 22초</span><span class="badge setup">setup</span><button type="button" class="copy" hidden>Copy</button></header>
<pre tabindex="0"><code><span class="n">bash</span> setup.sh
<span class="n">kubectl</span> <span class="o">-n</span> dns-lab get pods</code></pre>
<pre class="output" tabindex="0"><code>DNS = &lt;<span class="vary" title="may differ from run to run">10.0.0.1</span>&gt;        <span class="aside">← 다르다 &lt;b&gt;</span>
<span class="gap">⋯</span>
...
a  &lt;- b</code></pre>
<footer><span class="state ok">✓ 확인됨</span><span>2026-11-29, Envoy &lt;1.38&gt;</span><a href="t.html">T7</a></footer></section>
</li>
</ol>"##,
    );
}

#[test]
fn an_output_apart() {
    check(
        r##"- 항목

  ```sh {#b .teardown}
  echo hi
  ```

> ```output {for=b}
> hi
> ```"##,
        r##"<ul>
<li><p>항목</p>
<section class="run" id="block-b" aria-label="Runnable block b"><header><span class="id">b</span><span>bash</span><span class="badge teardown">clean-up</span><button type="button" class="copy" hidden>Copy</button></header>
<pre tabindex="0"><code><span class="n">echo</span> hi</code></pre>
<footer><span class="state idle">○ no run recorded</span></footer></section>
</li>
</ul>
<blockquote>
<section class="run apart" aria-label="Output of b"><header><span>Output of <a class="id" href="#block-b">b</a></span></header>
<pre class="output" tabindex="0"><code>hi</code></pre>
</section>
</blockquote>"##,
    );
}

#[test]
fn the_comment_form() {
    check(
        r##"<!-- labdoc {#c .skip} -->
```sh
c
```

<!-- labdoc {for=c} -->
```
out
```

끝"##,
        r##"<section class="run" id="block-c" aria-label="Runnable block c"><header><span class="id">c</span><span>bash</span><span class="badge skip">not run</span><button type="button" class="copy" hidden>Copy</button></header>
<pre tabindex="0"><code><span class="n">c</span></code></pre>
<pre class="output" tabindex="0"><code>out</code></pre>
<footer><span class="state idle">○ no run recorded</span></footer></section>
<p>끝</p>"##,
    );
}

#[test]
fn console_sessions() {
    check(
        r##"```console {#k vary=n}
$ echo 1 \
  -x
1
two  <- note
$ cat <<E
> a
> E
```"##,
        r##"<section class="run" id="block-k" aria-label="Runnable block k"><header><span class="id">k</span><span>console</span><button type="button" class="copy" hidden>Copy</button></header>
<pre tabindex="0"><code><span class="g">$ </span><span class="n">echo</span> 1 \
  -x
<span class="u"><span class="vary" title="may differ from run to run">1</span>
two  <span class="aside">← note</span>
</span><span class="g">$ </span><span class="n">cat</span> <span class="o">&lt;&lt;</span><span class="k">E</span>
<span class="g">&gt; </span>a
<span class="g">&gt; </span><span class="k">E</span></code></pre>
<footer><span class="state idle">○ no run recorded</span></footer></section>"##,
    );
    check(
        r##"```console
$ ls -l
x <y>
```"##,
        r##"<div class="code"><header><span>console</span><button type="button" class="copy" hidden>Copy</button></header><pre tabindex="0"><code><span class="g">$ </span><span class="n">ls</span> <span class="o">-l</span>
<span class="u">x &lt;y&gt;
</span></code></pre></div>"##,
    );
}

#[test]
fn titles_numbers_and_marked_lines() {
    check(
        r##"```yaml {title="a<b>.yaml" .numbered mark="2"}
a: 1
b: "x"
```"##,
        r##"<div class="code"><header><span class="title">a&lt;b&gt;.yaml</span><button type="button" class="copy" hidden>Copy</button></header><pre tabindex="0"><code class="numbered"><span class="l"><span class="a">a</span>: <span class="d">1</span>
</span><span class="l m"><span class="a">b</span>: <span class="s">&quot;x&quot;</span>
</span></code></pre></div>"##,
    );
    check(
        r##"```yaml {.diff}
 a: 1
-b: 2
+b: 3
```"##,
        r##"<div class="code"><header><span>yaml</span><button type="button" class="copy" hidden>Copy</button></header><pre tabindex="0"><code><span class="l"> <span class="a">a</span>: <span class="d">1</span>
</span><span class="l x">-<span class="a">b</span>: <span class="d">2</span>
</span><span class="l i">+<span class="a">b</span>: <span class="d">3</span>
</span></code></pre></div>"##,
    );
    check(
        r##"```rust,ignore title="m.rs"
1
```"##,
        r##"<div class="code"><header><span class="title">m.rs</span><button type="button" class="copy" hidden>Copy</button></header><pre tabindex="0"><code><span class="d">1</span></code></pre></div>"##,
    );
}

#[test]
fn plain_text() {
    check(
        r##"```text
┌─▶ <x>
```

    indented <x>"##,
        r##"<div class="code"><pre tabindex="0"><code>┌─▶ &lt;x&gt;</code></pre></div>
<div class="code"><pre tabindex="0"><code>indented &lt;x&gt;</code></pre></div>"##,
    );
}
