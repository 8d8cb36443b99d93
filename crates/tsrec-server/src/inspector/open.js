// An element's evidence is asked for when it is opened, and takes the place of the link to it. Without this the link leads there.
addEventListener("toggle", async ({ target }) => {
  const why = target.open && target.querySelector(":scope > .why");
  const link = why && why.querySelector("a");
  if (!link || why.ariaBusy) return;
  why.ariaBusy = "true";
  try {
    const answer = await fetch(link.href, { headers: { accept: "text/html" } });
    const told = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("table, [role=alert]");
    why.replaceChildren(document.adoptNode(told));
  } catch {
    // The daemon is away. The link stays: it is asked again when the element is opened again.
  }
  why.ariaBusy = null;
}, true);
