// Opens the demo in Chromium, lets it extract its example, and checks what it shows.
//
//   npm run build && node platforms/demo.js [SCREENSHOT.png]
//
// Needs Chromium on the path, as chromium.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { removed } from "./removed.js";

const js = fileURLToPath(new URL("..", import.meta.url));
const demo = resolve(js, "../docs/demo");
const TYPES = { ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

execFileSync(process.execPath, [join(js, "demo.js")], { stdio: "inherit" });

const requests = [];
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  requests.push(pathname);
  response.setHeader("content-type", TYPES[extname(pathname)] ?? "text/html");
  response.end(readFileSync(join(demo, pathname === "/" ? "index.html" : pathname)));
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const profile = mkdtempSync(join(tmpdir(), "tsrec-demo-"));
const address = `http://127.0.0.1:${server.address().port}/#example`;

/** Opens the demo, and returns what Chromium prints. */
async function opened(...flags) {
  const fixed = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--disable-background-networking", "--virtual-time-budget=20000", `--user-data-dir=${profile}`];
  const { stdout } = await promisify(execFile)("chromium", [...fixed, ...flags, address], { maxBuffer: 1 << 28, timeout: 60_000 });
  return stdout;
}

try {
  const dom = await opened("--dump-dom");
  const shown = (id) => dom.match(new RegExp(`id="${id}"[^>]*>(.*?)</(?:output|b|dl|div|pre)>`, "s"))?.[1] ?? "";
  assert.match(shown("status"), /^Extracted in [\d.]+ ms/);
  assert.match(shown("confidence-value"), /^0\.[5-9]\d$/);
  assert.match(shown("metadata"), /<dt>Title<\/dt><dd>School roof will collect rain<\/dd>/);
  assert.match(shown("metadata"), /<dt>Found by<\/dt><dd>comparison with the other page<\/dd>/);
  const frames = [...dom.matchAll(/<iframe [^>]*srcdoc="([^"]*)"/g)].map(([, page]) => page);
  assert.equal(frames.length, 3, "the content, and both pages in colours");
  assert.ok(frames[0].includes("School roof will collect rain") && !frames[0].includes("data-tsrec="));
  for (const frame of frames.slice(1)) {
    for (const label of ["content", "common"]) assert.ok(frame.includes(`data-tsrec=&quot;${label}&quot;`), label);
    assert.ok(!frame.includes("<script"));
  }
  const strange = requests.filter((path) => !/^\/($|demo\.(css|js)$|example\/(page|sibling)\.html$|tsrec\/(lib|dist)\/\w+\.(js|wasm)$)/.test(path));
  assert.deepEqual(strange, [], "the demo loads its own files only");
  console.log("demo: the example is extracted, and both pages have their colours");
  if (process.argv[2]) await opened(`--screenshot=${resolve(process.argv[2])}`, "--window-size=1400,1750");
} finally {
  server.close();
  server.closeAllConnections();
  await removed(profile);
}
