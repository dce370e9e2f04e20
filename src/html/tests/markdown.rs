//! What Markdown gives.

use super::check;

#[test]
fn emphasis_closes_before_a_particle() {
    check(
        r##"# 제목 **x**

**쿠버네티스(K8s)**를, **"정책"**은, **`kubectl`**을, *기울임(it)*은, ~~지움(옛)~~임, 1~3개
둘째 줄 "따옴표""##,
        r##"<p><strong>쿠버네티스(K8s)</strong>를, <strong>&quot;정책&quot;</strong>은, <strong><code>kubectl</code></strong>을, <em>기울임(it)</em>은, <del>지움(옛)</del>임, 1~3개
둘째 줄 &quot;따옴표&quot;</p>"##,
    );
}

#[test]
fn headings_have_their_ids_and_a_link() {
    check(
        r##"# 제목

## 설치 전 할 일 {.x onclick=y #a}

#### `kubectl` <설치> &amp;

##### 다섯

# 다시"##,
        r##"<h2 id="a" class="x">설치 전 할 일 <a class="anchor" href="#a" aria-label="Link to this section: 설치 전 할 일"></a></h2>
<h4 id="kubectl-설치"><code>kubectl</code> &lt;설치&gt; &amp; <a class="anchor" href="#kubectl-설치" aria-label="Link to this section: kubectl &lt;설치&gt; &amp;"></a></h4>
<h5 id="다섯">다섯</h5>
<h1 id="다시">다시</h1>"##,
    );
}

#[test]
fn tables_align_by_class() {
    check(
        r##"| a | 수 |  |
|:--|--:|:-:|
| `x` | +2 | [셀 [2]{=flip.lost}개]{#C7}는 |"##,
        r##"<div class="table" tabindex="0" role="region" aria-label="Table 1: a, 수"><table>
<thead><tr><th scope="col" class="left">a</th><th scope="col" class="right">수</th><td class="center"></td></tr></thead><tbody>
<tr><td class="left"><code>x</code></td><td class="right num">+2</td><td class="center"><span class="claim" id="C7">셀 <a class="live" href="e.html#L2">2</a>개</span><a class="cite ok" href="#record-C7" title="&lt;확인됨&gt;"><span aria-hidden="true">✓ </span>C7<span class="sr"> 확인됨</span></a>는</td></tr>
</tbody>
</table></div>"##,
    );
}

#[test]
fn footnotes_link_back() {
    check(
        r##"x[^a] y[^a] z[^b]

[^b]: 둘

    ```text
    a
    ```

[^a]: 하나 *강조*"##,
        r##"<p>x<sup id="fnref-1"><a href="#fn-1" aria-label="Footnote 1">1</a></sup> y<sup id="fnref-1-2"><a href="#fn-1" aria-label="Footnote 1">1</a></sup> z<sup id="fnref-2"><a href="#fn-2" aria-label="Footnote 2">2</a></sup></p>
<section class="footnotes" aria-label="Footnotes"><ol>
<li id="fn-1" value="1"><p>하나 <em>강조</em> <a class="back" href="#fnref-1" aria-label="Back to the text 1">↩</a> <a class="back" href="#fnref-1-2" aria-label="Back to the text 1 2">↩ 2</a></p>
</li>
<li id="fn-2" value="2"><p>둘</p>
<div class="code"><pre tabindex="0"><code>a</code></pre></div>
<p> <a class="back" href="#fnref-2" aria-label="Back to the text 2">↩</a></p>
</li>
</ol></section>"##,
    );
}

#[test]
fn lists_tasks_and_definitions() {
    check(
        r##"- [ ] a
- [x] b

1. x
2. y

3) z"##,
        r##"<ul>
<li class="task"><input type="checkbox" disabled aria-label="not done"> a</li>
<li class="task"><input type="checkbox" disabled checked aria-label="done"> b</li>
</ul>
<ol>
<li>x</li>
<li>y</li>
</ol>
<ol start="3">
<li>z</li>
</ol>"##,
    );
    check(
        r##"용어
: 뜻 하나

: 뜻 둘"##,
        r##"<dl>
<dt>용어</dt>
<dd><p>뜻 하나</p>
</dd>
<dd><p>뜻 둘</p>
</dd>
</dl>"##,
    );
}

