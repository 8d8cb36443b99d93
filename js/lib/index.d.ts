/**
 * tsrec extracts the main content of web pages, alone or by comparing pages of a site.
 *
 * All calls are synchronous and fetch nothing. A wrong argument throws a `TypeError` that says what
 * to give instead. Every page gives a result, possibly with an empty text. The names of fields are
 * those of `tsrec extract --format json`.
 */

/** A page: its text, or its bytes as they came. A lone surrogate in a string is read as U+FFFD. */
export type Html = string | Uint8Array | ArrayBuffer;

/** A page, or a page with its address and its charset. */
export type Page = Html | { html: Html; url?: string | null; charset?: string | null };

/**
 * The format of `content`: plain text, Markdown (CommonMark with GitHub's tables), safe HTML, TEI
 * P5, or all fields as JSON.
 */
export type Format = "text" | "markdown" | "html" | "tei" | "json";

/** What to favour where precision and recall conflict. */
export type Favor = "balance" | "precision" | "recall";

/** How the content is found. `auto` is best; `docs/extract.md` describes the others. */
export type Method = "auto" | "blocks" | "template" | "template-paper" | "mss" | "mss-blocks" | "longest";

/** What the result has, and how. */
export interface RenderingOptions {
  /** The format of `content`. Default: `"text"`. */
  format?: Format | null;
  /** Whether Markdown, HTML and TEI have links. Default: true. */
  links?: boolean | null;
  /** Whether Markdown, HTML and TEI have images. Default: true. */
  images?: boolean | null;
  /** Whether Markdown begins with YAML that describes the page. Default: false. */
  frontMatter?: boolean | null;
  /** Whether the result has the label of each element of the page. Default: false. */
  elements?: boolean | null;
  /**
   * Whether the elements say which evidence moved their probability. Takes some 2 ms for each
   * block. Default: false.
   */
  explain?: boolean | null;
}

export interface ExtractOptions extends RenderingOptions {
  /** The page's URL. It makes links absolute, orders siblings that have a URL, and may hold the date. */
  url?: string | null;
  /** Pages made by the same template. Those that do not fit are not used, and `gates` says why. */
  siblings?: Iterable<Page> | null;
  /** Default: `"auto"`. */
  method?: Method | null;
  /** Needs the method `auto` or `blocks`. Default: `"balance"`. */
  favor?: Favor | null;
  /** The charset of the HTTP header, if the page is bytes. */
  charset?: string | null;
}

export interface SiteExtractOptions extends RenderingOptions {
  /** Whether the page is learned afterwards. Default: false. */
  learn?: boolean | null;
  /** Default: `"balance"`. */
  favor?: Favor | null;
  /** The charset of the HTTP header, if the page is bytes. */
  charset?: string | null;
}

export interface LearnOptions {
  /** The charset of the HTTP header, if the page is bytes. */
  charset?: string | null;
}

export interface DiffOptions extends Omit<RenderingOptions, "elements"> {
  /** Default: `"balance"`. */
  favor?: Favor | null;
}

/** The result of an extraction. */
export interface Extraction {
  /** The content in the wanted format. */
  content: string;
  /** The content as text, one block per line. */
  text: string;
  /** The headline, without the site's name. */
  title: string | null;
  /** The authors, one name each. */
  authors: string[];
  /** The date of publication in ISO 8601, as precise as it was found. It may have a time. */
  published: string | null;
  /** The same as `published`. Other extractors use this name. */
  date: string | null;
  /** The date of the last change, in the form of `published`. */
  modified: string | null;
  /** The language of the text, as a language tag (BCP 47) such as `en` or `pt-BR`. */
  language: string | null;
  /** How sure the text is of that, from 0 to 1; null where the page alone declares it. */
  language_confidence: number | null;
  /** The site's own name. */
  site_name: string | null;
  /** The page's own description of its content. */
  description: string | null;
  /** The URL of the image that represents the page. */
  image: string | null;
  /** The URL that the page declares as its own. */
  canonical_url: string | null;
  /** The page's keywords and sections. */
  tags: string[];
  /** The licence of the page: a URL, or a name. */
  license: string | null;
  /** Where each value of the metadata was found, such as `json-ld` or `heading`. */
  sources: Record<string, string>;
  /** Readers' comments, unless the content has them. */
  comments: string;
  /** The URL that the caller gave. */
  url: string | null;
  /**
   * The kind of the page, such as `article` or `listing`. Null if the method does not find kinds.
   */
  kind: string | null;
  /** The probability of the kind, from 0 to 1. */
  kind_probability: number | null;
  /** How far the result can be trusted: the F1 to expect, 0 to 1. */
  confidence: number;
  /**
   * The method that found the content. `memory` uses what the site taught, `template` a sibling,
   * `blocks` the page alone. If you asked for another method, it is that one.
   */
  method: Method | "memory";
  /** The sibling that was used: its URL, or its place among the siblings, such as `sibling 1`. */
  sibling: string | null;
  /** The number of other pages whose memory was used. */
  remembered: number;
  /** The comparisons with siblings. They say why a sibling was not used. */
  gates: Gates[];
  /** Notes about the result, as sentences. */
  notes: string[];
  /** The number of words in the text. */
  words: number;
  /** The character encoding that was used to read the page. */
  charset: string;
  /** The limits that cut the page. */
  cut: ("bytes" | "nodes" | "depth" | "attributes" | "steps")[];
  /** A hash of title and text: equal for equal content. Hexadecimal. */
  content_hash: string;
  /** A hash of the text that differs in few bits for similar texts. 16 hexadecimal digits. */
  simhash: string;
  /** The steps of the work on the page, by which limits are counted. Only with `explain`. */
  steps?: number;
  /** The elements of the page, in page order. Only with `elements` or `explain`. */
  elements?: PageElement[];
}

