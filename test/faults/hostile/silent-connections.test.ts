// Silent connections from many addresses that take every place: how many requests of honest clients are answered.

import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { call } from "../../harness/clients/call.ts";
import { startApp } from "../../harness/servers/app.ts";

const ADDRESSES = 10;
const PER_ADDRESS = 60;
const REQUESTS = 40;
/** Sent by the silent clients, each by every third of them. */
const STARTS = ["", "GET /healthz HTTP/1.1\r\nHost: x\r\n", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"];

test("silent connections on every place keep no honest client out", { timeout: 60_000 }, async (t) => {
  const { url } = await startApp(t, {
    environment: {
      MAX_CONNECTIONS: String(ADDRESSES * PER_ADDRESS),
      MAX_CONNECTIONS_PER_ADDRESS: String(PER_ADDRESS),
    },
  });
  const alone = await countAnswered(url);
  await attack(t, Number(new URL(url).port));
  const attacked = await countAnswered(url);
  t.diagnostic(`${attacked} of ${REQUESTS} requests were answered, without the attack ${alone}`);
  assert.equal(alone, REQUESTS);
  assert.equal(attacked / alone, 1);
});

/** Each request on a connection of its own. */
async function countAnswered(url: string): Promise<number> {
  let answered = 0;
  for (let sent = 0; sent < REQUESTS; sent++) {
    const outcome = await call("GET", `${url}/healthz`).catch(() => undefined);
    if (outcome?.status === 200) answered += 1;
  }
  return answered;
}

/** Resolves when the service has as many connections as it allows. Those that it closes are opened again. */
async function attack(t: TestContext, port: number): Promise<void> {
  const sockets = new Set<Socket>();
  let isOver = false;
  t.after(() => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  });
  const open = (index: number): Promise<void> =>
    new Promise((resolve) => {
      // 127.0.0.1 is left to the honest client.
      const localAddress = `127.0.0.${2 + (index % ADDRESSES)}`;
      const socket = connect({ port, host: "127.0.0.1", localAddress }, () => {
        socket.write(STARTS[index % STARTS.length] as string);
        resolve();
      });
      sockets.add(socket);
      socket.on("error", () => {}).resume();
      socket.once("close", () => {
        sockets.delete(socket);
        resolve();
        if (!isOver) setImmediate(() => void open(index));
      });
    });
  await Promise.all(Array.from({ length: ADDRESSES * PER_ADDRESS }, (_, index) => open(index)));
}
