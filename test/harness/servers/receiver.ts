// A receiver of webhooks that answers as the test says, and remembers what it got.

import http from "node:http";
import type { TestContext } from "node:test";
import { listen } from "./listen.ts";

/** Settings of a service that may send to the receivers of tests. */
export const RECEIVER_SETTINGS = {
  WEBHOOK_ALLOW_HTTP: "1",
  WEBHOOK_ALLOW: "127.0.0.1",
  WEBHOOK_SECRET_KEY: "a-master-key-for-tests-with-40-characters",
};

export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every type
  event: any;
}

/** Answers one request: a status, or the work of the test. */
export type Reaction = number | ((response: http.ServerResponse, received: Received) => void);

export interface Receiver {
  url: string;
  received: Received[];
  /** Sets the answer to all further requests. */
  react(reaction: Reaction): void;
  /** Resolves when this many requests have arrived since the start. */
  until(count: number): Promise<void>;
  /** The highest number of requests that were open at the same time. */
  mostOpen(): number;
}

export async function startReceiver(t: TestContext, first: Reaction = 204): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let reaction = first;
  let open = 0;
  let mostOpen = 0;
  const server = http.createServer((request, response) => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    response.on("close", () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const headers = request.headers as Record<string, string>;
      const one = { path: request.url ?? "", headers, body, event: JSON.parse(body) };
      received.push(one);
      for (const wake of waiting) wake();
      if (typeof reaction === "number") response.writeHead(reaction).end();
      else reaction(response, one);
    });
  });
  const address = await listen(t, server);
  return {
    url: `${address}/hook`,
    received,
    react(next) {
      reaction = next;
    },
    until: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (received.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    mostOpen: () => mostOpen,
  };
}
