// Calls of the WebAssembly instance. A call that fails in an unforeseen way leaves its instance in
// an unknown state, so the next call gets a new one.

import * as native from "../dist/tsrec.js";
import { MemoryFileError, NotHtmlError, SiteLostError, TsrecError } from "./errors.js";

const CLASSES = { MemoryFileError, NotHtmlError, TypeError };

/** The number of the instance that calls use. */
let current = 0;
/**
 * Whether the instance of the last call is unusable, and the one with the number `current` does not
 * exist yet.
 */
let isBroken = false;

/** Runs `work`, which calls the instance and does nothing else. */
export function guarded(work) {
  if (isBroken) {
    native.__wbg_reset_state();
    isBroken = false;
  }
  try {
    return work(native);
  } catch (thrown) {
    if (typeof thrown === "string") throw failure(thrown);
    // Before any call, and without functions of its own: the stack may have no room for them.
    isBroken = true;
    current += 1;
    let why = thrown;
    if (thrown instanceof WebAssembly.RuntimeError) {
      try {
        why = native.panicked() ?? why;
      } catch {
        // The instance is too broken to say.
      }
    }
    throw new TsrecError(
      `tsrec failed on this page; please report it. All Site objects are lost, other calls work. Reason: ${why}`,
      { cause: thrown },
    );
  }
}

/** The error that the instance threw as JSON. */
function failure(json) {
  const { class: name, message } = JSON.parse(json);
  return new CLASSES[name](message);
}

/** An object in the memory of an instance. It is lost with the instance. */
export class Held {
  #object;
  #instance;

  constructor(make) {
    this.#object = guarded(make);
    this.#instance = current;
  }

  /** Runs `work` with the object. */
  use(work) {
    if (this.#instance !== current) {
      throw new SiteLostError(
        "this Site was lost when tsrec failed on a page: make a new one, or Site.fromBytes() from what toBytes() gave before",
      );
    }
    return guarded(() => work(this.#object));
  }
}