#[test]
fn callouts_of_each_kind() {
    check(
        r##"> [!NOTE]
> 몸"##,
        r##"<div class="callout note" role="note">
<p class="title">Note</p>
<p>몸</p>
</div>"##,
    );
    check(
        r##"> [!TIP]
> 몸"##,
        r##"<div class="callout tip" role="note">
<p class="title">Tip</p>
<p>몸</p>
</div>"##,
    );
    check(
        r##"> [!IMPORTANT]
> 몸"##,
        r##"<div class="callout important" role="note">
<p class="title">Important</p>
<p>몸</p>
</div>"##,
    );
    check(
        r##"> [!WARNING]
> 몸"##,
        r##"<div class="callout warning" role="note">
<p class="title">Warning</p>
<p>몸</p>
</div>"##,
    );
    check(
        r##"> [!CAUTION]
> 몸"##,
        r##"<div class="callout caution" role="note">
<p class="title">Caution</p>
<p>몸</p>
</div>"##,
    );
    check(
        r##"> [!ABSTRACT]
> 몸"##,
        r##"<div class="callout abstract" role="note">
<p class="title">Abstract</p>
<p>몸</p>
</div>"##,
    );
}

#[test]
fn callouts_with_a_title() {
    check(
        r##"> [!CORRECTION] K7 · **제목(x)**은
> 몸
>
> 둘째"##,
        r##"<div class="callout correction" role="note">
<p class="title">K7 · <strong>제목(x)</strong>은</p>
<p>몸</p>
<p>둘째</p>
</div>"##,
    );
    check(
        r##"> [!WARNING] [claim
> goes]{#C7} on"##,
        r##"<div class="callout warning" role="note">
<p class="title"><span class="claim" id="C7">claim
goes</span> <a class="cite ok" href="#record-C7" title="&lt;확인됨&gt;"><span aria-hidden="true">✓ </span>C7<span class="sr"> 확인됨</span></a> on</p>
</div>"##,
    );
    check(
        r##"> [!NOTE]- `code`
>
> > [!CORRECTION] 안"##,
        r##"<details class="callout note">
<summary class="title"><code>code</code></summary>
<div class="callout correction" role="note">
<p class="title">안</p>
</div>
</details>"##,
    );
}

#[test]
fn callouts_fold() {
    check(
        r##"> [!abstract]-
> 접힘"##,
        r##"<details class="callout abstract">
<summary class="title">Abstract</summary>
<p>접힘</p>
</details>"##,
    );
    check(
        r##"> [!TIP]+ 제목 [x](a.md)"##,
        r##"<details class="callout tip" open>
<summary class="title">제목 <a href="a/index.html">x</a></summary>
</details>"##,
    );
}

#[test]
fn other_quotes_stay() {
    check(
        r##"> [NOPE] x

> plain"##,
        r##"<blockquote>
<p>[NOPE] x</p>
</blockquote>
<blockquote>
<p>plain</p>
</blockquote>"##,
    );
}

#[test]
fn neighbouring_tabs_are_one_box() {
    check(
        "> [!TAB] 하나 *둘*\n> 글\n\n> [!TAB] 셋\n>\n> - x\n\n글\n\n> [!TAB] 넷",
        r##"<div class="tabs">
<section>
<p class="title">하나 <em>둘</em></p>
<p>글</p>
</section>
<section>
<p class="title">셋</p>
<ul>
<li>x</li>
</ul>
</section>
</div>
<p>글</p>
<div class="tabs">
<section>
<p class="title">넷</p>
</section>
</div>"##,
    );
}

