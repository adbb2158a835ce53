// People on two nodes: one code gives one key, every node follows their rights, and no code is left anywhere.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../../src/config/config.ts";
import { openDatabase } from "../../../src/engines.ts";
import { TABLES } from "../../../src/storage/tables.ts";
import { countStatuses } from "../../harness/clients/call.ts";
import { accept, codeOf, joinAs } from "../../harness/clients/people.ts";
import { freshEngines } from "../../harness/runner/combination.ts";
import { type LocalNode, startNode } from "../../harness/servers/node.ts";

const MARIA = { name: "Maria", access: "manage" };
const METRICS_TOKEN = "a-token-for-metrics-only";
const ATTEMPTS = 40;

test("Two nodes with people", async (t) => {
  const engines = await freshEngines(t, "postgres+redis");
  const environment = { ...engines, METRICS_TOKEN, LOG_LEVEL: "debug" };
  const nodes = [await startNode(t, environment), await startNode(t, environment)] as [LocalNode, LocalNode];
  const [one, other] = nodes;
  const codes: string[] = [];
  const remember = (url: string) => {
    codes.push(codeOf(url));
    return codeOf(url);
  };
  const invite = async (body: object = MARIA) =>
    remember((await one.call("POST", "/invitations", { body })).json.url);
  const link = async (key: string) => remember((await one.call("POST", "/session/link", { key })).json.url);
  const attempt = async (code: string) => {
    const tries = Array.from({ length: ATTEMPTS }, (_, i) =>
      accept((nodes[i % 2] as LocalNode).call, { code }),
    );
    return Promise.all(tries);
  };

  await t.test("forty attempts at once with one code give one key", async () => {
    const answers = await attempt(await invite());
    assert.deepEqual(countStatuses(answers), { 201: 1, 404: ATTEMPTS - 1 });
    const { key } = answers.find(({ status }) => status === 201)?.json ?? {};
    for (const { call } of nodes) assert.equal((await call("GET", "/usage", { key })).status, 200);
    assert.deepEqual(countStatuses(await attempt(await link(key))), { 201: 1, 404: ATTEMPTS - 1 });
    const [person] = (await other.call("GET", "/people")).json;
    assert.equal(person.devices, 2);
    assert.equal((await other.call("GET", "/keys")).json.length, 2);
  });

  await t.test("a changed person has the new rights with the next request on every node", async () => {
    const { key, person } = await joinAs(one, { name: "Jo", access: "browse" });
    const second = (await accept(other.call, { code: await link(key) })).json.key;
    for (const access of ["manage", "browse", "manage"]) {
      await one.call("PATCH", `/people/${person.id}`, { body: { access } });
      for (const each of [key, second])
        for (const { call } of nodes)
          assert.equal((await call("GET", "/usage", { key: each })).json.access, access);
    }
  });

  await t.test(
    "an ended person is refused with the next request on every node, with all devices",
    async () => {
      const { key, person } = await joinAs(one, { name: "Ada", access: "admin" });
      const second = (await accept(other.call, { code: await link(key) })).json.key;
      const [left, invited] = [await link(key), await invite({ personId: person.id })];
      for (const each of [key, second])
        for (const { call } of nodes) assert.equal((await call("GET", "/pets", { key: each })).status, 200);
      assert.equal((await one.call("DELETE", `/people/${person.id}`)).status, 204);
      for (const each of [key, second])
        for (const { call } of nodes)
          assert.equal((await call("GET", "/pets", { key: each })).json.code, "invalid_api_key");
      for (const code of [left, invited])
        assert.equal((await accept(other.call, { code })).json.code, "invitation_not_found");
    },
  );

  await t.test("a device that signs out on one node is refused on the other", async () => {
    const { key } = await joinAs(one, { name: "Kim", access: "browse" });
    assert.equal((await other.call("GET", "/pets", { key })).status, 200);
    assert.equal((await one.call("DELETE", "/session", { key })).status, 204);
    assert.equal((await other.call("GET", "/pets", { key })).json.code, "invalid_api_key");
  });

  await t.test("no code is in a log, a metric, an error or the database", async () => {
    const texts = nodes.flatMap(({ logged }) => logged);
    for (const { call, url } of nodes) {
      for (const code of codes) texts.push((await accept(call, { code: `${code} ` })).text);
      texts.push((await call("GET", "/audit?limit=100")).text, (await call("GET", "/invitations")).text);
      const metrics = await fetch(`${url}/metrics`, {
        headers: { authorization: `Bearer ${METRICS_TOKEN}` },
      });
      texts.push(await metrics.text());
    }
    const db = await openDatabase(readConfig(environment), false);
    t.after(() => db.close());
    for (const table of Object.keys(TABLES))
      texts.push(
        ...(await db.all(`SELECT CAST(${table} AS TEXT) AS row FROM ${table}`)).map(({ row }) => String(row)),
      );
    const all = texts.join("\n");
    assert.ok(all.includes("acceptInvitation") && all.includes("Maria"), "the places were read");
    assert.equal(codes.length, 6);
    for (const code of codes) {
      assert.equal(all.includes(code), false);
      assert.equal(all.includes(Buffer.from(code).toString("hex")), false, "nor as bytes");
    }
  });
});
