// Pages that are made to break things.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Site, SiteLostError, extract } from "tsrec";
import { article, ferryPages, files, root } from "./shared.js";

const expected = extract(article);
const site = new Site();
for (const page of ferryPages(5)) site.learn(page);

/** The instance of the first call is still in use, and gives what it gave. */
function goesOn() {
  assert.deepEqual(extract(article), expected);
  assert.equal(site.pages, 5);
}

const MEGABYTE = 1 << 20;
const bombs = {
  "10 MB of <div>": () => "<div>".repeat(2 * MEGABYTE),
  "deep nesting with text": () => "<div>word ".repeat(100_000),
  "nested formatting elements": () => "<b><i><a href=x>".repeat(50_000),
  "nested tables": () => "<table><tr><td>word".repeat(20_000),
  "nested lists": () => "<ul><li>word".repeat(50_000),
  "an attribute of 10 MB": () => `<p title="${"a".repeat(10 * MEGABYTE)}">word`,
  "a tag with 200,000 attributes": () => `<p ${Array.from({ length: 200_000 }, (_, at) => `a${at}=b`).join(" ")}>word`,
  "10 MB of one word": () => "a".repeat(10 * MEGABYTE),
  "a million paragraphs": () => "<p>word".repeat(1_000_000),
  "a million references": () => "&amp;&nonsense;&#x10ffff;".repeat(400_000),
  "unclosed raw text": () => `<script>${"<!--<script>".repeat(300_000)}`,
  "templates in templates": () => "<template>".repeat(100_000),
  "a huge JSON-LD": () => `<script type="application/ld+json">${"[".repeat(MEGABYTE)}</script><p>word`,
  "10 MB of zeros": () => "\0".repeat(10 * MEGABYTE),
  "UTF-16 that ends within a character": () => Uint8Array.of(0xff, 0xfe, 0x3c, 0x00, 0xd8),
};

for (const [name, make] of Object.entries(bombs)) {
  test(`page bomb: ${name}`, () => {
    const page = make();
    for (const format of ["text", "markdown", "html"]) assert.equal(typeof extract(page, { format }).content, "string");
    assert.equal(typeof site.extract(page).content, "string");
    goesOn();
  });
}

/** A generator of numbers below a limit: mulberry32. */
function numbers(seed) {
  return (limit) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const TOKENS = "<div> </div> <p> <table> <tr> <td> </table> <a href=/x> </a> <script> </script> <style> <template> <select> <option> <svg> <math> <mi> <title> </title> <!-- --> <![CDATA[ ]]> &amp; &#0; &#xD800; \0 \ud83d word 2026-03-04 \n <li> <ul> <h1> <noscript> <iframe> <frameset> <body> <head> <html> <meta charset=utf-16> <base href=//x> ' \" = > <".split(" ");

test("1,000 fuzz inputs", () => {
  const pages = files(join(root, "fixtures"), ".html").map((path) => readFileSync(path)).filter(({ length }) => length < 100_000);
  assert.ok(pages.length > 20);
  const below = numbers(40);
  const damaged = () => {
    const page = Buffer.from(pages[below(pages.length)]);
    for (let times = below(40); times >= 0; times -= 1) page[below(page.length)] = below(256);
    return page.subarray(below(page.length >> 1), page.length - below(page.length >> 1));
  };
  const soup = () => Array.from({ length: below(400) }, () => TOKENS[below(TOKENS.length)]).join(below(2) ? " " : "");
  const formats = ["text", "markdown", "html", "tei", "json"];
  for (let round = 0; round < 1_000; round += 1) {
    const html = round % 2 ? damaged() : soup();
    const options = { format: formats[below(5)], elements: below(2) === 1, charset: ["utf-8", "shift_jis", "utf-16le", "nonsense"][below(4)] };
    try {
      const siblings = below(3) ? [] : [damaged().toString("latin1")];
      assert.equal(typeof extract(html, { ...options, siblings }).content, "string");
    } catch (error) {
      // A damaged page may look like another format.
      assert.equal(error.name, "NotHtmlError", `round ${round}: ${error}`);
    }
  }
  goesOn();
});

// Keep this test last: it loses the site.
test("after a trap the next call has a new instance, and old sites say that they are lost", () => {
  const bytes = site.toBytes();
  goesOn();
  // WebAssembly has no room for such a page. Nothing is copied: the allocation fails first.
  const tooLong = new Uint8Array(2 ** 31 + 1);
  assert.throws(
    () => extract(tooLong),
    (error) => error.name === "TsrecError" && error.cause instanceof WebAssembly.RuntimeError && /All Site objects are lost/.test(error.message),
  );
  assert.deepEqual(extract(article), expected);
  for (const use of [() => site.pages, () => site.templates, () => site.learn(article), () => site.extract(article), () => site.toBytes()]) {
    assert.throws(use, (error) => error instanceof SiteLostError && /Site\.fromBytes\(\) from what toBytes\(\) gave before/.test(error.message));
  }
  const [, , , , , last] = ferryPages(6);
  assert.equal(Site.fromBytes(bytes).extract(last).method, "memory");
  // A new site works after the next trap, too.
  assert.throws(() => extract(tooLong), { name: "TsrecError" });
  assert.equal(new Site().learn(article), 1);
});
