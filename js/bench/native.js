// Compares the package with the native program on whole sets of pages: text, metadata and numbers
// must be the same to the byte. Exits with 1 if a page differs.
//
//   npm run build && TSREC=PROGRAM node bench/native.js SET…

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { gunzipSync } from "node:zlib";
import { NotHtmlError, extract } from "../lib/node.js";

const FIELDS = ["text", "confidence", "kind", "kind_probability", "title", "authors", "published", "modified", "language", "language_confidence", "comments", "simhash", "charset", "cut", "tags"];
const sets = process.argv.slice(2);
const program = process.env.TSREC;
if (sets.length === 0 || !program) {
  console.error("error: name the program in $TSREC, and the folders of the sets as arguments");
  process.exit(2);
}

/** The pages of a set: id, bytes. */
function* pagesOf(folder) {
  for (const name of readdirSync(join(folder, "html")).sort()) {
    const bytes = readFileSync(join(folder, "html", name));
    yield [name.replace(/\.html(\.gz)?$/, ""), name.endsWith(".gz") ? gunzipSync(bytes) : bytes];
  }
}

/** What the program gives for each page of a folder, by the page's id. */
async function native(folder) {
  const child = spawn(program, ["extract", "--batch", join(folder, "html"), "--format", "json", "--jobs", "1"], { stdio: ["ignore", "pipe", "ignore"] });
  const found = new Map();
  for await (const line of createInterface({ input: child.stdout })) {
    const page = JSON.parse(line);
    found.set(page.id, page);
  }
  if (child.exitCode === null) await once(child, "exit");
  return found;
}

function comparable(value) {
  return JSON.stringify(value);
}

function extracted(bytes, url) {
  try {
    return extract(bytes, { url });
  } catch (error) {
    if (error instanceof NotHtmlError) return {};
    throw error;
  }
}

let different = 0;
for (const folder of sets) {
  const expected = await native(folder);
  let pages = 0;
  const differing = [];
  for (const [id, bytes] of pagesOf(folder)) {
    const theirs = expected.get(id);
    if (theirs === undefined) {
      differing.push(`${id}: the program has no result`);
      continue;
    }
    // The program knows the address from the list beside the pages.
    const ours = extracted(bytes, theirs.url);
    // What is no HTML has no fields on either side.
    const fields = FIELDS.filter((field) => comparable(ours[field]) !== comparable(theirs[field]));
    pages += 1;
    if (fields.length > 0) differing.push(`${id}: ${fields.join(", ")}`);
  }
  console.log(`${basename(folder)}: ${pages} pages, ${differing.length} differ`);
  for (const line of differing.slice(0, 20)) console.log(`  ${line}`);
  different += differing.length;
}
process.exit(different > 0 ? 1 : 0);
