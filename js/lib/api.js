// The interface; index.d.ts documents it.

import { checkOptions, isA, page, pageOf, siblingsOf, written } from "./arguments.js";
import { Held, guarded } from "./instance.js";

export { MemoryFileError, NotHtmlError, SiteLostError, TsrecError } from "./errors.js";

const RENDERING = ["format", "links", "images", "frontMatter", "elements", "explain"];
const EXTRACT = ["url", "siblings", "method", "favor", "charset", ...RENDERING];
const SITE_EXTRACT = ["learn", "favor", "charset", ...RENDERING];
const SITE_LEARN = ["charset"];
const DIFF = ["favor", "format", "links", "images", "frontMatter", "explain"];

/** A result, whose content is its text if it has no other. */
function result(all) {
  all.content ??= all.text;
  return all;
}

export function extract(html, options) {
  const { url, charset, siblings, ...rest } = checkOptions(options, EXTRACT, "extract");
  const call = written([page(html, url, charset, "the page"), ...siblingsOf(siblings)], rest);
  return result(JSON.parse(guarded((native) => native.extract(...call))));
}

export function diff(a, b, options) {
  const checked = checkOptions(options, DIFF, "diff");
  const call = written([pageOf(a, "page A"), pageOf(b, "page B")], { ...checked, elements: true });
  return JSON.parse(guarded((native) => native.diff(...call))).map(result);
}

export function siteOf(url) {
  if (typeof url !== "string") throw new TypeError(`url must be a string, and is ${typeof url}`);
  return guarded((native) => native.site_of(url)) ?? null;
}

export class Site {
  #memory = new Held((native) => new native.SiteMemory());

  learn(html, url, options) {
    const { charset } = checkOptions(options, SITE_LEARN, "learn");
    const call = written([page(html, url, charset, "the page")], {});
    return this.#memory.use((memory) => memory.learn(...call));
  }

  extract(html, url, options) {
    const { charset, ...rest } = checkOptions(options, SITE_EXTRACT, "extract");
    const call = written([page(html, url, charset, "the page")], rest);
    return result(JSON.parse(this.#memory.use((memory) => memory.extract(...call))));
  }

  get pages() {
    return this.#memory.use((memory) => memory.pages);
  }

  get templates() {
    return JSON.parse(this.#memory.use((memory) => memory.templates));
  }

  toBytes() {
    return this.#memory.use((memory) => memory.to_bytes());
  }

  static fromBytes(bytes) {
    if (!isA("Uint8Array", bytes)) {
      throw new TypeError("a memory must be a Uint8Array, as toBytes() gives it, or as fs.readFileSync(name) does");
    }
    const site = new Site();
    site.#memory = new Held((native) => native.SiteMemory.from_bytes(bytes));
    return site;
  }
}
