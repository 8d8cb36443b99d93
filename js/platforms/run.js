// Runs the packed package on Bun, Deno, workerd and Chromium. Each must give what Node gives.
//
//   npm run build && npm ci --prefix platforms && node platforms/run.js
//
// Needs Chromium on the path, as chromium.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inProject, root } from "../test/project.js";
import { removed } from "./removed.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const bin = (name) => join(here, "node_modules", ".bin", name);
const page = join(root, "fixtures/demo/news/2026/04/school-roof-will-collect-rain.html");
const PATIENCE = 60_000;

/** The file that a platform with these conditions imports, relative to the project. */
function entryFor(project, ...conditions) {
  const exported = JSON.parse(readFileSync(join(project, "node_modules/tsrec/package.json"), "utf8")).exports["."];
  const [, file] = Object.entries(exported).find(([condition]) => [...conditions, "default"].includes(condition));
  return join("node_modules/tsrec", file);
}

function printed(project, command, ...args) {
  return JSON.parse(execFileSync(command, [...args, "page.js", page], { cwd: project, encoding: "utf8", maxBuffer: 1 << 30 }));
}

/** Rejects when it takes too long. */
function patiently(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${PATIENCE / 1000} s`)), PATIENCE);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function onWorkerd(project) {
  const entry = entryFor(project, "workerd");
  assert.match(entry, /worker\.js$/);
  const modules = ["lib", "dist"].flatMap((folder) => {
    const names = readdirSync(join(project, "node_modules/tsrec", folder));
    return names.filter((name) => /\.(js|wasm)$/.test(name)).map((name) => `node_modules/tsrec/${folder}/${name}`);
  });
  const kind = (name) => (name.endsWith(".wasm") ? "wasm" : "esModule");
  // workerd looks for no packages: what a bundler writes instead of the name is written here.
  writeFileSync(join(project, "tried-on-workerd.js"), readFileSync(join(project, "tried.js"), "utf8").replace('"tsrec"', `"./${entry}"`));
  const listed = [
    '(name = "worker.js", esModule = embed "worker.js")',
    '(name = "tried.js", esModule = embed "tried-on-workerd.js")',
    ...modules.map((name) => `(name = "${name}", ${kind(name)} = embed "${name}")`),
  ];
  writeFileSync(
    join(project, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (compatibilityDate = "2026-01-01", modules = [${listed.join(", ")}]);
`,
  );
  const process = spawn(bin("workerd"), ["serve", "--control-fd=3", "config.capnp"], { cwd: project, stdio: ["ignore", "inherit", "inherit", "pipe"] });
  try {
    const port = await patiently(
      new Promise((resolve, reject) => {
        process.stdio[3].on("data", (data) => {
          const event = data.toString().split("\n").filter(Boolean).map((line) => JSON.parse(line)).find(({ event }) => event === "listen");
          if (event) resolve(event.port);
        });
        process.on("exit", (code) => reject(new Error(`workerd ended with ${code}`)));
        process.on("error", reject);
      }),
      "workerd",
    );
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: readFileSync(page) });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  } finally {
    process.removeAllListeners("exit");
    process.kill();
  }
}

const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };

async function onChromium(project) {
  const entry = `/${entryFor(project)}`;
  assert.match(entry, /browser\.js$/);
  const requests = [];
  let answered;
  const result = new Promise((resolve) => (answered = resolve));
  const server = createServer((request, response) => {
    requests.push(request.url);
    if (request.url === "/result") {
      let body = "";
      request.on("data", (data) => (body += data));
      request.on("end", () => {
        response.end();
        answered(JSON.parse(body));
      });
      return;
    }
    response.setHeader("content-type", TYPES[extname(request.url)] ?? "text/html");
    if (request.url === "/") response.end(readFileSync(join(here, "browser.html"), "utf8").replace("ENTRY", entry));
    else response.end(readFileSync(request.url === "/page.html" ? page : join(project, request.url)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const profile = mkdtempSync(join(tmpdir(), "tsrec-chromium-"));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--remote-debugging-port=0", `--user-data-dir=${profile}`];
  const browser = spawn("chromium", [...flags, `http://127.0.0.1:${server.address().port}/`], { stdio: "ignore" });
  try {
    const failed = new Promise((_, reject) => browser.on("error", reject));
    const found = await patiently(Promise.race([result, failed]), "Chromium");
    const own = requests.filter((url) => url.startsWith("/node_modules/")).sort();
    const files = ["dist/tsrec.js", "dist/tsrec_bg.wasm", "lib/api.js", "lib/arguments.js", "lib/browser.js", "lib/errors.js", "lib/instance.js"];
    assert.deepEqual(own, files.map((name) => `/node_modules/tsrec/${name}`), "each file is requested once");
    assert.deepEqual(requests.filter((url) => !own.includes(url)).sort(), ["/", "/page.html", "/result", "/tried.js"]);
    return found;
  } finally {
    const ended = new Promise((resolve) => browser.on("exit", resolve));
    browser.kill();
    await ended;
    server.close();
    server.closeAllConnections();
    await removed(profile);
  }
}

await inProject(async (project) => {
  for (const name of ["page.js", "tried.js", "worker.js"]) cpSync(join(here, name), join(project, name));
  const expected = printed(project, process.execPath);
  assert.match(expected.page.content, /^# School roof will collect rain/);
  assert.deepEqual([expected.site, expected.error[0]], ["example.co.uk", true]);
  const platforms = {
    Bun: () => printed(project, bin("bun"), "run"),
    Deno: () => printed(project, bin("deno"), "run", "--quiet", "--allow-read", "--node-modules-dir=manual"),
    workerd: () => onWorkerd(project),
    Chromium: () => onChromium(project),
  };
  for (const [name, run] of Object.entries(platforms)) {
    assert.deepEqual(await run(), expected, name);
    console.log(`${name}: the same as Node ${process.version}`);
  }
});
