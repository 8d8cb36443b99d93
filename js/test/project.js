// An empty project that has installed the packed package.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the package. */
export const js = fileURLToPath(new URL("..", import.meta.url));
/** The folder of the repository. */
export const root = resolve(js, "..");

/**
 * Runs `work` with the folder of a new project and the name of the tarball in it, then removes the
 * project.
 */
export async function inProject(work) {
  const project = mkdtempSync(join(tmpdir(), "tsrec-project-"));
  try {
    execFileSync("npm", ["pack", "--silent", "--pack-destination", project], { cwd: js, stdio: ["ignore", "ignore", "inherit"] });
    const [tarball] = readdirSync(project);
    writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
    execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", tarball], { cwd: project, stdio: "inherit" });
    await work(project, tarball);
  } finally {
    rmSync(project, { recursive: true });
  }
}
