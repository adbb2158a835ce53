// getPet: its deprecation headers, its removal on 5 December 2030, and the keys that still call it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Answer } from "../harness/clients/call.ts";
import { startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const SUNSET_MS = Date.UTC(2030, 11, 5);

function assertDeprecated({ headers }: Answer, url: string): void {
  assert.equal(headers.deprecation, "@1764892800");
  assert.equal(headers.sunset, "Thu, 05 Dec 2030 00:00:00 GMT");
  const successor = `<${url}/v1/pets?status=available>; rel="successor-version"`;
  assert.equal(headers.link, `${successor}, <${url}/docs>; rel="deprecation"; type="text/html"`);
}

test("GET /pets/{petId}", async (t) => {
  const { call, url } = await startApp(t);
  const created = await call("POST", "/pets", { body: { name: "Rex", categoryId: 3 } });

  await t.test("responds with 200 and the animal", async () => {
    const answer = await call("GET", "/pets/1");
    assert.deepEqual([answer.status, answer.text], [200, created.text]);
    assertCommon(answer);
    assertDeprecated(answer, url);
  });

  const missing = `2 0 -1 -0 9223372036854775807 9223372036854775808 01 +1 1.0 1e0 abc %zz %ff 1%20 %31%2f ;
    %F0%9F%90%95 ${"a".repeat(8_000)} ${"9".repeat(300)}`;
  for (const id of missing.split(/\s+/))
    await t.test(`responds to id ${id.slice(0, 20)} with 404`, async () => {
      const answer = await call("GET", `/pets/${id}`);
      assertError(answer, "pet_not_found");
      assertDeprecated(answer, url);
    });

  await t.test("sends the deprecation headers with every response: 401, HEAD and 304 too", async () => {
    const anonymous = await call("GET", "/pets/1", { key: undefined });
    assertError(anonymous, "missing_api_key");
    const head = await call("HEAD", "/pets/1");
    const same = await call("GET", "/pets/1", { headers: { "if-none-match": head.headers.etag ?? "" } });
    assert.deepEqual([same.status, same.text], [304, ""]);
    assertCommon(same);
    for (const answer of [anonymous, head, same]) assertDeprecated(answer, url);
  });

  await t.test("sends no deprecation headers with other operations", async () => {
    const { headers } = await call("GET", "/pets");
    assert.deepEqual([headers.deprecation, headers.sunset], [undefined, undefined]);
  });
});

test("getPet is removed at its sunset", async (t) => {
  const { call, clock, url, createKey, addPet } = await startApp(t, { startMs: SUNSET_MS - 1 });
  await addPet();

  await t.test("listKeys shows the keys that still call it, with the time of the last call", async () => {
    const [caller, other] = [await createKey({ name: "Old app" }), await createKey({})];
    const calledAt = new Date(clock.nowMs()).toISOString();
    await call("GET", "/pets/1", { key: caller.key });
    await call("GET", "/pets", { key: other.key });
    const list = () => call("GET", "/keys?calls=getPet&limit=1");
    while ((await list()).json.length === 0) await pause(5);
    const listed = await list();
    assert.deepEqual([listed.json[0].id, listed.json[0].deprecatedUsedAt], [caller.id, calledAt]);
    assert.equal(listed.headers.link, undefined);
    assert.equal((await call("GET", `/keys/${other.id}`)).json.deprecatedUsedAt, undefined);
    assertError(await call("GET", "/keys?calls=listPets"), "invalid_parameter");
  });

  await t.test("it is served until the last millisecond before the sunset", async () => {
    assert.equal((await call("GET", "/pets/1")).status, 200);
  });

  await t.test("from the sunset on it gets 410 with the same headers, and charges the key", async () => {
    clock.set(SUNSET_MS);
    const { key } = await createKey();
    for (const id of ["1", "2", "abc"]) {
      const answer = await call("GET", `/pets/${id}`, { key });
      const hint = /Use GET \/pets with a status filter, or GET \/listings\/\{petId\} for/;
      assertError(answer, "operation_removed", hint);
      assertDeprecated(answer, url);
    }
    assertError(await call("GET", "/pets/1", { key: undefined }), "missing_api_key");
    assert.equal((await call("GET", "/usage", { key })).json.minute.remaining, 57);
    assert.equal((await call("GET", "/pets")).json.length, 1);
  });
});
