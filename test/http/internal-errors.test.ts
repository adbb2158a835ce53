// Section 7 of the interface: internal failures are Error bodies too, and reveal no details.

import assert from "node:assert/strict";
import { test } from "node:test";
import pino from "pino";
import { ServiceError } from "../../src/domain/basics/errors.ts";
import { createKeyRing } from "../../src/domain/keys/key-ring.ts";
import { generateSecret } from "../../src/domain/keys/key-secret.ts";
import { createInProcessGate } from "../../src/gate/in-process.ts";
import { buildApp } from "../../src/http/app.ts";
import { createMetrics } from "../../src/http/observe/metrics.ts";
import { createReference } from "../../src/reference/reference.ts";
import { createChangeSignal } from "../../src/tools/change-signal.ts";
import { createCall } from "../harness/clients/call.ts";
import { ADMIN_KEY, createClock } from "../harness/servers/app.ts";
import { assertError } from "./assertions.ts";

const SECRET_DETAIL = "SELECT * FROM pets in /srv/secret/path.ts";

test("Section 7: failures inside the service", async (t) => {
  const clock = createClock(Date.UTC(2027, 0, 1));
  const logged: string[] = [];
  let fault: unknown = new Error(SECRET_DETAIL);
  const fail = async (): Promise<never> => {
    throw fault;
  };
  const broken = new Proxy({}, { get: () => fail }) as never;
  let find: () => Promise<unknown> = fail;
  const pets = new Proxy({}, { get: (_, name) => (name === "find" ? () => find() : fail) }) as never;
  const gate = await createInProcessGate({
    clock,
    store: {
      readAll: async () => new Map(),
      loadAll: async () => new Map(),
      save: async () => {},
      find: async () => undefined,
    },
    onFlushError: fail,
  });
  const app = await buildApp({
    clock,
    pets,
    listings: broken,
    orders: broken,
    photos: broken,
    images: broken,
    audit: broken,
    categories: broken,
    idempotency: broken,
    events: broken,
    webhooks: broken,
    webhookGateway: broken,
    changes: createChangeSignal(async () => 0),
    gate,
    keyRing: createKeyRing({ keys: broken, clock, environment: "production", adminApiKey: ADMIN_KEY }),
    log: pino({}, { write: (line: string) => logged.push(line) }),
    metrics: createMetrics(),
    usage: { count: () => {}, readMinutes: broken, readDays: broken },
    publicUrl: () => "http://localhost",
    stagingUrl: undefined,
    contactUrl: undefined,
    corsOrigins: undefined,
    metricsToken: undefined,
    trustProxy: [],
    getPetDeprecatedMs: 0,
    orderHoldMs: 0,
    isStopping: () => false,
    reference: createReference(),
    health: async () => ({
      isReady: false,
      isWritable: false,
      redisAway: 0,
      diskFreeBytes: undefined,
      deliveries: undefined,
    }),
    readiness: async () => ({ status: "unavailable", reasons: ["the database does not answer"] }),
  });
  await app.listen({ port: 0 });
  t.after(() => app.close());
  t.after(() => gate.close());
  const url = `http://127.0.0.1:${(app.server.address() as { port: number }).port}`;
  const call = createCall(`${url}/v1`, ADMIN_KEY);
  const body = { name: "Rex", categoryId: 1 };

  await t.test("answers an exception with 500 without details, and logs it with the request id", async () => {
    for (const answer of [
      await call("GET", "/pets"),
      await call("POST", "/pets", { body }),
      await call("GET", "/pets/1"),
    ]) {
      assertError(answer, "internal_error");
      assert.doesNotMatch(answer.text, /SELECT|secret|path/);
      const line = logged.find(
        (each) => each.includes(answer.headers["x-request-id"] ?? "") && each.includes("SELECT"),
      );
      assert.ok(line, "the log has the cause");
    }
  });

  for (const thrown of [
    undefined,
    null,
    "text",
    { status: 200, code: "FST_X" },
    Object.assign(new Error("x"), { statusCode: 302 }),
  ]) {
    await t.test(`answers a thrown ${JSON.stringify(thrown)} with 500`, async () => {
      fault = thrown;
      assertError(await call("GET", "/pets"), "internal_error");
    });
  }

  await t.test("answers with 500 when an animal cannot be serialized as JSON", async () => {
    find = async () => ({ id: {}, name: 1n });
    assertError(await call("GET", "/pets/1"), "internal_error");
    find = fail;
  });

  await t.test("answers with 503 and Retry-After when an engine is unavailable", async () => {
    fault = new ServiceError("unavailable", { retryAfterSeconds: 1, cause: new Error(SECRET_DETAIL) });
    const answer = await call("GET", "/pets");
    assertError(answer, "unavailable");
    assert.equal(answer.headers["retry-after"], "1");
    assert.doesNotMatch(answer.text, /SELECT/);
    const line = logged.map((each) => JSON.parse(each)).find(({ msg }) => msg === "unavailable");
    assert.equal(line?.reqId, answer.headers["x-request-id"]);
    assert.equal(line?.err.message, SECRET_DETAIL, "the log has the cause");
  });

  await t.test("answers with 503, not 401, when keys cannot be looked up", async () => {
    const key = generateSecret("production");
    assertError(await call("GET", "/pets", { key }), "unavailable");
    // A wrong checksum needs no look-up.
    assertError(await call("GET", "/pets", { key: `${key.slice(0, -6)}000000` }), "invalid_api_key");
  });

  await t.test("is alive but not ready", async () => {
    const outside = createCall(url);
    assert.equal((await outside("GET", "/healthz")).status, 200);
    const ready = await outside("GET", "/readyz");
    assert.equal(ready.status, 503);
    assert.equal(ready.json.code, "unavailable");
    assert.match(ready.json.message, /the database does not answer/);
    assert.equal(ready.headers["retry-after"], "1");
  });

  await t.test("writes no key and no header to the log", () => {
    assert.ok(logged.length > 10);
    assert.doesNotMatch(logged.join(""), /an-admin-key|ask_live_|authorization/i);
  });
});
