// Prints what tsrec makes of the page that is named, and of a site. Runs on Node, Bun and Deno.

import { readFileSync } from "node:fs";
import process from "node:process";
import { tried } from "./tried.js";

console.log(JSON.stringify(tried(new Uint8Array(readFileSync(process.argv[2])))));
