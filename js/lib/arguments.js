// Checks the arguments of calls, and writes calls for the instance.

const DEFAULTS = {
  format: "text",
  method: "auto",
  favor: "balance",
  links: true,
  images: true,
  frontMatter: false,
  elements: false,
  explain: false,
  learn: false,
};

const encoder = new TextEncoder();

/** What a value is, for people. */
function kindOf(value) {
  if (value === null) return "null";
  const name = typeof value === "object" ? value.constructor?.name : undefined;
  return name ?? typeof value;
}

/** Whether a value is of a class, which may be that of another window or context. */
export function isA(name, value) {
  return Object.prototype.toString.call(value) === `[object ${name}]`;
}

function isAddress(text) {
  return /^\s*https?:\/\/[^<\s]*\s*$/.test(text);
}

const WAYS_OUT = {
  Promise: "await it first",
  Response: "give new Uint8Array(await response.arrayBuffer()), and the charset of its Content-Type",
  Document: "give document.documentElement.outerHTML",
  HTMLDocument: "give document.documentElement.outerHTML",
};

/** The bytes of a page, and whether it was a string. `name` names it in errors. */
function bytesOf(html, name) {
  if (typeof html === "string") {
    if (isAddress(html)) {
      throw new TypeError(
        `${name} is the address ${JSON.stringify(html.trim())}, and no page: tsrec fetches nothing; give it what came from there, and the address as url`,
      );
    }
    return { bytes: encoder.encode(html), isText: true };
  }
  if (isA("Uint8Array", html)) return { bytes: html, isText: false };
  if (isA("ArrayBuffer", html)) return { bytes: new Uint8Array(html), isText: false };
  const kind = kindOf(html);
  const wayOut = WAYS_OUT[kind] ?? "read a file with fs.readFileSync(name)";
  throw new TypeError(`${name} must be a string, a Uint8Array or an ArrayBuffer, and is ${kind}: ${wayOut}`);
}

function checkType(value, type, name) {
  if (value !== undefined && value !== null && typeof value !== type) {
    throw new TypeError(`${name} must be a ${type}, and is ${kindOf(value)}`);
  }
  return value ?? undefined;
}

/** The options of a call named `of`, each of which must be in `known`. */
export function checkOptions(options, known, of) {
  if (options === undefined || options === null) return {};
  if (typeof options !== "object" || Array.isArray(options)) {
    throw new TypeError(`the options of ${of} must be an object, and are ${kindOf(options)}`);
  }
  const checked = {};
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name)) {
      throw new TypeError(`${of} has no option ${JSON.stringify(name)}: it has ${known.join(", ")}`);
    }
    if (name === "siblings") checked.siblings = value ?? undefined;
    else checked[name] = checkType(value, typeof (DEFAULTS[name] ?? ""), name);
  }
  return checked;
}

/** A page: `html` with its address and its charset. */
export function page(html, url, charset, name) {
  checkType(url, "string", `the url of ${name}`);
  checkType(charset, "string", `the charset of ${name}`);
  return { ...bytesOf(html, name), url: url ?? null, charset: charset ?? null, name };
}

const PAGE = ["html", "url", "charset"];

/** A page that is given as `Html`, or as an object with its address and its charset. */
export function pageOf(given, name) {
  const isRecord = typeof given === "object" && given !== null && "html" in given;
  if (!isRecord) return page(given, null, null, name);
  const { html, ...rest } = given;
  const { url, charset } = checkOptions(rest, PAGE, name);
  return page(html, url, charset, name);
}

/** Siblings, which may be missing. */
export function siblingsOf(given) {
  if (given === undefined) return [];
  const isPage = typeof given === "string" || ArrayBuffer.isView(given) || isA("ArrayBuffer", given);
  if (isPage || typeof given?.[Symbol.iterator] !== "function") {
    throw new TypeError("siblings must be several pages: put them into an array, also if there is one");
  }
  return Array.from(given, (sibling, at) => pageOf(sibling, `sibling ${at + 1}`));
}

/** A call: the bytes of all pages, and the rest as JSON. */
export function written(pages, options) {
  const headers = pages.map(({ bytes, ...header }) => ({ ...header, length: bytes.length }));
  const chosen = Object.fromEntries(Object.entries(DEFAULTS).map(([name, value]) => [name, options[name] ?? value]));
  return [joined(pages.map(({ bytes }) => bytes)), JSON.stringify({ pages: headers, options: chosen })];
}

function joined(parts) {
  if (parts.length === 1) return parts[0];
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
