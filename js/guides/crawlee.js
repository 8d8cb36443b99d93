// Crawls a site with Crawlee. Each page is extracted with what its host has taught so far, and
// teaches the next. `keep` gets each result.

import { CheerioCrawler, Configuration } from "crawlee";
import { Site } from "tsrec";

export async function crawl(start, keep) {
  const sites = new Map();
  const crawler = new CheerioCrawler(
    {
      maxRequestsPerCrawl: 1_000,
      async requestHandler({ request, body, enqueueLinks }) {
        const { host } = new URL(request.loadedUrl);
        if (!sites.has(host)) sites.set(host, new Site());
        const page = sites.get(host).extract(body, request.loadedUrl, { learn: true, format: "markdown" });
        await keep(page);
        await enqueueLinks({ strategy: "same-hostname" });
      },
    },
    new Configuration({ persistStorage: false }),
  );
  await crawler.run([start]);
  return sites;
}
