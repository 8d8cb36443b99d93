// Compares tsrec with other packages of npm: speed, size, accuracy. Prints a table as Markdown.
//
//   npm run build && npm ci --prefix bench
//   node bench/peers.js [--pages N] [--rounds N] [--tool NAME] SET…
//
// A SET is a folder of pages with gold text (pages.js). All tools get the same strings. Times are
// processor milliseconds a page on the quickest of several rounds, so the code is warm. `first` is
// the wall time from before the import to after the first page, in a new process. F1 is over bags
// of words, without readers' comments. The model in the package learned from pages of these sets,
// so its F1 is not printed: EVALUATION.md has that of models that saw no page of the site that they
// judge.

import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { f1, pagesOf } from "./pages.js";
import { TOOLS } from "./tools.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const modules = join(here, "node_modules");

/** The bytes of the files of a package and of what it depends on. */
function sizeOf(names, seen = new Set()) {
  let size = 0;
  for (const name of names) {
    const folder = join(modules, name);
    if (seen.has(name) || !existsSync(folder)) continue;
    seen.add(name);
    size += name === "tsrec" ? packedSize() : bytesIn(folder);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    size += sizeOf(Object.keys({ ...dependencies, ...optionalDependencies }), seen);
  }
  return size;
}

function bytesIn(folder) {
  const sizes = readdirSync(folder).map((name) => {
    const path = join(folder, name);
    const file = lstatSync(path);
    return file.isDirectory() ? bytesIn(path) : file.size;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Our folder has more than the package. */
function packedSize() {
  const [{ unpackedSize }] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json"], { cwd: resolve(here, ".."), stdio: ["ignore", "pipe", "ignore"] }));
  return unpackedSize;
}

function decoded({ bytes, ...page }, charset) {
  return { ...page, html: new TextDecoder(charset).decode(bytes) };
}

/** Runs one tool over one set, in this process. */
async function measured(tool, folder, limit, rounds) {
  // As strings, by one detection of the charset, which is that of tsrec.
  const { extract } = await import("tsrec");
  const pages = pagesOf(folder, limit).map((page) => decoded(page, extract(page.bytes).charset));
  const { load, text } = TOOLS[tool];
  const run = await load();
  const toText = text ? await text() : (result) => result;
  let best = Infinity;
  const results = [];
  for (let round = 0; round < rounds; round += 1) {
    let spent = 0;
    for (const [at, { html, url }] of pages.entries()) {
      const before = process.cpuUsage();
      try {
        results[at] = await run(html, url);
      } catch {
        results[at] = undefined;
      }
      const { user, system } = process.cpuUsage(before);
      spent += user + system;
    }
    best = Math.min(best, spent / 1e3 / pages.length);
  }
  const scores = pages.map(({ gold }, at) => (results[at] === undefined ? 0 : f1(gold, toText(results[at]))));
  const failed = results.filter((result) => result === undefined).length;
  return { pages: pages.length, ms: best, f1: scores.reduce((sum, score) => sum + score, 0) / pages.length, failed };
}

/** The wall time from before the import to after the first page. */
async function first(tool, file) {
  const html = readFileSync(file, "utf8");
  const begun = performance.now();
  const run = await TOOLS[tool].load();
  await run(html, "https://example.org/a");
  return performance.now() - begun;
}

function child(...args) {
  const printed = execFileSync(process.execPath, [fileURLToPath(import.meta.url), ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 30 });
  return JSON.parse(printed.trim().split("\n").at(-1));
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pages: { type: "string" }, rounds: { type: "string", default: "2" }, tool: { type: "string" }, measure: { type: "string" }, first: { type: "string" } },
});
const limit = values.pages ? Number(values.pages) : Infinity;

if (values.measure) {
  console.log(JSON.stringify(await measured(values.measure, positionals[0], limit, Number(values.rounds))));
} else if (values.first) {
  console.log(JSON.stringify(await first(values.first, positionals[0])));
} else {
  if (positionals.length === 0) {
    console.error("error: name the folders of the sets to run on");
    process.exit(2);
  }
  // The package as it is built, under its own name.
  mkdirSync(modules, { recursive: true });
  rmSync(join(modules, "tsrec"), { recursive: true, force: true });
  symlinkSync(resolve(here, ".."), join(modules, "tsrec"));
  const article = resolve(here, "../../fixtures/demo/news/2026/04/school-roof-will-collect-rain.html");
  const names = Object.keys(TOOLS).filter((name) => values.tool === undefined || name === values.tool);
  const sets = positionals.map((folder) => resolve(folder));
  console.log(`| tool | installed MB | first ms | ${sets.map((set) => `\`${basename(set)}\` ms | F1`).join(" | ")} |`);
  console.log(`|${"---|".repeat(3 + 2 * sets.length)}`);
  for (const name of names) {
    const label = TOOLS[name].converts ? `${name} (converts only)` : name;
    try {
      child("--first", name, article);
    } catch {
      console.log(`| ${label} | | cannot be loaded here |${" |".repeat(2 * sets.length)}`);
      continue;
    }
    const firsts = [0, 1, 2].map(() => child("--first", name, article)).sort((a, b) => a - b);
    const cells = sets.flatMap((set) => {
      const options = ["--rounds", values.rounds, ...(values.pages ? ["--pages", values.pages] : [])];
      const { ms, f1: score, failed } = child("--measure", name, ...options, set);
      return [ms.toFixed(2), name === "tsrec" ? "" : score.toFixed(3) + (failed ? ` (${failed} failed)` : "")];
    });
    console.log(`| ${[label, (sizeOf(TOOLS[name].packages) / 1e6).toFixed(1), firsts[1].toFixed(0), ...cells].join(" | ")} |`);
  }
}
