// Section 9 of the interface: the version in the path, and the removal of getPet on 5 December 2030.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { call as callUrl } from "../harness/clients/call.ts";
import { startApp } from "../harness/servers/app.ts";
import { assertError } from "./assertions.ts";

const SUNSET_MS = Date.UTC(2030, 11, 5);

test("Section 9: versioning", async (t) => {
  const { call, clock, url, createKey } = await startApp(t, { startMs: SUNSET_MS - 1 });
  await call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });

  await t.test("is served below /v1 only", async () => {
    for (const path of ["/pets", "/v2/pets", "/v1x/pets", "//v1/pets"]) {
      const answer = await callUrl("GET", url + path);
      assert.equal(answer.status, 404, path);
      assert.equal(answer.json.code, "route_not_found");
    }
  });

  await t.test("lists the keys that still call getPet, with the time of the last call", async () => {
    const [caller, other] = [await createKey({ name: "Old app" }), await createKey({})];
    const calledAtMs = clock.nowMs();
    await call("GET", "/pets/1", { key: caller.key });
    await call("GET", "/pets", { key: other.key });
    const list = () => call("GET", "/keys?calls=getPet&limit=1");
    while ((await list()).json.length === 0) await pause(5);
    const listed = await list();
    assert.equal(listed.json[0].id, caller.id);
    assert.equal(listed.json[0].deprecatedUsedAt, new Date(calledAtMs).toISOString());
    assert.equal(listed.headers.link, undefined);
    assert.equal((await call("GET", `/keys/${other.id}`)).json.deprecatedUsedAt, undefined);
    assertError(await call("GET", "/keys?calls=listPets"), "invalid_parameter");
  });

  await t.test("serves getPet until the last millisecond before the sunset", async () => {
    assert.equal((await call("GET", "/pets/1")).status, 200);
  });

  await t.test(
    "answers getPet with 410 from the sunset on, with the same headers, and charges the key",
    async () => {
      clock.set(SUNSET_MS);
      const { key } = await createKey({});
      for (const id of ["1", "2", "abc"]) {
        const answer = await call("GET", `/pets/${id}`, { key });
        assertError(
          answer,
          "operation_removed",
          /Use GET \/pets with a status filter, or GET \/listings\/\{petId\} for/,
        );
        assert.equal(answer.headers.deprecation, "@1764892800");
        assert.equal(answer.headers.sunset, "Thu, 05 Dec 2030 00:00:00 GMT");
        assert.match(answer.headers.link ?? "", /rel="successor-version"/);
      }
      assertError(await call("GET", "/pets/1", { key: undefined }), "missing_api_key");
      assert.equal((await call("GET", "/usage", { key })).json.minute.remaining, 57);
      assert.equal((await call("GET", "/pets")).json.length, 1);
    },
  );
});
