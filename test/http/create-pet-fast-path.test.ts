// The fast path of createPet: the same bytes as through the framework, charged and stored once.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { codePoint } from "../harness/clients/code-points.ts";
import { areTaken } from "../harness/clients/fast-path.ts";
import { sendRaw } from "../harness/clients/socket.ts";
import { ADMIN_KEY, type AppHarness, startApp } from "../harness/servers/app.ts";

const REX = '{"name":"Rex","categoryId":1}';
const JSON_TYPE = "content-type: application/json\r\n";

interface Sent {
  body?: string;
  path?: string;
  key?: string;
  /** Header lines. */
  extra?: string;
  /** A chunked body sends the request through the framework, and changes no response. */
  isChunked?: boolean;
}

function requestOf(sent: Sent): string {
  const { body = REX, path = "/v1/pets", key = ADMIN_KEY, extra = JSON_TYPE, isChunked = false } = sent;
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nx-request-id: same\r\n${extra}`;
  const bytes = Buffer.byteLength(body);
  const chunks = bytes === 0 ? "" : `${bytes.toString(16)}\r\n${body}\r\n`;
  return isChunked
    ? `${head}transfer-encoding: chunked\r\nconnection: close\r\n\r\n${chunks}0\r\n\r\n`
    : `${head}content-length: ${bytes}\r\nconnection: close\r\n\r\n${body}`;
}

/** The response as bytes, without the parts that differ between any two creates. */
async function rawAnswer(app: AppHarness, sent: Sent): Promise<string> {
  const text = await sendRaw(app.port, requestOf(sent));
  return (
    text
      .replace(/\r\ndate: [^\r]+/i, "")
      .replace(/x-ratelimit-remaining: \d+/, "x-ratelimit-remaining: N")
      .replaceAll(/;r=\d+/g, ";r=N")
      .replace(/(location: \S+\/pets\/)\d+/, "$1ID")
      .replace(/"id":\d+/, '"id":ID')
      // As long as the id.
      .replace(/^(HTTP\/1\.1 201 .*content-length: )\d+/s, "$1N")
  );
}

/** PostgreSQL without Redis has no versions to check a cached key against, so that every key is looked up. */
const HAS_CACHED_KEYS = process.env.TEST_COMBINATION !== "postgres";

async function startScene(t: TestContext) {
  const app = await startApp(t);
  const { call, createKey } = app;
  const { key } = await createKey({ plan: "enterprise", perMinute: 100_000, perDay: 1_000_000 });
  // Brings the keys into the cache.
  for (const each of [key, ADMIN_KEY]) await call("GET", "/pets", { key: each });
  return { app, call, createKey, key };
}

test("The fast path of createPet serves plain creates", async (t) => {
  const { app, call, key } = await startScene(t);

  await t.test("answers a plain create itself, also one with an origin", async () => {
    for (const extra of [
      JSON_TYPE,
      "content-type: application/json; charset=utf-8\r\n",
      `${JSON_TYPE}origin: https://a.example\r\n`,
    ]) {
      const taken = await areTaken(app, async () =>
        assert.match(await rawAnswer(app, { key, extra }), /^HTTP\/1\.1 201 Created\r\n/),
      );
      assert.deepEqual(taken, [HAS_CACHED_KEYS], extra);
    }
  });

  await t.test("answers with the same bytes as through the framework", async () => {
    const name = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 20 }),
      fc.constantFrom(' "\\/ 🐕 \u2028é ', "x".repeat(256)),
    );
    const numbers = '1 -1 9007199254740993 9223372036854775808 1.0 1e3 1.5 "1" null';
    const number = fc.constantFrom(...numbers.split(" "));
    const status = fc.constantFrom("", ',"status":"sold"', ',"status":"Sold"', ',"x":1');
    const pet = fc
      .tuple(name, number, status)
      .map(([text, id, rest]) => `{"name":${JSON.stringify(text)},"categoryId":${id}${rest}}`);
    const others = [REX, "{", "[]", "null", "1", "", " ", '{"name":"Rex"}', "\u0000", `${REX} `, `${REX}x`];
    const other = fc.constantFrom(...others);
    const same = fc.asyncProperty(fc.oneof(pet, other), async (body) => {
      assert.equal(await rawAnswer(app, { key, body }), await rawAnswer(app, { key, body, isChunked: true }));
    });
    await fc.assert(same, { numRuns: 150 });
  });

  await t.test("stores what it answers, as one change", async () => {
    const before = (await call("GET", "/store/inventory")).json.pending;
    const body = '{"name":" Ada ","categoryId":9007199254740993,"status":"pending"}';
    const text = await sendRaw(app.port, requestOf({ key, body }));
    const [, location = ""] = /location: (\S+)/.exec(text) ?? [];
    const path = location.slice(location.indexOf("/pets/"));
    assert.equal((await call("GET", path)).text, text.split("\r\n\r\n")[1]);
    assert.match(text, /"name":"Ada","categoryId":9007199254740993,"status":"pending"/);
    const { json: changes } = await call("GET", `${path}/history`);
    assert.deepEqual(
      changes.map(({ what }: { what: string }) => what),
      ["pet.created"],
    );
    assert.equal((await call("GET", "/store/inventory")).json.pending, before + 1);
  });
});

