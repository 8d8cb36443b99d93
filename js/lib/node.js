// The entry for Node, Bun and Deno. It reads the module beside it, so that the import needs no
// await.

import { readFileSync } from "node:fs";
import { initSync } from "../dist/tsrec.js";

initSync({ module: new WebAssembly.Module(readFileSync(new URL("../dist/tsrec_bg.wasm", import.meta.url))) });

export * from "./api.js";
