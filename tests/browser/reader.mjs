// What a reader of a new site does, in Chromium: fills in parameters and copies, reads without script, in the site's own colours; and how heavy pages are.
//
//   node reader.mjs LABDOC SITE
//
// LABDOC is the binary, SITE a built site whose pages are weighed. CHROMIUM names the browser. Prints TAP lines, then "N passed, N failed"; exit 1 on a failure, 2 on bad usage.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const [labdoc, whole, , shots] = process.argv.slice(2).map((a) => a.startsWith("--") ? a : resolve(a));
if (!whole || !existsSync(labdoc) || !existsSync(join(whole, "index.html"))) { console.error("usage: node reader.mjs LABDOC SITE [--shots DIR]"); process.exit(2); }

const base = mkdtempSync(join(tmpdir(), "labdoc-reader-")), site = join(base, "site"), out = join(site, "public");
mkdirSync(join(base, "home"));
const env = { PATH: process.env.PATH, HOME: join(base, "home"), TMPDIR: base, NO_COLOR: "1" };
const run = (program, args, cwd = base) => execFileSync(program, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
run(labdoc, ["new", "site"]);
appendFileSync(join(site, "book.toml"), '\n[theme.light]\naccent = "#006b5f"\n\n[theme.dark]\naccent = "#5fd0c0"\n');
mkdirSync(join(site, "content/quoting"));
const SCRIPT = "printf '%s\\n' $x \"$x\" \"a${x}b\" '$x'\ncat <<END\n$x \"q\"\nEND";
writeFileSync(join(site, "content/quoting/index.md"), `---\nparams: {x: plain, names: other.txt}\n---\n# 따옴표\n\n\`\`\`sh\n${SCRIPT}\n\`\`\`\n\n\`\`\`console\n$ wc -l $names\n3\n\`\`\`\n`);
run(labdoc, ["verify", "--record"], site);
run(labdoc, ["build"], site);

let passed = 0, failed = 0;
function report(name, problems) {
  if (problems.length) failed++; else passed++;
  console.log(`${problems.length ? "not ok" : "ok"} ${passed + failed} - ${name}`);
  for (const p of problems.slice(0, 12)) console.log(`  # ${String(p).replace(/\n/g, "\n  # ")}`);
}
const same = (problems, what, got, want) => { if (got !== want) problems.push(`${what}: ${JSON.stringify(got)} is not ${JSON.stringify(want)}`); };

// ---- weight: HTML, styles and scripts of the first view, gzipped -------------------------------------------------------------
const LIMIT = 120 * 1024;
{
  const problems = [], sizes = new Map();
  const packed = (file) => { if (!sizes.has(file)) sizes.set(file, gzipSync(readFileSync(file), { level: 9 }).length); return sizes.get(file); };
  let heaviest = [0, ""], count = 0;
  for (const name of readdirSync(whole, { recursive: true }).map(String).filter((n) => n.endsWith(".html"))) {
    const file = join(whole, name), text = readFileSync(file, "utf8");
    if (!text.includes('<body data-template="page"')) continue;
    const parts = [...text.matchAll(/<(?:link rel="stylesheet" href|script src)="([^"]+)"/g)].map((m) => join(dirname(file), m[1]));
    const weight = parts.reduce((sum, part) => sum + packed(part), packed(file));
    count++;
    if (weight > heaviest[0]) heaviest = [weight, name];
    if (weight > LIMIT) problems.push(`${name}: ${weight} bytes`);
    if (parts.length < 3) problems.push(`${name}: only ${parts.length} styles and scripts were seen`);
  }
  if (count < 3) problems.push(`only ${count} pages`);
  report(`weight: ${count} pages of at most 120 KB gzipped with styles and scripts; the heaviest is ${heaviest[1]} with ${Math.ceil(heaviest[0] / 1024)} KB`, problems);
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const profile = mkdtempSync(join(tmpdir(), "labdoc-reader-profile-"));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--lang=ko", `--crash-dumps-dir=${profile}`] });
const stop = setTimeout(() => { console.log("# the browser hangs: giving up"); process.exit(1); }, 240_000);
const url = (path) => pathToFileURL(join(out, path)).href;
try {
  // ---- parameters ---------------------------------------------------------------------------------------------------------
  {
    const context = await browser.newContext({ offline: true }), page = await context.newPage(), problems = [];
    page.setDefaultTimeout(15_000);
    page.on("console", (m) => problems.push(`console: ${m.text()}`));
    page.on("pageerror", (e) => problems.push(`script: ${e.message}`));
    // From a disk a page may not write to the clipboard without being asked: what it would write is kept here.
    await page.addInitScript(() => { window.taken = []; Object.defineProperty(navigator, "clipboard", { value: { writeText: (text) => { window.taken.push(text); return Promise.resolve(); } } }); });
    const copied = async (n) => { await page.locator("button.copy").nth(n).click(); return page.evaluate(() => window.taken.at(-1)); };
    await page.goto(url("pipe/index.html"));
    same(problems, "the first value", await page.locator("#block-pipe pre:not(.output)").innerText(), 'bash pipe.sh "names.txt"');
    await page.fill(".params input[name=names]", "내 파일.txt");
    same(problems, "what is shown", await page.locator("#block-pipe pre:not(.output)").innerText(), 'bash pipe.sh "내 파일.txt"');
    same(problems, "what is copied", await copied(1), 'bash pipe.sh "내 파일.txt"\n');
    await page.reload();
    same(problems, "after a reload", await page.inputValue(".params input[name=names]"), "내 파일.txt");
    await page.goto(url("quoting/index.html"));
    same(problems, "on the next page", await page.locator(".code pre").nth(1).innerText(), "$ wc -l '내 파일.txt'\n3\n");
    for (const value of ["plain", "a b", "it's", 'q"$HOME`x`\\', "$(echo no)", "*", "~", "한글", "-n", "#x", "'; echo broken; '"]) {
      await page.fill(".params input[name=x]", value);
      const shown = await copied(0);
      same(problems, `${value} as bash reads it`, execFileSync("bash", ["-c", shown], { encoding: "utf8", env }), `${value}\n${value}\na${value}b\n$x\n${value} "q"\n`);
    }
    await page.click(".params button");
    same(problems, "after a reset", await copied(0), SCRIPT.replace("$x \"$x\" \"a${x}b\"", "plain \"plain\" \"aplainb\"").replace("\n$x ", "\nplain ") + "\n");
    await page.goto(url("pipe/index.html"));
    same(problems, "a reset on the other page", await page.inputValue(".params input[name=names]"), "names.txt");
    report("parameters are filled in, shown, quoted and copied", problems);
    await context.close();
  }

  // ---- without script -----------------------------------------------------------------------------------------------------
  {
    const context = await browser.newContext({ javaScriptEnabled: false, offline: true }), page = await context.newPage(), problems = [];
    const other = await (await browser.newContext({ offline: true })).newPage();
    for (const path of ["index.html", "pipe/index.html", "quoting/index.html"]) {
      await page.goto(url(path)); await other.goto(url(path));
      if (await page.locator(".params").count() && await page.locator(".params").isVisible()) problems.push(`${path}: a field that cannot work is shown`);
      // All that is read stands in the page as it comes: the script adds no text to it.
      const text = (p) => p.locator("main .body").innerText();
      const plain = (s) => s.replace(/\s+/g, " ").replace(/복사 ?/g, "").trim();
      same(problems, path, plain(await text(page)), plain(await text(other)));
      for (const h of await page.locator("main h1, main h2, main pre").all()) if (!(await h.boundingBox())?.height) problems.push(`${path}: a part is not drawn`);
    }
    report("the first view needs no script", problems);
    await other.context().close(); await context.close();
  }

  // ---- looks --------------------------------------------------------------------------------------------------------------
  for (const [scheme, accent] of [["light", "rgb(0, 107, 95)"], ["dark", "rgb(95, 208, 192)"]]) {
    const problems = [];
    for (const width of [320, 390, 1360]) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, reducedMotion: "reduce", offline: true }), page = await context.newPage();
      for (const path of ["index.html", "pipe/index.html", "quoting/index.html", "kit/count/index.html"]) {
        await page.goto(url(path));
        if (path === "index.html") same(problems, `${path} at ${width}: colour of links`, await page.evaluate(() => getComputedStyle(document.querySelector("main .body a")).color), accent);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (wide > 0) problems.push(`${path} at ${width}: ${wide} px too wide`);
        const found = await page.evaluate(`${axeSource}; axe.run(document, { preload: false, runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] }).then((r) => r.violations.map((v) => v.id + " " + v.nodes[0].html.slice(0, 200)))`);
        problems.push(...found.map((fault) => `${path} at ${width}: axe ${fault}`));
        if (shots) { mkdirSync(shots, { recursive: true }); await page.screenshot({ path: join(shots, `${path.replace(/\.html$/, "").replace(/\//g, "-")}-${width}-${scheme}.png`), fullPage: true }); }
      }
      await context.close();
    }
    report(`a new site in its own colours, ${scheme}: axe, widths, links`, problems);
  }

  // ---- paper --------------------------------------------------------------------------------------------------------------
  {
    const page = await browser.newPage(), problems = [];
    await page.goto(url("pipe/index.html"));
    const pdf = await page.pdf({ format: "A4" });
    if (pdf.subarray(0, 5).toString() !== "%PDF-" || pdf.length < 10_000) problems.push(`no PDF: ${pdf.length} bytes`);
    await page.emulateMedia({ media: "print" });
    if (await page.locator(".params").isVisible()) problems.push("the fields are printed");
    if (!await page.locator("#block-pipe pre.output").isVisible()) problems.push("an output is not printed");
    const printed = (selector) => page.evaluate((s) => getComputedStyle(document.querySelector(s), "::after").content, selector);
    if ((await printed(".badge a")).includes("tags/")) problems.push("a way inside the site is printed, which says nothing on paper");
    await page.evaluate(() => { const a = document.createElement("a"); a.href = "https://docs.example/x"; a.className = "test"; a.textContent = "x"; document.querySelector("main p").append(a); });
    if (!(await printed("a.test")).includes("https://docs.example/x")) problems.push("an outside address is not printed");
    report("a lab page is printed without its fields, with outside addresses", problems);
    await page.close();
  }
} catch (error) {
  report("the run itself", [error.stack ?? String(error)]);
} finally {
  clearTimeout(stop);
  await browser.close().catch(() => {});
  for (const folder of [base, profile]) rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
