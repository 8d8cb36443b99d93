// Compiled, not run: what callers write has the types that they expect.

import { type Extraction, type Page, Site, diff, extract, siteOf } from "tsrec";

const page: Extraction = extract("<p>words", { url: "https://example.org/a", format: "markdown", siblings: ["<p>", new Uint8Array()] });
const title: string | null = page.title;
const labels: string[] = diff({ html: "<p>", url: null }, "<p>").flatMap(({ elements }) => elements?.map(({ label }) => label) ?? []);
const siblings: Page[] = [{ html: new ArrayBuffer(0), charset: "utf-8" }];
const site: Site = Site.fromBytes(new Site().toBytes());
const number: number = site.learn("<p>", null, { charset: "utf-8" });
const fromSite: Extraction = site.extract("<p>", siteOf("https://example.org/") ?? undefined, { learn: true });

// @ts-expect-error A format that does not exist.
extract("<p>", { format: "pdf" });
// @ts-expect-error An option that does not exist.
extract("<p>", { sibling: [] });
// @ts-expect-error A result that is awaited although it is there.
extract("<p>").then;

export { fromSite, labels, number, siblings, title };
