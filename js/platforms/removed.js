import { rmSync } from "node:fs";
import { setTimeout as later } from "node:timers/promises";

const TRIES = 50;
const PAUSE = 200;

/**
 * Removes the folder of a browser that has ended. Its helper processes may end after it, and write
 * into the folder meanwhile, so each try lists the folder anew: `maxRetries` of `rmSync` does not.
 */
export async function removed(folder) {
  for (let tried = 1; ; tried++) {
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (tried === TRIES) throw error;
      await later(PAUSE);
    }
  }
}
