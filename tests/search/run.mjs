// Asks an index on the disk: node run.mjs FOLDER-OF-A-LANGUAGE. Compares terms and hits with vectors.json beside it.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

const here = dirname(fileURLToPath(import.meta.url)), folder = process.argv[2];
const context = vm.createContext({ DecompressionStream, Response, Blob, atob, console });
vm.runInContext(readFileSync(join(here, "../../static/labdoc-search.js"), "utf8"), context);
const { terms, Engine } = context.labdocSearchParts;
const vectors = JSON.parse(readFileSync(join(here, "vectors.json"), "utf8"));
let bad = 0;
const same = (what, got, expect) => {
  if (JSON.stringify(got) !== JSON.stringify(expect)) { bad++; console.log(`not ok ${what}\n  got    ${JSON.stringify(got)}\n  expect ${JSON.stringify(expect)}`); }
};
for (const { text, terms: expect } of vectors.terms) same(text, terms(text), expect);
const load = async (name) => {
  let data;
  vm.runInContext(readFileSync(join(folder, `${name}.js`), "utf8"), vm.createContext({ labdocSearch: (_lang, _name, ...rest) => { data = rest; } }));
  return data;
};
const engine = Engine(load);
for (const { query, hits } of vectors.queries) {
  const found = await engine.search(query, 20);
  same(query, found.hits.map((hit) => hit.path + (hit.anchor ? `#${hit.anchor}` : "")), hits);
}
console.log(`${vectors.terms.length + vectors.queries.length} cases, ${bad} bad`);
process.exit(bad ? 1 : 0);
