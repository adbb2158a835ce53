// How the proxies of deploy/ choose a node: one that is ready, and another one after a failure if the request is a read.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createCall } from "../../harness/clients/call.ts";
import { startCaddy, startTlsCaddy } from "../../harness/servers/caddy.ts";
import { startNginx } from "../../harness/servers/nginx.ts";
import { findFreePort } from "../../harness/servers/ports.ts";
import { assertUnavailable } from "../../harness/servers/proxy-server.ts";

const PROXIES = { Caddy: startTlsCaddy, nginx: startNginx };
const CONNECTIONS = 32;
const POSTS_PER_CONNECTION = 200;
/** Many, so that a policy that skips a node is likely to skip the one that is ready. */
const NODES = 32;

/** Stands for a node. Resolves to its port. */
async function startNode(t: TestContext, listener: http.RequestListener): Promise<number> {
  const node = http.createServer(listener);
  t.after(() => node.close().closeAllConnections());
  await once(node.listen(0, "127.0.0.1"), "listening");
  return (node.address() as AddressInfo).port;
}

/** Sends all requests of a connection at once. Resolves to how often each status came. */
async function postMany(url: string): Promise<Record<string, number>> {
  const { hostname, host, port } = new URL(url);
  const post = `POST /v1/pets HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\n\r\n{}`;
  const last = `GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  const statuses: Record<string, number> = {};
  const work = async () => {
    const socket = connect(Number(port), hostname);
    socket.setEncoding("utf8").write(post.repeat(POSTS_PER_CONNECTION) + last);
    let received = "";
    for await (const text of socket) received += text;
    for (const line of received.split("\r\n")) {
      const status = line.startsWith("HTTP/1.1 ") ? line.slice(9, 12) : undefined;
      if (status !== undefined) statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return statuses;
}

test("Caddy: a node that is not ready gets no request, and no POST fails because of it", {
  timeout: 60_000,
}, async (t) => {
  let checks = 0;
  let strays = 0;
  const ready = await startNode(t, (request, response) => {
    request.resume().on("end", () => response.end("\r\n"));
  });
  const stopping = await startNode(t, (request, response) => {
    if (request.url === "/readyz") checks += 1;
    else strays += 1;
    response.writeHead(503).end();
  });
  const url = await startCaddy(t, [ready, ...Array.from({ length: NODES - 1 }, () => stopping)]);
  // A round of checks begins after the proxy has used the one before; on a busy machine, it may use it a little later.
  while (checks < 2 * NODES) await pause(10, undefined, { signal: t.signal });
  strays = 0;
  assert.deepEqual(await postMany(url), { 200: CONNECTIONS * (POSTS_PER_CONNECTION + 1) });
  assert.equal(strays, 0);
});

for (const [name, start] of Object.entries(PROXIES)) {
  test(`${name}: a read whose node hangs up goes to the other node, a change does not`, {
    timeout: 60_000,
  }, async (t) => {
    const outcomes: Record<string, [status: number, arrivals: number]> = {};
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]) {
      let arrivals = 0;
      const startHalf = () =>
        startNode(t, (request, response) => {
          const isCounted = request.url === "/v1/keys/1/rotate";
          if (isCounted) arrivals += 1;
          if (isCounted && arrivals === 1) request.socket.destroy();
          else response.end("{}");
        });
      const proxy = await start(t, [await startHalf(), await startHalf()]);
      // Without a body: Caddy 2.6 cannot send a body twice, even where its rules allow a retry.
      const agent = proxy.agentOf();
      const answer = await createCall(proxy.url)(method, "/v1/keys/1/rotate", { agent });
      outcomes[method] = [answer.status, arrivals];
      if (answer.status === 503) assertUnavailable(answer);
    }
    const [repeated, once]: Array<[number, number]> = [
      [200, 2],
      [503, 1],
    ];
    assert.deepEqual(outcomes, {
      GET: repeated,
      HEAD: repeated,
      POST: once,
      PUT: once,
      PATCH: once,
      DELETE: once,
    });
  });

  test(`${name}: a node that cannot be reached gets no request, and a POST is sent once`, async (t) => {
    const bodies: string[] = [];
    const node = await startNode(t, (request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text) => (body += text));
      request.on("end", () => {
        if (request.method === "POST") bodies.push(body);
        response.end("{}");
      });
    });
    const proxy = await start(t, [await findFreePort(), node, await findFreePort()]);
    const agent = proxy.agentOf();
    const posts = Array.from({ length: 20 }, (_, body) =>
      createCall(proxy.url)("POST", "/v1/pets", { agent, body }),
    );
    for (const { status } of await Promise.all(posts)) assert.equal(status, 200);
    assert.deepEqual(
      bodies.map(Number).toSorted((a, b) => a - b),
      [...posts.keys()],
    );
  });

  test(`${name}: an event reaches the client while the stream is open`, { timeout: 20_000 }, async (t) => {
    const node = await startNode(t, (request, response) => {
      const isStream = request.url === "/v1/events";
      response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
      if (isStream) response.write("data: 1\n\n");
      else response.end("{}");
    });
    const proxy = await start(t, [node]);
    const headers = { accept: "text/event-stream" };
    const request = https.get(`${proxy.url}/v1/events`, { agent: proxy.agentOf(), headers });
    t.after(() => request.destroy());
    const [response] = await once(request, "response");
    const [event] = await once(response, "data");
    assert.equal(String(event), "data: 1\n\n");
  });
}
