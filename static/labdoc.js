// The theme's script: classic, deferred, no dependency. Every page works without it.
(function () {
  "use strict";
  var root = document.documentElement, body = document.body;
  var all = function (selector, from) { return Array.prototype.slice.call((from || document).querySelectorAll(selector)); };

  // Light or dark. What equals the system's choice is not stored, so that the page follows the system again.
  var KEY = "labdoc-theme", media = window.matchMedia("(prefers-color-scheme: dark)");
  function stored() { try { return localStorage.getItem(KEY); } catch (e) { return null; } }
  function store(value) { try { if (value) localStorage.setItem(KEY, value); else localStorage.removeItem(KEY); } catch (e) { /* no storage here */ } }
  var toggle = document.querySelector("button.theme");
  function show(value) {
    if (value === "light" || value === "dark") root.setAttribute("data-theme", value); else root.removeAttribute("data-theme");
    if (toggle) toggle.setAttribute("aria-pressed", String(isDark()));
  }
  function isDark() { var t = root.getAttribute("data-theme"); return t ? t === "dark" : media.matches; }
  show(stored());
  if (toggle) {
    toggle.hidden = false;
    toggle.addEventListener("click", function () {
      var next = isDark() ? "light" : "dark";
      if ((next === "dark") === media.matches) next = null;
      store(next); show(next);
    });
    if (media.addEventListener) media.addEventListener("change", function () { show(stored()); });
    window.addEventListener("storage", function (e) { if (e.key === KEY) show(e.newValue); });
  }

  // The reader's environment: remembered in this browser and told to nobody. Columns and rows of it are marked, claims
  // that were not measured in it say so.
  var MINE = "labdoc-environment", picker = document.querySelector("select.environment");
  function mine() { try { return localStorage.getItem(MINE) || ""; } catch (e) { return picker ? picker.value : ""; } }
  function markMine() {
    var name = mine();
    all("[data-environment]").forEach(function (cell) { cell.classList.toggle("mine", cell.getAttribute("data-environment") === name); });
    all("tr[data-environments]").forEach(function (row) {
      var note = row.querySelector(".elsewhere"), names = row.getAttribute("data-environments").split("|");
      if (note) note.hidden = !name || names.indexOf(name) >= 0;
    });
  }
  if (picker) {
    picker.value = mine();
    if (picker.selectedIndex < 0) picker.value = "";
    picker.closest("[hidden]").hidden = false;
    picker.addEventListener("change", function () {
      try { if (picker.value) localStorage.setItem(MINE, picker.value); else localStorage.removeItem(MINE); } catch (e) { /* no storage here */ }
      markMine();
    });
  }
  markMine();

  // One quiet place to tell screen readers what happened.
  var said = document.createElement("p");
  said.className = "sr"; said.setAttribute("role", "status");
  body.appendChild(said);

  // Copy. Commands only: prompts (g), output (u), notes, elisions and line numbers stay behind.
  var LEFT = ".g, .u, .aside, .gap";
  function textOf(pre) {
    var lines = [{ kept: "", left: false }], session = false;
    var numbers = pre.parentNode.classList.contains("file");
    function take(text, leave) {
      text.split("\n").forEach(function (part, i) {
        if (i) lines.push({ kept: "", left: false });
        var line = lines[lines.length - 1];
        if (leave) { if (part) line.left = true; } else line.kept += part;
      });
    }
    (function walk(node, leave) {
      for (var n = node.firstChild; n; n = n.nextSibling) {
        if (n.nodeType === 3) take(n.data, leave);
        else if (n.nodeType === 1) {
          var drop = n.matches(LEFT);
          if (n.matches(".g, .u")) session = true;
          if (numbers && n.nodeName === "A" && !n.previousSibling && n.parentNode.id.charAt(0) === "L") continue;
          walk(n, leave || drop);
        }
      }
    })(pre, false);
    var out = [], after = false; // after: the last line that was not blank was output
    lines.forEach(function (l) {
      if (session && !l.kept.trim() && (l.left || after)) { after = true; return; }
      if (l.kept.trim()) after = false;
      out.push(l.kept.replace(/\s+$/, numbers ? "$&" : ""));
    });
    return out.join("\n").replace(/\n+$/, "") + "\n";
  }
  function fallback(text) {
    var area = document.createElement("textarea");
    area.value = text; area.className = "sr"; area.setAttribute("readonly", "");
    body.appendChild(area); area.select();
    var done = false;
    try { done = document.execCommand("copy"); } catch (e) { done = false; }
    area.remove();
    return done ? Promise.resolve() : Promise.reject(new Error("copy"));
  }
  all("button.copy").forEach(function (button) {
    var box = button.closest(".run, .code");
    var pre = box && box.querySelector("pre:not(.output)");
    if (!pre) return;
    button.hidden = false;
    var word = button.textContent, timer = 0;
    button.addEventListener("click", function () {
      var text = textOf(pre);
      function tell(good) {
        var answer = body.getAttribute(good ? "data-copied" : "data-copy-failed") || word;
        button.textContent = answer; said.textContent = answer;
        button.classList.toggle("done", good); button.classList.toggle("failed", !good);
        clearTimeout(timer);
        timer = setTimeout(function () { button.textContent = word; said.textContent = ""; button.classList.remove("done", "failed"); }, 2000);
      }
      var asked = navigator.clipboard && navigator.clipboard.writeText
        ? navigator.clipboard.writeText(text).catch(function () { return fallback(text); }) : fallback(text);
      asked.then(function () { tell(true); }, function () { tell(false); });
    });
  });

  // Parameters: what a reader types stands in the commands, quoted for its place as src/html/params does it. It is kept
  // until the tab is closed, so that the next page of the lab knows it, too.
  var PARAM = "labdoc-param:", asked = document.querySelector(".params");
  function quoted(value, place) {
    if (place) return value.replace(place === "quotes" ? /[\\"$`]/g : /[\\$`]/g, "\\$&");
    return /^[\p{Alphabetic}\p{N}_@%+:,.\/-]+$/u.test(value) ? value : "'" + value.replace(/'/g, "'\\''") + "'";
  }
  if (asked) {
    var fields = all("input", asked);
    var fill = function (field) {
      var value = field.value || field.defaultValue;
      all(".param").forEach(function (place) {
        if (place.getAttribute("data-param") !== field.name) return;
        place.textContent = quoted(value, place.getAttribute("data-in"));
        place.classList.toggle("own", value !== field.defaultValue);
      });
      try { if (value === field.defaultValue) sessionStorage.removeItem(PARAM + field.name); else sessionStorage.setItem(PARAM + field.name, value); } catch (e) { /* no storage here */ }
    };
    asked.hidden = false;
    fields.forEach(function (field) {
      var kept = null;
      try { kept = sessionStorage.getItem(PARAM + field.name); } catch (e) { /* no storage here */ }
      if (kept) field.value = kept;
      fill(field);
      field.addEventListener("input", function () { fill(field); });
    });
    asked.querySelector("button").addEventListener("click", function () { fields.forEach(function (field) { field.value = field.defaultValue; fill(field); }); });
  }

  // Tabs: one choice of a title holds for all tabs of the page with that title.
  var groups = all(".tabs").map(function (box, g) {
    var panels = all(":scope > section", box), list = document.createElement("div");
    list.setAttribute("role", "tablist");
    var tabs = panels.map(function (panel, i) {
      var title = panel.querySelector(".title"), tab = document.createElement("button");
      tab.type = "button"; tab.setAttribute("role", "tab");
      tab.textContent = title ? title.textContent : String(i + 1);
      tab.id = "tab-" + (g + 1) + "-" + (i + 1);
      if (!panel.id) panel.id = "panel-" + (g + 1) + "-" + (i + 1);
      tab.setAttribute("aria-controls", panel.id);
      panel.setAttribute("role", "tabpanel"); panel.setAttribute("aria-labelledby", tab.id);
      tab.addEventListener("click", function () { choose(tab.textContent, box, i); });
      list.appendChild(tab);
      return tab;
    });
    list.addEventListener("keydown", function (e) {
      var at = tabs.indexOf(document.activeElement), n = tabs.length;
      var to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: n - 1 }[e.key];
      if (at < 0 || to === undefined) return;
      e.preventDefault();
      to = (to + n) % n;
      choose(tabs[to].textContent, box, to); tabs[to].focus();
    });
    box.insertBefore(list, box.firstChild);
    box.classList.add("live-tabs");
    var group = { box: box, tabs: tabs, show: function (i) {
      tabs.forEach(function (t, j) { t.setAttribute("aria-selected", String(i === j)); t.tabIndex = i === j ? 0 : -1; });
      panels.forEach(function (p, j) { p.classList.toggle("off", i !== j); });
    } };
    group.show(0);
    return group;
  });
  function choose(title, box, index) {
    var y = box.getBoundingClientRect().top;
    groups.forEach(function (g) {
      var i = g.box === box ? index : g.tabs.map(function (t) { return t.textContent; }).indexOf(title);
      if (i >= 0) g.show(i);
    });
    window.scrollBy({ top: box.getBoundingClientRect().top - y, behavior: "instant" }); // what was clicked stays in place
  }

  // Contents: mark the heading that is being read. Ids are compared decoded, so Hangul works.
  var spied = [];
  function idOf(link) { var h = link.getAttribute("href").slice(1); try { return decodeURIComponent(h); } catch (e) { return h; } }
  all(".contents a[href^='#']").forEach(function (link) {
    var id = idOf(link), target = document.getElementById(id) || document.getElementById(id.normalize("NFC"));
    if (target) spied.push({ link: link, target: target });
  });
  if (spied.length) {
    var panel = spied[0].link.closest(".contents"), current = null, waiting = false;
    var mark = function () {
      waiting = false;
      var now = spied[0], limit = window.innerHeight * 0.28;
      spied.forEach(function (s) { if (s.target.getBoundingClientRect().top <= limit) now = s; });
      if (window.innerHeight + window.scrollY >= root.scrollHeight - 2 && window.scrollY > 0) {
        var hash; try { hash = decodeURIComponent(location.hash.slice(1)); } catch (e) { hash = ""; }
        var last = spied[spied.length - 1];
        now = spied.filter(function (s) { return s.target.id === hash; })[0] || last;
      }
      if (now === current) return;
      if (current) current.link.removeAttribute("aria-current");
      current = now;
      now.link.setAttribute("aria-current", "true");
      var top = now.link.getBoundingClientRect().top - panel.getBoundingClientRect().top;
      if (top < 32 || top > panel.clientHeight - 64) panel.scrollTop += top - panel.clientHeight / 2;
    };
    var soon = function () { if (!waiting) { waiting = true; requestAnimationFrame(mark); } };
    window.addEventListener("scroll", soon, { passive: true });
    window.addEventListener("resize", soon);
    window.addEventListener("hashchange", soon);
    mark();
  }

  // The current page stands in sight in a long navigation.
  var here = document.querySelector(".side [aria-current]");
  if (here) { var side = here.closest(".side"); side.scrollTop = Math.max(0, here.offsetTop - side.offsetTop - side.clientHeight / 2); }

  // Navigation and contents on a narrow screen: a choice, Escape or a click outside closes them.
  var menu = document.querySelector("details.menu");
  if (menu) {
    var bar = menu.parentNode;
    bar.addEventListener("click", function (e) { if (e.target.closest(".panel a")) menu.open = false; });
    document.addEventListener("click", function (e) { if (menu.open && !bar.contains(e.target)) menu.open = false; });
    document.addEventListener("keydown", function (e) { if (e.key === "Escape" && menu.open) { menu.open = false; menu.querySelector("summary").focus(); } });
  }

  // Dates: what has passed its date says so in the reader's browser.
  var today = new Date().toISOString().slice(0, 10);
  all("[data-expires]").forEach(function (el) {
    if (el.getAttribute("data-expires") >= today) return;
    var tag = document.createElement("span");
    tag.className = "state stale expired";
    tag.textContent = "◷ " + (body.getAttribute("data-expired") || "");
    el.parentNode.insertBefore(tag, el.nextSibling);
    el.parentNode.insertBefore(document.createTextNode(" "), tag);
  });

  // Search: the theme only opens it. The search script listens for "labdoc:search".
  var find = document.querySelector("button.find");
  if (find) {
    find.hidden = false;
    var open = function () { document.dispatchEvent(new CustomEvent("labdoc:search")); };
    find.addEventListener("click", open);
    document.addEventListener("keydown", function (e) {
      if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
      if (e.target.closest && e.target.closest("input, textarea, select, [contenteditable]")) return;
      e.preventDefault(); open();
    });
  }

  // Paper: what is folded is printed, then folded again.
  var unfolded = [];
  window.addEventListener("beforeprint", function () { unfolded = all("details:not([open]):not(.menu)"); unfolded.forEach(function (d) { d.open = true; }); });
  window.addEventListener("afterprint", function () { unfolded.forEach(function (d) { d.open = false; }); unfolded = []; });

  // A link into a folded part or a hidden tab shows it.
  function reveal() {
    var id; try { id = decodeURIComponent(location.hash.slice(1)); } catch (e) { return; }
    var el = id && document.getElementById(id), opened = false;
    for (var d = el && el.closest("details"); d; d = d.parentNode.closest("details")) { opened = opened || !d.open; d.open = true; }
    groups.forEach(function (g) {
      var panel = el && el.closest(".tabs > section.off");
      if (panel && panel.parentNode === g.box) { g.show(all(":scope > section", g.box).indexOf(panel)); opened = true; }
    });
    if (opened) el.scrollIntoView();
  }
  window.addEventListener("hashchange", reveal); reveal();
})();
