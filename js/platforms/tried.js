// What each platform must give alike.

import { NotHtmlError, Site, diff, extract, siteOf } from "tsrec";

export function tried(html) {
  const site = new Site();
  site.learn(html, "https://courier.example/a");
  let error;
  try {
    extract(Uint8Array.of(0x25, 0x50, 0x44, 0x46, 0x2d));
  } catch (thrown) {
    error = [thrown instanceof NotHtmlError, thrown.message];
  }
  return {
    page: extract(html, { format: "markdown", url: "https://courier.example/a", elements: true }),
    fromSite: Site.fromBytes(site.toBytes()).extract(html),
    diff: diff(html, new TextDecoder().decode(html)),
    site: siteOf("https://news.example.co.uk/a"),
    error,
  };
}