/** An element of the page's tag sequence, and its results. */
export interface PageElement {
  /** From 1. */
  number: number;
  name: string;
  begin: number;
  end: number;
  parent: number;
  level: number;
  label: "common" | "regular" | "hidden" | "content" | "outside";
  /** The number of the equal element on the sibling. */
  partner: number | null;
  /** How likely it is content, 0 to 1; null where it has no text. */
  probability: number | null;
  evidence: Evidence[] | null;
  /** A CSS selector that a browser's inspector accepts. */
  path: string;
}

/** A piece of evidence on an element. */
export interface Evidence {
  name: string;
  kind: string;
  value: number | null;
  /** By how much it moved the log-odds. */
  moves: number;
}

/** A comparison with a sibling. */
export interface Gates {
  sibling: string;
  passed: boolean;
  exact: boolean;
  gates: Gate[];
}

/** A measure of a comparison, and its limits. */
export interface Gate {
  name: string;
  measured: number;
  least: number | null;
  most: number | null;
  passed: boolean;
}

/** A template of a site. */
export interface Template {
  number: number;
  pages: number;
  /** Whether pages are judged by it. */
  serves: boolean;
  taught: boolean;
  /** The number of the template that took its place. */
  replaced_by: number | null;
  bytes: number;
}

/**
 * Finds the content of a page.
 *
 * @throws {NotHtmlError} The bytes of the page or of a sibling are a PDF, an image or another
 * format that is not HTML.
 * @throws {TypeError} An argument is wrong.
 */
export function extract(html: Html, options?: ExtractOptions | null): Extraction;

/**
 * Compares two pages of one template. The results of both have `elements` with their labels.
 *
 * @throws {NotHtmlError} The bytes of a page are of another format.
 * @throws {TypeError} An argument is wrong.
 */
export function diff(a: Page, b: Page, options?: DiffOptions | null): [Extraction, Extraction];

/**
 * The site of a page, from its URL. This is the domain under which its owner can register no more
 * names, such as `example.co.uk`. Null if the URL has no such domain.
 *
 * @throws {TypeError} It is no URL.
 */
export function siteOf(url: string): string | null;

/** What the pages of one site have in common, by place. It keeps hashes and counts, but no text. */
export class Site {
  constructor();
  /**
   * Learns a page and returns the number of its template, from 1. A page that is already known is
   * not counted again.
   *
   * @throws {NotHtmlError} The bytes are of another format.
   * @throws {SiteLostError} tsrec failed on another page.
   */
  learn(html: Html, url?: string | null, options?: LearnOptions | null): number;
  /**
   * Finds the content of a page from what was learned. If fewer than three other pages of its
   * template are known, it uses the page alone.
   *
   * @throws {NotHtmlError} The bytes are of another format.
   * @throws {SiteLostError} tsrec failed on another page.
   */
  extract(html: Html, url?: string | null, options?: SiteExtractOptions | null): Extraction;
  /** The number of pages that were learned. */
  readonly pages: number;
  /** The templates of the site. */
  readonly templates: Template[];
  /**
   * The memory of the site, as the bytes of a memory file. The command line (`--memory`) and Python
   * read them, too.
   */
  toBytes(): Uint8Array;
  /**
   * Makes a site from the bytes of a memory file.
   *
   * @throws {MemoryFileError} The bytes are another kind of file, damaged, or of another version or
   * model.
   */
  static fromBytes(bytes: Uint8Array): Site;
}

/**
 * tsrec throws this if there is no other class for the error. After it all `Site` objects are lost;
 * other calls work.
 */
export class TsrecError extends Error {}

/** The page is not HTML, but something else, such as PDF or an image. */
export class NotHtmlError extends TsrecError {}

/** The bytes are no memory of a site, are damaged, or are of another version or model. */
export class MemoryFileError extends TsrecError {}

/**
 * tsrec failed on a page, and lost this `Site` with all others. Make a new one, or use the bytes
 * that `toBytes()` gave before.
 */
export class SiteLostError extends TsrecError {}
