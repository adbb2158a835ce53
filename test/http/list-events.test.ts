// listEvents: every change in one order, with cursors, filters, visibility and long polling.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../src/config/config.ts";
import { openDatabase } from "../../src/engines.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import type { Answer } from "../harness/clients/call.ts";
import { column } from "../harness/clients/pages.ts";
import { freshEngines } from "../harness/runner/combination.ts";
import { PATIENT_DATABASE_MS } from "../harness/runner/patience.ts";
import { type AppHarness, startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const BIG = "9007199254740993";

function nextOf(answer: Answer): string {
  const [, path = ""] = /<[^>]*\/v1([^>]+)>; rel="next"/.exec(answer.headers.link ?? "") ?? [];
  assert.notEqual(path, "", `no next link: ${answer.headers.link} ${answer.text}`);
  return path;
}

/** The cursor at the end of the feed. */
async function cursorOf({ call }: Pick<AppHarness, "call">): Promise<string> {
  const [, cursor = ""] = /after=([0-9a-f-]+)/.exec(nextOf(await call("GET", "/events?after=now"))) ?? [];
  return cursor;
}

test("GET /events", async (t) => {
  const app = await startApp(t);
  const { call, clock, createKey, url } = app;
  const start = await cursorOf(app);
  const [epoch] = start.split("-");
  const at = () => `"timestamp":"${new Date(clock.nowMs()).toISOString()}"`;
  const head = (number: number, type: string) =>
    `{"id":"evt_${epoch}_${number}","number":${number},"type":"${type}",${at()}`;
  const after = (number: number) => `/events?after=${epoch}-${number}&limit=1`;

  await t.test("is empty at first, with links", async () => {
    const answer = await call("GET", "/events");
    assertCommon(answer);
    assert.equal(answer.text, "[]");
    const first = `${url}/v1/events?limit=20`;
    assert.equal(answer.headers.link, `<${first}&after=${start}>; rel="next", <${first}>; rel="first"`);
    assert.equal(start, `${epoch}-0`);
  });

  await t.test("has animals, orders and categories, each in exactly these bytes", async () => {
    const pet = (status: string, name = "Rex") =>
      `"pet":{"id":1,"name":"${name}","categoryId":${BIG},"status":"${status}"}`;
    await call("POST", "/pets", { body: `{"name":"Rex","categoryId":${BIG}}` });
    assert.equal(
      (await call("GET", after(0))).text,
      `[${head(1, "pet.created")},"data":{${pet("available")}}}]`,
    );

    await call("PATCH", "/pets/1", { body: '{"name":"Luna","categoryId":1}' });
    assert.equal(
      (await call("GET", after(1))).text,
      `[${head(2, "pet.updated")},"data":{"pet":{"id":1,"name":"Luna","categoryId":1,"status":"available"},"previous":{"name":"Rex","categoryId":${BIG}}}}]`,
    );
    await call("PATCH", "/pets/1", { body: `{"name":"Rex","categoryId":${BIG}}` });

    await call("POST", "/store/orders", { body: { petId: 1, reference: "r" } });
    const placedAt = new Date(clock.nowMs()).toISOString();
    const expiresAt = new Date(clock.nowMs() + 72 * 3_600_000).toISOString();
    const order = (status: string, updatedAt: string, more = "") =>
      `"order":{"id":1,"petId":1,"status":"${status}","reference":"r","createdAt":"${placedAt}","updatedAt":"${updatedAt}"${more}}`;
    assert.equal(
      (await call("GET", after(4))).text,
      `[${head(5, "order.created")},"data":{${order("placed", placedAt, `,"expiresAt":"${expiresAt}"`)}}}]`,
    );

    clock.advance(1_000);
    await call("PATCH", "/store/orders/1", { body: { status: "cancelled" } });
    const now = new Date(clock.nowMs()).toISOString();
    assert.equal(
      (await call("GET", after(5))).text,
      `[${head(6, "order.updated")},"data":{${order("cancelled", now)},"previous":{"status":"placed","expiresAt":"${expiresAt}"}}}]`,
    );

    await call("DELETE", "/pets/1");
    assert.equal(
      (await call("GET", after(7))).text,
      `[${head(8, "pet.deleted")},"data":{${pet("available")}}}]`,
    );

    await call("PUT", `/categories/${BIG}`, { body: { name: "Dogs" } });
    await call("PUT", `/categories/${BIG}`, { body: { name: "Dogs" } });
    await call("PUT", `/categories/${BIG}`, { body: { name: "Cats" } });
    await call("DELETE", `/categories/${BIG}`);
    const category = (name: string) => `"category":{"id":${BIG},"name":"${name}"}`;
    const { text } = await call("GET", `/events?after=${epoch}-8`);
    assert.equal(
      text,
      `[${[
        `${head(9, "category.updated")},"data":{${category("Dogs")}}}`,
        `${head(10, "category.updated")},"data":{${category("Cats")},"previous":{"name":"Dogs"}}}`,
        `${head(11, "category.deleted")},"data":{${category("Cats")}}}`,
      ].join(",")}]`,
    );
  });

  await t.test(
    "numbers events without a gap across pages, and keeps the parameters in the links",
    async () => {
      const numbers: number[] = [];
      let path = "/events?limit=4&type=pet.*,order.*,category.updated&wait=0";
      for (;;) {
        const answer = await call("GET", path);
        assert.equal(answer.status, 200, answer.text);
        path = nextOf(answer);
        assert.match(path, /^\/events\?type=pet\.\*,order\.\*,category\.updated&limit=4&after=/);
        if (answer.json.length === 0) break;
        numbers.push(...column(answer.json, "number"));
      }
      assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      assert.ok(path.endsWith(`after=${epoch}-11`), "behind the last event, which the filter excludes");
    },
  );

  await t.test("keeps the animal and the wait in the links", async () => {
    const path = nextOf(await call("GET", "/events?petId=1&wait=3&limit=1"));
    assert.equal(path, `/events?petId=1&limit=1&wait=3&after=${epoch}-1`);
  });

  await t.test("shows a key what its access allows", async () => {
    const keys = await Promise.all(
      ["browse", "adopt"].map(async (access) => (await createKey({ access })).key),
    );
    await call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
    await call("POST", "/store/orders", { key: keys[1], body: { petId: 2 } });
    const ordersOf = async (key = "") =>
      (await call("GET", "/events?type=order.*&limit=100", { key })).json.map(
        ({ data }: { data: { order: { id: number } } }) => data.order.id,
      );
    assert.deepEqual(await ordersOf(keys[0]), []);
    assert.deepEqual(await ordersOf(keys[1]), [2]);
    const all = await call("GET", "/events?type=order.*&limit=100");
    assert.equal(all.json.length, 3);
  });

  await t.test("rejects invalid parameters with 400", async () => {
    for (const query of [
      "limit=0",
      "limit=101",
      "type=",
      "type=pet",
      "type=pet.*,",
      "type=cat.created",
      "petId=x",
      "wait=26",
      "wait=-1",
      "wait=1.5",
      "after=now&after=now",
    ])
      assertError(await call("GET", `/events?${query}`), "invalid_parameter");
    for (const cursor of [
      "",
      "x",
      "NOW",
      `${epoch}`,
      `${epoch}-`,
      `${epoch}--1`,
      `${epoch}-99999999999999999999`,
      `${epoch}-9223372036854775808`,
      `${epoch}-01`,
      `${epoch}-1%0A`,
      `${epoch}-1%00`,
      `${epoch}-%EF%BC%91`,
      `%20${epoch}-1`,
      `${"A".repeat(16)}-1`,
      `${epoch}-1,${epoch}-2`,
      "1".repeat(10_000),
    ])
      assertError(await call("GET", `/events?after=${cursor}`), "invalid_cursor");
  });

  await t.test("answers a cursor of another epoch or from the future with 410 and the start", async () => {
    for (const cursor of [`${"0".repeat(16)}-1`, `${epoch}-1000000`, `${epoch}-9223372036854775807`]) {
      const answer = await call("GET", `/events?after=${cursor}`);
      assertError(answer, "feed_reset", /Read the lists again/);
      assert.equal(answer.headers.link, `<${url}/v1/events>; rel="first"`);
    }
  });

  await t.test("answers HEAD without a body", async () => {
    const answer = await call("HEAD", "/events");
    assert.equal(answer.status, 200);
    assert.equal(answer.text, "");
    nextOf(answer);
  });
});

