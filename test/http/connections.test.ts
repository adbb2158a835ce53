// The limits of connections: in all, per address, and for a client that reads nothing.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createRangeCheck } from "../../src/tools/address-ranges.ts";
import { ADMIN_KEY, startApp } from "../harness/app.ts";
import { call } from "../harness/call.ts";

const ASK = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

/** "open" when it is served, "closed" when it is closed without a response. */
async function tryConnection(t: TestContext, url: string): Promise<{ socket: Socket; became: string }> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  socket.write(ASK);
  const became = await Promise.race([
    once(socket, "data").then(() => "open"),
    once(socket, "close").then(() => "closed"),
  ]);
  return { socket, became };
}

async function rejected(url: string, reason: string): Promise<number> {
  const { text } = await call("GET", `${url}/metrics`, { key: ADMIN_KEY });
  const line = new RegExp(`^animal_store_connections_rejected_total\\{reason="${reason}"\\} (\\d+)$`, "m");
  return Number(line.exec(text)?.[1]);
}

const LIMITS = {
  "connections from one address": { variable: "MAX_CONNECTIONS_PER_ADDRESS", reason: "address" },
  "connections in all": { variable: "MAX_CONNECTIONS", reason: "total" },
};
for (const [what, { variable, reason }] of Object.entries(LIMITS)) {
  test(`closes and counts ${what} beyond ${variable}, until earlier ones have ended`, async (t) => {
    const { url } = await startApp(t, { environment: { [variable]: "3" } });
    const first = await tryConnection(t, url);
    const others = [await tryConnection(t, url), await tryConnection(t, url)];
    assert.deepEqual(
      [first, ...others].map(({ became }) => became),
      ["open", "open", "open"],
    );
    assert.equal((await tryConnection(t, url)).became, "closed");
    assert.equal((await tryConnection(t, url)).became, "closed");
    first.socket.destroy();
    // The service notices the end a moment later.
    let again = await tryConnection(t, url);
    for (let i = 0; i < 100 && again.became === "closed"; i++) again = await tryConnection(t, url);
    assert.equal(again.became, "open");
    again.socket.destroy();
    await once(again.socket, "close");
    for (let count = Number.NaN; Number.isNaN(count); ) {
      count = await rejected(url, reason).catch(() => Number.NaN);
      assert.ok(Number.isNaN(count) || count >= 2, `${count} were counted`);
    }
  });
}

test("trusted proxies may exceed the limit of one address, not the limit of all connections", async (t) => {
  const { url } = await startApp(t, {
    environment: { MAX_CONNECTIONS_PER_ADDRESS: "1", MAX_CONNECTIONS: "3", TRUST_PROXY: "127.0.0.0/8" },
  });
  const became: string[] = [];
  for (let i = 0; i < 4; i++) became.push((await tryConnection(t, url)).became);
  assert.deepEqual(became, ["open", "open", "open", "closed"]);
});

test("an address is trusted if it is listed, in a listed range, or written in IPv6 form", () => {
  const isTrusted = createRangeCheck(["10.0.0.0/8", "192.0.2.1", "2001:db8::/32", "::1"]);
  const trusted = ["10.1.2.3", "::ffff:10.1.2.3", "192.0.2.1", "2001:db8::7", "::1"];
  const others = ["11.1.2.3", "::ffff:11.1.2.3", "192.0.2.2", "2001:db9::7", "::2", "fe80::1%eth0"];
  assert.deepEqual(trusted.filter(isTrusted), trusted);
  assert.deepEqual(others.filter(isTrusted), []);
});

test("A client that reads no bytes", async (t) => {
  const timeouts = { headersMs: 5_000, requestMs: 5_000, checkEveryMs: 20, stalledMs: 400 };
  const { url, service } = await startApp(t, { timeouts });
  const port = Number(new URL(url).port);
  const flood = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(400);

  await t.test("is reset while bytes wait for it", async () => {
    const socket = connect(port, "127.0.0.1").pause();
    const [theirs] = (await once(service.app.server, "connection")) as [Socket];
    socket.on("error", () => {});
    socket.write(flood);
    await once(theirs, "close");
    assert.ok(theirs.bytesWritten > 0, "it was answered");
    socket.destroy();
  });

  await t.test("stays connected while it reads slowly, and while no bytes wait for it", async () => {
    const idle = connect(port, "127.0.0.1");
    idle.write(ASK);
    await once(idle, "data");
    const slow = connect(port, "127.0.0.1");
    slow.write(flood);
    slow.end();
    const startMs = performance.now();
    const head = "HTTP/1.1 200 OK";
    let answers = 0;
    let end = "";
    for await (const chunk of slow) {
      // A chunk may end in the middle of a head.
      const text = end + (chunk as Buffer).toString("latin1");
      answers += text.split(head).length - 1;
      end = text.slice(1 - head.length);
      if (performance.now() - startMs < 3 * timeouts.stalledMs) await pause(5);
    }
    assert.ok(performance.now() - startMs > timeouts.stalledMs, "it took longer than a stalled client may");
    assert.equal(answers, 400);
    idle.write(ASK);
    await once(idle, "data");
    idle.destroy();
  });
});
