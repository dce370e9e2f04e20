// Looks in Chromium whether each label of each diagram lies inside the shape that holds it and inside the drawing, in Korean fonts of different widths.
//
//   node labels.mjs SITE [--pages index.html,kinds.html] [--shots DIR]
//
// CHROMIUM names the browser. Prints TAP lines; a font that is not installed is a visible SKIP, fewer than two fonts of different width are a failure.
// Exit 1 on a failure, 2 on bad usage.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const FONTS = ["Noto Sans CJK KR", "NanumGothic", "NanumSquareRound"];
const args = process.argv.slice(2);
const option = (name) => { const at = args.indexOf(name); return at < 0 ? null : args.splice(at, 2)[1]; };
const only = option("--pages"), shots = option("--shots");
const site = args[0] && resolve(args[0]);
if (!site || args.length !== 1 || !existsSync(join(site, "index.html"))) { console.error("usage: node labels.mjs SITE [--pages a.html,b.html] [--shots DIR]"); process.exit(2); }
const pages = (only ? only.split(",") : readdirSync(site, { recursive: true }).filter((p) => p.endsWith(".html"))).map(String).sort()
  .filter((p) => readFileSync(join(site, p), "utf8").includes('class="diagram"'));
if (shots) mkdirSync(shots, { recursive: true });

let passed = 0, failed = 0, number = 0;
function report(name, problems, skip) {
  number++;
  if (problems.length) failed++; else if (!skip) passed++;
  console.log(`${problems.length ? "not ok" : "ok"} ${number} - ${name}${skip ? ` # SKIP ${skip}` : ""}`);
  for (const p of problems.slice(0, 20)) console.log(`  # ${p}`);
}

// Runs in the page: each text against the smallest shape drawn before it that holds its middle.
function measure() {
  const problems = [], SLACK = 1.5;
  let texts = 0, held = 0;
  document.querySelectorAll(".diagram svg").forEach((svg) => {
    const title = svg.querySelector("title")?.textContent, whole = svg.getBoundingClientRect();
    const scale = whole.width / svg.viewBox.baseVal.width;
    const drawn = [...svg.querySelectorAll("rect, circle, ellipse, polygon, path, text")];
    const boxes = drawn.filter((e) => e.tagName !== "text" && !e.closest("defs, marker") && getComputedStyle(e).fill !== "none")
      .map((e) => ({ e, box: e.getBoundingClientRect() })).filter(({ box }) => box.width > 0 && box.height > 0);
    for (const text of drawn.filter((e) => e.tagName === "text" && e.textContent.trim())) {
      texts++;
      const r = text.getBoundingClientRect(), x = r.left + r.width / 2, y = r.top + r.height / 2;
      const out = (box) => Math.max(box.left - r.left, r.right - box.right, box.top - r.top, r.bottom - box.bottom) / scale;
      const say = (what, by) => problems.push(`${title}: "${text.textContent.trim().slice(0, 40)}" leaves ${what} by ${by.toFixed(1)}`);
      if (out(whole) > SLACK) say("the drawing", out(whole));
      // Holders are shapes of a label's size: no bar, no frame round many things, no slice, no mark that is turned. A group holds its title.
      const fits = ({ e, box }) => (e.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING) && box.left < x && x < box.right && box.top < y && y < box.bottom
        && box.height >= r.height * 0.8 && box.height <= r.height * 6 && box.width > 16 * scale && !e.matches(".pieCircle, [transform*=rotate]");
      const own = text.closest("g.cluster"), of = own && boxes.filter(({ e }) => own.contains(e))[0];
      const holder = of ?? boxes.filter(fits).sort((a, b) => a.box.width * a.box.height - b.box.width * b.box.height)[0];
      if (holder) held++;
      if (holder && Math.max(holder.box.left - r.left, r.right - holder.box.right) / scale > SLACK) say(`its ${holder.e.tagName}`, out(holder.box));
    }
  });
  return { problems, texts, held };
}

const installed = (font) => { try { return execFileSync("fc-list", [font, "family"], { encoding: "utf8" }).trim() !== ""; } catch { return false; } };
const profile = mkdtempSync(join(tmpdir(), "labdoc-labels-"));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--lang=ko", `--crash-dumps-dir=${profile}`] });
try {
  const widths = new Set();
  for (const font of FONTS) {
    if (!installed(font)) { report(`labels in ${font}`, [], "not installed"); continue; }
    const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, bypassCSP: true });
    const probe = await context.newPage();
    widths.add(Math.round(await probe.evaluate((font) => { const c = document.createElement("canvas").getContext("2d"); c.font = `100px "${font}"`; return c.measureText("다람쥐 헌 쳇바퀴").width; }, font)));
    await probe.close();
    for (const path of pages) {
      const page = await context.newPage();
      await page.goto(pathToFileURL(join(site, path)).href);
      await page.addStyleTag({ content: `:root { --sans: "${font}" !important }` });
      const { problems, texts, held } = await page.evaluate(measure);
      if (held < texts / 3) problems.push(`only ${held} of ${texts} labels were found in a shape`);
      report(`${path}: ${texts} labels lie in the drawing and ${held} in their shapes, in ${font}`, problems);
      if (shots) {
        const at = path.replace(/[/.]/g, "-") + "-" + font.replace(/ /g, "");
        for (const theme of ["light", "dark"]) {
          await page.emulateMedia({ colorScheme: theme });
          await page.screenshot({ path: join(shots, `${at}-${theme}.png`), fullPage: true });
        }
      }
      await page.close();
    }
    // A drawing that is wider than its frame scrolls in it, and keeps its least width.
    const narrow = await context.newPage();
    await narrow.setViewportSize({ width: 390, height: 844 });
    for (const path of pages) {
      await narrow.goto(pathToFileURL(join(site, path)).href);
      report(`${path}: wide drawings scroll in their frames, in ${font}`, await narrow.evaluate(() => {
        const out = [], d = document.documentElement;
        if (d.scrollWidth > d.clientWidth) out.push(`the page is ${d.scrollWidth} wide`);
        for (const frame of document.querySelectorAll(".diagram")) {
          const svg = frame.querySelector("svg"), natural = svg.viewBox.baseVal.width, shown = svg.getBoundingClientRect().width;
          if (shown < Math.min(natural, frame.clientWidth) * 0.69) out.push(`${natural} shrank to ${shown}`);
          if (natural > 600 && shown > frame.clientWidth && frame.scrollWidth <= frame.clientWidth) out.push(`${natural} does not scroll`);
          if (natural > 600 && shown < natural * 0.55) out.push(`${natural} is shown at ${shown}: unreadable`);
        }
        return out;
      }));
    }
    await context.close();
  }
  report(`fonts of ${widths.size} different widths were tried`, widths.size < 2 ? ["install two Korean fonts of different width, such as fonts-nanum and fonts-noto-cjk"] : []);
} finally {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
