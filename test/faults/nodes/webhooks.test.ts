// Webhooks of two real nodes, one of which is killed: no event is lost, and none is sent by both at the same time.

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createCall } from "../../harness/clients/call.ts";
import type { Environment } from "../../harness/clients/commands.ts";
import { freshEngines } from "../../harness/runner/combination.ts";
import { askPostgres } from "../../harness/servers/databases.ts";
import { ADMIN_API_KEY, startNode } from "../../harness/servers/node.ts";
import { RECEIVER_SETTINGS, type Received, startReceiver } from "../../harness/servers/receiver.ts";
import { type Node, type Service, startService } from "../../harness/servers/service.ts";

const RECEIVERS = 3;
/** Events that are written at the same time. */
const BATCH = 10;
const PER_ENDPOINT_MAX = 4;

/**
 * Runs in the process of a node. Its requests name the node, so that receivers know the sender. SIGUSR2 sets its
 * clock an hour forward, so that no test waits until a claim expires.
 */
const ADDED_TO_NODE = `
  import { subscribe } from "node:diagnostics_channel";
  const { now } = Date;
  let aheadMs = 0;
  Date.now = () => now() + aheadMs;
  process.on("SIGUSR2", () => { aheadMs += 3_600_000; });
  subscribe("http.client.request.created", ({ request }) => request.setHeader("x-node", process.env.NODE_NAME));`;

function startNamed(t: TestContext, environment: Environment, name: string): Promise<Service> {
  const added = `data:text/javascript,${encodeURIComponent(ADDED_TO_NODE)}`;
  return startService(t, { ...environment, NODE_NAME: name, NODE_OPTIONS: `--import=${added}` });
}

interface Attempt {
  /** Which event to which webhook. */
  delivery: string;
  node: string;
  response: ServerResponse;
}

/** One receiver per webhook. Requests that come while it holds are answered by `release`. */
async function startReceivers(t: TestContext) {
  const attempts: Attempt[] = [];
  const open = new Set<Attempt>();
  /** Deliveries that arrived while the same one was open. */
  const overlapping: string[] = [];
  let isHolding = false;
  const note =
    (webhookId: number) =>
    (response: ServerResponse, { headers }: Received) => {
      const delivery = `${webhookId} ${headers["webhook-id"]}`;
      const attempt = { delivery, node: headers["x-node"] ?? "", response };
      if ([...open].some((each) => each.delivery === delivery)) overlapping.push(delivery);
      attempts.push(attempt);
      open.add(attempt);
      response.on("close", () => open.delete(attempt));
      if (!isHolding) response.writeHead(204).end();
    };
  const ids = Array.from({ length: RECEIVERS }, (_, index) => index + 1);
  const receivers = await Promise.all(ids.map((id) => startReceiver(t, note(id))));
  return {
    receivers,
    attempts,
    open,
    /** Rejects if a delivery was in flight twice. The timeout of the test bounds the wait. */
    async until(condition: () => boolean | Promise<boolean>): Promise<void> {
      while (!(await condition()) && overlapping.length === 0) await pause(50);
      assert.deepEqual(overlapping, [], "in flight twice");
    },
    hold() {
      isHolding = true;
    },
    release() {
      isHolding = false;
      for (const { response } of open) response.writeHead(204).end();
    },
  };
}

/** Deliveries that are not recorded as delivered, and whether a node has claimed them. */
async function readPending(databaseUrl: string) {
  const { rows } = await askPostgres(
    databaseUrl,
    `SELECT webhook_id || ' ' || event_id AS delivery, claimed_until_ms IS NOT NULL AS is_claimed
     FROM deliveries WHERE status = 'pending'`,
  );
  const select = (isClaimed: boolean): string[] =>
    rows.filter((row) => row.is_claimed === isClaimed).map((row) => row.delivery);
  return { claimed: select(true), unclaimed: select(false) };
}

/** Whether all events have deliveries, and nothing is left to do except what the killed node has claimed. */
async function isOnlyLeft(databaseUrl: string, left: string[], written: number): Promise<boolean> {
  const webhookOf = (delivery: string) => delivery.split(" ")[0];
  // An endpoint gets nothing more while all of its places are claimed by the killed node.
  const isBlocked = (delivery: string) =>
    left.filter((each) => webhookOf(each) === webhookOf(delivery)).length === PER_ENDPOINT_MAX;
  const { rows } = await askPostgres(databaseUrl, "SELECT min(number) AS number FROM webhooks");
  const { claimed, unclaimed } = await readPending(databaseUrl);
  const isTaken = Number(rows[0]?.number) === written;
  return isTaken && claimed.length === left.length && unclaimed.every(isBlocked);
}

