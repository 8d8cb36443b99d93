// Checks the packed package, installs it into an empty project, and runs the tests there.
//
//   npm run build && TSREC=PROGRAM npm test [-- NODE…]
//
// A NODE is a program that runs the tests; without any, it is this one.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { inProject, js, root } from "./project.js";

const nodes = process.argv.length > 2 ? process.argv.slice(2) : [process.execPath];
const tools = join(js, "node_modules", ".bin");
const folder = join(js, "test");

// What a browser downloads. The limit keeps it from growing unseen.
const MOST_BYTES = 1_500_000;
const size = gzipSync(readFileSync(join(js, "dist", "tsrec_bg.wasm")), { level: 9 }).length;
assert.ok(size <= MOST_BYTES, `the module has ${size} bytes gzipped, and may have ${MOST_BYTES}`);

await inProject((project, tarball) => {
  const run = (command, ...args) =>
    execFileSync(command, args, { cwd: project, stdio: "inherit", env: { ...process.env, TSREC_ROOT: root } });
  run(join(tools, "publint"), "run", tarball, "--strict");
  run(join(tools, "attw"), tarball, "--profile", "esm-only");
  cpSync(join(folder, "types.ts"), join(project, "types.ts"));
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom"];
  run(join(tools, "tsc"), ...options, "types.ts");

  mkdirSync(join(project, "test"));
  const tests = readdirSync(folder).filter((name) => name.endsWith(".test.js"));
  for (const name of [...tests, "shared.js"]) cpSync(join(folder, name), join(project, "test", name));
  for (const node of nodes) {
    run(node, "--version");
    run(node, "--test", ...tests.map((name) => join("test", name)));
  }
});
