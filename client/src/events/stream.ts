// One connection to the stream: opens it, and reads its messages within bounds of time.

import { unexpectedAnswer } from "../answer.ts";
import { connectionFailed, timedOut } from "../exchange.ts";
import type { Fetch } from "../options.ts";
import type { ServiceRequest } from "../request.ts";
import { createParser, type Message, type Parser } from "./parser.ts";

/** The service, or a proxy before it, offers no stream; long polling may work. */
export class NoStream extends Error {}

/** Answers of a service or proxy without the stream. */
const NO_STREAM = [404, 405, 406];
const EVENT_STREAM = /^\s*text\/event-stream\s*(?:;|$)/i;

export interface Connection {
  response: Response;
  reader: ReadableStreamDefaultReader<Uint8Array>;
  /** Closes the connection at once. */
  close(): void;
}

/** An error response, with its body. */
export interface Refusal {
  response: Response;
  text: string;
}

/** Throws NoStream where long polling may work. The signal of the request ends the connection also later. */
export async function openStream(request: ServiceRequest, fetch: Fetch): Promise<Connection | Refusal> {
  const { url, headers, signal, timeoutMs, operation } = request;
  signal?.throwIfAborted();
  const closing = new AbortController();
  const close = () => {
    signal?.removeEventListener("abort", close);
    closing.abort();
  };
  signal?.addEventListener("abort", close, { once: true });
  const timer = setTimeout(close, timeoutMs);
  let response: Response | undefined;
  try {
    response = await fetch(url, {
      method: operation.method,
      headers: { ...headers, accept: "text/event-stream" },
      cache: "no-store",
      redirect: "manual",
      signal: closing.signal,
    });
    if (
      response.ok &&
      response.body !== null &&
      EVENT_STREAM.test(response.headers.get("content-type") ?? "")
    )
      return { response, reader: response.body.getReader(), close };
    const isRefusal = !response.ok && !NO_STREAM.includes(response.status);
    const text = isRefusal ? await response.text() : "";
    close();
    if (isRefusal) return { response, text };
  } catch (cause) {
    const isLate = closing.signal.aborted;
    close();
    signal?.throwIfAborted();
    if (!isLate) throw connectionFailed(request, cause);
    // A proxy may hold the headers back until it has collected enough of the body.
    if (response !== undefined) throw timedOut(request);
  } finally {
    clearTimeout(timer);
  }
  throw new NoStream();
}

interface Bounds {
  /** Limits the wait for the first line. A proxy that collects the response sends none. */
  firstLineMs: number;
  /** Limits the wait for each further line; the service sends a comment every 15 seconds. */
  idleTimeoutMs: number;
}

/** Ends with the stream. Throws NoStream without a first line, and a ConnectionError if the stream is cut or silent. */
export async function* readStream(
  request: ServiceRequest,
  { response, reader, close }: Connection,
  { firstLineMs, idleTimeoutMs }: Bounds,
  parser: Parser = createParser(),
): AsyncGenerator<Message, void, undefined> {
  const decoder = new TextDecoder();
  for (;;) {
    let isLate = false;
    let messages: Message[] = [];
    const linesBefore = parser.lines;
    const end = () => {
      isLate = true;
      close();
      // A `fetch` may ignore its signal.
      reader.cancel().catch(() => {});
    };
    // Not while the caller handles an event: what waits in the connection then is not late.
    const timer = setTimeout(end, linesBefore === 0 ? firstLineMs : idleTimeoutMs);
    try {
      while (messages.length === 0 && parser.lines === linesBefore) {
        const { done, value } = await reader.read();
        if (isLate) break;
        if (done) return;
        messages = parser.push(decoder.decode(value, { stream: true }));
      }
    } catch (cause) {
      request.signal?.throwIfAborted();
      if (cause instanceof RangeError) throw unexpectedAnswer(request, response, cause);
      if (!isLate) throw connectionFailed(request, cause);
    } finally {
      clearTimeout(timer);
    }
    request.signal?.throwIfAborted();
    if (isLate)
      throw linesBefore === 0 ? new NoStream() : connectionFailed(request, new Error("silent stream"));
    yield* messages;
  }
}