async function createPets(node: Node, count: number): Promise<void> {
  const body = { name: "Rex", categoryId: 1 };
  const create = async () => assert.equal((await node.call("POST", "/pets", { body })).status, 201);
  await Promise.all(Array.from({ length: count }, create));
}

test("A node delivers all events when the other one is killed, and none is in flight twice", {
  timeout: 120_000,
}, async (t) => {
  const engines = await freshEngines(t, "postgres+redis");
  const { DATABASE_URL = "" } = engines;
  const environment = { ...engines, ...RECEIVER_SETTINGS, ADMIN_API_KEY };
  const one = await startNamed(t, environment, "one");
  const two = await startNamed(t, environment, "two");
  const { receivers, attempts, open, until, hold, release } = await startReceivers(t);
  for (const { url } of receivers)
    assert.equal((await one.call("POST", "/webhooks", { body: { url } })).status, 201);
  let written = 0;
  async function write(...nodes: Service[]): Promise<void> {
    for (const node of nodes) await createPets(node, BATCH);
    written += nodes.length * BATCH;
  }

  do {
    await write(one, two);
    await until(() => attempts.length >= RECEIVERS * written);
  } while (new Set(attempts.map(({ node }) => node)).size < 2);
  hold();
  await write(one, two);
  // Every claimed delivery is at a receiver now, and no node can claim another.
  await until(() => open.size >= RECEIVERS * PER_ENDPOINT_MAX);
  for (const { mostOpen } of receivers) assert.equal(mostOpen(), PER_ENDPOINT_MAX, "of both nodes together");
  const isOneKilled = [...open][0]?.node === "one";
  const [killed, other] = isOneKilled ? [one, two] : [two, one];
  const otherName = isOneKilled ? "two" : "one";
  const cut = [...open].filter(({ node }) => node !== otherName);
  const left = cut.map(({ delivery }) => delivery).toSorted();
  await killed.stop("SIGKILL");
  await until(() => cut.every((attempt) => !open.has(attempt)));
  release();
  await write(other);

  await until(() => isOnlyLeft(DATABASE_URL, left, written));
  assert.deepEqual((await readPending(DATABASE_URL)).claimed.toSorted(), left);
  const listNodes = (delivery: string) =>
    attempts.filter((each) => each.delivery === delivery).map(({ node }) => node);
  for (const delivery of left) assert.equal(listNodes(delivery).length, 1, "the claim has not expired");

  other.process.kill("SIGUSR2");
  await until(() => isOnlyLeft(DATABASE_URL, [], written));
  for (const delivery of left) assert.equal(listNodes(delivery)[1], otherName);
  const numbers = Array.from({ length: written }, (_, index) => index + 1);
  for (const { received, mostOpen } of receivers) {
    const arrived = new Set(received.map(({ event }) => event.number as number));
    assert.deepEqual(
      [...arrived].toSorted((a, b) => a - b),
      numbers,
      "nothing is lost",
    );
    assert.equal(mostOpen(), PER_ENDPOINT_MAX, "of both nodes together");
  }
  assert.equal(attempts.length, RECEIVERS * written + left.length, "only what was cut is sent again");
});

test("A node that starts does not repeat the running attempt of another node", async (t) => {
  const environment = { ...(await freshEngines(t, "postgres")), ...RECEIVER_SETTINGS };
  const receiver = await startReceiver(t, () => {});
  const first = await startNode(t, environment);
  await first.call("POST", "/webhooks", { body: { url: receiver.url } });
  await createPets(first, 1);
  await receiver.until(1);
  receiver.react(204);

  const second = await startNode(t, environment);
  const readMetrics = async () => (await createCall(second.url, ADMIN_API_KEY)("GET", "/metrics")).text;
  do await createPets(second, 1);
  while (!/^animal_store_webhook_attempts_total\{result="delivered"\} [1-9]/m.test(await readMetrics()));
  const numbers = receiver.received.map(({ event }) => event.number);
  assert.equal(new Set(numbers).size, numbers.length, `sent: ${numbers}`);
});
