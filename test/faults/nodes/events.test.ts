// Events on several nodes and behind nginx: changes of other nodes arrive, and a restart loses none.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCall } from "../../harness/clients/call.ts";
import { openEventStream } from "../../harness/clients/event-stream.ts";
import { freshEngines } from "../../harness/runner/combination.ts";
import { startNginx, startPlainNginx } from "../../harness/servers/nginx.ts";
import { ADMIN_API_KEY as KEY, startNode } from "../../harness/servers/node.ts";

const BODY = { name: "Rex", categoryId: 1 };

for (const combination of ["postgres+redis", "postgres"]) {
  test(`A change on another node reaches streams and waiting requests, on ${combination}`, async (t) => {
    const environment = await freshEngines(t, combination);
    const [writer, reader] = [await startNode(t, environment), await startNode(t, environment)];
    const stream = await openEventStream(`${reader.url}/v1/events/stream?after=now`, { key: KEY });
    t.after(stream.close);
    await stream.next();
    const { link = "" } = (await reader.call("GET", "/events?after=now")).headers;
    const after = /after=([0-9a-f]+-\d+)/.exec(link)?.[1];
    const waiting = reader.call("GET", `/events?after=${after}&wait=25`);
    await writer.call("POST", "/pets", { body: BODY });
    assert.deepEqual(await stream.numbers(1), [1]);
    assert.equal((await waiting).json[0].number, 1);
  });

  test(`A key that another node revokes ends its streams, on ${combination}`, async (t) => {
    const environment = await freshEngines(t, combination);
    const [other, node] = [await startNode(t, environment), await startNode(t, environment)];
    const { id, key } = await other.createKey({ access: "browse" });
    const stream = await openEventStream(`${node.url}/v1/events/stream?after=now`, { key });
    t.after(stream.close);
    assert.equal((await other.call("DELETE", `/keys/${id}`)).status, 204);
    await stream.ended;
  });
}

test("A client that connects again to another node during a rolling restart misses no event", async (t) => {
  const environment = { ...(await freshEngines(t, "postgres+redis")), DRAIN_SECONDS: "0" };
  let nodes = await Promise.all([startNode(t, environment), startNode(t, environment)]);
  const numbers: number[] = [];
  let lastId = "";
  let isDone = false;
  let restarts = 0;
  async function follow(): Promise<void> {
    while (!isDone) {
      const headers: Record<string, string> = lastId === "" ? {} : { "last-event-id": lastId };
      const url = `${nodes.at(-1)?.url}/v1/events/stream`;
      const stream = await openEventStream(url, { key: KEY, headers }).catch(() => undefined);
      try {
        for (;;) numbers.push(...((await stream?.numbers(1)) ?? assert.fail("no stream")));
      } catch {
        lastId = stream?.lastId() || lastId;
      }
      stream?.close();
    }
  }
  const following = follow();
  let written = 0;
  while (restarts < 3) {
    const [oldest, ...others] = nodes;
    nodes = [...others, await startNode(t, environment)];
    const stopped = oldest?.stop();
    for (let each = 0; each < 20; each++) {
      assert.equal(
        (await (nodes[0] as (typeof nodes)[number]).call("POST", "/pets", { body: BODY })).status,
        201,
      );
      written += 1;
    }
    await stopped;
    restarts += 1;
  }
  while (numbers.length < written) await new Promise((resolve) => setTimeout(resolve, 10));
  isDone = true;
  await Promise.all(nodes.map(({ stop }) => stop()));
  await following;
  assert.deepEqual(
    numbers,
    Array.from({ length: written }, (_, index) => index + 1),
  );
});

test("A stream passes nginx with default settings, and with the file of deploy/", async (t) => {
  const node = await startNode(t, { TRUST_PROXY: "127.0.0.1" });
  const plain = await startPlainNginx(t, node.url);
  const tls = await startNginx(t, [node.port]);
  const streams = [
    await openEventStream(`${plain}/v1/events/stream?after=now`, { key: KEY }),
    await openEventStream(`${tls.url}/v1/events/stream?after=now`, { key: KEY, agent: tls.agentOf() }),
  ];
  for (const stream of streams) {
    t.after(stream.close);
    assert.equal((await stream.next()).retry, "3000");
  }
  await node.call("POST", "/pets", { body: BODY });
  for (const stream of streams) assert.deepEqual(await stream.numbers(1), [1]);
  const waiting = createCall(`${plain}/v1`, KEY)("GET", "/events?after=now&wait=1");
  assert.equal((await waiting).text, "[]");
});
