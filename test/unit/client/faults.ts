// The behaviour of the client on a failing network: one set of tests for every runtime.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";
import { createTestDatabase } from "../../harness/servers/databases.ts";
import { findFreePort } from "../../harness/servers/ports.ts";
import { startProxy } from "../../harness/servers/proxy.ts";
import type { OpenPlace, Place, Tools } from "./place.ts";

const NO_WAIT = async () => {};

/** Options of the client that can be sent to the runtime. */
interface Options {
  baseUrl: string;
  apiKey: string;
  timeoutMs?: number;
  retries?: number;
}

/** Runs in the runtime: creates an animal, with waits that the test controls. */
async function createRex({ createClient, sleep }: Tools, options: Options) {
  const client = createClient({ ...options, runtime: { sleep } });
  return await client.createPet({ name: "Rex", categoryId: 3 });
}

/** Runs in the runtime: resolves to the error of the second call, without members that differ. */
async function failSecond({ createClient, sleep }: Tools, options: Options) {
  const client = createClient({ ...options, runtime: { sleep, random: () => 0 } });
  const read = () =>
    client.getInventory().then(
      () => undefined,
      ({ name, code, status, retryAfter, requestId, operation }) => {
        return { name, code, status, retryAfter, operation, hasId: requestId.length > 0 };
      },
    );
  return (await read()) ?? (await read());
}

/** An app behind a proxy that the test can stop or cut. */
async function startProxied(t: TestContext) {
  const app = await startApp(t);
  const proxy = await startProxy(t, app.port);
  return { app, proxy, options: { baseUrl: `http://127.0.0.1:${proxy.port}`, apiKey: ADMIN_KEY } };
}

export async function testFaults(t: TestContext, open: OpenPlace): Promise<void> {
  await t.test("walks all pages, with exact identifiers", (t) => testPages(t, open));
  await t.test("waits as long as a 429 demands, and then succeeds", (t) => testLimit(t, open));
  await t.test("rejects with the reason of the caller's signal", (t) => testSignals(t, open));

  await t.test("rejects with a 429 whose Retry-After is longer than maxRetryWaitMs", async (t) => {
    const app = await startApp(t);
    const { key } = await app.createKey({ plan: "enterprise", perMinute: 100, perDay: 1 });
    const place = await open(t, () => assert.fail("the client must not wait for a day"));
    assert.deepEqual(await place.run(failSecond, { baseUrl: app.url, apiKey: key }), {
      name: "RateLimitError",
      code: "daily_limit_exceeded",
      status: 429,
      retryAfter: 86_400,
      operation: "getInventory",
      hasId: true,
    });
  });

  await t.test("rejects with ConnectionError when nothing listens", async (t) => {
    const waits: number[] = [];
    const place = await open(t, async (ms) => void waits.push(ms));
    const options = { baseUrl: `http://127.0.0.1:${await findFreePort()}`, apiKey: "ask_live_unknown" };
    const error = await place.run(failSecond, options);
    assert.deepEqual(
      [error?.name, error?.code, error?.status],
      ["ConnectionError", "connection_failed", undefined],
    );
    assert.deepEqual(waits, [125, 250, 500]);
  });

  await t.test("creates one animal when the connection is cut after the service has stored it", async (t) => {
    const { app, proxy, options } = await startProxied(t);
    proxy.cutAtAnswer("HTTP/1.1 201");
    // Until the client retries: a browser may repeat the request without it.
    const place = await open(t, async () => proxy.cutAtAnswer(undefined));
    const pet = await place.run(createRex, options);
    assert.deepEqual(pet, { id: 1, name: "Rex", categoryId: 3, status: "available" });
    assert.deepEqual((await app.call("GET", "/pets")).json, [pet]);
  });

  await t.test("retries after a timeout, and creates one animal", async (t) => {
    const { app, proxy, options } = await startProxied(t);
    const place = await open(t, async () => proxy.set("pass"));
    proxy.set("freeze");
    const pet = await place.run(createRex, { ...options, timeoutMs: 500, retries: 9 });
    assert.deepEqual((await app.call("GET", "/pets")).json, [pet]);
  });

  await t.test("succeeds after a 503 that was caused by a lost database", async (t) => {
    const database = new URL(await createTestDatabase(t));
    const proxy = await startProxy(t, Number(database.port));
    database.port = String(proxy.port);
    const app = await startApp(t, { environment: { DATABASE_URL: database.href } });
    await app.call("GET", "/store/inventory");
    proxy.set("refuse");
    const waits: number[] = [];
    const place = await open(t, async (ms) => {
      waits.push(ms);
      proxy.set("pass");
    });
    assert.equal((await place.run(createRex, { baseUrl: app.url, apiKey: ADMIN_KEY })).id, 1);
    assert.ok((waits[0] as number) > 1000, "Retry-After is a second at least");
  });
}

