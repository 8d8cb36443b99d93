// The entry for browsers. It loads the module beside it, and nothing else. Bundlers know this form
// of address, and take the file along.

import init from "../dist/tsrec.js";

await init({ module_or_path: new URL("../dist/tsrec_bg.wasm", import.meta.url) });

export * from "./api.js";
