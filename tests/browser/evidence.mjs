// Evidence, kits and the offline copy in Chromium: the numbered cases that need a browser, and the archive of a whole site from each unpacker.
//
//   node evidence.mjs LABDOC
//
// LABDOC is the binary. CHROMIUM names the browser. Prints TAP lines, then "N passed, N failed"; exit 1 on a failure, 2 on bad usage.
import { execFileSync, spawnSync } from "node:child_process";
import { createReadStream, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const labdoc = process.argv[2] ? resolve(process.argv[2]) : null;
if (!labdoc || !existsSync(labdoc)) { console.error("usage: node evidence.mjs LABDOC"); process.exit(2); }

// A site of its own: the proven one, with a diagram and a script in another alphabet, recorded, sealed, built with its offline copy.
const base = mkdtempSync(join(tmpdir(), "labdoc-evidence-")), site = join(base, "site"), out = join(site, "public");
mkdirSync(join(base, "home"));
cpSync(join(here, "../sites/proof"), site, { recursive: true });
const env = { PATH: process.env.PATH, HOME: join(base, "home"), TMPDIR: base, NO_COLOR: "1" };
const run = (program, args, cwd = site) => execFileSync(program, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
writeFileSync(join(site, "content/diagram.md"), "# Diagram\n\n```mermaid\nflowchart TD\n  A[Start] --> B[End]\n```\n");
writeFileSync(join(site, "labkit/probe/up.sh"), "#!/bin/sh\n# Запускает стенд\necho up\n");
writeFileSync(join(site, "book.toml"), readFileSync(join(site, "book.toml"), "utf8") + "\n[offline]\narchive = true\n");
run(labdoc, ["verify", "--record"]); run(labdoc, ["evidence", "seal"]); run(labdoc, ["build", "--release"]);

let passed = 0, failed = 0;
function report(name, problems) {
  if (problems.length) failed++; else passed++;
  console.log(`${problems.length ? "not ok" : "ok"} ${passed + failed} - ${name}`);
  for (const p of problems.slice(0, 12)) console.log(`  # ${String(p).replace(/\n/g, "\n  # ")}`);
  if (problems.length > 12) console.log(`  # and ${problems.length - 12} more`);
}
const files = (folder) => readdirSync(folder, { recursive: true }).map((p) => String(p).split(sep).join("/")).filter((p) => statSync(join(folder, p)).isFile()).sort();

// A server that says nothing of what a file is.
const server = createServer((request, response) => {
  const file = resolve(out, "." + decodeURIComponent(new URL(request.url, "http://x").pathname));
  if (!file.startsWith(out + sep) || !existsSync(file) || !statSync(file).isFile()) { response.writeHead(404); response.end(); return; }
  response.writeHead(200, extname(file) === ".html" ? { "content-type": "text/html" } : {});
  createReadStream(file).pipe(response);
});
await new Promise((ok) => server.listen(0, "127.0.0.1", ok));
const profile = mkdtempSync(join(tmpdir(), "labdoc-evidence-profile-"));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", `--crash-dumps-dir=${profile}`] });
const stop = setTimeout(() => { console.log("# the browser hangs: giving up"); browser.close().catch(() => {}); process.exit(1); }, 480_000);
stop.unref();

// A page whose every console message and every request that leaves the disk is kept.
async function quiet() {
  const context = await browser.newContext({ offline: true }), page = await context.newPage(), noise = [];
  page.setDefaultTimeout(15_000);
  page.on("console", (m) => noise.push(`console ${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => noise.push(`script: ${e.message}`));
  page.on("request", (r) => { if (!/^(file|data):/.test(r.url())) noise.push(`request to ${r.url()}`); });
  page.on("requestfailed", (r) => { if (r.failure()?.errorText !== "net::ERR_ABORTED") noise.push(`failed ${r.url()} ${r.failure()?.errorText}`); });
  return { page, noise, close: () => context.close() };
}
const disk = (path, folder = out) => pathToFileURL(join(folder, path)).href;

// The record opened from the disk has a row for each claim.
async function case_13_the_record_is_there_from_a_disk() {
  const { page, noise, close } = await quiet();
  await page.goto(disk("evidence/index.html"));
  const ids = await page.evaluate(() => [...new Set([...document.querySelectorAll("main a")].map((a) => a.textContent.trim()).filter((t) => /^C\d+$/.test(t)))].sort());
  const want = JSON.parse(readFileSync(join(out, "evidence/record.json"), "utf8")).claims.map((c) => c.id).sort();
  const problems = [...noise];
  if (want.length < 8 || JSON.stringify(ids) !== JSON.stringify(want)) problems.push(`rows ${ids}, expected ${want}`);
  await close();
  report("case 13: the record from the disk has all rows and the console is silent", problems);
}

// Every page of the site, from the disk, without a network: nothing is asked for elsewhere.
async function case_25_no_page_asks_for_anything_elsewhere() {
  const { page, noise, close } = await quiet();
  // The page for what is not found belongs to a host, whose address its links begin with; no link leads to it.
  const pages = files(out).filter((p) => p.endsWith(".html") && p !== "404.html");
  for (const path of pages) await page.goto(disk(path), { waitUntil: "load" });
  await close();
  report(`case 25: ${pages.length} pages from the disk ask for nothing elsewhere`, noise);
}

// A diagram is drawn where there is no network.
async function case_26_a_diagram_is_drawn_without_a_network() {
  const { page, noise, close } = await quiet();
  await page.goto(disk("diagram.html"));
  const found = await page.evaluate(() => {
    const svg = document.querySelector("main svg"), box = svg?.getBoundingClientRect();
    return { width: box?.width ?? 0, height: box?.height ?? 0, text: svg?.textContent ?? "" };
  });
  const problems = [...noise];
  if (!(found.width > 40 && found.height > 40) || !found.text.includes("Start") || !found.text.includes("End")) problems.push(JSON.stringify(found));
  await close();
  report("case 26: a diagram is drawn without a network", problems);
}

// An icon that is not drawn has no size, or nothing in it.
async function case_28_icons_have_a_size_from_a_disk() {
  const { page, noise, close } = await quiet(), problems = [];
  for (const path of ["index.html", "guide.html", "evidence/index.html", "kit/probe/index.html"]) {
    await page.goto(disk(path));
    problems.push(...await page.evaluate((path) => [...document.querySelectorAll("svg")].filter((svg) => svg.getClientRects().length).flatMap((svg) => {
      const box = svg.getBoundingClientRect(), drawn = svg.getBBox();
      return box.width > 0 && box.height > 0 && drawn.width + drawn.height > 0 ? [] : [`${path}: ${svg.outerHTML.slice(0, 80)}`];
    }), path));
    if (!await page.evaluate(() => document.querySelectorAll("svg").length)) problems.push(`${path} has no icon`);
  }
  await close();
  report("case 28: icons have a size from the disk", [...noise, ...problems]);
}

// Text in another alphabet, from the disk and from a server that names no encoding.
async function case_37_text_without_a_charset_is_shown_right() {
  const problems = [], path = "kit/probe/view/up.sh.html";
  for (const address of [disk(path), `http://127.0.0.1:${server.address().port}/${path}`]) {
    const page = await browser.newPage();
    await page.goto(address);
    const found = await page.evaluate(() => [document.characterSet, document.querySelector(".file pre").textContent]);
    if (found[0] !== "UTF-8" || !found[1].includes("Запускает стенд")) problems.push(`${address}: ${found}`);
    await page.close();
  }
  report("case 37: a viewer shows Cyrillic from the disk and from any server", problems);
}

// The archive, from each unpacker, is the same copy; in it every link leads somewhere, the search finds, and nothing is said or asked for.
async function archive() {
  const zip = readdirSync(join(out, "offline")).find((name) => name.endsWith(".zip")), file = join(out, "offline", zip);
  const unpackers = {
    unzip: ["unzip", ["-q", file]],
    python: ["python3", ["-m", "zipfile", "-e", file, "."]],
    busybox: ["busybox", ["unzip", "-q", file]],
  };
  for (const [name, [program, args]] of Object.entries(unpackers)) {
    const folder = join(base, name);
    mkdirSync(folder);
    run(program, args, folder);
    const [top, ...more] = readdirSync(folder), copy = join(folder, top), problems = [];
    if (more.length || top.startsWith(".")) problems.push(`not one visible folder: ${[top, ...more]}`);
    const { page, noise, close } = await quiet();
    // What the start page leads to, and then the pages that only somebody who types a folder's name finds.
    const seen = new Set(["index.html"]), order = ["index.html"], all = files(copy).filter((p) => p.endsWith(".html"));
    for (let i = 0; i < order.length; i++) {
      await page.goto(disk(order[i], copy), { waitUntil: "load" });
      const links = await page.evaluate(() => [...document.querySelectorAll("[href], [src]")].map((e) => e.getAttribute("href") ?? e.getAttribute("src")));
      for (const link of links.filter((l) => !/^(https?|mailto|tel|data):/.test(l))) {
        const [path, anchor] = link.split("#"), target = path ? resolve(dirname(join(copy, order[i])), decodeURIComponent(path)) : join(copy, order[i]);
        if (!target.startsWith(copy + sep) || !existsSync(target) || !statSync(target).isFile()) { problems.push(`${order[i]}: dead link ${link}`); continue; }
        const id = relative(copy, target).split(sep).join("/");
        if (anchor && !new RegExp(`\\s(id|name)="${decodeURIComponent(anchor).replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}"`).test(readFileSync(target, "utf8"))) problems.push(`${order[i]}: no anchor ${link}`);
        if (id.endsWith(".html") && !seen.has(id)) { seen.add(id); order.push(id); }
      }
      if (i === order.length - 1) for (const id of all.filter((p) => !seen.has(p))) { seen.add(id); order.push(id); }
    }
    if (noise.length) problems.push(...noise);
    await page.goto(disk("index.html", copy));
    await page.keyboard.press("/");
    await page.waitForSelector("dialog.search[open] input:focus");
    await page.keyboard.type("failover");
    await page.waitForSelector(".hits a");
    await Promise.all([page.waitForURL((u) => u.href.includes("guide.html")), page.keyboard.press("Enter")]).catch((e) => problems.push(`search: ${e.message}`));
    problems.push(...noise.filter((n) => !problems.includes(n)));
    await close();
    const sums = spawnSync("sha256sum", ["-c", "--quiet", "SHA256SUMS"], { cwd: copy, encoding: "utf8" });
    if (sums.status !== 0) problems.push(sums.stdout + sums.stderr);
    report(`the archive from ${name}: ${order.length} pages, every link, the search, a silent console, nothing from elsewhere`, problems);
  }
}

try {
  await case_13_the_record_is_there_from_a_disk();
  await case_25_no_page_asks_for_anything_elsewhere();
  await case_26_a_diagram_is_drawn_without_a_network();
  await case_28_icons_have_a_size_from_a_disk();
  await case_37_text_without_a_charset_is_shown_right();
  await archive();
} finally { await browser.close(); server.close(); clearTimeout(stop); rmSync(profile, { recursive: true, force: true }); rmSync(base, { recursive: true, force: true }); }
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
