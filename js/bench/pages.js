// Pages with gold text, in folders as tsrec-lab eval reads them: html/<id>.html or .html.gz,
// gold/<id>.txt, meta.jsonl.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** The pages of a set that have gold text: id, URL, bytes, gold. At most `limit`, evenly chosen. */
export function pagesOf(folder, limit = Infinity) {
  const lines = readFileSync(join(folder, "meta.jsonl"), "utf8").trim().split("\n");
  const urls = new Map(lines.map((line) => JSON.parse(line)).map(({ id, url }) => [id, url ?? undefined]));
  const pages = readdirSync(join(folder, "html")).sort().flatMap((name) => {
    const id = name.replace(/\.html(\.gz)?$/, "");
    const goldFile = join(folder, "gold", `${id}.txt`);
    const gold = existsSync(goldFile) ? readFileSync(goldFile, "utf8") : "";
    if (words(gold).length === 0) return [];
    const bytes = readFileSync(join(folder, "html", name));
    return [{ id, url: urls.get(id), gold, bytes: name.endsWith(".gz") ? gunzipSync(bytes) : bytes }];
  });
  if (pages.length <= limit) return pages;
  return Array.from({ length: limit }, (_, at) => pages[Math.floor((at * pages.length) / limit)]);
}

function words(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** The F1 over bags of words. */
export function f1(gold, text) {
  const [wanted, found] = [words(gold), words(text)];
  const left = new Map();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of found) {
    const count = left.get(word) ?? 0;
    if (count > 0) {
      shared += 1;
      left.set(word, count - 1);
    }
  }
  return shared === 0 ? 0 : (2 * shared) / (wanted.length + found.length);
}
