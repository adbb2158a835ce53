// One HTTP request over a real socket, with the answer as it came: nothing parsed away, nothing retried.

import http from "node:http";

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The body as JSON; throws when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  json: any;
}

export interface CallOptions {
  key?: string | undefined;
  headers?: Record<string, string | string[]>;
  /** Sent as it is when text or bytes, as JSON otherwise; the content type is JSON unless `headers` says so. */
  body?: unknown;
  agent?: http.Agent;
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

/** `base` is put before every path; `key` is sent unless the call names another, or undefined for none. */
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
      "content-length": Buffer.byteLength(payload),
    }),
    ...options.headers,
  };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers, agent: agent ?? false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve(toAnswer(response, Buffer.concat(chunks).toString("utf8"))));
    });
    request.on("error", reject);
    request.end(payload);
  });
}

function toAnswer(response: http.IncomingMessage, text: string): Answer {
  return {
    status: response.statusCode ?? 0,
    headers: response.headers as Record<string, string>,
    text,
    get json() {
      return JSON.parse(text);
    },
  };
}
