// One attempt: sends a request and reads the whole response within the timeout.

import type { Received } from "./answer.ts";
import { ConnectionError, TimeoutError } from "./errors.ts";
import type { Fetch } from "./options.ts";
import { isProgress, readProgress } from "./progress.ts";
import type { ServiceRequest } from "./request.ts";

/** Rejects with the reason of the caller's signal when it is aborted. */
export async function exchange(request: ServiceRequest, fetch: Fetch): Promise<Received> {
  const { url, headers, body, signal, timeoutMs, operation } = request;
  signal?.throwIfAborted();
  // AbortSignal.any is missing in browsers that are still in use.
  const ending = new AbortController();
  const endWithCaller = () => ending.abort(signal?.reason);
  signal?.addEventListener("abort", endWithCaller, { once: true });
  let timer = setTimeout(() => ending.abort(), timeoutMs);
  const keepWaiting = () => {
    clearTimeout(timer);
    timer = setTimeout(() => ending.abort(), timeoutMs);
  };
  try {
    const response = await fetch(url, {
      method: operation.method,
      headers,
      ...(body !== undefined && { body: body as NonNullable<RequestInit["body"]> }),
      // A redirect would turn a POST into a GET.
      redirect: "manual",
      signal: ending.signal,
    });
    if (isProgress(response)) return await readProgress(response, { ...request, keepWaiting });
    return { response, text: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    throw ending.signal.aborted ? timedOut(request) : connectionFailed(request, cause);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", endWithCaller);
  }
}

export function timedOut({ name, requestId, timeoutMs }: ServiceRequest): TimeoutError {
  const message = `No response within ${timeoutMs} ms.`;
  return new TimeoutError({ code: "timed_out", message, operation: name, requestId });
}

export function connectionFailed({ name, requestId }: ServiceRequest, cause: unknown): ConnectionError {
  const message = "No complete response: the service cannot be reached, or the connection was lost.";
  return new ConnectionError({ code: "connection_failed", message, operation: name, requestId, cause });
}
