// The fast path of listPets and getPet: the same bytes as through the framework, the same checks, and every change visible.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import SqliteConnection from "better-sqlite3";
import fc from "fast-check";
import type { RouteOptions } from "fastify";
import { GET_PET_SUNSET_MS } from "../../src/domain/basics/deprecation.ts";
import type { Admission } from "../../src/domain/keys/admission.ts";
import type { ApiKey } from "../../src/domain/keys/api-key.ts";
import type { Access } from "../../src/domain/keys/plan.ts";
import { createFastPath } from "../../src/http/fast-path/fast-path.ts";
import { createPendingRequests } from "../../src/http/server/pending-requests.ts";
import { countStatuses, repeat } from "../harness/clients/call.ts";
import { areTaken, readBytes, THROUGH_THE_FRAMEWORK } from "../harness/clients/fast-path.ts";
import { nextCursor } from "../harness/clients/pages.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { ADMIN_KEY, type AppHarness, startApp } from "../harness/servers/app.ts";
import { startService } from "../harness/servers/service.ts";

/** Longer than a busy machine needs. */
const NOTED_MS = 10_000;

/** Below /v1/pets: an animal, one that does not exist, and forms that are no plain id. */
const PETS = "/7 /999999999999999999 /9223372036854775808 /0 /-1 /07 /7?x=1 /%37 /7/ /x".split(" ");

/** The response without the fast path, which must have the same bytes as the one with it, twice. */
async function readSame(
  app: AppHarness,
  path: string,
  { key = ADMIN_KEY, extra = "" } = {},
): Promise<string> {
  const slow = await readBytes(app, `/pets${path}`, { key, extra: extra + THROUGH_THE_FRAMEWORK });
  for (let i = 0; i < 2; i++) assert.equal(await readBytes(app, `/pets${path}`, { key, extra }), slow);
  return slow;
}

