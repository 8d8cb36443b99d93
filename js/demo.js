// Puts what the demo needs beside it: the package, and two pages of ours. Then any web server can
// serve docs/demo. Usage: npm run build && npm run demo

import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const js = fileURLToPath(new URL(".", import.meta.url));
const root = resolve(js, "..");
const demo = join(root, "docs", "demo");
const news = join(root, "fixtures", "demo", "news", "2026");

for (const folder of ["lib", "dist"]) {
  rmSync(join(demo, "tsrec", folder), { recursive: true, force: true });
  cpSync(join(js, folder), join(demo, "tsrec", folder), { recursive: true });
}
mkdirSync(join(demo, "example"), { recursive: true });
cpSync(join(news, "04", "school-roof-will-collect-rain.html"), join(demo, "example", "page.html"));
cpSync(join(news, "02", "lifeboat-crew-finds-drifting-sauna.html"), join(demo, "example", "sibling.html"));
