// Asks the index of a built site: node ask.mjs SITE FOLDER-OF-A-LANGUAGE QUERY. Prints the pages found, best first, and the files loaded, as JSON.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";

const [site, folder, query] = process.argv.slice(2);
const context = vm.createContext({ DecompressionStream, Response, Blob, atob, console });
vm.runInContext(readFileSync(join(site, "labdoc-search.js"), "utf8"), context);
const loaded = [];
const load = async (name) => {
  let data;
  loaded.push(name);
  vm.runInContext(readFileSync(join(folder, `${name}.js`), "utf8"), vm.createContext({ labdocSearch: (_lang, _name, ...rest) => { data = rest; } }));
  return data;
};
const found = await context.labdocSearchParts.Engine(load).search(query, 20);
console.log(JSON.stringify({ hits: found.hits.map((hit) => hit.path), loaded }));
