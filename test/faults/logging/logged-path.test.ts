// The path in the request log: of requests that match no route, without secrets, query and control characters.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createPathCleaner } from "../../../src/http/observe/logged-path.ts";
import { sendRaw } from "../../harness/clients/socket.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";

const SECRET = `ask_live_${"a1B2".repeat(9)}`;
const TOKEN = "a-metrics-token-for-tests";
/** Longer than a busy machine needs. */
const LOGGED_MS = 10_000;

test("paths in the log", async (t) => {
  const { url, call, logged } = await startApp(t, { environment: { METRICS_TOKEN: TOKEN } });
  const port = Number(new URL(url).port);

  /** The line of one request. It is written after the response. */
  async function lineOf(request: () => Promise<unknown>) {
    const before = logged.length;
    await request();
    const endMs = performance.now() + LOGGED_MS;
    while (logged.length === before) {
      assert.ok(performance.now() < endMs, "the request was not logged");
      await setImmediate();
    }
    assert.equal(logged.length, before + 1);
    return JSON.parse(logged.at(-1) ?? "");
  }

  const get = (target: string) => {
    const bytes = Buffer.from(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, "latin1");
    return lineOf(() => sendRaw(port, bytes));
  };

  await t.test("the log has a path outside /v1 without a key, and without its query", async () => {
    const { operation, path, status, address } = await get(`/favicon.gif?key=${SECRET}`);
    assert.deepEqual([operation, path, status, address], ["unknown", "/favicon.gif", 404, "127.0.0.1"]);
  });

  await t.test("the log has an unknown path below /v1 with its key", async () => {
    const { operation, path, status, keyId, keyName } = await lineOf(() => call("GET", "/animals?limit=1"));
    assert.deepEqual([operation, path, status], ["unknown", "/v1/animals", 404]);
    assert.deepEqual([keyId, keyName], ["0", undefined]);
  });

  await t.test("the log has the path of a request with a wrong method", async () => {
    const { path, status } = await lineOf(() => call("PUT", "/pets"));
    assert.deepEqual([path, status], ["/v1/pets", 405]);
  });

  await t.test("the log names the operation instead of its path", async () => {
    for (const [path, operation] of [
      ["/pets?limit=5", "listPets"],
      ["/pets/7777", "getPet"],
    ] as const) {
      const line = await lineOf(() => call("GET", path));
      assert.deepEqual([line.operation, line.path], [operation, undefined]);
    }
  });

  await t.test("the log hides a key that was pasted into a path", async () => {
    assert.equal((await get(`/v1/${SECRET}`)).path, "/v1/ask_…");
    assert.equal((await get(`/x/${ADMIN_KEY}/y`)).path, "/…");
    assert.equal((await get(`/${TOKEN}`)).path, "/…");
  });

  await t.test("the log has one line of JSON for a path with line breaks", async () => {
    assert.equal((await get('/"\\%0a%1B')).path, '/"\\%0a%1B');
  });
});

test("a path is shown without secrets, in visible ASCII, and shortened", () => {
  const clean = createPathCleaner(["pass/word with spaces", "a-token-with-%41-in-it"]);
  const shown = {
    "/v1/pets": "/v1/pets",
    [`/v1/pets/${SECRET}/x`]: "/v1/pets/ask_…/x",
    [`/${SECRET.toUpperCase()}`]: "/ask_…",
    "/ask_test_": "/ask_…",
    "/v1/x/ask_pub_a1": "/v1/x/ask_…",
    [`/%61sk_live_${"a".repeat(36)}`]: "/…",
    [`/ask%5Flive_${"a".repeat(36)}`]: "/…",
    [`/ask_live_%61${"a".repeat(35)}/x`]: "/ask_…/x",
    [`/ask_live_aa%2561${"a".repeat(33)}`]: "/ask_…",
    "/x/pass%2Fword%20with%20spaces": "/…",
    "/x/a-token-with-%41-in-it": "/…",
    "/x/a-token-with-%2541-in-it": "/…",
    "/\u001b[2J\n\u009b": "/%1B[2J%0A%9B",
    [`/${"a".repeat(200)}`]: `/${"a".repeat(119)}…`,
    [`/${"a".repeat(110)}${SECRET}`]: `/${"a".repeat(110)}ask_…`,
  };
  for (const [path, expected] of Object.entries(shown)) assert.equal(clean(path), expected);
});
