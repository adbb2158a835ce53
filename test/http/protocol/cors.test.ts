// Cross-origin requests: preflights, readable headers, and CORS_ORIGINS.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../../harness/servers/app.ts";

const ORIGIN = { origin: "https://pages.example" };
/** Pages may read these headers, or have no use for them. */
const SAFELISTED = /^(access-control-|content-|date$|connection$|keep-alive$|vary$|cache-control$)/;

test("a preflight gets 204, without a key and without charging one", async (t) => {
  const { call } = await startApp(t);
  const remaining = async () => (await call("GET", "/usage")).json.minute.remaining;
  const before = await remaining();
  const headers = { ...ORIGIN, "access-control-request-method": "POST" };
  const answer = await call("OPTIONS", "/pets", { key: undefined, headers });
  assert.deepEqual([answer.status, answer.text], [204, ""]);
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  assert.match(answer.headers["access-control-allow-methods"] ?? "", /POST/);
  const allowed = (answer.headers["access-control-allow-headers"] ?? "").split(", ");
  for (const name of ["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match"])
    assert.ok(allowed.includes(name), name);
  assert.equal(await remaining(), before);
});

test("pages of any origin can read responses and errors with all headers", async (t) => {
  const { call } = await startApp(t);
  for (const options of [{}, { key: "x" }]) {
    const { headers } = await call("GET", "/pets", { ...options, headers: ORIGIN });
    assert.equal(headers["access-control-allow-origin"], "*");
    const exposed = new Set(headers["access-control-expose-headers"]?.toLowerCase().split(", "));
    const hidden = Object.keys(headers).filter((name) => !exposed.has(name) && !SAFELISTED.test(name));
    assert.deepEqual(hidden, []);
    for (const name of ["retry-after", "link", "location", "deprecation", "sunset"])
      assert.ok(exposed.has(name));
  }
});

test("CORS_ORIGINS limits which origins may read responses", async (t) => {
  const environment = { CORS_ORIGINS: "https://a.example, https://b.example:8443" };
  const { call } = await startApp(t, { environment });
  for (const origin of ["https://b.example:8443", "https://c.example", "null", "https://b.example"]) {
    const { headers } = await call("GET", "/pets", { headers: { origin } });
    const isAllowed = origin.endsWith(":8443");
    assert.equal(headers["access-control-allow-origin"], isAllowed ? origin : undefined);
    assert.match(headers.vary ?? "", /Origin/);
  }
});
