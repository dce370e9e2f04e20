//! Claims, live numbers, references.

use super::check;

#[test]
fn claims_hold_markup_and_live_numbers() {
    check(
        r##"a [연결 [2]{=flip.lost}개가 **끊긴다** `x` [l](a.md)]{#C7}은 이다."##,
        r##"<p>a <span class="claim" id="C7">연결 <a class="live" href="e.html#L2">2</a>개가 <strong>끊긴다</strong> <code>x</code> <a href="a/index.html">l</a></span><a class="cite ok" href="#record-C7" title="&lt;확인됨&gt;"><span aria-hidden="true">✓ </span>C7<span class="sr"> 확인됨</span></a>은 이다.</p>"##,
    );
    check(
        r##"- [두
  줄]{#C7} 끝"##,
        r##"<ul>
<li><span class="claim" id="C7">두
줄</span> <a class="cite ok" href="#record-C7" title="&lt;확인됨&gt;"><span aria-hidden="true">✓ </span>C7<span class="sr"> 확인됨</span></a> 끝</li>
</ul>"##,
    );
}

#[test]
fn settings_and_live_numbers() {
    check(
        r##"[5]{=}개 [3]{=x_a_b}건 [q]{=_q_}"##,
        r##"<p>5개 <span class="live">3</span>건 <span class="live">q</span></p>"##,
    );
}

#[test]
fn references_become_chips() {
    check(
        r##"[C14]는 [R2] [T9] {=x} \[C14] `[C14]`"##,
        r##"<p><a class="cite stale" href="../a.html#C14" title="&lt;낡음&gt;"><span aria-hidden="true">◷ </span>C14<span class="sr"> 낡음</span></a>는 <a class="cite" href="r.html" title="&lt;&gt;">R2</a> [T9] {=x} [C14] <code>[C14]</code></p>"##,
    );
}

#[test]
fn no_link_in_a_link_and_no_crossed_elements() {
    check(
        r##"[[C14] [2]{=flip.lost}](a.md) **[굵은**것]{#C8}"##,
        r##"<p><a href="a/index.html"><span class="cite stale" title="&lt;낡음&gt;"><span aria-hidden="true">◷ </span>C14<span class="sr"> 낡음</span></span> <span class="live">2</span></a> <strong><span id="C8"></span>굵은</strong>것 <span class="cite">C8</span></p>"##,
    );
}
