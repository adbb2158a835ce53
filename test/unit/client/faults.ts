// The behaviour of the client on a failing network: one set of tests for every runtime.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { ADMIN_KEY, type AppHarness, startApp } from "../../harness/servers/app.ts";
import { createTestDatabase } from "../../harness/servers/databases.ts";
import { findFreePort } from "../../harness/servers/ports.ts";
import { startProxy } from "../../harness/servers/proxy.ts";
import type { OpenPlace } from "./place.ts";

const NO_WAIT = async () => {};
const portOf = ({ url }: AppHarness) => Number(new URL(url).port);

export async function testFaults(t: TestContext, open: OpenPlace): Promise<void> {
  await t.test("walks all pages, with exact identifiers", async (t) => {
    const app = await startApp(t);
    const place = await open(t, NO_WAIT);
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
    assert.deepEqual(result, {
      names: ["Rex", "Momo", "Kira", "Balu"],
      categories: ["bigint 9007199254740993"],
      isUnchanged: true,
      left: 10_000 - 10,
    });
  });

  await t.test("waits as long as a 429 demands, and then succeeds", async (t) => {
    const app = await startApp(t);
    const { key } = await app.createKey({ plan: "enterprise", perMinute: 2, perDay: 100 });
    const waits: number[] = [];
    const place = await open(t, async (ms) => {
      waits.push(ms);
      app.clock.advance(ms);
    });
    const name = await place.run(
      async ({ createClient, sleep }, options) => {
        const client = createClient({ ...options, runtime: { sleep } });
        await client.createPet({ name: "Rex", categoryId: 3 });
        await client.getInventory();
        return (await client.createPet({ name: "Luna", categoryId: 3 })).name;
      },
      { baseUrl: app.url, apiKey: key },
    );
    assert.equal(name, "Luna");
    assert.equal(waits.length, 1);
    assert.ok(
      (waits[0] as number) > 60_000,
      "the window began with the first request, and the clock does not move",
    );
  });

  await t.test("rejects with a 429 whose Retry-After is longer than maxRetryWaitMs", async (t) => {
    const app = await startApp(t);
    const { key } = await app.createKey({ plan: "enterprise", perMinute: 100, perDay: 1 });
    const place = await open(t, () => assert.fail("the client must not wait for a day"));
    const result = await place.run(
      async ({ createClient, sleep }, options) => {
        const client = createClient({ ...options, runtime: { sleep } });
        await client.getInventory();
        return await client.getInventory().then(
          () => assert.fail(),
          ({ name, code, status, retryAfter, requestId, operation }) => {
            return { name, code, status, retryAfter, operation, hasId: requestId.length > 0 };
          },
        );
      },
      { baseUrl: app.url, apiKey: key },
    );
    assert.deepEqual(result, {
      name: "RateLimitError",
      code: "daily_limit_exceeded",
      status: 429,
      retryAfter: 86_400,
      operation: "getInventory",
      hasId: true,
    });
  });

  await t.test("creates one animal when the connection is cut after the service has stored it", async (t) => {
    const app = await startApp(t);
    const proxy = await startProxy(t, portOf(app));
    proxy.cutAtAnswer("HTTP/1.1 201");
    // Until the client retries: a browser may repeat the request without it.
    const place = await open(t, async () => proxy.cutAtAnswer(undefined));
    const pet = await place.run(
      async ({ createClient, sleep }, options) => {
        const client = createClient({ ...options, runtime: { sleep } });
        return await client.createPet({ name: "Rex", categoryId: 3 });
      },
      { baseUrl: `http://127.0.0.1:${proxy.port}`, apiKey: ADMIN_KEY },
    );
    assert.deepEqual(pet, { id: 1, name: "Rex", categoryId: 3, status: "available" });
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
    const pet = await place.run(
      async ({ createClient, sleep }, options) => {
        const client = createClient({ ...options, runtime: { sleep } });
        return await client.createPet({ name: "Rex", categoryId: 3 });
      },
      { baseUrl: app.url, apiKey: ADMIN_KEY },
    );
    assert.equal(pet.id, 1);
    assert.ok((waits[0] as number) > 1000, "Retry-After is a second at least");
  });

  await t.test("retries after a timeout, and creates one animal", async (t) => {
    const app = await startApp(t);
    const proxy = await startProxy(t, portOf(app));
    const place = await open(t, async () => proxy.set("pass"));
    proxy.set("freeze");
    const pet = await place.run(
      async ({ createClient, sleep }, options) => {
        const client = createClient({ ...options, timeoutMs: 500, retries: 9, runtime: { sleep } });
        return await client.createPet({ name: "Rex", categoryId: 3 }, { idempotencyKey: "once" });
      },
      { baseUrl: `http://127.0.0.1:${proxy.port}`, apiKey: ADMIN_KEY },
    );
    assert.equal(pet.id, 1);
    assert.deepEqual((await app.call("GET", "/pets")).json, [pet]);
  });

  await t.test("rejects with the reason of the caller's signal", async (t) => {
    const app = await startApp(t);
    const proxy = await startProxy(t, portOf(app));
    const place = await open(t, NO_WAIT);
    proxy.set("freeze");
    const reasons = await place.run(
      async ({ createClient, sleep }, options) => {
        const reasonOf = (call: Promise<unknown>) => call.catch(({ name, message }) => `${name}: ${message}`);
        const ending = new AbortController();
        const client = createClient({ ...options, runtime: { sleep } });
        const running = reasonOf(client.getInventory({ signal: ending.signal }));
        ending.abort(new Error("enough"));
        const slow = createClient({ ...options, timeoutMs: 50, retries: 0, runtime: { sleep } });
        return [
          await running,
          await reasonOf(client.getInventory({ signal: AbortSignal.abort() })),
          await reasonOf(client.getInventory({ signal: AbortSignal.timeout(20) })),
          await reasonOf(slow.getInventory()),
        ].map((reason) => String(reason));
      },
      { baseUrl: `http://127.0.0.1:${proxy.port}`, apiKey: ADMIN_KEY },
    );
    assert.equal(reasons[0], "Error: enough");
    assert.match(reasons[1] ?? "", /^AbortError: /);
    assert.match(reasons[2] ?? "", /^TimeoutError: (?!No response)/);
    assert.equal(reasons[3], "TimeoutError: No response within 50 ms.");
  });

  await t.test("rejects with ConnectionError when nothing listens", async (t) => {
    const port = await findFreePort();
    const waits: number[] = [];
    const place = await open(t, async (ms) => void waits.push(ms));
    const result = await place.run(
      async ({ createClient, sleep }, options) => {
        const client = createClient({ ...options, runtime: { sleep, random: () => 0 } });
        return await client.getInventory().then(
          () => "reached",
          ({ name, code, status }) => `${name} ${code} ${status}`,
        );
      },
      { baseUrl: `http://127.0.0.1:${port}`, apiKey: "ask_live_unknown" },
    );
    assert.equal(result, "ConnectionError connection_failed undefined");
    assert.deepEqual(waits, [125, 250, 500]);
  });
}
