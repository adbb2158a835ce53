// Paths and methods of /v1: which are known, how they are decoded, and request ids.

import assert from "node:assert/strict";
import { METHODS } from "node:http";
import { test } from "node:test";
import { parseRaw, requestText, sendRaw } from "../../harness/clients/socket.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";
import { assertCommon, assertError } from "../assertions.ts";

test("Requests under /v1", async (t) => {
  const { call, url, port, outside } = await startApp(t);

  await t.test("requests get JSON and the common headers, whatever Accept says", async () => {
    const answer = await call("GET", "/pets", { headers: { accept: "text/html" } });
    assert.equal(answer.status, 200);
    assertCommon(answer);
  });

  for (const path of ["/nothing", "", "/petsx", "/Pets", "/%", "/%zz", "/%ff", "/pets%2", "/%c0%af"])
    await t.test(`the unknown path "${path}" gets 404, or 401 without a key`, async () => {
      assertError(await call("GET", path), "route_not_found");
      assertError(await call("GET", path, { key: undefined }), "missing_api_key");
    });

  await t.test("an unknown path is rejected before its body is read", async () => {
    const options = { body: "{", headers: { "content-type": "text/plain" } };
    assertError(await call("POST", "/nothing", options), "route_not_found");
  });

  await t.test("paths outside /v1 have no operations", async () => {
    for (const path of ["/pets", "/v2/pets", "/v1x/pets", "//v1/pets"]) {
      const { status, json } = await outside("GET", path);
      assert.deepEqual([status, json.code], [404, "route_not_found"], path);
    }
  });

  await t.test("another method on a known path gets 405 with Allow, also escaped", async () => {
    const others = ["PUT", "PATCH", "DELETE", "PURGE", "PROPFIND", "TRACE", "QUERY"];
    const requests = [
      ...others.map((method) => [method, "/pets", "GET, HEAD, POST"] as const),
      ["DELETE", "/%70ets", "GET, HEAD, POST"] as const,
      ["POST", "/pets/1", "DELETE, GET, HEAD, PATCH"] as const,
    ];
    for (const [method, path, allow] of requests) {
      const answer = await call(method, path, { body: method === "TRACE" ? undefined : "{" });
      assertError(answer, "method_not_allowed");
      assert.equal(answer.headers.allow, allow);
    }
  });

  await t.test("every method needs a key", async () => {
    for (const method of METHODS.filter((each) => each !== "CONNECT" && each !== "OPTIONS")) {
      const answer = await call(method, "/pets", { key: undefined });
      if (method === "HEAD") assert.equal(answer.status, 401);
      else assertError(answer, "missing_api_key");
    }
  });

  await t.test("an escaped path and the absolute form of a request target are accepted", async () => {
    for (const path of ["/%70ets", "/%70ets?foo=%ff&status=%61vailable", "/pets?colour=red&colour=blue"])
      assert.equal((await call("GET", path)).status, 200, path);
    const lines = ["Connection: close"];
    const bytes = requestText(`GET ${url}/v1/pets?limit=1`, { key: ADMIN_KEY, lines });
    assert.equal(parseRaw(await sendRaw(port, bytes)).status, 200);
  });

  await t.test("a valid request id of the client is kept, and an invalid one replaced", async () => {
    const kept = await call("GET", "/pets", { headers: { "x-request-id": "order-7.a_B" } });
    assert.equal(kept.headers["x-request-id"], "order-7.a_B");
    for (const id of ["", "a b", "é".repeat(3), "x".repeat(129), "<script>"]) {
      const headers = { "x-request-id": Buffer.from(id).toString("latin1") };
      const made = await call("GET", "/pets", { headers });
      assert.notEqual(made.headers["x-request-id"], id);
      assertCommon(made);
    }
  });
});