#[test]
fn images_and_links() {
    check(
        r##"![대체 `x` [2]{=flip.lost}](a.png "제목 <t>") 글

![대체](b.png "설명")

<https://a.b/c?d=e&f> <x@y.z> [빈칸](<a b.md> "t")"##,
        r##"<p><img src="a.png" alt="대체 x 2" title="제목 &lt;t&gt;" loading="lazy"> 글</p>
<figure><img src="b.png" alt="대체" loading="lazy"><figcaption>설명</figcaption></figure>
<p><a href="https://a.b/c?d=e&amp;f">https://a.b/c?d=e&amp;f</a> <a href="mailto:x@y.z">x@y.z</a> <a href="a%20b/index.html" title="t">빈칸</a></p>"##,
    );
}

#[test]
fn raw_html_stays() {
    check(
        r##"글 <kbd>C</kbd> <!-- x --> <a href="x.md">x</a><br>

<details>
<summary>s</summary>

**몸**

</details>

<!-- 주석 -->

끝  
줄

---"##,
        r##"<p>글 <kbd>C</kbd>  <a href="x/index.html">x</a><br></p>
<details>
<summary>s</summary>
<p><strong>몸</strong></p>
</details>
<p>끝<br>
줄</p>
<hr>"##,
    );
}

#[test]
fn columns_of_numbers_and_nothing_else_are_set_as_numbers() {
    check(
        "| a | b | c |\n|---|---|---|\n| [2]{=flip.lost} | 1 | `1` |\n| – | [C14] | `2` |\n| 3 % | 2 | `3` |\n",
        "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Table 1: a, b, c\"><table>
<thead><tr><th scope=\"col\">a</th><th scope=\"col\">b</th><th scope=\"col\">c</th></tr></thead><tbody>
<tr><td class=\"num\"><a class=\"live\" href=\"e.html#L2\">2</a></td><td>1</td><td class=\"short\"><code>1</code></td></tr>
<tr><td>–</td><td><a class=\"cite stale\" href=\"../a.html#C14\" title=\"&lt;낡음&gt;\"><span aria-hidden=\"true\">◷ </span>C14<span class=\"sr\"> 낡음</span></a></td><td class=\"short\"><code>2</code></td></tr>
<tr><td class=\"num\">3 %</td><td>2</td><td class=\"short\"><code>3</code></td></tr>
</tbody>
</table></div>",
    );
}

#[test]
fn a_footnote_may_stand_in_another_or_in_a_quote() {
    check("x[^a]\n\n> [^a]: 하나[^b]\n>\n>     [^b]: 둘\n", "<p>x<sup id=\"fnref-1\"><a href=\"#fn-1\" aria-label=\"Footnote 1\">1</a></sup></p>
<blockquote>
</blockquote>
<section class=\"footnotes\" aria-label=\"Footnotes\"><ol>
<li id=\"fn-1\" value=\"1\"><p>하나<sup id=\"fnref-2\"><a href=\"#fn-2\" aria-label=\"Footnote 2\">2</a></sup> <a class=\"back\" href=\"#fnref-1\" aria-label=\"Back to the text 1\">↩</a></p>
</li>
<li id=\"fn-2\" value=\"2\"><p>둘 <a class=\"back\" href=\"#fnref-2\" aria-label=\"Back to the text 2\">↩</a></p>
</li>
</ol></section>");
}

#[test]
fn a_reference_may_be_all_that_a_paragraph_or_cell_holds() {
    let chip = "<a class=\"cite\" href=\"r.html\" title=\"&lt;&gt;\">R2</a>";
    check("[R2]", &format!("<p>{chip}</p>"));
    let table =
        "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Table 1: x\"><table>
<thead><tr><th scope=\"col\">x</th></tr></thead><tbody>";
    let row = format!("{table}\n<tr><td>{chip}</td></tr>\n</tbody>\n</table></div>");
    check("|x|\n|-|\n|[R2]|", &row);
}
