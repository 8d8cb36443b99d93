// What the tests share: our own pages, and the program.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The folder of the repository. */
export const root = process.env.TSREC_ROOT;
assert.ok(root, "run these tests with npm test");

/** All files of a folder whose names end so, with their paths. */
export function files(folder, ending) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const found = entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return files(path, ending);
    return entry.name.endsWith(ending) ? [path] : [];
  });
  return found.sort();
}

const news = join(root, "fixtures", "demo", "news", "2026");

export const URL_OF_ARTICLE = "https://courier.example/news/2026/04/school-roof-will-collect-rain.html";
export const article = readFileSync(join(news, "04", "school-roof-will-collect-rain.html"));
export const sibling = readFileSync(join(news, "02", "lifeboat-crew-finds-drifting-sauna.html"));

/** Pages of a site of ours. Only its repeating shows that the notice is no content. */
export function ferryPages(count) {
  const notice = "<p>This paper is made by eleven people and a dog, and it would please all twelve of them to hear from you.</p>";
  return Array.from({ length: count }, (_, number) => {
    const days = Array.from({ length: 6 }, (_, day) => day);
    const story = days.map((day) => `<p>On day ${number * 7 + day} the ferry number ${number} met ${day} seals, and nobody on board was surprised by any of them.</p>`).join("");
    return `<title>Ferry ${number}</title><ul><li><a href=/>Home</a><li><a href=/news>News</a></ul><div><h1>Ferry ${number} sails</h1>${story}</div>${notice}`;
  });
}
