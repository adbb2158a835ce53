// The record of a request from its arrival to its response; requests of one event-loop tick are served together.

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { ServiceError } from "../../domain/basics/errors.ts";
import type { Admission } from "../../domain/keys/admission.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { perTick } from "../../tools/per-tick.ts";
import { findFormFault } from "../request/request-form.ts";
import { addUnanswered, isPipelineEnding, type Pipeline } from "./pipelines.ts";

export interface PendingRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly pipeline: Pipeline;
  /** By the monotonic clock, when the first request of its tick arrived. */
  readonly startMs: number;
  readonly formFault: ServiceError | undefined;
  key: ApiKey | undefined;
  /** The gate has decided and charged: the framework must not ask it again. */
  admission: Admission | undefined;
  /** Thrown on the fast path. After an admission, the framework answers it with an error. */
  fault: unknown;
  /** Set when the fast path answers. */
  requestId: string;
}

declare module "node:http" {
  interface IncomingMessage {
    /** Absent where a request did not come through a socket (Fastify's `inject`). */
    pending?: PendingRequest;
  }
}

export type ServeRequests = (all: PendingRequest[]) => void;

export interface PendingRequests {
  /** Listener for the server's `request` event. */
  listener: RequestListener;
  /** Requests that arrive from now on wait until `release`. */
  hold(): void;
  release(): void;
}

/** An exception here would end the process; it fails the request instead. */
function checkForm(request: IncomingMessage): ServiceError | undefined {
  try {
    return findFormFault(request);
  } catch (cause) {
    return new ServiceError("internal_error", { cause });
  }
}

export function createPendingRequests(serve: ServeRequests): PendingRequests {
  let startMs = 0;
  let held: Array<Parameters<RequestListener>> | undefined;
  const serveLater = perTick<PendingRequest>((all) => {
    startMs = 0;
    serve(all);
  });

  function enqueue(request: IncomingMessage, response: ServerResponse): void {
    if (startMs === 0) startMs = performance.now();
    request.pending = {
      request,
      response,
      pipeline: request.socket.pipeline as Pipeline,
      startMs,
      formFault: checkForm(request),
      key: undefined,
      admission: undefined,
      fault: undefined,
      requestId: "",
    };
    serveLater(request.pending);
  }

  return {
    listener(request, response) {
      const pipeline = request.socket.pipeline as Pipeline;
      if (isPipelineEnding(pipeline)) return;
      // Counted now, because the same packet may hold more.
      addUnanswered(pipeline, response);
      if (held === undefined) enqueue(request, response);
      else held.push([request, response]);
    },
    hold() {
      held = [];
    },
    release() {
      const waiting = held ?? [];
      held = undefined;
      for (const each of waiting) enqueue(...each);
    },
  };
}