test("The fast path of listPets", async (t) => {
  const app = await startApp(t);
  const { call, createKey } = app;
  const { key } = await createKey({ plan: "enterprise", perMinute: 100_000, perDay: 1_000_000 });
  for (let i = 0; i < 45; i++) {
    const name = JSON.stringify(`Pet ${i} "\\/ 🐕 \u2028é`);
    const status = ["available", "pending", "sold"][i % 3];
    const body = `{"name":${name},"categoryId":${9007199254740993n * BigInt(i)},"status":"${status}"}`;
    await call("POST", "/pets", { body });
  }
  const cursor = nextCursor(await call("GET", "/pets?status=sold&limit=4", { key }));

  await t.test("answers with the same bytes as through the framework", async () => {
    const good = `status=sold status=available limit=1 limit=4 limit=100 cursor=${cursor}`;
    const bad = `limit=0 limit=101 limit=01 status=Sold status= cursor=x cursor=%41 x=1 x=%zz+%00 x = limit
      limi%74=4 limit+=4 __proto__=1 toString=1 limit=%31`;
    const part = fc.oneof(fc.constantFrom(...good.split(" ")), fc.constantFrom("", ...bad.split(/\s+/)));
    const query = fc.array(part, { maxLength: 4 }).map((parts) => parts.join("&").replace(/^(?=.)/, "?"));
    const path = fc.oneof(query, fc.constantFrom("?", "x", "/", "#", "?x=1#", "?x=#&limit=4", ...PETS));
    const property = fc.asyncProperty(path, async (each) => void (await readSame(app, each, { key })));
    await fc.assert(property, { numRuns: 120 });
  });

  await t.test("answers If-None-Match with the same bytes as the framework", async () => {
    const etagOf = async (path: string) =>
      /etag: ("[^"]+")/i.exec(await readBytes(app, `/pets${path}`, { key }))?.[1] ?? assert.fail("no ETag");
    const paths = ["", "/7", "?limit=4", "?status=sold&limit=100", `?status=sold&limit=4&cursor=${cursor}`];
    for (const path of paths) {
      const etag = await etagOf(path);
      const conditions = {
        304: [etag, `W/${etag}`, `"other", ${etag}`, `"other",W/${etag}`, "*", " * "],
        200: ['"other"', etag.slice(1, -1), `${etag.slice(0, -1)}x"`, "", '"*"', await etagOf("?limit=7")],
      };
      for (const [status, values] of Object.entries(conditions))
        for (const value of values) {
          const slow = await readSame(app, path, { key, extra: `if-none-match: ${value}\r\n` });
          assert.ok(slow.startsWith(`HTTP/1.1 ${status} `), `${value}: ${slow}`);
        }
    }
  });

  await t.test("answers an origin with the same bytes as the framework", async (t) => {
    const closed = await startApp(t, {
      environment: { CORS_ORIGINS: "https://a.example,https://b.example" },
    });
    for (const each of [app, closed])
      for (const origin of ["https://a.example", "https://b.example", "https://c.example", "null", ""])
        for (const path of ["?limit=4", "/1"]) {
          const slow = await readSame(each, path, { extra: `origin: ${origin}\r\n` });
          const isAllowed = each === app || /[ab]\.example$/.test(origin);
          assert.equal(/^access-control-allow-origin: /im.test(slow), isAllowed, origin);
        }
  });

  await t.test("answers plain and conditional reads itself", async () => {
    const browser = await createKey({ access: "browse" });
    const read = (path: string, extra = "") => readBytes(app, `/pets${path}`, { key: browser.key, extra });
    await read("");
    const taken = await areTaken(app, async () => {
      for (const path of ["", "/7"]) {
        assert.match(await read(path), /^HTTP\/1\.1 200 /);
        assert.match(await read(path, "if-none-match: *\r\n"), /^HTTP\/1\.1 304 /);
      }
    });
    // PostgreSQL without Redis has no versions to check a cached key against, so that every key is looked up.
    assert.deepEqual(taken, Array(4).fill(process.env.TEST_COMBINATION !== "postgres"));
  });

  await t.test("keeps no page for a connection that stays open", async () => {
    const agent = new http.Agent({ keepAlive: true });
    const answered = once(app.service.app.server, "request");
    assert.equal((await call("GET", "/pets?limit=4", { agent })).status, 200);
    const [request] = await answered;
    assert.equal(request.socket.destroyed, false);
    const held = Object.values(request.pending).filter((each) => typeof each === "object" && each !== null);
    assert.ok(!held.some((each) => "etag" in (each as object)));
    agent.destroy();
  });

  await t.test("refuses and fails with the same bytes", async () => {
    const poor = await createKey({ plan: "enterprise", perMinute: 3, perDay: 1_000 });
    for (let i = 0; i < 3; i++) await readBytes(app, "/pets", poor);
    assert.match(await readSame(app, "", poor), /^HTTP\/1\.1 429 /);
    assert.match(await readSame(app, "/7", poor), /^HTTP\/1\.1 429 .*^deprecation: /ims);
    await call("DELETE", `/keys/${poor.id}`);
    assert.match(await readBytes(app, "/pets", poor), /^HTTP\/1\.1 401 /);
  });

  await t.test("removes getPet on its day with the same bytes", async (t) => {
    const removed = await startApp(t, { startMs: GET_PET_SUNSET_MS - 1_000 });
    await removed.addPet();
    for (const status of [200, 410]) {
      assert.ok((await readSame(removed, "/1")).startsWith(`HTTP/1.1 ${status} `));
      removed.clock.set(GET_PET_SUNSET_MS);
    }
  });
});

