// The demo: everything happens in this browser.

const form = document.querySelector("#pages");
const status = document.querySelector("#status");
const result = document.querySelector("#result");
const fieldsets = [...form.querySelectorAll(".page")];

/** What each fieldset holds: bytes of a file, or nothing where the text field counts. */
const files = [undefined, undefined];
let last;

function say(message, isError = false) {
  status.textContent = message;
  status.classList.toggle("error", isError);
}

let tsrec;
try {
  tsrec = await import("./tsrec/lib/browser.js");
  for (const button of form.querySelectorAll("button")) button.disabled = false;
  say("Ready. Nothing that you give here leaves this browser.");
} catch (error) {
  say(`tsrec cannot be loaded here: ${error.message}`, true);
}

/** Shows a file in its text field. Its bytes are what is extracted. */
async function take(at, file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const area = fieldsets[at].querySelector("textarea");
  area.value = new TextDecoder().decode(bytes);
  files[at] = { html: bytes, shown: area.value };
}

for (const [at, fieldset] of fieldsets.entries()) {
  fieldset.addEventListener("dragover", (event) => {
    event.preventDefault();
    fieldset.classList.add("over");
  });
  fieldset.addEventListener("dragleave", () => fieldset.classList.remove("over"));
  fieldset.addEventListener("drop", async (event) => {
    event.preventDefault();
    fieldset.classList.remove("over");
    const dropped = [...event.dataTransfer.files];
    if (dropped.length === 0) return;
    // Two files at once fill both places.
    if (dropped.length > 1) await Promise.all(dropped.slice(0, 2).map((file, place) => take(place, file)));
    else await take(at, dropped[0]);
    run();
  });
  fieldset.querySelector("input[type=file]").addEventListener("change", async ({ target }) => {
    if (target.files.length > 0) await take(at, target.files[0]);
  });
}

/** The page of a fieldset; undefined if it is empty. */
function pageAt(at) {
  const text = fieldsets[at].querySelector("textarea").value;
  if (text.trim() === "") return undefined;
  const url = fieldsets[at].querySelector("input[type=url]").value.trim() || undefined;
  const file = files[at];
  return { html: file?.shown === text ? file.html : text, text, url };
}

async function runExample() {
  const names = ["page", "sibling"];
  for (const [at, name] of names.entries()) {
    const response = await fetch(`example/${name}.html`);
    files[at] = undefined;
    fieldsets[at].querySelector("textarea").value = await response.text();
    fieldsets[at].querySelector("input[type=url]").value = `https://courier.example/news/${name}.html`;
  }
  run();
}

document.querySelector("#example").addEventListener("click", runExample);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
document.querySelector("#favor").addEventListener("change", () => last && run());

function run() {
  const [page, other] = [pageAt(0), pageAt(1)];
  if (page === undefined) {
    say("Give a page first.", true);
    return;
  }
  const favor = document.querySelector("#favor").value;
  const begun = performance.now();
  try {
    const siblings = other ? [{ html: other.html, url: other.url }] : [];
    const contents = Object.fromEntries(
      ["html", "markdown", "text"].map((format) => [format, tsrec.extract(page.html, { url: page.url, siblings, favor, format }).content]),
    );
    const took = (performance.now() - begun) / 3;
    const results = other
      ? tsrec.diff({ html: page.html, url: page.url }, { html: other.html, url: other.url }, { favor })
      : [tsrec.extract(page.html, { url: page.url, favor, elements: true })];
    last = { contents, results };
    show([page, other], took);
  } catch (error) {
    say(error.message, true);
  }
}

const FACTS = [
  ["Title", ({ title }) => title],
  ["Authors", ({ authors }) => authors.join(", ")],
  ["Published", ({ published }) => published],
  ["Modified", ({ modified }) => modified],
  ["Language", ({ language }) => language],
  ["Kind of page", ({ kind, kind_probability: probability }) => kind && `${kind} (${Math.round(100 * probability)} %)`],
  ["Site", ({ site_name: name }) => name],
  ["Description", ({ description }) => description],
  ["Image", ({ image }) => image],
  ["Address", ({ canonical_url: address }) => address],
  ["Tags", ({ tags }) => tags.join(", ")],
  ["Licence", ({ license }) => license],
  ["Words", ({ words }) => String(words)],
  ["Found by", ({ method }) => ({ template: "comparison with the other page", blocks: "the page alone" })[method] ?? method],
  ["Charset", ({ charset }) => charset],
  ["Cut by limits", ({ cut }) => cut.join(", ")],
];

