// One page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { diff, extract, siteOf } from "tsrec";
import { URL_OF_ARTICLE, article, sibling } from "./shared.js";

test("a page alone", () => {
  const page = extract(article, { url: URL_OF_ARTICLE });
  assert.match(page.text, /^School roof will collect rain/);
  assert.ok(!page.text.includes("The Harbour Courier"));
  assert.equal(page.content, page.text);
  assert.equal(page.title, "School roof will collect rain");
  assert.equal(page.kind, "article");
  assert.ok(page.kind_probability > 0.5 && page.kind_probability <= 1);
  assert.deepEqual([page.method, page.sibling, page.gates, page.remembered], ["blocks", null, [], 0]);
  assert.ok(page.confidence > 0.5 && page.confidence <= 1);
  assert.deepEqual([page.url, page.charset, page.cut], [URL_OF_ARTICLE, "UTF-8", []]);
  assert.ok(page.words > 50 && page.elements === undefined);
});

test("a sibling is compared", () => {
  const page = extract(article, { siblings: [sibling], elements: true });
  assert.deepEqual([page.method, page.sibling, page.remembered], ["template", "sibling 1", 1]);
  assert.ok(page.gates[0].passed && page.gates[0].gates.some(({ name }) => name === "same-article"));
  const heading = page.elements.find(({ name }) => name === "h1");
  assert.ok(heading.label === "content" && heading.probability > 0.5 && heading.evidence === null);
});

test("a sibling that is the page itself is refused with its reason", () => {
  const page = extract(article, { siblings: [{ html: article, url: URL_OF_ARTICLE }] });
  assert.equal(page.method, "blocks");
  assert.equal(page.gates[0].sibling, URL_OF_ARTICLE);
  const failed = page.gates[0].gates.filter(({ passed }) => !passed).map(({ name }) => name);
  assert.ok(failed.includes("same-article"));
});

test("siblings with addresses are ordered by them", () => {
  const far = { html: sibling, url: "https://courier.example/x/y.html" };
  const near = { html: sibling, url: URL_OF_ARTICLE.replace("school-roof-will", "school-roof-shall") };
  for (const siblings of [[far, near], [near, far], new Set([far, near])]) {
    assert.equal(extract(article, { url: URL_OF_ARTICLE, siblings }).sibling, near.url);
  }
});

test("evidence is given where it is asked for", () => {
  const page = extract(article, { explain: true });
  const evidence = page.elements.flatMap(({ evidence }) => evidence ?? []);
  assert.ok(evidence.length > 0 && evidence.every(({ moves }) => typeof moves === "number"));
});

test("precision and recall are favoured", () => {
  const words = (favor) => extract(article, { favor }).words;
  assert.ok(words("precision") < words("balance") && words("balance") <= words("recall"));
});

