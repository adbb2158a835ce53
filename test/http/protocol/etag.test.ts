// Conditional reads: GET and HEAD get 304 where their ETag matches.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../../harness/servers/app.ts";

test("Conditional reads", async (t) => {
  const { call } = await startApp(t);
  await call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
  await call("POST", "/store/orders", { body: { petId: 1 } });

  await t.test("errors have no ETag, and no condition turns them into 304", async () => {
    for (const path of ["/pets/999", "/listings/999", "/store/orders/999", "/pets?limit=0"])
      for (const method of ["GET", "HEAD"]) {
        const answer = await call(method, path, { headers: { "if-none-match": "*" } });
        assert.ok(answer.status === 404 || answer.status === 400, `${path}: ${answer.status}`);
        assert.equal(answer.headers.etag, undefined);
      }
  });

  const paths = ["/pets", "/pets/1", "/pets/1/history", "/store/orders", "/store/orders/1"];
  for (const path of [...paths, "/categories", "/audit"])
    await t.test(`HEAD ${path} has the status and headers of GET, and no body`, async () => {
      const { etag = assert.fail("no ETag") } = (await call("GET", path)).headers;
      const conditions = { [etag]: 304, "*": 304, '"other"': 200 };
      for (const [condition, status] of Object.entries(conditions)) {
        const headers = { "if-none-match": condition };
        const get = await call("GET", path, { headers });
        const head = await call("HEAD", path, { headers });
        assert.deepEqual([get.status, head.status], [status, status], condition);
        assert.deepEqual(comparable(head.headers), comparable(get.headers));
        assert.equal(head.text, "");
      }
    });
});

/** Without the headers that differ between any two requests. */
function comparable(headers: Record<string, unknown>): object {
  const own = /^(?:date|x-request-id|x-ratelimit-remaining|ratelimit)$/;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.test(name)));
}