function show(pages, took) {
  const [page] = last.results;
  document.querySelector("#confidence").value = page.confidence;
  document.querySelector("#confidence-value").textContent = page.confidence.toFixed(2);
  const rows = FACTS.map(([name, of]) => [name, of(page)]).filter(([, value]) => value);
  document.querySelector("#metadata").replaceChildren(
    ...rows.flatMap(([name, value]) => [element("dt", name), element("dd", value)]),
  );
  showContent();
  const gates = page.gates.flatMap(({ gates }) => gates).filter(({ passed }) => !passed).map(({ name }) => name);
  document.querySelector("#gates").textContent =
    pages[1] === undefined
      ? "With a second page of the site you see here what both have in common."
      : gates.length > 0
        ? `The other page was not used, because these checks failed: ${gates.join(", ")}.`
        : "";
  document.querySelector("#labelled").replaceChildren(
    ...last.results.map((found, at) => labelled(found, pages[at].text)),
  );
  result.hidden = false;
  say(`Extracted in ${took.toFixed(took < 10 ? 1 : 0)} ms.`);
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

const READABLE = "body { font: 16px/1.5 system-ui, sans-serif; margin: 1rem; overflow-wrap: anywhere; } img { max-width: 100%; }";

function showContent() {
  const format = form.ownerDocument.querySelector("input[name=format]:checked").value;
  const [shown, written] = [document.querySelector("#shown"), document.querySelector("#written")];
  shown.hidden = format !== "html";
  written.hidden = !shown.hidden;
  if (format === "html") shown.srcdoc = `<!doctype html><style>${READABLE}</style>${last.contents.html}`;
  else written.textContent = last.contents[format];
}

for (const radio of document.querySelectorAll("input[name=format]")) radio.addEventListener("change", showContent);
document.querySelector("#copy").addEventListener("click", async ({ target }) => {
  const format = document.querySelector("input[name=format]:checked").value;
  await navigator.clipboard.writeText(last.contents[format]);
  target.textContent = "Copied";
  setTimeout(() => (target.textContent = "Copy"), 1_500);
});

const COLOURS = `
[data-tsrec] { border-radius: 2px; }
[data-tsrec=content] { background: #dff5e3 !important; color: #10301a !important; box-shadow: 0 0 0 2px #17702f66; }
[data-tsrec=common] { background: #f3ecff !important; color: #3b2266 !important; box-shadow: 0 0 0 1px #8250df66; }
[data-tsrec=regular] { background: #fff4d6 !important; color: #4d3500 !important; box-shadow: 0 0 0 1px #9a670066; }
[data-tsrec=outside] { background: #ffe9db !important; color: #5c2600 !important; box-shadow: 0 0 0 1px #b0470066; }
[data-tsrec=hidden] { opacity: .5; }`;

/**
 * A page with its elements in the colours of their labels. Scripts do not run in it, and it loads
 * nothing.
 */
function labelled(found, html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const places = found.elements.map(({ path, label }) => [parsed.querySelector(path), label]);
  for (const [place, label] of places) {
    if (place && place !== parsed.documentElement && place !== parsed.body) place.dataset.tsrec = label;
  }
  for (const left of parsed.querySelectorAll("script, noscript, link, meta, base, iframe, object, embed")) left.remove();
  const style = parsed.createElement("style");
  style.textContent = READABLE + COLOURS;
  parsed.head.append(style);
  const figure = document.createElement("div");
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "");
  frame.title = `The labels of ${found.title ?? "the page"}`;
  frame.srcdoc = `<!doctype html>${parsed.documentElement.outerHTML}`;
  figure.append(element("h3", found.title ?? found.url ?? "untitled"), frame);
  return figure;
}

// A link can show the example.
if (tsrec && location.hash === "#example") runExample();
