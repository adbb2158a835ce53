// A client that leaves while its request waits is noticed, however it leaves and whenever.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { clientGone } from "../../../src/http/events/client-gone.ts";

/** Both sides of a connection. The server's side stays open when the client closes its own. */
async function connectPair(t: TestContext): Promise<{ client: Socket; socket: Socket }> {
  const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as { port: number }).port, "127.0.0.1");
  const [socket] = (await once(server, "connection")) as [Socket];
  socket.on("error", () => {}).resume();
  t.after(() => {
    client.destroy();
    socket.destroy();
    server.close();
  });
  return { client, socket };
}

const departures: Record<string, (client: Socket) => void> = {
  "closes its side": (client) => client.end(),
  "resets the connection": (client) => client.resetAndDestroy(),
};
for (const [what, leave] of Object.entries(departures)) {
  test(`a client that ${what} is gone`, async (t) => {
    const { client, socket } = await connectPair(t);
    const gone = clientGone(socket);
    assert.equal(gone.aborted, false);
    leave(client);
    await once(gone, "abort");
  });

  test(`a client that ${what} before its request waits is gone at once`, async (t) => {
    const { client, socket } = await connectPair(t);
    const { promise: left, resolve } = Promise.withResolvers<void>();
    socket.on("end", resolve).on("close", resolve);
    leave(client);
    await left;
    assert.equal(clientGone(socket).aborted, true);
  });
}

test("all requests of a connection share one listener", async (t) => {
  const { socket } = await connectPair(t);
  const before = socket.listenerCount("end");
  const signals = new Set(Array.from({ length: 32 }, () => clientGone(socket)));
  assert.deepEqual([signals.size, socket.listenerCount("end")], [1, before + 1]);
});
