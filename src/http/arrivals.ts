// Requests that arrive in one turn of the event loop are served together at its end.

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { perTurn } from "../domain/per-turn.ts";
import { addUnanswered } from "./pipelines.ts";

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
  const add = perTurn<Arrival>((arrivals) => {
    startMs = 0;
    serve(arrivals);
  });

  return (request, response) => {
    // It came behind the last answer of its connection: nobody would learn what has become of it.
    if (request.socket.writableEnded) return;
    if (startMs === 0) startMs = performance.now();
    // At once: more requests, or rubbish, may follow in the same packet.
    addUnanswered(request.socket, response);
    add({ request, response, startMs });
  };
}