test("formats", () => {
  const content = (options) => extract(article, { url: URL_OF_ARTICLE, ...options }).content;
  assert.match(content({ format: "markdown" }), /^# School roof will collect rain/);
  assert.match(content({ format: "markdown", frontMatter: true }), /^---\ntitle: "School roof will collect rain"\n/);
  assert.ok(content({ format: "html" }).includes("<h1>School roof will collect rain</h1>"));
  assert.ok(content({ format: "tei" }).includes("<TEI"));
  const json = JSON.parse(content({ format: "json" }));
  assert.equal(json.text, content({ format: "text" }));
  assert.equal(json.title, "School roof will collect rain");
});

test("links are written where they are wanted", () => {
  const paragraph = "<p>It rains a good deal here, and <a href=/why>nobody knows why</a>, says the mayor.</p>";
  const content = (options) => extract(`<article>${paragraph.repeat(9)}`, { url: "https://a.example/b/", ...options }).content;
  assert.ok(content({ format: "markdown" }).includes("(https://a.example/why)"));
  assert.ok(!content({ format: "markdown", links: false }).includes("https:"));
  assert.ok(content({ format: "html" }).includes('href="https://a.example/why"'));
  assert.ok(!content({ format: "html", links: false }).includes("href"));
});

test("markup that runs is not given on", () => {
  const paragraph = "<p onclick=alert(2)>The ferry <a href='javascript:alert(3)'>sails</a> again<img src=x onerror=alert(4)>.</p>";
  const { content } = extract(`<article><h1>Ferry</h1><script>alert(1)</script>${paragraph.repeat(9)}`, { format: "html" });
  assert.ok(content.includes("ferry"));
  for (const word of ["alert", "onclick", "onerror", "<script"]) assert.ok(!content.includes(word), word);
});

test("metadata", () => {
  const html =
    "<html lang=en><head><title>A cat on the quay – The Courier</title><meta property=og:site_name content='The Courier'>" +
    "<meta property=article:published_time content=2026-03-04T10:00:00Z><meta name=author content='Ann Orr'>" +
    `<link rel=canonical href=/cat></head><article><h1>A cat on the quay</h1>${"<p>A cat was found on the quay, and it was wet.</p>".repeat(9)}`;
  const page = extract(html, { url: "https://courier.example/a" });
  assert.deepEqual([page.title, page.authors, page.site_name], ["A cat on the quay", ["Ann Orr"], "The Courier"]);
  assert.ok(page.published === page.date && page.date.startsWith("2026-03-04"));
  assert.ok(page.language === "en" && page.language_confidence > 0.5 && page.language_confidence <= 1);
  assert.equal(page.canonical_url, "https://courier.example/cat");
  assert.equal(page.sources.published, "article");
  assert.deepEqual([page.modified, page.image, page.license, page.tags, page.description, page.comments], [null, null, null, [], null, ""]);
});

test("strings and bytes give the same", () => {
  const expected = extract(article);
  const array = article.buffer.slice(article.byteOffset, article.byteOffset + article.byteLength);
  for (const html of [article.toString(), new Uint8Array(article), array]) assert.deepEqual(extract(html), expected);
});

test("charsets", () => {
  const page = `<article>${"<p>Die Fähre fährt wieder über den großen Fluß, sagt Jürgen.</p>".repeat(9)}`;
  assert.ok(extract(page).text.includes("Fähre"));
  const latin = extract(Buffer.from(page, "latin1"), { charset: "iso-8859-1" });
  assert.ok(latin.text.includes("Fähre") && latin.charset === "windows-1252");
  // A string is text, whatever the page says of its bytes.
  assert.ok(extract(`<meta charset=koi8-r>${page}`).text.includes("Fähre"));
});

test("every page gives something", () => {
  const pages = ["", new Uint8Array(), "plain words", "<p>", "<".repeat(10_000), "\0".repeat(10), "<div>".repeat(5_000), "<p>\ud800"];
  for (const html of pages) {
    const page = extract(html, { format: "markdown", elements: true });
    assert.ok(typeof page.content === "string" && Array.isArray(page.elements));
    assert.ok(page.confidence >= 0 && page.confidence <= 1);
  }
});

test("every method", () => {
  for (const method of ["auto", "blocks", "template", "template-paper", "mss", "mss-blocks", "longest"]) {
    assert.ok(extract(article, { siblings: [sibling], method }).text.includes("rain"), method);
  }
});

test("the diff labels both pages", () => {
  const pages = [{ html: article, url: URL_OF_ARTICLE }, sibling];
  const [a, b] = diff(...pages);
  assert.deepEqual([a.title, a.sibling, b.sibling], ["School roof will collect rain", "page B", URL_OF_ARTICLE]);
  for (const page of [a, b]) {
    const labels = new Set(page.elements.map(({ label }) => label));
    assert.ok(page.method === "template" && labels.has("common") && labels.has("content"));
  }
  const partner = a.elements.find(({ partner }) => partner !== null);
  assert.equal(b.elements[partner.partner - 1].name, partner.name);
  assert.equal(diff(...pages, { format: "markdown" })[0].content, extract(article, { siblings: [sibling], url: URL_OF_ARTICLE, format: "markdown" }).content);
});

test("the site of an address", () => {
  assert.equal(siteOf("https://news.example.co.uk/a"), "example.co.uk");
  assert.equal(siteOf("http://127.0.0.1:8000/a"), "127.0.0.1");
  assert.equal(siteOf("mailto:a@example.org"), null);
  assert.throws(() => siteOf("news.example"), { name: "TypeError", message: /is no URL/ });
});
