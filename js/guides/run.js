// Runs the guides with the real packages, on a site of ours on loopback.
//
//   npm run build && npm ci --prefix guides && node guides/run.js

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inProject, root } from "../test/project.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const demo = join(root, "fixtures", "demo");

/** Serves the demo site. */
async function serving(work) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    let file = join(demo, decodeURIComponent(pathname));
    if (existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
    if (!existsSync(file)) {
      response.statusCode = 404;
      response.end();
      return;
    }
    if (file.endsWith(".html")) response.setHeader("content-type", "text/html");
    response.end(readFileSync(file));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  try {
    await work(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

await inProject(async (project) => {
  cpSync(join(here, "node_modules"), join(project, "node_modules"), { recursive: true, verbatimSymlinks: true });
  cpSync(join(here, "crawlee.js"), join(project, "crawlee.js"));
  writeFileSync(
    join(project, "main.js"),
    `import { crawl } from "./crawlee.js";
const pages = [];
const sites = await crawl(process.argv[2], (page) => pages.push(page));
console.log("RESULT " + JSON.stringify({ pages, hosts: [...sites].map(([host, site]) => [host, site.pages]) }));
`,
  );
  await serving(async (address) => {
    const printed = await new Promise((done, failed) =>
      execFile(process.execPath, ["main.js", address], { cwd: project, maxBuffer: 1 << 28, timeout: 120_000, env: { ...process.env, CRAWLEE_LOG_LEVEL: "ERROR" } }, (error, stdout, stderr) =>
        error ? failed(new Error(`${error.message}\n${stderr}`)) : done(stdout),
      ),
    );
    const { pages, hosts } = JSON.parse(printed.split("\n").find((line) => line.startsWith("RESULT ")).slice(7));
    assert.deepEqual(hosts.map(([host]) => `http://${host}/`), [address]);
    const article = pages.find(({ title }) => title === "School roof will collect rain");
    assert.match(article.content, /^# School roof will collect rain/);
    const known = pages.filter(({ method }) => method === "memory").length;
    // How many pages a memory serves depends on the order in which their answers arrive.
    assert.ok(pages.length > 10 && known > 0, `${known} of ${pages.length} pages from memory`);
    console.log(`Crawlee: ${pages.length} pages, ${known} of them from the memory of their site`);
  });
});
