// Wrong arguments. Each error says what to do.

import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import { MemoryFileError, NotHtmlError, Site, SiteLostError, TsrecError, diff, extract } from "tsrec";

const PDF = Buffer.from("%PDF-1.7 \0\x01");

const wrong = [
  ["a PDF", () => extract(PDF), NotHtmlError, "the page is no HTML but PDF: unpack or convert"],
  ["a compressed page", () => extract(Uint8Array.of(0x1f, 0x8b, 8, 0)), NotHtmlError, "gzip"],
  ["a sibling that is a PDF", () => extract("<p>", { siblings: [PDF] }), NotHtmlError, "sibling 1 is no HTML"],
  ["a number", () => extract(7), TypeError, "must be a string, a Uint8Array or an ArrayBuffer, and is number: read a file"],
  ["nothing", () => extract(), TypeError, "and is undefined"],
  ["null", () => extract(null), TypeError, "and is null"],
  ["a promise", () => extract(Promise.resolve("<p>")), TypeError, "is Promise: await it first"],
  ["a response", () => extract(new Response("<p>")), TypeError, "arrayBuffer()"],
  ["an address", () => extract(" https://example.org/a\n"), TypeError, "fetches nothing"],
  ["a URL without scheme", () => extract("<p>", { url: "example.org" }), TypeError, "give an absolute one"],
  ["a URL that is no string", () => extract("<p>", { url: 3 }), TypeError, "url must be a string, and is number"],
  ["a URL object", () => extract("<p>", { url: new URL("https://a.example") }), TypeError, "url must be a string, and is URL"],
  ["options that are a string", () => extract("<p>", "https://a.example/"), TypeError, "the options of extract must be an object, and are string"],
  ["an unknown option", () => extract("<p>", { sibling: [] }), TypeError, 'extract has no option "sibling": it has url, siblings,'],
  ["an unknown option of learn", () => new Site().learn("<p>", null, { url: "" }), TypeError, 'learn has no option "url": it has charset'],
  ["an unknown method", () => extract("<p>", { method: "magic" }), TypeError, 'no method "magic" here: it is one of auto, blocks, template, template-paper, mss, mss-blocks, longest'],
  ["a method that is not in the package", () => extract("<p>", { method: "crf" }), TypeError, 'no method "crf" here'],
  ["an unknown format", () => extract("<p>", { format: "pdf" }), TypeError, 'no format "pdf": it is one of text, markdown, html, tei, json'],
  ["an unknown favor", () => extract("<p>", { favor: "speed" }), TypeError, "one of balance, precision and recall"],
  ["a favor with a method that has none", () => extract("<p>", { method: "mss", favor: "recall" }), TypeError, "take the method auto or blocks"],
  ["a method without its sibling", () => extract("<p>", { method: "template-paper" }), TypeError, "give siblings"],
  ["an option of another type", () => extract("<p>", { links: "no" }), TypeError, "links must be a boolean, and is string"],
  ["a sibling instead of siblings", () => extract("<p>", { siblings: "<p>" }), TypeError, "put them into an array"],
  ["a sibling of another type", () => extract("<p>", { siblings: ["<p>", 3] }), TypeError, "sibling 2 must be"],
  ["a sibling with an unknown field", () => extract("<p>", { siblings: [{ html: "<p>", link: "" }] }), TypeError, 'sibling 1 has no option "link"'],
  ["a diff with one page", () => diff("<p>"), TypeError, "page B must be"],
];

for (const [name, call, type, message] of wrong) {
  test(name, () => {
    assert.throws(call, (error) => {
      assert.ok(error instanceof type, String(error));
      assert.ok(error.message.includes(message), error.message);
      return true;
    });
    // The instance goes on.
    assert.equal(extract("<p>words").charset, "UTF-8");
  });
}

test("errors have one root, and names", () => {
  for (const type of [NotHtmlError, MemoryFileError, SiteLostError]) {
    const error = new type("why");
    assert.ok(error instanceof TsrecError && error instanceof Error);
    assert.equal(String(error), `${type.name}: why`);
  }
});

test("absent options may be undefined or null", () => {
  assert.deepEqual(extract("<p>words", { url: null, siblings: undefined, format: null, links: undefined }), extract("<p>words"));
});

test("bytes of another context are bytes", () => {
  const bytes = vm.runInNewContext("Uint8Array.from([60, 112, 62, 119, 111, 114, 100])");
  assert.ok(!(bytes instanceof Uint8Array));
  assert.deepEqual(extract(bytes), extract(Buffer.from("<p>word")));
});
