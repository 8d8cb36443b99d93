// A site that is remembered.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFileError, NotHtmlError, Site } from "tsrec";
import { article, ferryPages } from "./shared.js";

/** A site that has learned five pages, and a sixth. */
function learned() {
  const site = new Site();
  const pages = ferryPages(6);
  const last = pages.pop();
  const numbers = pages.map((page) => site.learn(page));
  return { site, last, numbers };
}

test("a site is learned and serves from the fourth page on", () => {
  const { site, last, numbers } = learned();
  assert.deepEqual(numbers, [1, 1, 1, 1, 1]);
  assert.equal(site.pages, 5);
  const [{ pages, serves, bytes, ...rest }] = site.templates;
  assert.deepEqual([pages, serves, rest], [5, true, { number: 1, taught: false, replaced_by: null }]);
  assert.ok(bytes > 0);
  const page = site.extract(last);
  assert.deepEqual([page.method, page.remembered], ["memory", 5]);
  assert.ok(page.text.startsWith("Ferry 5 sails") && !page.text.includes("eleven people"));
  assert.equal(site.pages, 5, "extracting learns nothing unless that is asked for");
  site.extract(last, "https://ferry.example/5", { learn: true });
  assert.equal(site.pages, 6);
});

test("a page of another template stands alone", () => {
  const page = learned().site.extract(article, undefined, { format: "markdown", favor: "recall" });
  assert.deepEqual([page.method, page.remembered], ["blocks", 0]);
  assert.match(page.content, /^# School roof/);
});

test("a site is kept and comes back", () => {
  const { site, last } = learned();
  const bytes = site.toBytes();
  assert.ok(bytes instanceof Uint8Array && bytes.length > 100);
  for (const back of [Site.fromBytes(bytes), Site.fromBytes(Buffer.from(bytes))]) {
    assert.deepEqual(back.toBytes(), bytes);
    assert.deepEqual(back.extract(last), site.extract(last));
  }
});

test("what is no memory is refused with the way out", () => {
  assert.throws(() => Site.fromBytes(Buffer.from("hello")), (error) => error instanceof MemoryFileError && /this is not a tsrec memory/.test(error.message));
  const damaged = new Site().toBytes();
  damaged[damaged.length - 1] ^= 1;
  assert.throws(() => Site.fromBytes(damaged), { name: "MemoryFileError", message: /the memory is damaged/ });
  assert.throws(() => Site.fromBytes("hello"), { name: "TypeError", message: /a Uint8Array, as toBytes\(\) gives it/ });
  assert.throws(() => new Site().learn(Buffer.from("%PDF-1.7")), NotHtmlError);
});