async function testPages(t: TestContext, open: OpenPlace): Promise<void> {
  const app = await startApp(t);
  const place: Place = await open(t, NO_WAIT);
  const result = await place.run(
    async ({ createClient }, options) => {
      const client = createClient(options);
      for (const name of ["Rex", "Luna", "Momo", "Kira", "Balu"])
        await client.createPet({ name, categoryId: 9007199254740993n });
      await client.updatePet(2, { status: "sold" });
      const names = [];
      const categories = new Set();
      for await (const pet of client.listPets({ status: "available", limit: 2 })) {
        names.push(pet.name);
        categories.add(`${typeof pet.categoryId} ${pet.categoryId}`);
      }
      const { etag } = await client.listPets().page();
      const isUnchanged = (await client.listPets().page({ ifNoneMatch: etag })) === undefined;
      return { names, categories: [...categories], isUnchanged, left: client.rate?.remaining };
    },
    { baseUrl: app.url, apiKey: ADMIN_KEY },
  );
  const names = ["Rex", "Momo", "Kira", "Balu"];
  const categories = ["bigint 9007199254740993"];
  assert.deepEqual(result, { names, categories, isUnchanged: true, left: 10_000 - 10 });
}

async function testLimit(t: TestContext, open: OpenPlace): Promise<void> {
  const app = await startApp(t);
  const { key } = await app.createKey({ plan: "enterprise", perMinute: 2, perDay: 100 });
  const waits: number[] = [];
  const place = await open(t, async (ms) => {
    waits.push(ms);
    app.clock.advance(ms);
  });
  for (let used = 0; used < 2; used++) await app.call("GET", "/pets", { key });
  assert.equal((await place.run(createRex, { baseUrl: app.url, apiKey: key })).name, "Rex");
  assert.equal(waits.length, 1);
  // The window began with the first request, and the clock does not move.
  assert.ok((waits[0] as number) > 60_000);
}

async function testSignals(t: TestContext, open: OpenPlace): Promise<void> {
  const { proxy, options } = await startProxied(t);
  const place = await open(t, NO_WAIT);
  proxy.set("freeze");
  const reasons = await place.run(async ({ createClient, sleep }, given) => {
    const reasonOf = (call: Promise<unknown>) => call.catch(({ name, message }) => `${name}: ${message}`);
    const ending = new AbortController();
    const client = createClient({ ...given, runtime: { sleep } });
    const running = reasonOf(client.getInventory({ signal: ending.signal }));
    ending.abort(new Error("enough"));
    const slow = createClient({ ...given, timeoutMs: 50, retries: 0, runtime: { sleep } });
    return [
      await running,
      await reasonOf(client.getInventory({ signal: AbortSignal.abort() })),
      await reasonOf(client.getInventory({ signal: AbortSignal.timeout(20) })),
      await reasonOf(slow.getInventory()),
    ].map((reason) => String(reason));
  }, options);
  assert.equal(reasons[0], "Error: enough");
  assert.match(reasons[1] ?? "", /^AbortError: /);
  assert.match(reasons[2] ?? "", /^TimeoutError: (?!No response)/);
  assert.equal(reasons[3], "TimeoutError: No response within 50 ms.");
}
