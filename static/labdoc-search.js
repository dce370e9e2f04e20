// Search: an index in classic scripts, loaded when someone searches; works from a disk, without a server.
(function (global) {
  "use strict";
  // ---- taking a text apart: the same rules as src/site/search/token.rs, held together by tests/search/vectors.json
  var SYLLABLE = /[\u1100-\u11ff\u3041-\u30ff\u3131-\u318e\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\u{20000}-\u{3ffff}]/u;
  var LETTER = /[\p{Alphabetic}\p{N}]/u;
  function plain(text) { return text.normalize("NFC").toLowerCase(); }
  // Runs of syllables and words, with the position of each: {text, at, start, syllables}
  function runs(text) {
    var chars = Array.from(plain(text)), out = [], at = 0, start = true, i = 0;
    while (i < chars.length) {
      var c = chars[i], syllables = SYLLABLE.test(c);
      if (!syllables && !LETTER.test(c)) { start = true; i++; continue; }
      var run = [];
      while (i < chars.length && SYLLABLE.test(chars[i]) === syllables && (syllables || LETTER.test(chars[i]))) run.push(chars[i++]);
      out.push({ chars: run, text: run.join(""), at: at, start: start, syllables: syllables });
      at += syllables ? run.length : 1; start = false;
    }
    return out;
  }
  function terms(text) {
    var out = [];
    runs(text).forEach(function (run) {
      if (!run.syllables) { out.push([run.text, run.at, run.start]); return; }
      for (var i = 0; i < run.chars.length; i++) {
        var last = i === run.chars.length - 1;
        out.push([last ? run.chars[i] : run.chars[i] + run.chars[i + 1] + (i === run.chars.length - 2 ? "$" : ""), run.at + i, run.start && i === 0]);
      }
    });
    return out;
  }
  // What has to be looked up for one word of a query: {text, prefix, at}
  function lookups(word) {
    var all = runs(word), out = [];
    all.forEach(function (run, n) {
      if (!run.syllables) out.push({ text: run.text, prefix: n === all.length - 1 && run.text.length > 1, at: run.at });
      else if (run.chars.length === 1) out.push({ text: run.text, prefix: true, at: run.at });
      else for (var i = 0; i < run.chars.length - 1; i++) out.push({ text: run.chars[i] + run.chars[i + 1], prefix: true, at: run.at + i });
    });
    return out;
  }
  // ---- numbers: the same as src/site/search/number.rs
  var DIGIT = {};
  (function () { var n = 0; for (var c = 33; c < 127; c++) { var s = String.fromCharCode(c); if ("\"'\\<>&`/".indexOf(s) < 0) DIGIT[c] = n++; } })();
  // Every place of a term: page, position, flags (1 a word begins, 2 in a title or heading).
  function places(postings, syllables, each) {
    var i = 0, page = 0;
    function number() {
      var lead = DIGIT[postings.charCodeAt(i++)], more, rest = 0;
      if (lead < 32) return lead;
      for (more = lead < 84 ? 1 : lead === 84 ? 2 : 4; more; more--) rest = rest * 86 + DIGIT[postings.charCodeAt(i++)];
      return lead < 84 ? 32 + (lead - 32) * 86 + rest : 4504 + (lead === 84 ? 0 : 7396) + rest;
    }
    while (i < postings.length) {
      var first = number(), n = first % 3 + 1, value = 0;
      page += (first - n + 1) / 3;
      if (n === 3) n += number();
      for (; n; n--) { value += number(); each(page, syllables ? value >> 2 : value >> 1, syllables ? value & 3 : (value & 1) * 2 + 1); }
    }
  }
  function below(list, value, same) { var lo = 0, hi = list.length; while (lo < hi) { var m = (lo + hi) >> 1; if (list[m] < value || (same && list[m] === value)) lo = m + 1; else hi = m; } return lo; }

  // ---- one language's index. load(name) gives the data of one of its files.
  function Engine(load) {
    var head = null, kept = {};
    function file(name) { return kept[name] || (kept[name] = load(name, head && head.version).catch(function (e) { delete kept[name]; throw e; })); }
    function ready() { return head ? Promise.resolve(head) : file("index").then(function (data) { return (head = data[0]); }); }
    // All places of a term: page -> [position, flags, position, …], flags 4 where the word ends, too.
    // Kept for the next letter that is typed.
    var recent = new Map();
    function find(look) {
      var key = look.text + (look.prefix ? "*" : ""), known = recent.get(key);
      if (known) return known;
      known = gather(look).catch(function (e) { recent.delete(key); throw e; });
      recent.set(key, known);
      if (recent.size > 40) recent.delete(recent.keys().next().value);
      return known;
    }
    function gather(look) {
      var end = look.prefix ? look.text + "\uffff" : look.text, names = [];
      for (var i = Math.max(0, below(head.terms, look.text) - 1), n = below(head.terms, end, true); i < n; i++) names.push("t" + i);
      return Promise.all(names.map(file)).then(function (files) {
        var pages = new Map();
        files.forEach(function (data) {
          var list = data[0];
          for (var i = 0; i < list.length; i += 2) {
            var term = list[i];
            if (look.prefix ? term.slice(0, look.text.length) !== look.text : term !== look.text) continue;
            // Of two syllables only those with "$" end a word: without, a particle or more follows.
            var ends = term === look.text + "$" || (term === look.text && !(term.length > 1 && SYLLABLE.test(term)));
            var last = -1, list_of = null, flag = ends ? 4 : 0;
            places(list[i + 1], SYLLABLE.test(term), function (page, position, flags) {
              if (page !== last) { last = page; list_of = pages.get(page); if (!list_of) pages.set(page, (list_of = [])); }
              list_of.push(position, flags | flag);
            });
          }
        });
        return pages;
      });
    }
    function byPosition(list) { var map = new Map(); for (var i = 0; i < list.length; i += 2) map.set(list[i], list[i + 1]); return map; }
    // Pages that hold one word of the query: page -> [[position, weight]]
    function word(text) {
      var looks = lookups(text);
      return Promise.all(looks.map(find)).then(function (found) {
        var out = new Map(), last = found.length - 1;
        if (!found.length) return null;
        found[0].forEach(function (first, page) {
          if (!found.every(function (f) { return f.has(page); })) return;
          var hits = [], others = last ? found.slice(1).map(function (f) { return byPosition(f.get(page)); }) : null;
          for (var n = 0; n < first.length; n += 2) {
            var position = first[n], flags = first[n + 1], end = flags;
            for (var i = 1; i <= last && end !== undefined; i++) end = others[i - 1].get(position + looks[i].at);
            if (end !== undefined) hits.push([position, (position < 64 ? 12 : flags & 2 ? 5 : 1) * (flags & 1 ? (end & 4 ? 2 : 1.5) : 1)]);
          }
          if (hits.length) out.set(page, hits);
        });
        return out;
      });
    }
    function show(page, hits, words) {
      var at = below(head.pages, page, true) - 1;
      return file("p" + at).then(function (data) {
        var record = data[0][page - head.pages[at]], parts = record[2], best = -1, most = 0, sums = {};
        hits.forEach(function (h) {
          var part = -1;
          while (part + 1 < parts.length && parts[part + 1][2] <= h[0]) part++;
          sums[part] = (sums[part] || 0) + h[1] * (part < 0 ? 0.1 : 1);
          if (sums[part] > most) { most = sums[part]; best = part; }
        });
        // What only the title says leads to the top of the page.
        var top = hits.some(function (h) { return h[0] < 64; }) && !(sums[best] >= 5);
        if (top) best = Math.min(0, parts.length - 1);
        var part = top ? null : parts[best];
        return unpack(data).then(function (texts) {
          return {
            path: record[0], title: excerpt(record[1], words), anchor: part ? part[0] : "", heading: part ? part[1] : "",
            text: excerpt(texts && best >= 0 ? texts[page - head.pages[at]][best] : "", words)
          };
        });
      });
    }
    function search(query, limit) {
      var words = query.split(/\s+/).filter(function (w) { return runs(w).length; });
      return ready().then(function () { return Promise.all(words.map(word)); }).then(function (found) {
        if (!found.length) return { count: 0, hits: [] };
        found.sort(function (a, b) { return a.size - b.size; });
        var list = [];
        found[0].forEach(function (_, page) {
          if (!found.every(function (f) { return f.has(page); })) return;
          var score = 0, hits = [];
          found.forEach(function (f) {
            var here = f.get(page), most = 0;
            here.forEach(function (h) { if (h[1] > most) most = h[1]; });
            score += most + Math.log(1 + here.length) / 4;
            hits = hits.concat(here);
          });
          list.push([page, score, hits]);
        });
        list.sort(function (a, b) { return b[1] - a[1] || a[0] - b[0]; });
        return Promise.all(list.slice(0, limit).map(function (one) { return show(one[0], one[2], words); }))
          .then(function (hits) { return { count: list.length, hits: hits }; });
      });
    }
    return { ready: ready, search: search };
  }
  // Texts of pages: raw deflate in base 64. A browser that cannot unpack shows hits without an excerpt.
  var unpacked = new Map();
  function unpack(data) {
    if (unpacked.has(data)) return unpacked.get(data);
    var made;
    if (typeof DecompressionStream === "undefined") made = Promise.resolve(null);
    else {
      var raw = atob(data[1]), bytes = new Uint8Array(raw.length);
      for (var i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
      made = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text()
        .then(JSON.parse).catch(function () { return null; });
    }
    unpacked.set(data, made);
    return made;
  }
  // Pieces of text around the first hit: plain and found ones in turn.
  function excerpt(text, words) {
    var low = text.toLowerCase(), found = [];
    if (low.length !== text.length) low = text; // letters that change their length: places would not match
    words.forEach(function (w) {
      w = plain(w);
      for (var at = low.indexOf(w), n = 0; at >= 0 && n < 50; at = low.indexOf(w, at + w.length), n++) found.push([at, at + w.length]);
    });
    found.sort(function (a, b) { return a[0] - b[0]; });
    var from = found.length ? Math.max(0, found[0][0] - 40) : 0, out = [], at, end = Math.min(text.length, from + 160);
    if (from > 0) { var blank = text.indexOf(" ", from); if (blank >= 0 && blank < from + 20 && blank < found[0][0]) from = blank + 1; }
    at = from;
    found.forEach(function (f) {
      if (f[0] < at || f[1] > end) return;
      out.push([text.slice(at, f[0]), false], [text.slice(f[0], f[1]), true]);
      at = f[1];
    });
    out.push([text.slice(at, end), false]);
    if (from > 0) out.unshift(["… ", false]);
    if (end < text.length) out.push([" …", false]);
    return out.filter(function (p) { return p[0]; });
  }

  if (typeof document === "undefined") { global.labdocSearchParts = { terms: terms, Engine: Engine }; return; }

  // ---- in a page
  var root = new URL(".", document.currentScript.src).href, language = document.documentElement.lang || "ko";
  var waiting = {}, arrived = {};
  global.labdocSearch = function (lang, name) { arrived[lang + "/" + name] = Array.prototype.slice.call(arguments, 2); };
  function load(name, version) {
    var key = language + "/" + name;
    return waiting[key] || (waiting[key] = new Promise(function (good, bad) {
      var script = document.createElement("script");
      script.src = root + "search/" + key + ".js" + (version ? "?" + version : "");
      script.onload = function () { script.remove(); if (arrived[key]) good(arrived[key]); else bad(new Error(key)); };
      script.onerror = function () { script.remove(); delete waiting[key]; bad(new Error(key)); };
      document.head.appendChild(script);
    }));
  }
  var engine = Engine(load), words = {}, dialog = null, input, status, list, chosen = -1, turn = 0;
  function element(name, more, text) { var e = document.createElement(name); Object.keys(more || {}).forEach(function (k) { e.setAttribute(k, more[k]); }); if (text) e.textContent = text; return e; }
  function label() { var find = document.querySelector("button.find"); return (find && find.getAttribute("aria-label")) || "search"; }
  function build() {
    dialog = element("dialog", { "class": "search", "aria-label": label() });
    // No field of type "search": there a browser takes Escape to empty it.
    input = element("input", { type: "text", inputmode: "search", enterkeyhint: "search", role: "combobox", "aria-expanded": "false", "aria-controls": "search-hits", "aria-autocomplete": "list", "aria-label": label(), placeholder: label(), autocomplete: "off", spellcheck: "false" });
    status = element("p", { "class": "status", role: "status" });
    list = element("ol", { "class": "hits", id: "search-hits", role: "listbox", "aria-label": label() });
    dialog.appendChild(input); dialog.appendChild(status); dialog.appendChild(list);
    document.body.appendChild(dialog);
    input.addEventListener("input", function (e) { if (!e.isComposing) ask(); });
    input.addEventListener("compositionend", ask);
    input.addEventListener("keydown", key);
    dialog.addEventListener("click", function (e) { if (e.target === dialog || e.target.closest("a")) dialog.close(); });
    dialog.addEventListener("close", function () { turn++; });
  }
  function open() {
    if (!dialog) build();
    if (!dialog.open) dialog.showModal();
    input.select(); input.focus();
    engine.ready().then(function (head) { words = head.words || {}; if (input.value.trim()) ask(); }, failed);
  }
  function failed() { status.textContent = words.search_failed || "Search: the index could not be loaded"; }
  function ask() {
    var query = input.value.trim(), mine = ++turn;
    if (!query) { show([]); status.textContent = ""; return; }
    if (!list.firstChild) status.textContent = words.search_wait || "…";
    engine.search(query, 20).then(function (found) {
      if (mine !== turn) return;
      show(found.hits);
      status.textContent = found.count ? (words.search_hits || "{n}").replace("{n}", found.count) : words.search_none || "0";
    }, function () { if (mine === turn) { show([]); failed(); } });
  }
  function pieces(into, parts) {
    parts.forEach(function (part) { into.appendChild(part[1] ? element("mark", {}, part[0]) : document.createTextNode(part[0])); });
    return into;
  }
  function show(hits) {
    list.textContent = ""; chosen = -1;
    hits.forEach(function (hit, i) {
      var item = element("li", { role: "presentation" });
      var link = element("a", { id: "search-hit-" + i, role: "option", "aria-selected": "false", tabindex: "-1", href: root + hit.path.split("/").map(encodeURIComponent).join("/") + (hit.anchor ? "#" + encodeURIComponent(hit.anchor) : "") });
      link.appendChild(pieces(element("b", {}), hit.title));
      if (hit.heading) link.appendChild(element("span", { "class": "where" }, hit.heading));
      if (hit.text.length) link.appendChild(pieces(element("span", { "class": "text" }), hit.text));
      item.appendChild(link); list.appendChild(item);
    });
    input.setAttribute("aria-expanded", String(hits.length > 0));
    input.removeAttribute("aria-activedescendant");
    if (hits.length) choose(0);
    list.scrollTop = 0;
  }
  function choose(to) {
    var links = list.querySelectorAll("a");
    if (!links.length) return;
    if (links[chosen]) links[chosen].setAttribute("aria-selected", "false");
    chosen = (to + links.length) % links.length;
    links[chosen].setAttribute("aria-selected", "true");
    links[chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", links[chosen].id);
  }
  // A key that belongs to a composition is the input method's, Enter and Escape too.
  function key(e) {
    if (e.isComposing || e.keyCode === 229) { if (e.key === "Escape") e.stopPropagation(); return; }
    var links = list.querySelectorAll("a");
    if (e.key === "ArrowDown") choose(chosen + 1);
    else if (e.key === "ArrowUp") choose(chosen - 1);
    else if (e.key === "Enter" && links[chosen]) links[chosen].click();
    else return;
    e.preventDefault();
  }
  document.addEventListener("labdoc:search", open);
})(typeof globalThis === "undefined" ? this : globalThis);
