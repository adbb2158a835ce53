// The end of a server: it finishes running requests, and does not wait long for slow clients.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createDrain } from "../../../src/http/server/drain.ts";
import { createPendingRequests } from "../../../src/http/server/pending-requests.ts";
import { limitPipeline } from "../../../src/http/server/pipelines.ts";
import { STOPPING } from "../../../src/http/server/raw-answer.ts";
import { sendRaw } from "../../harness/clients/socket.ts";

const TIMES = { idleMs: 50, clientMs: 100 };
const REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

test("The end of a server", async (t) => {
  async function start(times = TIMES) {
    const running: ServerResponse[] = [];
    const requests = createPendingRequests((all) => {
      running.push(...all.map(({ response }) => response));
      server.emit("served");
    });
    const server = createServer(requests.listener).on("connection", limitPipeline);
    const drain = createDrain(server, requests, times);
    server.on("clientError", (error: NodeJS.ErrnoException, socket) => socket.end(error.code));
    await once(server.listen(0, "127.0.0.1"), "listening");
    t.after(() => server.closeAllConnections());
    const { port } = server.address() as AddressInfo;
    return { server, drain, running, port };
  }

  await t.test("a stop holds requests until it has stopped listening, and then waits for them", async () => {
    const { server, drain, running, port } = await start();
    const connected = once(server, "connection");
    const answer = sendRaw(port, REQUEST);
    await connected;
    let isDrained = false;
    const drained = drain().then(() => {
      isDrained = true;
    });
    while (server.listening) {
      assert.equal(running.length, 0);
      await pause(1);
    }
    while (running.length === 0) await once(server, "served");
    await pause(5 * TIMES.clientMs);
    assert.equal(isDrained, false, "a request may run longer than a client may take");
    running[0]?.setHeader("connection", "close").end("done");
    assert.match(await answer, /200 OK[\s\S]*done$/);
    await drained;
    await assert.rejects(sendRaw(port, REQUEST), { code: "ECONNREFUSED" });
  });

  await t.test("a stop ends an unfinished request with a timeout error", async () => {
    const { server, drain, port } = await start();
    const connected = once(server, "connection");
    const answer = sendRaw(port, "GET / HTTP/1.1\r\n");
    await connected;
    await drain();
    assert.equal(await answer, STOPPING);
  });

  await t.test("a stop answers a request on an open connection before it closes idle ones", async () => {
    const { server, drain, running, port } = await start();
    const idle = sendRaw(port, "");
    await once(server, "connection");
    const late = connect(port, "127.0.0.1").setEncoding("utf8");
    await once(server, "connection");
    const drained = drain();
    late.write(REQUEST);
    while (running.length === 0) await once(server, "served");
    running[0]?.setHeader("connection", "close").end("late");
    assert.match(String(await once(late, "data")), /200 OK[\s\S]*late$/);
    assert.equal(await idle, "");
    await drained;
  });

  await t.test("a stop does not cut off a response that its client reads slowly", async () => {
    const { server, drain, running, port } = await start({ ...TIMES, clientMs: 60_000 });
    const large = Buffer.alloc(20_000_000, "x");
    const arrived = once(server, "served");
    const socket = connect(port, "127.0.0.1");
    socket.write(REQUEST);
    await arrived;
    running[0]?.setHeader("connection", "close").end(large);
    const drained = drain();
    await pause(5 * TIMES.idleMs);
    let bytes = 0;
    for await (const chunk of socket) bytes += chunk.length;
    assert.ok(bytes > large.length, `${bytes} bytes came`);
    await drained;
  });
});
