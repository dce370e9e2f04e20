// Checks a built site in Chromium: from the disk, and from a plain server at its root and below a sub-path.
//
//   node run.mjs SITE [--shots DIR] [--pages a.html,b/c.html] [--max-pages 60] [--seconds 85]
//
// CHROMIUM names the browser (default /usr/bin/chromium). Prints TAP lines, then "N passed, N failed"; exit 1 on a failure, 2 on bad usage.
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const usage = (why) => { console.error(`${why}\nusage: node run.mjs SITE [--shots DIR] [--pages a.html,b.html] [--max-pages N] [--seconds N]`); process.exit(2); };
const args = process.argv.slice(2), options = { "max-pages": "60", seconds: "85" };
let site = null;
for (let i = 0; i < args.length; i++) {
  if (args[i].startsWith("--")) {
    const key = args[i].slice(2);
    if (!["shots", "pages", "max-pages", "seconds"].includes(key) || args[i + 1] === undefined) usage(`unknown or unfinished option ${args[i]}`);
    options[key] = args[++i];
  } else if (site) usage("one site, please"); else site = resolve(args[i]);
}
if (!site || !existsSync(join(site, "index.html"))) usage(site ? `${site} has no index.html` : "no site given");
const MAX = Number(options["max-pages"]), END = Date.now() + Number(options.seconds) * 1000;
if (!(MAX > 0) || !(Number(options.seconds) > 0)) usage("--max-pages and --seconds take a number above 0");
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDTHS = [320, 390, 1360];