test("Reads on the fast path are charged, noted and up to date", async (t) => {
  const app = await startApp(t);
  const { call, createKey, addPet } = app;
  for (let i = 0; i < 8; i++) await addPet();
  const { key } = await createKey({ plan: "enterprise", perMinute: 100_000, perDay: 1_000_000 });

  await t.test("charges each request once, and each refusal", async () => {
    const free = await createKey({ plan: "free" });
    const get = () => call("GET", "/pets", { key: free.key });
    assert.deepEqual(countStatuses(await repeat(70, get)), { 200: 60, 429: 10 });
    const { json } = await call("GET", "/usage", { key: free.key });
    assert.deepEqual([json.minute.remaining, json.day.remaining], [0, 940]);
    app.clock.advance(1_000);
    await repeat(60, get);
    assert.equal(
      (await get()).json.code,
      "key_banned",
      "sixty refusals after the first second, and one more",
    );
  });

  await t.test("charges a read of an animal once, found or not", async () => {
    const free = await createKey({ plan: "free" });
    for (const path of ["/pets/7", "/pets/7", "/pets/999999", "/pets/7"])
      await call("GET", path, { key: free.key });
    const { json } = await call("GET", "/usage", { key: free.key });
    assert.deepEqual([json.minute.remaining, json.day.remaining], [56, 996]);
  });

  await t.test("notes the use of getPet by its key", async () => {
    const free = await createKey({ plan: "free" });
    // Brings the key into the cache.
    await call("GET", "/pets", { key: free.key });
    await call("GET", "/pets/7", { key: free.key });
    const noted = async () => (await call("GET", `/keys/${free.id}`)).json.deprecatedUsedAt;
    const endMs = performance.now() + NOTED_MS;
    // It is stored after the response.
    while ((await noted()) === undefined && performance.now() < endMs) await setImmediate();
    assert.equal(await noted(), new Date(app.clock.nowMs()).toISOString());
  });

  await t.test("shows every change in the next read of the animal", async () => {
    const shown = async () => (await call("GET", "/pets/8", { key })).json.name;
    for (const name of ["Ada", "Bob"]) {
      await call("PATCH", "/pets/8", { body: { name } });
      assert.equal(await shown(), name);
    }
  });

  await t.test("shows every change in the next list", async () => {
    const shown = async () => (await call("GET", "/pets?limit=100", { key })).text;
    for (let i = 0; i < 10; i++) {
      const before = await shown();
      const { id } = await addPet({ name: `New ${i}` });
      assert.notEqual(await shown(), before);
      assert.match(await shown(), new RegExp(`"id":${id},"name":"New ${i}"`));
      await call("PATCH", `/pets/${id}`, { body: { name: `Renamed ${i}` } });
      assert.match(await shown(), new RegExp(`"name":"Renamed ${i}"`));
      await call("DELETE", `/pets/${id}`);
      assert.equal(await shown(), before);
    }
  });
});

test("Changes of another process take effect with the next request", async (t) => {
  const service = await startService(t, { DATABASE_URL: `sqlite:${makeFolder(t)}/store.db` });
  const { id, key } = await service.createKey();
  for (let i = 0; i < 3; i++) assert.equal((await service.call("GET", "/pets", { key })).text, "[]");
  const file = new SqliteConnection(service.environment.DATABASE_URL?.replace("sqlite:", "") ?? "");
  t.after(() => file.close());
  file.exec("INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'sold')");
  assert.match((await service.call("GET", "/pets", { key })).text, /"Rex"/);
  assert.equal((await service.command("keys", "update", String(id), "--plan", "pro")).code, 0);
  assert.equal((await service.call("GET", "/pets", { key })).headers["x-ratelimit-limit"], "300");
  assert.equal((await service.command("keys", "revoke", String(id))).code, 0);
  assert.equal((await service.call("GET", "/pets", { key })).json.code, "invalid_api_key");
});

/** The fast path with a key ring that knows one key, in front of a framework that only counts. */
function createParts() {
  const key = { id: 1n, access: "browse" } as ApiKey;
  const window = { name: "minute", limit: 1, remaining: 1, resetMs: 0 };
  const admission = { verdict: "admitted", nowMs: 0, windows: [window] } as unknown as Admission;
  const page = { body: "[]", bytes: 2, link: undefined, etag: "x" };
  const state = { isStopping: false, passedOn: 0, nowMs: 0 };
  const services = {
    keyRing: { recall: (secret: string) => (secret === "known" ? key : undefined) },
    gate: { admit: () => admission },
    metrics: { countDecision: () => {} },
    pets: { find: async () => ({ id: 1n, name: "Rex", categoryId: 1n, status: "sold" }) },
    clock: { nowMs: () => state.nowMs },
    publicUrl: () => "http://x",
    isStopping: () => state.isStopping,
    trustProxy: [],
  } as unknown as Parameters<typeof createFastPath>[0];
  const parts = { petPages: { recall: () => page }, record: () => {}, recordKeyUse: () => {} };
  const fastPath = createFastPath(services, parts as never);
  const { listener } = createPendingRequests(fastPath.serve(() => (state.passedOn += 1)));

  async function isTaken(url: string, headers: object = {}, method = "GET"): Promise<boolean> {
    const all = { host: "x", authorization: "Bearer known", ...headers };
    const response = { _storeHeader: () => {}, on: () => {}, end: () => {} };
    const before = state.passedOn;
    const socket = { pipeline: { unanswered: [], socket: {} } };
    const form = { httpVersion: "1.1", httpVersionMinor: 1, rawHeaders: [] };
    listener({ method, url, headers: all, socket, ...form } as never, response as never);
    await setImmediate();
    return state.passedOn === before;
  }
  const requireAccess = (access: Access) => {
    for (const operationId of ["listPets", "getPet"])
      fastPath.readRoute({
        schema: { operationId },
        config: { access, deprecated: operationId === "getPet" },
      } as RouteOptions);
  };
  return { key, services, state, isTaken, requireAccess };
}

