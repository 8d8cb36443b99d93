// The entry for workerd, which has no files and compiles no bytes: it imports the module.

import module from "../dist/tsrec_bg.wasm";
import { initSync } from "../dist/tsrec.js";

initSync({ module });

export * from "./api.js";