let passed = 0, failed = 0;
function report(name, problems, skip) {
  const n = passed + failed + 1;
  if (problems.length) failed++; else passed++;
  console.log(`${problems.length ? "not ok" : "ok"} ${n} - ${name}${skip ? ` # SKIP ${skip}` : ""}`);
  for (const p of problems.slice(0, 12)) console.log(`  # ${String(p).replace(/\n/g, "\n  # ")}`);
  if (problems.length > 12) console.log(`  # and ${problems.length - 12} more`);
}
const late = () => Date.now() > END;

// ---- the site on the disk -------------------------------------------------------------------------------------------------
const names = new Map(); // folder -> names as the disk has them: letter case counts on every system
function sameCase(path) {
  for (let p = path; p !== site; p = dirname(p)) {
    const up = dirname(p);
    if (!names.has(up)) names.set(up, new Set(readdirSync(up)));
    if (!names.get(up).has(basename(p))) return false;
  }
  return true;
}
const entity = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'", "#x27": "'" };
const unescape = (s) => s.replace(/&(#x?[0-9a-f]+|\w+);/gi, (m, e) => entity[e] ?? (e[0] === "#" ? String.fromCodePoint(e[1] === "x" ? parseInt(e.slice(2), 16) : Number(e.slice(1))) : m));
const pages = new Map(); // path -> { text, ids, links }
function load(path) {
  if (pages.has(path)) return pages.get(path);
  const text = readFileSync(path, "utf8"), ids = new Set(), links = [];
  const tags = text.replace(/<!--[\s\S]*?-->/g, "").match(/<[a-zA-Z][^\s>/]*(?:\s+[^\s"'>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?|\s*\/)*\s*>/g) ?? [];
  for (const tag of tags) {
    const name = tag.match(/^<([^\s>/]+)/)[1].toLowerCase();
    for (const [, key, a, b, c] of tag.matchAll(/\s([^\s"'>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g)) {
      const value = unescape(a ?? b ?? c ?? ""), attribute = key.toLowerCase();
      if (attribute === "id") ids.add(value);
      if (attribute === "name" && name === "a") ids.add(value);
      if (["href", "src", "poster", "data"].includes(attribute) || attribute === "xlink:href") links.push({ value, name });
      if (name === "meta" && attribute === "content" && /http-equiv\s*=\s*["']?refresh/i.test(tag)) links.push({ value: value.replace(/^[^=]*=\s*/, ""), name });
    }
  }
  const page = { text, ids, links, refresh: /http-equiv\s*=\s*["']?refresh/i.test(text) };
  pages.set(path, page);
  return page;
}
const label = (path) => relative(site, path).split(sep).join("/");
function follow(path) {
  const found = [], problems = [];
  for (const { value, name } of load(path).links) {
    if (/^(https?:|mailto:|tel:|data:)/i.test(value)) { if (/^https?:/i.test(value) && !["a", "link", "area"].includes(name)) problems.push(`<${name}> loads ${value}`); continue; }
    if (/^[a-z][a-z0-9+.-]*:/i.test(value)) { problems.push(`scheme of ${value}`); continue; }
    // Shown at any address, so with a base_url its own are absolute.
    if (value.startsWith("/") && label(path) === "404.html") continue;
    if (value.startsWith("/")) { problems.push(`root-absolute address ${value}`); continue; }
    const [, file, query, anchor] = value.match(/^([^?#]*)(\?[^#]*)?(?:#(.*))?$/s);
    if (query) problems.push(`query in ${value}`);
    let target = path, id = anchor;
    try { if (file) target = resolve(dirname(path), decodeURIComponent(file)); if (anchor) id = decodeURIComponent(anchor); } catch { problems.push(`badly escaped ${value}`); continue; }
    if (file.endsWith("/") || file === "." || file === ".." || file.endsWith("/..")) { problems.push(`${value} does not end in a file name`); continue; }
    if (target !== site && !target.startsWith(site + sep)) { problems.push(`${value} leaves the site`); continue; }
    if (!existsSync(target)) { problems.push(`dead link ${value}`); continue; }
    if (statSync(target).isDirectory()) { problems.push(`${value} is a folder`); continue; }
    if (!sameCase(target)) { problems.push(`letter case of ${value}`); continue; }
    const html = target.endsWith(".html");
    if (id && (!html || !load(target).ids.has(id))) problems.push(`no anchor ${value}`);
    if (html) found.push(target);
  }
  return { found, problems };
}
const order = [join(site, "index.html")], seen = new Set(order), linkProblems = new Map();
for (let i = 0; i < order.length; i++) {
  const { found, problems } = follow(order[i]);
  linkProblems.set(order[i], problems);
  for (const f of found) if (!seen.has(f)) { seen.add(f); order.push(f); }
}
if (existsSync(join(site, "404.html")) && !seen.has(join(site, "404.html"))) { const p = join(site, "404.html"); order.push(p); linkProblems.set(p, follow(p).problems); }
const dead = [...linkProblems].flatMap(([p, list]) => list.map((x) => `${label(p)}: ${x}`));
report(`links: ${order.length} pages from index.html, each link and anchor leads somewhere and ends in a file name`, dead);

// Kit, evidence and folder pages are many of one kind: with more pages than the limit, kinds take turns.
const kindOf = (p) => load(p).text.match(/<body[^>]*data-template="([^"]*)"/)?.[1] ?? "other";
function choose(list, limit) {
  const groups = new Map();
  for (const p of list) { const k = kindOf(p); if (!groups.has(k)) groups.set(k, []); groups.get(k).push(p); }
  const out = [];
  for (let i = 0; out.length < Math.min(limit, list.length); i++) for (const g of groups.values()) if (i < g.length && out.length < limit) out.push(g[i]);
  return out;
}
const real = order.filter((p) => !load(p).refresh), opened = choose(real, MAX);
if (opened.length < real.length) console.log(`# ${real.length - opened.length} of ${real.length} pages are not opened in the browser (--max-pages ${MAX}); their links were checked`);
// one page a template, and the largest page of the templates with authored text
const ofKinds = [...new Map(opened.map((p) => [kindOf(p), p]))].map(([k]) => opened.filter((p) => kindOf(p) === k).sort((a, b) => load(b).text.length - load(a).text.length)[0]);

// ---- a plain server, at the root and below /a/b/, with the headers of the site's own _headers ----------------------------
const TYPES = { ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png", ".json": "application/json", ".xml": "application/xml", ".woff2": "font/woff2" };
const PREFIXES = { root: "/", server: "/a/b/" };
const POLICY = existsSync(join(site, "_headers")) ? readFileSync(join(site, "_headers"), "utf8").match(/Content-Security-Policy: (.*)/)?.[1] : null;
const server = createServer((request, response) => {
  const fail = (code) => { response.writeHead(code, { "content-type": "text/plain" }); response.end(String(code)); };
  let path;
  try { path = decodeURIComponent(new URL(request.url, "http://x").pathname); } catch { return fail(400); }
  if (request.method !== "GET" && request.method !== "HEAD") return fail(405);
  const prefix = path.startsWith(PREFIXES.server) ? PREFIXES.server : PREFIXES.root;
  let file = resolve(site, "." + sep + path.slice(prefix.length)), status = 200;
  if (!file.startsWith(site + sep) || !existsSync(file) || !statSync(file).isFile()) {
    // Missing pages get the site's own page, as `error_page 404` does; anything else a plain answer.
    if (!/\/missing$/.test(path)) return fail(404);
    file = join(site, "404.html"); status = 404;
  }
  response.writeHead(status, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "cache-control": "max-age=60", ...(POLICY ? { "content-security-policy": POLICY } : {}) });
  createReadStream(file).on("error", () => response.destroy()).pipe(response);
});
server.requestTimeout = 10_000; server.maxConnections = 64;
await new Promise((ok, no) => { server.on("error", no); server.listen(0, "127.0.0.1", ok); });
const url = (mode, path) => mode === "disk" ? pathToFileURL(path).href : `http://127.0.0.1:${server.address().port}${PREFIXES[mode]}${label(path).split("/").map(encodeURIComponent).join("/")}`;
const home = (mode) => mode === "disk" ? pathToFileURL(site + sep).href : `http://127.0.0.1:${server.address().port}${PREFIXES[mode]}`;
report("A24: the server sends the policy of _headers, too", POLICY?.includes("script-src 'self'") && !/unsafe|http/.test(POLICY) ? [] : [`no strict policy: ${POLICY}`]);

// ---- the browser ---------------------------------------------------------------------------------------------------------
const profile = mkdtempSync(join(tmpdir(), "labdoc-browser-"));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--lang=ko", `--crash-dumps-dir=${profile}`] });
const stop = setTimeout(() => { console.log("# the browser hangs: giving up"); console.log(`${passed} passed, ${failed + 1} failed`); browser.close().catch(() => {}); process.exit(1); }, Number(options.seconds) * 1000 + 20_000);
stop.unref();
const INIT = () => {
  window.__csp = []; window.__copied = [];
  document.addEventListener("securitypolicyviolation", (e) => window.__csp.push(`${e.violatedDirective} blocked ${e.blockedURI || "inline"}`));
  const fake = { writeText: (t) => { window.__copied.push(t); return Promise.resolve(); } };
  try { Object.defineProperty(navigator, "clipboard", { value: fake, configurable: true }); } catch { /* then the text area way is tested */ }
};
function listen(page, mode, sink) {
  page.on("console", (m) => { if (!["log", "info", "debug"].includes(m.type()) || m.text()) sink.push(`console: ${m.text()}`); });
  page.on("pageerror", (e) => sink.push(`script: ${e.message}`));
  page.on("request", (r) => { const u = r.url(); if (!u.startsWith(home(mode)) && !u.startsWith("data:")) sink.push(`request to ${u}`); });
  page.on("requestfailed", (r) => { if (r.failure()?.errorText !== "net::ERR_ABORTED") sink.push(`failed ${r.url()} ${r.failure()?.errorText}`); });
  page.on("response", (r) => { if (r.status() >= 400) sink.push(`${r.status()} ${r.url()}`); });
}
const overflow = () => {
  const d = document.documentElement;
  if (d.scrollWidth <= d.clientWidth) return null;
  const inBox = (e) => { for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) { const o = getComputedStyle(p).overflowX; if (o !== "visible") return true; } return false; };
  const wide = [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > d.clientWidth + 1 && !inBox(e)).slice(0, 3).map((e) => `${e.localName}.${e.className?.baseVal ?? e.className}#${e.id}`);
  return `${d.scrollWidth} > ${d.clientWidth}: ${wide.join(", ")}`;
};
const attributes = () => {
  const out = [];
  for (const e of document.querySelectorAll("*")) {
    for (const a of e.attributes) if (a.name === "style" || /^on/.test(a.name) || a.name === "crossorigin" || a.name === "integrity") out.push(`<${e.localName} ${a.name}=…>`);
    if (e.localName === "style") out.push("<style>");
    if (e.localName === "script" && (e.type === "module" || (!e.src && e.type !== "application/ld+json"))) out.push("inline or module script");
    if (e.localName === "use" && !(e.getAttribute("href") ?? e.getAttribute("xlink:href") ?? "#").startsWith("#")) out.push("<use> of another file");
  }
  const csp = document.querySelector('meta[http-equiv="Content-Security-Policy" i]')?.content ?? "";
  for (const need of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'", "form-action 'none'"]) if (!csp.includes(need)) out.push(`CSP lacks ${need}`);
  if (/unsafe|\*|https?:/.test(csp)) out.push(`loose CSP: ${csp}`);
  if (!document.documentElement.lang) out.push("no lang");
  if (document.querySelectorAll("main").length !== 1) out.push("not exactly one <main>");
  if (document.querySelectorAll("h1").length !== 1) out.push("not exactly one <h1>");
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id), twice = ids.filter((x, i) => ids.indexOf(x) !== i);
  if (twice.length) out.push(`id used twice: ${[...new Set(twice)].slice(0, 4).join(", ")}`);
  return out;
};
async function axe(page) {
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const result = await window.axe.run(document, { runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] }, resultTypes: ["violations"] });
    return result.violations.flatMap((v) => v.nodes.slice(0, 4).map((n) => `${v.id}: ${n.target.join(" ")} — ${(n.any[0] ?? n.all[0] ?? n.none[0])?.message ?? v.help}`));
  });
}

try {
  for (const mode of ["disk", "root", "server"]) {
    // A 404 page with absolute addresses works where the site's base_url says, and is opened there only.
    const here = (path) => mode === "server" || label(path) !== "404.html" || !/href="\//.test(load(path).text);
    const visited = opened.filter(here), samples = ofKinds.filter(here);
    const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, locale: "ko-KR" });
    await context.addInitScript(INIT);
    const page = await context.newPage(), sink = [];
    page.setDefaultTimeout(15_000);
    listen(page, mode, sink);
    const go = (path, hash = "") => page.goto(url(mode, path) + hash, { waitUntil: "load" });

    for (const path of visited) {
      if (late()) { report(`${mode}: ${label(path)}`, ["no time left"]); break; }
      sink.length = 0;
      const problems = [];
      await go(path);
      problems.push(...await page.evaluate(attributes));
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const wide = await page.evaluate(overflow);
        if (wide) problems.push(`at ${width} px wider than the screen: ${wide}`);
      }
      if (!await page.evaluate(() => getComputedStyle(document.body).margin === "0px" && document.styleSheets.length > 0)) problems.push("style sheet not applied");
      problems.push(...await page.evaluate(() => window.__csp), ...sink);
      // By the cases' names: the policy (A24) and the widths (A25) hold on every page.
      report(`A24: A25: ${mode}: ${label(path)}`, problems);
    }
    if (mode === "root") { await context.close(); continue; }

    if (mode === "disk") {
      // on paper: what is folded is there, and links say where they lead
      for (const path of samples) {
        if (late()) { report(`print: ${label(path)}`, ["no time left"]); break; }
        await go(path);
        await page.emulateMedia({ media: "print" });
        const problems = await page.evaluate(() => {
          const out = [];
          for (const details of document.querySelectorAll("main details:not(.drawing > .more)")) {
            const inside = [...details.children].find((e) => e.localName !== "summary" && e.textContent.trim());
            if (inside && !(inside.getBoundingClientRect().height > 0) && getComputedStyle(details).display !== "none") out.push(`folded on paper: ${details.textContent.trim().slice(0, 40)}`);
          }
          for (const e of document.querySelectorAll(".side, .contents, button, dialog")) if (e.getClientRects().length) out.push(`shown on paper: ${e.localName}.${e.className}`);
          for (const a of document.querySelectorAll('main p a[href^="http"]')) if (a.getClientRects().length && !a.textContent.includes("//") && !getComputedStyle(a, "::after").content.includes("http")) out.push(`address not printed: ${a.href}`);
          return out;
        });
        const pdf = await page.pdf({ format: "A4" });
        if (pdf.length < 4000 || pdf.subarray(0, 5).toString() !== "%PDF-") problems.push(`no PDF: ${pdf.length} bytes`);
        const links = pdf.toString("latin1").split("/URI (").length - 1, want = await page.evaluate(() => [...document.querySelectorAll("main a[href]")].filter((a) => a.getClientRects().length && !a.getAttribute("href").startsWith("#")).length);
        if (want && !links) problems.push(`no links in the PDF of a page with ${want}`);
        await page.emulateMedia({ media: "screen" });
        report(`print: ${kindOf(path)} (${label(path)})`, problems);
      }

      for (const path of samples) {
        for (const [scheme, width] of [["light", 1360], ["dark", 1360], ["light", 390]]) {
          if (late()) { report(`axe: ${label(path)}`, ["no time left"]); break; }
          await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
          await page.setViewportSize({ width, height: 900 });
          await go(path);
          if (width < 500) await page.evaluate(() => { const m = document.querySelector("details.menu"); if (m) m.open = true; });
          report(`axe ${scheme} ${width}: ${kindOf(path)} (${label(path)})`, await axe(page));
        }
      }
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    } else await page.emulateMedia({ reducedMotion: "reduce" });
    await page.setViewportSize({ width: 1360, height: 900 });

    // theme: kept over pages, and the system's own choice is not stored
    {
      const problems = [], [a, b] = [visited[0], visited[1] ?? visited[0]];
      await go(a);
      const dark = () => page.evaluate(() => [document.documentElement.dataset.theme ?? null, getComputedStyle(document.body).backgroundColor]);
      const before = await dark();
      await page.click("button.theme");
      const after = await dark();
      if (after[0] !== "dark" || after[1] === before[1]) problems.push(`one click: ${after}`);
      await go(b);
      if ((await dark())[0] !== "dark") problems.push("lost on the next page");
      if (await page.getAttribute("button.theme", "aria-pressed") !== "true") problems.push("aria-pressed is not true");
      await page.click("button.theme");
      if ((await dark())[0] !== null) problems.push("two clicks do not lead back to the system's choice");
      report(`${mode}: theme toggle is kept`, problems);
    }

    // copy: commands only
    {
      const path = visited.find((p) => /class="g"/.test(load(p).text) && /class="copy"/.test(load(p).text));
      if (!path) report(`A27: ${mode}: copy takes commands only`, [], "no console session on the opened pages");
      else {
        await go(path);
        const problems = await page.evaluate(async () => {
          const out = [];
          const button = [...document.querySelectorAll("button.copy")].find((b) => b.closest(".code, .run").querySelector("pre:not(.output) .g"));
          const pre = button.closest(".code, .run").querySelector("pre:not(.output)");
          const kept = pre.cloneNode(true);
          kept.querySelectorAll(".g, .u").forEach((e) => e.remove());
          const want = kept.textContent.split("\n").map((l) => l.trimEnd()).filter(Boolean);
          if (button.hidden) out.push("button is hidden");
          button.click();
          await new Promise((r) => setTimeout(r, 50));
          const got = window.__copied.at(-1) ?? "";
          if (JSON.stringify(got.split("\n").filter(Boolean)) !== JSON.stringify(want)) out.push(`copied ${JSON.stringify(got)}, expected ${JSON.stringify(want)}`);
          if (/^\s*\n|\n\n$/.test(got)) out.push(`blank lines left: ${JSON.stringify(got)}`);
          if (!button.classList.contains("done")) out.push("button does not say so");
          if (document.querySelector('[role="status"]')?.textContent !== document.body.dataset.copied) out.push("screen readers are not told");
          return out;
        });
        report(`A27: ${mode}: copy takes commands only (${label(path)})`, problems);
      }
      const withRun = visited.find((p) => /class="output"/.test(load(p).text) && /class="copy"/.test(load(p).text));
      if (withRun) {
        await go(withRun);
        report(`${mode}: copy of a run leaves its output (${label(withRun)})`, await page.evaluate(async () => {
          const run = [...document.querySelectorAll(".run")].find((r) => r.querySelector("pre.output") && r.querySelector("button.copy"));
          run.querySelector("button.copy").click();
          await new Promise((r) => setTimeout(r, 50));
          const want = run.querySelector("pre:not(.output)").textContent.trim(), got = (window.__copied.at(-1) ?? "").trim();
          return run.querySelector("pre:not(.output) .g") || got === want ? [] : [`copied ${JSON.stringify(got)}`];
        }));
      }
    }

    // tabs: one panel at a time, by click and by arrow key
    {
      const path = visited.find((p) => /class="tabs"/.test(load(p).text));
      if (path) {
        await go(path);
        const shown = () => page.evaluate(() => [...document.querySelector(".tabs").querySelectorAll(":scope > section")].map((s) => s.getClientRects().length > 0));
        const problems = [], tab = page.locator(".tabs").first().locator('[role="tab"]');
        if ((await shown()).filter(Boolean).length !== 1) problems.push(`at first ${await shown()}`);
        await tab.nth(1).click();
        if (!(await shown())[1]) problems.push("a click does not choose");
        await page.keyboard.press("ArrowLeft");
        if (!(await shown())[0]) problems.push("an arrow key does not choose");
        report(`${mode}: tabs (${label(path)})`, problems);
      }
    }

    // contents: the heading being read is marked, also with a Hangul id
    {
      const path = visited.find((p) => /<nav class="contents"/.test(load(p).text) && [...load(p).ids].some((id) => /[가-힣]/.test(id)));
      if (!path) report(`A5: ${mode}: contents follow the reader`, [], "no page with a Hangul id");
      else {
        await go(path);
        const ids = await page.evaluate(() => [...document.querySelectorAll(".contents a")].map((a) => decodeURIComponent(a.getAttribute("href").slice(1))).filter((id) => /[가-힣]/.test(id)));
        const problems = [];
        for (const id of ids.slice(0, 3)) {
          const state = await page.evaluate(async (id) => {
            document.getElementById(id).scrollIntoView({ behavior: "instant" });
            await new Promise((r) => setTimeout(r, 120));
            const bottom = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 2;
            return { now: decodeURIComponent(document.querySelector(".contents [aria-current]")?.getAttribute("href").slice(1) ?? ""), bottom, count: document.querySelectorAll(".contents [aria-current]").length };
          }, id);
          if (state.count !== 1 || (state.now !== id && !state.bottom)) problems.push(`at #${id} the mark is on "${state.now}" (${state.count} marks)`);
        }
        const link = page.locator(".contents a").nth(1);
        if (await link.count()) { await link.click(); await page.waitForTimeout(150); if (await link.getAttribute("aria-current") !== "true") { const end = await page.evaluate(() => window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 2); if (!end) problems.push("a click on an entry does not mark it"); } }
        report(`A5: ${mode}: contents follow the reader (${label(path)})`, problems);
      }
    }

    // keyboard: the skip link is first and leads to the text; every stop shows where it is
    {
      await go(visited[0]);
      const problems = [];
      await page.keyboard.press("Tab");
      if (!await page.evaluate(() => document.activeElement.classList.contains("skip") && document.activeElement.getBoundingClientRect().left >= 0)) problems.push("the first stop is not a visible skip link");
      await page.keyboard.press("Enter");
      if (await page.evaluate(() => location.hash) !== "#main") problems.push("it does not lead to #main");
      await go(visited[0]);
      for (let i = 0; i < 12; i++) {
        await page.keyboard.press("Tab");
        const bad = await page.evaluate(() => { const e = document.activeElement, s = getComputedStyle(e); return e === document.body || parseFloat(s.outlineWidth) >= 2 ? null : `${e.localName}.${e.className}`; });
        if (bad) problems.push(`focus not visible on ${bad}`);
      }
      report(`${mode}: keyboard`, problems);
    }

    // not found: whole at any depth, where the site knows its address (the tests' site stands below /a/b/ then)
    if (mode === "server" && /href="\/a\/b\/labdoc\.css"/.test(readFileSync(join(site, "404.html"), "utf8"))) {
      const problems = [];
      for (const at of ["missing", "x/missing", "x/y/z/missing"]) {
        sink.length = 0;
        const answer = await page.goto(home(mode) + at);
        if (answer.status() !== 404) problems.push(`${at}: status ${answer.status()}`);
        if (!await page.evaluate(() => getComputedStyle(document.body).margin === "0px")) problems.push(`${at}: no style sheet`);
        const home404 = await page.evaluate(() => document.querySelector("main a").href);
        if (home404 !== home(mode) + "index.html") problems.push(`${at}: leads to ${home404}`);
        problems.push(...sink.filter((line) => !line.includes("/missing") && !line.includes("status of 404")));
      }
      report("server: the page for what is not found, at any depth", problems);
    }

    // phone: one button opens navigation and contents, Escape closes it
    {
      await page.setViewportSize({ width: 390, height: 844 });
      const path = visited.find((p) => /<nav class="contents"/.test(load(p).text)) ?? visited[0];
      await go(path);
      const problems = [], visible = () => page.evaluate(() => { const e = document.querySelector(".side, .contents"); return !!e && e.getClientRects().length > 0; });
      if (await visible()) problems.push("open from the start");
      await page.click("details.menu summary");
      if (!await visible()) problems.push("does not open");
      const wide = await page.evaluate(overflow);
      if (wide) problems.push(`open menu is ${wide}`);
      await page.keyboard.press("Escape");
      if (await visible()) problems.push("Escape does not close it");
      await page.evaluate(() => window.scrollTo(0, 1500));
      await page.click("details.menu summary");
      if (!await page.evaluate(() => { const r = document.querySelector(".panel").getBoundingClientRect(); return r.top >= 0 && r.top < 120 && r.bottom <= innerHeight + 1; })) problems.push("after scrolling it opens out of sight");
      report(`${mode}: menu on a phone (${label(path)})`, problems);
    }
    await context.close();

    // no script
    const plain = await browser.newContext({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false, locale: "ko-KR" });
    const still = await plain.newPage();
    for (const path of samples) {
      if (late()) { report(`${mode}: without script: ${label(path)}`, ["no time left"]); break; }
      const problems = [];
      await still.goto(url(mode, path), { waitUntil: "load" });
      if (!(await still.locator("main h1").innerText()).trim()) problems.push("no heading");
      for (const dead of ["button.copy", "button.theme", "button.find"]) for (const b of await still.locator(dead).all()) if (await b.isVisible()) { problems.push(`${dead} is shown although it cannot work`); break; }
      if (await still.locator(".side").isVisible()) problems.push("menu is open");
      await still.locator("details.menu summary").click();
      if (!await still.locator(".side").isVisible()) problems.push("menu does not open");
      report(`${mode}: without script: ${kindOf(path)} (${label(path)})`, problems);
    }
    await plain.close();
  }

  if (options.shots) {
    mkdirSync(options.shots, { recursive: true });
    const wanted = options.pages ? options.pages.split(",").map((p) => join(site, ...p.split("/"))) : ofKinds;
    for (const [width, height] of [[1360, 900], [390, 844]]) for (const scheme of ["light", "dark"]) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, locale: "ko-KR", reducedMotion: "reduce" });
      const page = await context.newPage();
      for (const path of wanted) {
        if (late()) { console.log("# no time left for pictures"); break; }
        if (!existsSync(path)) { console.log(`# no page ${label(path)}`); continue; }
        await page.goto(pathToFileURL(path).href, { waitUntil: "load" });
        await page.screenshot({ path: join(options.shots, `${label(path).replace(/\.html$/, "").replace(/[/\\]/g, "-")}-${width}-${scheme}.png`), fullPage: true });
      }
      await context.close();
    }
  }
} catch (error) {
  report("the run itself", [error.stack ?? String(error)]);
} finally {
  clearTimeout(stop);
  await browser.close().catch(() => {});
  server.closeAllConnections(); server.close();
  rmSync(profile, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
