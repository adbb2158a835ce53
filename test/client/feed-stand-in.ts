// A feed in front of a service that has none yet: every animal that is created or changed through it becomes an event.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { cursor, EPOCH } from "./feed-server.ts";

interface Change {
  number: number;
  type: string;
  data: Record<string, unknown>;
}

/** Resolves to the address that answers the feed, and passes everything else on to the service. */
export async function startStandIn(t: TestContext, service: string): Promise<string> {
  const changes: Change[] = [];
  const readers = new Set<() => void>();

  async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    const body = Buffer.concat(await request.toArray());
    const { host: _, connection: __, "transfer-encoding": ___, "content-length": ____, ...kept } = headers;
    const answer = await fetch(service + url, {
      method,
      headers: kept as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    const text = await answer.text();
    const [, isPet] = /^\/v1\/(pets)/.exec(url) ?? [];
    if (isPet && answer.ok && method !== "GET") addChange(method, JSON.parse(text), JSON.parse(String(body)));
    const { "content-length": _____, ...sent } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, sent).end(text);
  }

  function addChange(method: string, pet: { status: string }, given: object): void {
    const isNew = method === "POST";
    const previous = Object.fromEntries(Object.keys(given).map((name) => [name, "available"]));
    const data = isNew ? { pet } : { pet, previous };
    changes.push({ number: changes.length + 1, type: isNew ? "pet.created" : "pet.updated", data });
    for (const send of readers) send();
  }

  function stream(after: number, response: ServerResponse): void {
    let sent = after;
    const send = () => {
      for (const change of changes.slice(sent)) {
        const event = { id: `evt_${EPOCH}_${change.number}`, ...change, timestamp: new Date().toISOString() };
        response.write(
          `id: ${cursor(change.number)}\nevent: ${change.type}\ndata: ${JSON.stringify(event)}\n\n`,
        );
      }
      sent = changes.length;
    };
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.write(`retry: 3000\nid: ${cursor(after)}\ndata:\n\n`);
    readers.add(send);
    response.on("close", () => readers.delete(send));
    send();
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", service);
    const after = searchParams.get("after") ?? cursor(0);
    if (pathname === "/v1/events/stream") stream(Number(after.split("-")[1]), response);
    else if (pathname === "/v1/events")
      response.writeHead(200, { link: `</v1/events?after=${cursor(changes.length)}>; rel="next"` }).end("[]");
    else void passOn(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
