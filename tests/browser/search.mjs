// Searches a built site in Chromium, from the disk and from a plain server below a sub-path.
//
//   node search.mjs SITE QUERY PATH[#ANCHOR] [--shots DIR]
//
// The first hit of QUERY must be PATH. CHROMIUM names the browser. Prints TAP lines; exit 1 on a failure.
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [folder, query, expect, , shots] = process.argv.slice(2);
if (!expect || !existsSync(join(folder, "index.html"))) { console.error("usage: node search.mjs SITE QUERY PATH[#ANCHOR] [--shots DIR]"); process.exit(2); }
const site = resolve(folder), PREFIX = "/a/b/";
const TYPES = { ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml" };
const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
  const file = resolve(site, "." + sep + path.slice(PREFIX.length));
  if (!path.startsWith(PREFIX) || !file.startsWith(site + sep) || !existsSync(file) || !statSync(file).isFile()) { response.writeHead(404); response.end(); return; }
  response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain" });
  createReadStream(file).pipe(response);
});
await new Promise((ok) => server.listen(0, "127.0.0.1", ok));
let failed = 0, n = 0;
const report = (name, problems) => { n++; if (problems.length) failed++; console.log(`${problems.length ? "not ok" : "ok"} ${n} - ${name}`); problems.forEach((p) => console.log(`  # ${p}`)); };
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const profile = mkdtempSync(join(tmpdir(), "labdoc-search-"));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--lang=ko", `--crash-dumps-dir=${profile}`] });
const stop = setTimeout(() => { console.log("# the browser hangs: giving up"); process.exit(1); }, 90_000);
try {
  for (const mode of ["disk", "server"]) {
    const home = mode === "disk" ? pathToFileURL(site + sep).href : `http://127.0.0.1:${server.address().port}${PREFIX}`;
    for (const width of [1360, 390]) {
      const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme: width === 390 ? "dark" : "light" });
      const noise = [], asked = [];
      page.on("console", (m) => { if (m.type() === "error") noise.push(m.text()); });
      page.on("pageerror", (e) => noise.push(e.message));
      page.on("request", (r) => { asked.push(r.url()); if (!r.url().startsWith(home)) noise.push(`request to ${r.url()}`); });
      await page.goto(home + "index.html");
      const problems = [];
      if (asked.some((u) => u.includes("/search/"))) problems.push("the index is loaded before anybody searches");
      await page.keyboard.press("/");
      await page.waitForSelector("dialog.search[open] input:focus", { timeout: 5000 });
      await page.keyboard.type(query);
      await page.waitForSelector(".hits a", { timeout: 10_000 });
      if (!(await page.locator(".hits mark").count())) problems.push("no hit is highlighted");
      const options = await page.locator(".hits a").count();
      await page.keyboard.press("ArrowDown");
      const second = await page.locator('.hits [aria-selected="true"]').getAttribute("id");
      if (second !== `search-hit-${options > 1 ? 1 : 0}`) problems.push(`arrow down chose ${second}`);
      await page.keyboard.press("ArrowUp");
      if (shots) await page.screenshot({ path: join(shots, `search-${mode}-${width}.png`) });
      const axe = await page.evaluate(`${axeSource}; axe.run("dialog.search", { preload: false, runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] }).then((r) => r.violations.map((v) => v.id + " " + v.nodes[0].html))`);
      problems.push(...axe.map((fault) => `axe: ${fault}`));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (wide > 0) problems.push(`${wide} px too wide`);
      // A composition asks nothing: Enter and Escape belong to the input method.
      const before = page.url();
      await page.evaluate(() => {
        const input = document.querySelector("dialog.search input");
        for (const key of ["Enter", "ArrowDown"]) input.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, isComposing: true, keyCode: 229 }));
      });
      if (page.url() !== before || (await page.locator('.hits [aria-selected="true"]').getAttribute("id")) !== "search-hit-0") problems.push("a composition's key did something");
      await page.keyboard.press("Escape");
      if (await page.locator("dialog.search[open]").count()) problems.push("Escape does not close it");
      // The browser closes a dialog a moment after the key, so a "/" typed at once may come too early.
      for (let tries = 0; tries < 3 && !(await page.locator("dialog.search[open]").count()); tries++) {
        await page.keyboard.press("/");
        await page.waitForSelector('.hits [aria-selected="true"]', { timeout: 2000 }).catch(() => {});
      }
      await Promise.all([page.waitForURL((u) => decodeURIComponent(u.href).startsWith(home.slice(0, 4)) && u.href !== before, { timeout: 5000 }).catch(() => {}), page.keyboard.press("Enter")]);
      const got = decodeURIComponent(page.url().slice(home.length));
      if (got !== expect) problems.push(`Enter leads to ${got}`);
      const anchor = expect.split("#")[1];
      if (anchor && !(await page.evaluate((id) => !!document.getElementById(id), anchor))) problems.push(`no anchor ${anchor}`);
      report(`search from ${mode} at ${width} px`, problems.concat(noise));
      await page.close();
    }
  }
} finally { await browser.close(); server.close(); clearTimeout(stop); rmSync(profile, { recursive: true, force: true }); }
console.log(`${n - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
