// The files of images at /photos: unknown names, repeated requests, and the budget of an address. No engine decides this.

import assert from "node:assert/strict";
import { test } from "node:test";
import { countStatuses } from "../../harness/clients/call.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { startApp } from "../../harness/servers/app.ts";
import { assertError } from "../assertions.ts";

test("GET /photos/{name}", async (t) => {
  const { outside, addPet, call, clock } = await startApp(t, { environment: { TRUST_PROXY: "127.0.0.1" } });
  const unknown = `${"0".repeat(64)}-320`;
  const get = (address: string, path = "/photos/x", method = "GET", more: Record<string, string> = {}) =>
    outside(method, path, { headers: { "x-forwarded-for": `192.0.2.${address}`, ...more } });

  const names = [`${unknown}.webp`, "x", `${unknown}.png`, `${"0".repeat(64)}-0.webp`, "%2e%2e%2fx"];
  for (const name of [...names, "a".repeat(9_000)])
    await t.test(`answers the unknown name ${name.slice(0, 80)} with 404`, async () => {
      const answer = await get("1", `/photos/${name}`);
      assertError(answer, "photo_not_found");
      assert.equal(answer.headers["cache-control"], "private, no-cache");
    });

  await t.test("serves a page with 110 photos, and again with 304, which counts too", async () => {
    const image = await drawImage("red", { width: 32, height: 32 });
    const { id } = await addPet();
    const headers = { "content-type": "image/png" };
    const { urls } = (await call("POST", `/pets/${id}/photos`, { body: image, headers })).json;
    const path = new URL(urls[320]).pathname;
    const load = (conditions: Record<string, string> = {}) =>
      Promise.all(Array.from({ length: 110 }, () => get("7", path, "GET", conditions)));
    const [loaded, again] = [await load(), await load({ "if-none-match": "*" })];
    assert.deepEqual([countStatuses(loaded), countStatuses(again)], [{ 200: 110 }, { 304: 110 }]);
    const left = again.map(({ headers }) => Number(headers["x-ratelimit-remaining"]));
    assert.equal(Math.min(...left), 1_200 - 220);
  });

  await t.test("an address has 1,200 requests a minute, apart from its budget for /v1", async () => {
    const first = await get("2");
    assert.equal(first.headers["x-ratelimit-limit"], "1200");
    assert.equal(first.headers["ratelimit-policy"], '"minute";q=1200;w=60');
    assert.equal(first.headers["x-ratelimit-remaining"], "1199");
    assert.equal((await get("2", "/photos/x", "HEAD")).headers["x-ratelimit-remaining"], "1198");
    for (let sent = 2; sent < 1_200; sent += 100)
      await Promise.all(Array.from({ length: Math.min(100, 1_200 - sent) }, () => get("2")));
    const limited = await get("2");
    assertError(limited, "rate_limit_exceeded");
    assert.equal(limited.headers["retry-after"], "60");
    assert.equal(limited.headers["x-ratelimit-remaining"], "0");
    const anonymous = await get("2", "/v1/pets");
    assert.deepEqual([anonymous.status, anonymous.headers["x-ratelimit-remaining"]], [401, "59"]);
    assert.equal((await get("3")).headers["x-ratelimit-remaining"], "1199");
    clock.advance(60_000);
    assertError(await get("2"), "photo_not_found");
  });

  await t.test("answers while the budget of /v1 is used up", async () => {
    for (let sent = 0; sent < 60; sent++) await get("4", "/v1/pets");
    assertError(await get("4", "/v1/pets"), "rate_limit_exceeded");
    assertError(await get("4"), "photo_not_found");
  });

  await t.test("refuses other methods with 405, without a key", async () => {
    const { json, headers } = await outside("POST", `/photos/${unknown}.webp`);
    assert.deepEqual([json.code, headers.allow], ["method_not_allowed", "GET, HEAD"]);
  });
});
