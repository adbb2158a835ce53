// Requests that arrive in one turn of the event loop are served together at its end.

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { perTick } from "../../tools/per-tick.ts";

export interface Arrival {
  request: IncomingMessage;
  response: ServerResponse;
  /** By the monotonic clock, when the first of its turn arrived. */
  startMs: number;
}

/** Of requests that the framework answers: when they arrived. */
export const arrivedAtMs = new WeakMap<IncomingMessage, number>();

export type ServeArrivals = (arrivals: Arrival[]) => void;

export function createArrivals(serve: ServeArrivals): RequestListener {
  let startMs = 0;
  const add = perTick<Arrival>((arrivals) => {
    startMs = 0;
    serve(arrivals);
  });

  return (request, response) => {
    if (startMs === 0) startMs = performance.now();
    add({ request, response, startMs });
  };
}
