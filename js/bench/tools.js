// The tools that are compared. Each is loaded in a process of its own, and gives the text of a
// page.

/** The text of markup, by a parser that is quick. */
async function textOf() {
  const { parseHTML } = await import("linkedom");
  return (html) => parseHTML(`<!doctype html><html><body>${html}</body></html>`).document.body.textContent;
}

/** The text of Markdown: its marks are no words, and links have an address. */
function ofMarkdown(markdown) {
  return markdown.replace(/\]\([^)]*\)/g, "]");
}

async function readability(parse) {
  const { Readability } = await import("@mozilla/readability");
  return (html, url) => new Readability(parse(html, url)).parse()?.textContent ?? "";
}

/**
 * Of each tool: the packages that it needs, whether it only converts pages, and what loads it. That
 * gives a function from a page's markup and URL to its result. `text` makes text of the result for
 * the score, which is not timed.
 */
export const TOOLS = {
  tsrec: {
    packages: ["tsrec"],
    load: async () => {
      const { extract } = await import("tsrec");
      return (html, url) => extract(html, { url }).text;
    },
  },
  "@firecrawl/html-extractor (native)": {
    packages: ["@firecrawl/html-extractor"],
    load: async () => {
      const { extractSync } = (await import("@firecrawl/html-extractor")).default;
      return (html, url) => extractSync(html, { url, outputText: true });
    },
    text: async () => (result) => result.text ?? "",
  },
  "@mozilla/readability on linkedom": {
    packages: ["@mozilla/readability", "linkedom"],
    load: async () => {
      const { parseHTML } = await import("linkedom");
      return readability((html) => parseHTML(html).document);
    },
  },
  "@mozilla/readability on jsdom": {
    packages: ["@mozilla/readability", "jsdom"],
    load: async () => {
      const { JSDOM, VirtualConsole } = await import("jsdom");
      // Without a listener it prints nothing of what it finds wrong with style sheets.
      const virtualConsole = new VirtualConsole();
      return readability((html, url) => new JSDOM(html, { url, virtualConsole }).window.document);
    },
  },
  "defuddle on linkedom": {
    packages: ["defuddle", "linkedom"],
    load: async () => {
      const { Defuddle } = await import("defuddle/node");
      const { parseHTML } = await import("linkedom");
      return async (html, url) => (await Defuddle(parseHTML(html).document, url)).content;
    },
    text: textOf,
  },
  "@extractus/article-extractor": {
    packages: ["@extractus/article-extractor"],
    load: async () => {
      const { extractFromHtml } = await import("@extractus/article-extractor");
      return async (html, url) => (await extractFromHtml(html, url))?.content ?? "";
    },
    text: textOf,
  },
  mdream: {
    packages: ["mdream"],
    converts: true,
    load: async () => {
      const { htmlToMarkdown } = await import("mdream");
      return (html, url) => htmlToMarkdown(html, { origin: url });
    },
    text: async () => (result) => ofMarkdown(typeof result === "string" ? result : result.markdown),
  },
  turndown: {
    packages: ["turndown"],
    converts: true,
    load: async () => {
      const { default: TurndownService } = await import("turndown");
      const service = new TurndownService();
      return (html) => service.turndown(html);
    },
    text: async () => ofMarkdown,
  },
};