test("Animals that are older than the history have no event until they change", async (t) => {
  const { DATABASE_URL = "", ...engines } = await freshEngines(t);
  const db = await openDatabase(readConfig({ DATABASE_URL }), false, { deadlineMs: PATIENT_DATABASE_MS });
  // The first schema had animals and no history.
  await migrate(db, 0, 1);
  const insert = "INSERT INTO pets (name, category_id, status) VALUES ($1, 1, 'available')";
  for (const name of ["Rex", "Luna", "Milo"]) await db.transaction((tx) => tx.run(insert, [name]));
  await db.close();
  const { call } = await startApp(t, { environment: { ...engines, DATABASE_URL } });

  const { json: pets } = await call("GET", "/pets");
  assert.deepEqual(column(pets, "name"), ["Rex", "Luna", "Milo"]);
  const empty = await call("GET", "/events");
  assert.equal(empty.text, "[]");
  await call("PATCH", "/pets/2", { body: { name: "Bella" } });
  await call("DELETE", "/pets/3");
  await call("POST", "/pets", { body: { name: "Kira", categoryId: 1 } });
  const expected = [
    [1, "pet.updated", { pet: { ...pets[1], name: "Bella" }, previous: { name: "Luna" } }],
    [2, "pet.deleted", { pet: pets[2] }],
    [3, "pet.created", { pet: { ...pets[0], id: 4, name: "Kira" } }],
  ];
  for (const path of ["/events", nextOf(empty)]) {
    const { json: events } = await call("GET", path);
    assert.deepEqual(
      events.map(({ number, type, data }: Record<string, unknown>) => [number, type, data]),
      expected,
    );
  }
});

