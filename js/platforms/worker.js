// A worker: extracts the page that is posted.

import { tried } from "./tried.js";

export default {
  async fetch(request) {
    return Response.json(tried(new Uint8Array(await request.arrayBuffer())));
  },
};
