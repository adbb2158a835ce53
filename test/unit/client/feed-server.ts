// A server whose connections play scripts, for followers: streams that are cut, freeze, repeat events or never end.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import type { Event } from "../../../client/src/client.ts";
import { stringifyJson } from "../../../client/src/client.ts";
import { listen } from "../../harness/servers/listen.ts";
import { clientOf } from "./scene.ts";

export const EPOCH = "5f0c2b1d";

type Play = (response: ServerResponse) => void;

export interface FeedRequest {
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  response: ServerResponse;
  /** Resolves when the connection is closed. */
  closed: Promise<unknown>;
}

export interface FeedServer {
  url: string;
  requests: FeedRequest[];
}

/** The last script also plays for all further requests. */
export async function startFeed(t: TestContext, ...plays: Play[]): Promise<FeedServer> {
  const requests: FeedRequest[] = [];
  const server = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    if (request.method === "OPTIONS") {
      // As the service answers a preflight.
      response.writeHead(204, { "access-control-allow-headers": "Authorization, X-Request-Id" }).end();
      return;
    }
    const { pathname, searchParams } = new URL(request.url ?? "", "http://service");
    requests.push({
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: request.headers,
      response,
      closed: once(response, "close"),
    });
    plays[Math.min(requests.length, plays.length) - 1]?.(response);
  });
  const address = await listen(t, server);
  return { url: address, requests };
}

export const cursor = (number: number | bigint, epoch: string = EPOCH): string => `${epoch}-${number}`;

export function eventOf(number: number | bigint, epoch: string = EPOCH): Event<"pet.created"> {
  const pet = { id: number, name: `Rex ${number}`, categoryId: 3, status: "available" } as const;
  const timestamp = "2026-11-15T09:30:00.000Z";
  return { id: `evt_${epoch}_${number}`, number, type: "pet.created", timestamp, data: { pet } };
}

/** An event as the stream sends it. */
export function message(number: number | bigint, epoch: string = EPOCH): string {
  const event = eventOf(number, epoch);
  return `id: ${cursor(number, epoch)}\nevent: ${event.type}\ndata: ${stringifyJson(event)}\n\n`;
}

/** Sends the text as a stream, and leaves the connection open. */
export function stay(...texts: string[]): Play {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.flushHeaders();
    for (const text of texts) response.write(text);
  };
}

/** Sends the text as a stream, and ends it. */
export function finish(...texts: string[]): Play {
  return (response) => {
    stay(...texts)(response);
    response.end();
  };
}

/** Sends the text as a stream, and closes the connection before the response is complete; the client may lose the text. */
export function cut(...texts: string[]): Play {
  return (response) => {
    stay()(response);
    response.write(texts.join(""), () => response.destroy());
  };
}

/** As `cut`, with a TCP reset. */
export function reset(...texts: string[]): Play {
  return (response) => {
    stay()(response);
    response.write(texts.join(""), () => response.socket?.resetAndDestroy());
  };
}

/** A page of events for long polling. */
export function page(numbers: number[], next: string | undefined): Play {
  const link =
    next === undefined ? {} : { link: `<https://other.example/v1/events?after=${next}>; rel="next"` };
  return (response) => {
    response.writeHead(200, { "content-type": "application/json", ...link });
    response.end(stringifyJson(numbers.map((number) => eventOf(number))));
  };
}

export function refuse(status: number, code: string, headers: Record<string, string> = {}): Play {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ code, message: `Refused: ${code}.`, status }));
  };
}

/** A follower of a server that plays these scripts. */
export async function startFollower(t: TestContext, ...plays: Play[]) {
  const { url, requests } = await startFeed(t, ...plays);
  const { client, waits } = clientOf(url);
  return { url, requests, client, waits, afters: () => requests.map(({ query }) => query.after) };
}

/** The numbers of the first events. */
export async function take(feed: AsyncIterable<Event>, count: number): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { number } of feed) {
    numbers.push(Number(number));
    if (numbers.length === count) break;
  }
  return numbers;
}
