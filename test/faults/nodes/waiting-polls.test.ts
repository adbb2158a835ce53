// Requests that wait for events hardly cost the others anything: creates with 400 of them, and without.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { freshEngines } from "../../harness/runner/combination.ts";
import { type LocalNode, startNode } from "../../harness/servers/node.ts";

const KEYS = 80;
const POLLS_PER_KEY = 5;
const CREATES = 100;
/** Without the shared feed, it was 30 on PostgreSQL. */
const RATIO_MAX = 3;

/** The processor time of this process, which is node and client. */
async function costOfCreates(node: LocalNode): Promise<number> {
  const before = process.cpuUsage();
  for (let each = 0; each < CREATES; each++) {
    const { status } = await node.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
    assert.equal(status, 201);
  }
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Resolves when all of them wait. */
async function startPolls(t: TestContext, node: LocalNode): Promise<void> {
  for (let each = 0; each < KEYS; each++) {
    const { key } = await node.createKey({ access: "browse" });
    const path = "/v1/events?after=now&wait=25&type=category.deleted";
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    for (let poll = 0; poll < POLLS_PER_KEY; poll++) {
      const socket = connect(node.port, "127.0.0.1").on("error", () => {});
      t.after(() => socket.destroy());
      socket.write(request);
    }
  }
  const gauge = new RegExp(`^animal_store_event_streams ${KEYS * POLLS_PER_KEY}$`, "m");
  const headers = { authorization: `Bearer ${node.adminKey}` };
  while (!gauge.test(await (await fetch(`${node.url}/metrics`, { headers })).text()));
}

for (const combination of ["sqlite", "postgres"])
  test(`400 waiting requests leave a create as cheap as it was, on ${combination}`, async (t) => {
    const node = await startNode(t, await freshEngines(t, combination));
    await costOfCreates(node);
    const alone = await costOfCreates(node);
    await startPolls(t, node);
    const beside = await costOfCreates(node);
    t.diagnostic(
      `${(alone / CREATES / 1e3).toFixed(2)} ms alone, ${(beside / CREATES / 1e3).toFixed(2)} ms beside them`,
    );
    assert.ok(beside / alone < RATIO_MAX, `${(beside / alone).toFixed(1)} times as much`);
  });
