// The same results as the native program, which $TSREC names, on all pages of the repository.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Site, extract } from "tsrec";
import { URL_OF_ARTICLE, article, ferryPages, files, root, sibling } from "./shared.js";

const program = process.env.TSREC;
assert.ok(program, "these tests need the program: build it with cargo build --release, and name it in $TSREC");

const folder = mkdtempSync(join(tmpdir(), "tsrec-"));
after(() => rmSync(folder, { recursive: true }));
const at = (name) => join(folder, name);

function printed(...args) {
  return execFileSync(program, args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "ignore"] });
}

/** What both say of a page: all but what the caller called it. */
function comparable({ input, id, site, content, date, sources, ...page }) {
  return JSON.parse(JSON.stringify(page));
}

test("the same on each fixture, in each format", () => {
  const paths = files(join(root, "fixtures"), ".html");
  assert.ok(paths.length > 20, `${paths.length} pages`);
  for (const path of paths) {
    const html = readFileSync(path);
    const native = JSON.parse(printed("extract", path, "--format", "json", "--elements"));
    assert.deepEqual(comparable(extract(html, { elements: true })), comparable(native), path);
    for (const format of ["text", "markdown", "html", "tei"]) {
      const ours = extract(html, { format }).content;
      assert.equal(`${ours}\n`, printed("extract", path, "--format", format), `${path} as ${format}`);
    }
  }
});

test("the same with a sibling and a URL", () => {
  writeFileSync(at("a.html"), article);
  writeFileSync(at("b.html"), sibling);
  const native = JSON.parse(printed("extract", "a.html", "--sibling", "b.html", "--url", URL_OF_ARTICLE, "--format", "json", "--elements"));
  const ours = extract(article, { url: URL_OF_ARTICLE, siblings: [sibling], elements: true });
  for (const page of [native, ours]) {
    delete page.sibling;
    delete page.gates[0].sibling;
  }
  assert.deepEqual(comparable(ours), comparable(native));
});

test("a site learns what a batch learns, page by page", () => {
  const pages = ferryPages(8).map((html, number) => ({ id: String(number), url: `https://ferry.example/${number}`, html }));
  writeFileSync(at("pages.jsonl"), pages.map((page) => JSON.stringify(page)).join("\n"));
  const lines = printed("extract", "--batch", "pages.jsonl", "--sites", "--format", "json", "--elements").trimEnd().split("\n");
  assert.equal(lines.length, pages.length);
  const site = new Site();
  for (const [number, { html, url }] of pages.entries()) {
    const ours = site.extract(html, url, { learn: true, elements: true });
    assert.deepEqual(comparable(ours), comparable(JSON.parse(lines[number])));
  }
});

test("the command line reads a site's memory", () => {
  const site = new Site();
  const pages = ferryPages(6);
  const last = pages.pop();
  for (const page of pages) site.learn(page);
  writeFileSync(at("site.memory"), site.toBytes());
  writeFileSync(at("last.html"), last);
  assert.equal(printed("extract", "last.html", "--memory", "site.memory"), `${site.extract(last).text}\n`);
});