test("GET /events with wait", async (t) => {
  const app = await startApp(t, { environment: { DRAIN_SECONDS: "0" } });
  const { call, createKey } = app;
  const addPet = () => call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });

  await t.test("responds as soon as an event matches, not to others", async () => {
    const cursor = await cursorOf(app);
    const waiting = call("GET", `/events?after=${cursor}&wait=25&type=category.*`);
    await addPet();
    await call("PUT", "/categories/1", { body: { name: "Dogs" } });
    const { json } = await waiting;
    assert.deepEqual(column(json, "type"), ["category.updated"]);
  });

  await t.test("responds with an empty page behind the examined events when the time is over", async () => {
    const cursor = await cursorOf(app);
    const { key } = await createKey({ access: "browse" });
    const waiting = call("GET", `/events?after=${cursor}&wait=1&type=order.*`, { key });
    await addPet();
    const answer = await waiting;
    assert.equal(answer.text, "[]");
    assert.equal(nextOf(answer).split("after=")[1], await cursorOf(app));
  });

  await t.test("waits after now", async () => {
    const waiting = call("GET", "/events?after=now&wait=25");
    let isDone = false;
    void waiting.then(() => {
      isDone = true;
    });
    // The request may arrive after the first of these.
    while (!isDone) await addPet();
    assert.equal((await waiting).json[0].type, "pet.created");
  });

  await t.test("ends with the service, before its other requests", async () => {
    const cursor = await cursorOf(app);
    const waiting = call("GET", `/events?after=${cursor}&wait=25&type=order.*`);
    // Answered after the waiting request has arrived.
    await call("GET", "/events");
    await app.stop();
    const answer = await waiting;
    assert.equal(answer.status, 200);
    assert.equal(answer.text, "[]");
  });
});
