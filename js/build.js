// Builds dist/: the WebAssembly module, and the JavaScript that calls it. Needs Rust with the
// target wasm32-unknown-unknown, which it adds where rustup is. Usage: npm ci && npm run build

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const TARGET = "wasm32-unknown-unknown";
const here = fileURLToPath(new URL(".", import.meta.url));
const root = resolve(here, "..");
const target = process.env.CARGO_TARGET_DIR ?? join(here, "target");
const dist = join(here, "dist");

/** Runs a command here. Its failure ends the build. */
function run(command, args, env = {}) {
  const { status, error } = spawnSync(command, args, { cwd: here, stdio: "inherit", env: { ...process.env, ...env } });
  if (error || status !== 0) {
    console.error(`error: ${command} ${args.join(" ")}: ${error?.message ?? `exit code ${status}`}`);
    process.exit(1);
  }
}

/** What a command prints; undefined if it fails. */
function printed(command, args) {
  const { status, stdout } = spawnSync(command, args, { cwd: here, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return status === 0 ? stdout.trim() : undefined;
}

function hasTarget() {
  const folder = printed("rustc", ["--print", "target-libdir", "--target", TARGET]);
  return folder !== undefined && existsSync(folder);
}

function addTarget() {
  if (hasTarget()) return;
  if (printed("rustup", ["--version"]) === undefined) {
    console.error(`error: rustc has no standard library for ${TARGET}, and there is no rustup to add it: install rustup, or your system's package for that target`);
    process.exit(1);
  }
  run("rustup", ["target", "add", TARGET]);
}

/**
 * All platforms of the tests have SIMD. Fewer calls than by default are inlined: the module is a tenth smaller when
 * gzipped, and as fast (docs/decisions/114-shorter-numbers-in-the-model.md).
 */
const CODE = ["-Ctarget-feature=+simd128", "-Cllvm-args=-inline-threshold=30"];

/** Flags for the code, and those that keep this machine's folders out of the module's messages. */
function flags() {
  const registry = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry", "src");
  const sources = readdirSync(registry).map((name) => [join(registry, name), "crates"]);
  const renamed = [...sources, [root, "tsrec"]];
  return [...CODE, ...renamed.map(([from, to]) => `--remap-path-prefix=${from}=${to}`)];
}

addTarget();
// Has the list of public suffixes.
run("cargo", ["fetch", "--locked", "--manifest-path", "psl/Cargo.toml"]);
run("cargo", ["fetch", "--locked", "--target", TARGET]);
run("cargo", ["build", "--locked", "--release", "--target", TARGET, "--target-dir", target], {
  CARGO_ENCODED_RUSTFLAGS: flags().join("\x1f"),
});
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
const module = join(target, TARGET, "release", "tsrec_javascript.wasm");
run("cargo", ["run", "--quiet", "--locked", "--manifest-path", "bindgen/Cargo.toml", "--target-dir", target, "--", module, dist]);

// npm leaves links out of a package.
for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) copyFileSync(join(root, name), join(here, name));

const built = join(dist, "tsrec_bg.wasm");
const kilobytes = (bytes) => `${Math.round(bytes / 1000)} KB`;
console.log(`${built}: ${kilobytes(statSync(built).size)}, ${kilobytes(gzipSync(readFileSync(built), { level: 9 }).length)} gzipped`);