test("Creates on the fast path are charged, checked and logged", async (t) => {
  const { app, call, createKey, key } = await startScene(t);

  await t.test("charges each create once, and refuses with the same bytes", async () => {
    const poor = await createKey({ plan: "enterprise", perMinute: 3, perDay: 1_000 });
    await call("GET", "/pets", { key: poor.key });
    const statuses: string[] = [];
    for (const body of [REX, "{", REX])
      statuses.push((await rawAnswer(app, { key: poor.key, body })).slice(9, 12));
    assert.deepEqual(statuses, ["201", "400", "429"]);
    const { json } = await call("GET", "/usage", { key: poor.key });
    assert.equal(json.day.remaining, 997);
    assert.equal(
      await rawAnswer(app, { key: poor.key }),
      await rawAnswer(app, { key: poor.key, isChunked: true }),
    );
  });

  await t.test("refuses a key that may only read, and one that was revoked, and stores nothing", async () => {
    const { key: reading } = await createKey({ access: "browse" });
    const gone = await createKey({ access: "manage" });
    for (const each of [reading, gone.key]) await call("GET", "/pets", { key: each });
    await call("DELETE", `/keys/${gone.id}`);
    const before = (await call("GET", "/store/inventory")).text;
    assert.match(await rawAnswer(app, { key: reading }), /^HTTP\/1\.1 403 /);
    assert.match(await rawAnswer(app, { key: gone.key }), /^HTTP\/1\.1 401 /);
    assert.equal((await call("GET", "/store/inventory")).text, before);
  });

  await t.test("logs and counts the operation", async () => {
    app.logged.length = 0;
    await rawAnswer(app, { key });
    await setImmediate();
    const lines = app.logged
      .join("")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const line = lines.find(({ operation }) => operation === "createPet");
    assert.deepEqual([line?.method, line?.status, line?.reqId], ["POST", 201, "same"]);
  });
});

test("The fast path of createPet leaves other creates to the framework", async (t) => {
  const { app, call, key } = await startScene(t);

  const passedOn: Record<string, { sent: Sent; status: number }> = {
    "a chunked body": { sent: { isChunked: true }, status: 201 },
    "an Idempotency-Key": {
      sent: { extra: `${JSON_TYPE}idempotency-key: a-key-for-tests\r\n` },
      status: 201,
    },
    "an expectation": { sent: { extra: `${JSON_TYPE}expect: 100-continue\r\n` }, status: 201 },
    "a content coding": { sent: { extra: `${JSON_TYPE}content-encoding: gzip\r\n` }, status: 415 },
    "another type": { sent: { extra: "content-type: text/plain\r\n" }, status: 415 },
    "no type": { sent: { extra: "" }, status: 415 },
    "no body": { sent: { body: "" }, status: 400 },
    "a body that is too large": { sent: { body: `${REX}${" ".repeat(16 * 1024)}` }, status: 413 },
    "a query": { sent: { path: "/v1/pets?x=1" }, status: 201 },
  };
  for (const [what, { sent, status }] of Object.entries(passedOn)) {
    await t.test(`leaves a create with ${what} to the framework`, async () => {
      const taken = await areTaken(app, async () =>
        assert.match(
          await rawAnswer(app, { key, ...sent }),
          new RegExp(`^HTTP/1\\.1 (?:100 Continue\r\n\r\nHTTP/1\\.1 )?${status} `),
        ),
      );
      assert.deepEqual(taken, [false]);
    });
  }

  await t.test("leaves a body that arrives in pieces to the framework", async () => {
    const request = requestOf({ key });
    const half = request.length - Math.round(REX.length / 2);
    const taken = await areTaken(app, async () => {
      const socket = connect(app.port, "127.0.0.1");
      const arrived = new Promise((resolve) => app.service.app.server.once("request", resolve));
      socket.write(request.slice(0, half));
      await arrived;
      await setImmediate();
      socket.end(request.slice(half));
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk);
      assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 201 /);
    });
    assert.deepEqual(taken, [false]);
  });

  await t.test("creates nothing after a response that ends the connection", async () => {
    const before = (await call("GET", "/store/inventory")).text;
    const malformed = "GET /v1/pets HTTP/1.1\r\nhost: a b\r\n\r\n";
    const text = await sendRaw(app.port, malformed + requestOf({ key }));
    assert.deepEqual(text.match(/^HTTP\/1\.1 \d+/gm), ["HTTP/1.1 400"]);
    assert.equal((await call("GET", "/store/inventory")).text, before);
  });
});
