// Caddy and nginx with the files of deploy/ in front of one node: TLS, the address of the client, and the node's own errors.

import assert from "node:assert/strict";
import { once } from "node:events";
import http2 from "node:http2";
import { type TestContext, test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { ERRORS, type ErrorCode } from "../../../src/domain/basics/errors.ts";
import { call, createCall } from "../../harness/clients/call.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";
import { startTlsCaddy } from "../../harness/servers/caddy.ts";
import { startNginx } from "../../harness/servers/nginx.ts";
import { assertUnavailable, type TlsProxy } from "../../harness/servers/proxy-server.ts";

const PROXIES = { Caddy: startTlsCaddy, nginx: startNginx };
const PUBLIC_URL = "https://animals.example.org";
const KIB = 1024;
/** Short, so that the test of a slow body is short. */
const TIMEOUTS = { headersMs: 400, requestMs: 500, checkEveryMs: 50 };
const SILENT_CLIENTS = 10;
/** More than the buffers of a connection hold. */
const UNREAD_BYTES = 16 * KIB * KIB;

const portOf = (url: string) => Number(new URL(url).port);

function openTls({ url, ca }: TlsProxy): TLSSocket {
  const socket = connect({ host: "127.0.0.1", port: portOf(url), servername: "localhost", ca });
  // A proxy may reset a connection whose request it does not read to its end.
  socket.on("error", () => {});
  return socket;
}

/** Sends the text and resolves to the response, which has a Content-Length. */
async function exchange(proxy: TlsProxy, text: string): Promise<string> {
  const socket = openTls(proxy);
  let received = "";
  socket.setEncoding("utf8").on("data", (part) => {
    received += part;
    const [head = "", body = ""] = received.split("\r\n\r\n");
    // The proxy itself may wait for the rest of the request before it closes.
    if (body.length > 0 && body.length >= Number(/^content-length: (\d+)$/im.exec(head)?.[1]))
      socket.destroy();
  });
  socket.write(text);
  await once(socket, "close");
  return received;
}

function assertErrorText(received: string, code: ErrorCode): void {
  const [head = "", body = ""] = received.split("\r\n\r\n");
  assert.match(head, new RegExp(`^HTTP/1.1 ${ERRORS[code].status} `), received);
  assert.match(head, /^content-type: application\/json; charset=utf-8$/im);
  assert.deepEqual(JSON.parse(body), { code, ...ERRORS[code] });
}

const POST_HEAD = `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${ADMIN_KEY}\r\nContent-Type: application/json\r\n`;
const GET_HEAD = "GET /v1/pets HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";

async function startBehind(t: TestContext, start: typeof startNginx) {
  const app = await startApp(t, { environment: { TRUST_PROXY: "127.0.0.1", PUBLIC_URL } });
  const proxy = await start(t, [portOf(app.url)]);
  return { app, proxy, agent: proxy.agentOf(), callTls: createCall(`${proxy.url}/v1`, ADMIN_KEY) };
}

for (const [name, start] of Object.entries(PROXIES)) {
  test(`Behind ${name} with TLS, requests work`, { timeout: 60_000 }, async (t) => {
    const { app, proxy, agent, callTls } = await startBehind(t, start);

    await t.test("requests work, and browsers must use https only", async () => {
      const created = await callTls("POST", "/pets", { agent, body: { name: "Rex", categoryId: 1 } });
      assert.equal(created.status, 201, created.text);
      assert.equal(created.headers.location, `${PUBLIC_URL}/v1/pets/1`);
      assert.equal(created.headers["strict-transport-security"], "max-age=31536000");
      assert.equal((await callTls("PUT", "/categories/1", { agent, body: { name: "Dogs" } })).status, 201);
      assert.equal((await callTls("DELETE", "/pets/1", { agent })).status, 204);
    });

    await t.test("photos keep their headers, and nginx asks the node once for each", async () => {
      const { json: pet } = await callTls("POST", "/pets", { agent, body: { name: "Rex", categoryId: 1 } });
      const { json: photo } = await callTls("POST", `/pets/${pet.id}/photos`, {
        agent,
        body: await drawImage("red", { width: 64, height: 64 }),
        headers: { "content-type": "image/png" },
      });
      const address = proxy.url + new URL(photo.urls[320]).pathname;
      const reads = async () => {
        const { text } = await createCall(app.url)("GET", "/metrics", { key: ADMIN_KEY });
        const counts = text.matchAll(
          /^animal_store_requests_total\{operation="\/photos\/:name".*\} (\d+)$/gm,
        );
        return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
      };
      const before = await reads();
      const escaped = address.replace("/photos/", "/%70hotos/");
      for (const each of [address, `${address}?x=1`, `${address}?x=2`, escaped]) {
        const { status, headers, bytes } = await call("GET", each, { agent });
        assert.deepEqual([status, headers["content-type"]], [200, "image/webp"]);
        assert.equal(bytes.toString("latin1", 8, 12), "WEBP");
        assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
        assert.equal(headers["strict-transport-security"], "max-age=31536000");
        assert.equal(headers["x-ratelimit-remaining"] === undefined, name === "nginx");
      }
      assert.equal((await reads()) - before, name === "nginx" ? 1 : 4);
      const unknown = await call("GET", `${proxy.url}/photos/x`, { agent });
      const again = await call("GET", `${proxy.url}/photos/x`, { agent });
      assert.deepEqual([unknown.json.code, again.json.code], ["photo_not_found", "photo_not_found"]);
      assert.equal((await reads()) - before, name === "nginx" ? 3 : 6, "errors are not cached");
    });

    await t.test("http is redirected to https", async () => {
      const { status, headers } = await call("GET", `${proxy.plainUrl}/v1/pets?limit=1`);
      assert.equal(status, 308);
      assert.match(headers.location ?? "", /^https:\/\/localhost(?::\d+)?\/v1\/pets\?limit=1$/);
    });

    await t.test("HTTP/2 works", async (t) => {
      const session = http2.connect(proxy.url, { ca: proxy.ca });
      t.after(() => session.destroy());
      const stream = session.request({ ":path": "/healthz" });
      const [headers] = await once(stream, "response");
      assert.deepEqual([headers[":status"], session.alpnProtocol], [200, "h2"]);
    });

    await t.test("anonymous requests are counted per client, who cannot choose the address", async () => {
      const left = async (address: string, headers = {}) => {
        const answer = await call("GET", `${proxy.url}/v1/pets`, { agent: proxy.agentOf(address), headers });
        assert.equal(answer.status, 401);
        return Number(answer.headers["x-ratelimit-remaining"]);
      };
      assert.deepEqual([await left("127.0.0.2"), await left("127.0.0.2")], [59, 58]);
      assert.equal(await left("127.0.0.2", { "x-forwarded-for": "198.51.100.9" }), 57);
      assert.equal(await left("127.0.0.2", { "x-forwarded-for": ["198.51.100.9", "127.0.0.1"] }), 56);
      assert.equal(await left("127.0.0.3"), 59);
    });
  });
}

for (const [name, start] of Object.entries(PROXIES)) {
  test(`Behind ${name} with TLS, errors have the form of the service`, { timeout: 60_000 }, async (t) => {
    const { app, proxy, agent, callTls } = await startBehind(t, start);

    await t.test("errors of the node reach the client: 413, 408, 431", async (t) => {
      const large = "x".repeat(20 * KIB);
      const sent = `${POST_HEAD}Content-Length: ${large.length}\r\n\r\n${large}`;
      assertErrorText(await exchange(proxy, sent), "body_too_large");
      const hasty = await startApp(t, { timeouts: TIMEOUTS });
      const unfinished = `${POST_HEAD}Content-Length: 100\r\n\r\n{`;
      const hastyProxy = await start(t, [portOf(hasty.url)]);
      assertErrorText(await exchange(hastyProxy, unfinished), "request_timeout");
      const lines = ["A", "B", "C"].map((letter) => `X-${letter}: ${"x".repeat(8 * KIB)}\r\n`).join("");
      assertErrorText(await exchange(proxy, `${GET_HEAD}${lines}\r\n`), "headers_too_large");
    });

    await t.test("a body above the limit of the proxy is refused before it is sent", async () => {
      const sent = `${POST_HEAD}Content-Length: ${14 * KIB * KIB}\r\n\r\n{`;
      assertErrorText(await exchange(proxy, sent), "body_too_large");
    });

    await t.test("clients that never read do not delay others", async (t) => {
      const page = (await call("GET", `${app.url}/openapi.json`)).text.length;
      const count = Math.ceil(UNREAD_BYTES / page);
      for (let i = 0; i < SILENT_CLIENTS; i++) {
        const socket = openTls(proxy);
        t.after(() => socket.destroy());
        socket.pause().write("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(count));
      }
      const answers = Array.from({ length: 50 }, () => callTls("GET", "/pets", { agent }));
      for (const { status, text } of await Promise.all(answers)) assert.equal(status, 200, text);
    });

    await t.test("requests get 503 in the form of the service while the node is down", async () => {
      await app.stop();
      const methods = ["GET", "POST", "DELETE"];
      const answers = await Promise.all(methods.map((method) => callTls(method, "/pets/1", { agent })));
      for (const answer of answers) assertUnavailable(answer);
    });
  });
}