test("The fast path takes plain reads and hands every other request on", async (t) => {
  const { services, state, isTaken, requireAccess } = createParts();
  requireAccess("browse");

  const taken = `/1 /1?x=1 /123456789012345678 ?status=sold ?limit=100&status=pending ?cursor=abc&limit=1 ?x=1
    ?limit=1&utm_source=a%20b ?x&x ?toString=1`;
  for (const rest of ["", ...taken.split(/\s+/)])
    await t.test(`takes /v1/pets${rest}`, async () => assert.ok(await isTaken(`/v1/pets${rest}`)));
  const others = `/ /0 /01 /1234567890123456789 /1?x=# /1/history ? ?limit=0 ?limit=007 ?status=x ?limit
    ?limi%74=1 ?limit+=1 ?x=1# ?limit=1&limit=1 ?cursor=%41 x`;
  for (const rest of others.split(/\s+/))
    await t.test(`passes on /v1/pets${rest}`, async () => assert.ok(!(await isTaken(`/v1/pets${rest}`))));
  const headers: Record<string, [headers: object, isTaken: boolean]> = {
    "a condition": [{ "if-none-match": '"x"' }, true],
    "an origin": [{ origin: "https://a.example" }, true],
    "an unknown key": [{ authorization: "Bearer other" }, false],
    "another scheme": [{ authorization: "Basic known" }, false],
    "a body": [{ "content-length": "2" }, false],
    "a chunked body": [{ "transfer-encoding": "chunked" }, false],
    "an expectation": [{ expect: "100-continue" }, false],
    "no host": [{ host: undefined }, false],
    "two hosts": [{ host: "x, x" }, false],
  };
  for (const [what, [each, isExpected]] of Object.entries(headers))
    await t.test(`${isExpected ? "takes" : "passes on"} a request with ${what}`, async () => {
      assert.equal(await isTaken("/v1/pets", each), isExpected);
    });
  await t.test("passes on a request whose gate fails, and answers the next one", async () => {
    const { admit } = services.gate;
    let asked = 0;
    services.gate.admit = (key) => {
      asked += 1;
      if (asked === 1) throw new Error("the disk");
      return admit(key);
    };
    assert.deepEqual([await isTaken("/v1/pets"), await isTaken("/v1/pets")], [false, true]);
  });
  await t.test("passes on other methods, and every request during the stop", async () => {
    for (const method of ["HEAD", "POST", "OPTIONS"]) assert.ok(!(await isTaken("/v1/pets", {}, method)));
    state.isStopping = true;
    assert.ok(!(await isTaken("/v1/pets")));
  });
});

test("The fast path checks the access that the route of an operation declares", async () => {
  const { key, isTaken, requireAccess } = createParts();
  const isEachTaken = async () => [await isTaken("/v1/pets"), await isTaken("/v1/pets/1")];
  assert.deepEqual(await isEachTaken(), [false, false], "the routes are not known yet");
  requireAccess("manage");
  assert.deepEqual(await isEachTaken(), [false, false], "browse is too low");
  key.access = "admin";
  assert.deepEqual(await isEachTaken(), [true, true]);
});
