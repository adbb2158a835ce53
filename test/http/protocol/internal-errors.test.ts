// Internal failures are Error bodies too, and reveal no details.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import pino from "pino";
import { ServiceError } from "../../../src/domain/basics/errors.ts";
import { createKeyRing } from "../../../src/domain/keys/key-ring.ts";
import { generateSecret } from "../../../src/domain/keys/key-secret.ts";
import { createCall } from "../../harness/clients/call.ts";
import { ADMIN_KEY, createClock } from "../../harness/servers/app.ts";
import { openGate, startAppOver } from "../../harness/servers/stand-ins.ts";
import { assertError } from "../assertions.ts";

const SECRET_DETAIL = "SELECT * FROM pets in /srv/secret/path.ts";

/** The service over stores that all fail with `state.fault`; `state.find` replaces the read of one animal. */
async function startBroken(t: TestContext) {
  const clock = createClock(Date.UTC(2027, 0, 1));
  const logged: string[] = [];
  const fail = async (): Promise<never> => {
    throw state.fault;
  };
  const state = { fault: new Error(SECRET_DETAIL) as unknown, find: fail as () => Promise<unknown> };
  const broken = new Proxy({}, { get: () => fail }) as never;
  const pets = new Proxy({}, { get: (_, name) => (name === "find" ? () => state.find() : fail) }) as never;
  const gate = await openGate(t, clock);
  const stores = "listings orders photos images audit categories idempotency events webhooks webhookGateway";
  const url = await startAppOver(t, {
    ...Object.fromEntries(stores.split(" ").map((name) => [name, broken])),
    clock,
    pets,
    gate,
    keyRing: createKeyRing({ keys: broken, clock, environment: "production", adminApiKey: ADMIN_KEY }),
    log: pino({}, { write: (line: string) => logged.push(line) }),
    usage: { count: () => {}, readMinutes: broken, readDays: broken },
    readiness: async () => ({ status: "unavailable", reasons: ["the database does not answer"] }),
  });
  return { state, fail, logged, call: createCall(`${url}/v1`, ADMIN_KEY), outside: createCall(url) };
}

test("Failures inside the service", async (t) => {
  const { state, fail, logged, call, outside } = await startBroken(t);
  const body = { name: "Rex", categoryId: 1 };

  await t.test("answers an exception with 500 without details, and logs it with the request id", async () => {
    for (const answer of [
      await call("GET", "/pets"),
      await call("POST", "/pets", { body }),
      await call("GET", "/pets/1"),
    ]) {
      assertError(answer, "internal_error");
      assert.doesNotMatch(answer.text, /SELECT|secret|path/);
      const id = answer.headers["x-request-id"] ?? "";
      assert.ok(
        logged.some((line) => line.includes(id) && line.includes("SELECT")),
        "the log has the cause",
      );
    }
  });

  const redirect = Object.assign(new Error("x"), { statusCode: 302 });
  for (const thrown of [undefined, null, "text", { status: 200, code: "FST_X" }, redirect]) {
    await t.test(`answers a thrown ${JSON.stringify(thrown)} with 500`, async () => {
      state.fault = thrown;
      assertError(await call("GET", "/pets"), "internal_error");
    });
  }

  await t.test("answers with 500 when an animal cannot be serialized as JSON", async () => {
    state.find = async () => ({ id: {}, name: 1n });
    assertError(await call("GET", "/pets/1"), "internal_error");
    state.find = fail;
  });

  await t.test("answers with 503 and Retry-After when an engine is unavailable", async () => {
    state.fault = new ServiceError("unavailable", { retryAfterSeconds: 1, cause: new Error(SECRET_DETAIL) });
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

  await t.test("the service is alive but not ready", async () => {
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
