// One HTTP request over a real socket, without retries, with the complete response.

import http from "node:http";
import https from "node:https";

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  bytes: Buffer;
  /** The body as JSON; throws when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  json: any;
}

export interface CallOptions {
  key?: string | undefined;
  headers?: Record<string, string | string[]>;
  /** Strings and buffers are sent unchanged, other values as JSON. The content type is JSON unless `headers` has another. */
  body?: unknown;
  /** An agent of `node:https` if the URL is HTTPS. */
  agent?: http.Agent;
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

/** Puts `base` before every path. Sends `key` unless the call has a `key` option; undefined sends none. */
export function createCall(base: string, key?: string): Call {
  return (method, path, options = {}) => call(method, base + path, { key, ...options });
}

export function call(method: string, url: string, options: CallOptions = {}): Promise<Answer> {
  const { key, body, agent } = options;
  const payload =
    body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const headers = {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(payload !== undefined && {
      "content-type": "application/json",
      ...(options.headers?.["transfer-encoding"] === undefined && {
        "content-length": Buffer.byteLength(payload),
      }),
    }),
    ...options.headers,
  };
  return new Promise((resolve, reject) => {
    const { request: open } = url.startsWith("https:") ? https : http;
    const request = open(url, { method, headers, agent: agent ?? false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve(toAnswer(response, Buffer.concat(chunks))));
    });
    request.on("error", reject);
    request.end(payload);
  });
}

/** Sends requests one after the other. */
export async function repeat(times: number, request: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let sent = 0; sent < times; sent++) answers.push(await request());
  return answers;
}

/** The number of answers with each status. */
export function countStatuses(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function toAnswer(response: http.IncomingMessage, bytes: Buffer): Answer {
  const text = bytes.toString("utf8");
  return {
    status: response.statusCode ?? 0,
    headers: response.headers as Record<string, string>,
    text,
    bytes,
    get json() {
      return JSON.parse(text);
    },
  };
}
