// The types have every name, and no other.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import * as tsrec from "tsrec";
import { article, ferryPages, sibling } from "./shared.js";

const entry = createRequire(import.meta.url).resolve("tsrec");
const types = readFileSync(join(dirname(entry), "index.d.ts"), "utf8");

/** The members of an interface or a class. */
function members(name) {
  const [, body] = types.match(new RegExp(`^export (?:interface|class) ${name} [^{]*{\\n(.*?)^}`, "ms"));
  return [...body.matchAll(/^ {2}(?:readonly |static )?(\w+)[?(:]/gm)].map(([, member]) => member).sort();
}

test("the exports are those of the types", () => {
  const named = [...types.matchAll(/^export (?:function|class) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(Object.keys(tsrec).sort(), named.sort());
});

test("the fields of results are those of the types", () => {
  const page = tsrec.extract(article, { siblings: [sibling], explain: true });
  assert.deepEqual(Object.keys(page).sort(), members("Extraction"));
  assert.deepEqual(Object.keys(page.elements[0]).sort(), members("PageElement"));
  assert.deepEqual(Object.keys(page.elements.find(({ evidence }) => evidence?.length).evidence[0]).sort(), members("Evidence"));
  assert.deepEqual(Object.keys(page.gates[0]).sort(), members("Gates"));
  assert.deepEqual(Object.keys(page.gates[0].gates[0]).sort(), members("Gate"));
  const site = new tsrec.Site();
  for (const html of ferryPages(4)) site.learn(html);
  assert.deepEqual(Object.keys(site.templates[0]).sort(), members("Template"));
  const own = [...Object.getOwnPropertyNames(tsrec.Site.prototype), "fromBytes"];
  assert.deepEqual(own.sort(), members("Site"));
});
