// A node of a previous release and a node of this one on the same PostgreSQL and Redis, as during a rolling upgrade.

import assert from "node:assert/strict";
import http from "node:http";
import { type TestContext, test } from "node:test";
import { type Call, createCall } from "../../harness/clients/call.ts";
import { joinAs } from "../../harness/clients/people.ts";
import { emptyEngines } from "../../harness/runner/combination.ts";
import { startNode } from "../../harness/servers/node.ts";
import { startService } from "../../harness/servers/service.ts";
import { assertReplayed, PUBLIC_URL, sendPosts } from "./contents.ts";
import { PREVIOUS_RELEASES, unpackRelease } from "./previous-release.ts";

const ADMIN_API_KEY = "an-admin-key-for-both-nodes";
const ROUNDS = 5;

/** The calls of a node of the previous release and of a node of this one. */
async function startMixed(t: TestContext, release: string): Promise<[Call, Call]> {
  const environment = { ...(await emptyEngines(t, "postgres+redis")), PUBLIC_URL, ADMIN_API_KEY };
  const old = await startService(t, environment, unpackRelease(t, release));
  const current = await startNode(t, environment);
  const health = await createCall(old.url)("GET", "/healthz");
  assert.notEqual(health.json.version, (await createCall(current.url)("GET", "/healthz")).json.version);
  return [old.call, current.call];
}

for (const { version: release, hasListings } of PREVIOUS_RELEASES)
  test(`A node of release ${release} beside one of this release`, async (t) => {
    const [old, current] = await startMixed(t, release);
    const pairs = [
      { from: "the old node", to: "the new one", writer: old, reader: current },
      { from: "the new node", to: "the old one", writer: current, reader: old },
    ];
    const createKey = async (call: Call) =>
      (await call("POST", "/keys", { body: { name: "test", plan: "free" } })).json;

    for (const { from, to, writer, reader } of pairs) {
      await t.test(`a write on ${from} is in the next list on ${to}`, async () => {
        const list = async () => (await reader("GET", "/pets?limit=100")).json;
        for (let round = 0; round < ROUNDS; round++) {
          // The reader keeps the page in memory.
          const known = await list();
          const created = await writer("POST", "/pets", { body: { name: "Rex", categoryId: round } });
          assert.equal(created.status, 201, created.text);
          assert.deepEqual(await list(), [...known, created.json]);
        }
      });

      await t.test(`a key revoked on ${from} is refused by the next request on ${to}`, async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const { id, key } = await createKey(reader);
          for (const call of [writer, reader])
            assert.equal((await call("GET", "/pets", { key })).status, 200);
          assert.equal((await writer("DELETE", `/keys/${id}`)).status, 204);
          assert.equal((await reader("GET", "/pets", { key })).json.code, "invalid_api_key");
        }
      });

      await t.test(`an animal ordered on ${from} cannot be ordered on ${to}`, async () => {
        const { id: petId } = (await writer("POST", "/pets", { body: { name: "Mia", categoryId: 4 } })).json;
        const order = { body: { petId } };
        assert.equal((await writer("POST", "/store/orders", order)).status, 201);
        assert.equal((await reader("POST", "/store/orders", order)).json.code, "pet_not_available");
      });

      await t.test(`a POST done on ${from} is repeated on ${to} with the same bytes`, async () => {
        await assertReplayed(reader, await sendPosts(writer, `done on ${from}`.replaceAll(" ", "-")));
      });
    }

    await t.test("an animal that the old node adds belongs to the first shelter", async () => {
      const shelter = await current("POST", "/shelters", { body: { name: "Riverside" } });
      assert.equal(shelter.status, 201, shelter.text);
      const { id } = (await old("POST", "/pets", { body: { name: "Ida", categoryId: 4 } })).json;
      assert.equal((await current("GET", `/listings/${id}`)).json.shelter.id, 1);
      assert.equal(
        (await current("PATCH", `/pets/${id}/profile`, { body: { shelterId: shelter.json.id } })).status,
        200,
      );
      assert.equal((await old("PATCH", `/pets/${id}`, { body: { name: "Idefix" } })).status, 200);
      const { name, shelter: moved } = (await current("GET", `/listings/${id}`)).json;
      assert.deepEqual(
        [name, moved.name],
        ["Idefix", "Riverside"],
        "the old node leaves the shelter as it is",
      );
      if (!hasListings) return;
      const { status, text } = await old("GET", "/events?limit=100");
      assert.deepEqual([status, text.includes('"shelter.')], [200, false], "it does not know these events");
    });

    await t.test("the old node knows the keys of people, with the rights that they have now", async () => {
      const { key, person } = await joinAs({ call: current }, { name: "Maria", access: "browse" });
      const add = () => old("POST", "/pets", { key, body: { name: "Ida", categoryId: 4 } });
      assert.equal((await add()).json.code, "insufficient_access");
      await current("PATCH", `/people/${person.id}`, { body: { access: "manage" } });
      const { status, json } = await add();
      assert.equal(status, 201);
      const [{ person: author }] = (await current("GET", `/pets/${json.id}/history`)).json;
      assert.deepEqual(author, { id: person.id, name: "Maria" });
      const own = (await old("GET", "/keys?limit=100")).json.at(-1);
      assert.equal((await old("DELETE", `/keys/${own.id}`)).status, 204);
      assert.equal((await current("GET", "/pets", { key })).json.code, "invalid_api_key");
      assert.equal((await current("GET", "/people")).json[0].devices, 0);
    });

    await t.test("the old node refuses the devices of a person whose access the new one ends", async () => {
      const { key, person } = await joinAs({ call: current }, { name: "Jo", access: "browse" });
      assert.equal((await old("GET", "/pets", { key })).status, 200);
      assert.equal((await current("DELETE", `/people/${person.id}`)).status, 204);
      assert.equal((await old("GET", "/pets", { key })).json.code, "invalid_api_key");
      const { key: program } = await createKey(old);
      assert.equal((await current("GET", "/pets", { key: program })).status, 200, "it adds keys of its own");
    });

    await t.test("both together admit exactly 60 of 100 concurrent requests on a Free key", async () => {
      const { key } = await createKey(old);
      const agent = new http.Agent({ keepAlive: true, maxSockets: 20 });
      t.after(() => agent.destroy());
      const ask = (_: unknown, index: number) => [old, current][index % 2]?.("GET", "/pets", { key, agent });
      const answers = await Promise.all(Array.from({ length: 100 }, ask));
      assert.equal(answers.filter((answer) => answer?.status === 200).length, 60);
      assert.equal(answers.filter((answer) => answer?.status === 429).length, 40);
    });
  });
