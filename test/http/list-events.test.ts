// listEvents: every change in one order, with cursors, filters and visibility.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../src/config/config.ts";
import { openDatabase } from "../../src/engines.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { column, nextPath } from "../harness/clients/pages.ts";
import { freshEngines } from "../harness/runner/combination.ts";
import { PATIENT_DATABASE_MS } from "../harness/runner/patience.ts";
import { startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const BIG = "9007199254740993";
const HOLD_MS = 72 * 3_600_000;

test("GET /events has animals, orders and categories, each in exactly these bytes", async (t) => {
  const { call, clock, url } = await startApp(t);
  const iso = (laterMs = 0) => new Date(clock.nowMs() + laterMs).toISOString();
  const empty = await call("GET", "/events");
  assertCommon(empty);
  assert.equal(empty.text, "[]");
  const [epoch] = /[0-9a-f]{16}/.exec(empty.headers.link ?? "") ?? [];
  const first = `${url}/v1/events?limit=20`;
  assert.equal(empty.headers.link, `<${first}&after=${epoch}-0>; rel="next", <${first}>; rel="first"`);

  const pet = (name = "Rex", categoryId = BIG) =>
    `"pet":{"id":1,"name":"${name}","categoryId":${categoryId},"status":"available"}`;
  const times = `"createdAt":"${iso()}","updatedAt":`;
  const order = (status: string) => `"order":{"id":1,"petId":1,"status":"${status}","reference":"r",${times}`;
  const placed = `${order("placed")}"${iso()}","expiresAt":"${iso(HOLD_MS)}"}`;
  const cancelled = `${order("cancelled")}"${iso(1_000)}"},"previous":{"status":"placed","expiresAt":"${iso(HOLD_MS)}"}`;
  const category = (name: string) => `"category":{"id":${BIG},"name":"${name}"}`;
  const rex = `{"name":"Rex","categoryId":${BIG}}`;
  const luna = '{"name":"Luna","categoryId":1}';
  const changes: Array<[request: string, body: unknown, event: string, data: string]> = [
    ["POST /pets", rex, "1 pet.created", pet()],
    ["PATCH /pets/1", luna, "2 pet.updated", `${pet("Luna", "1")},"previous":${rex}`],
    ["PATCH /pets/1", rex, "3 pet.updated", `${pet()},"previous":${luna}`],
    ["POST /store/orders", { petId: 1, reference: "r" }, "5 order.created", placed],
    ["PATCH /store/orders/1", { status: "cancelled" }, "6 order.updated", cancelled],
    ["DELETE /pets/1", undefined, "8 pet.deleted", pet()],
    [`PUT /categories/${BIG}`, { name: "Dogs" }, "9 category.updated", category("Dogs")],
    [
      `PUT /categories/${BIG}`,
      { name: "Cats" },
      "10 category.updated",
      `${category("Cats")},"previous":{"name":"Dogs"}`,
    ],
    [`DELETE /categories/${BIG}`, undefined, "11 category.deleted", category("Cats")],
  ];
  for (const [request, body, event, data] of changes)
    await t.test(`${request} is event ${event}`, async () => {
      const [method = "", path = ""] = request.split(" ");
      const [number, type] = event.split(" ");
      // Later than the order was placed.
      if (type === "order.updated") clock.advance(1_000);
      assert.match(String((await call(method, path, { body })).status), /^2/);
      // The same name again is no change.
      if (method === "PUT") await call(method, path, { body });
      const { text } = await call("GET", `/events?after=${epoch}-${Number(number) - 1}&limit=1`);
      const head = `"id":"evt_${epoch}_${number}","number":${number},"type":"${type}","timestamp":"${iso()}"`;
      assert.equal(text, `[{${head},"data":{${data}}}]`);
    });

  await t.test("numbers have no gap across pages, and links keep all parameters", async () => {
    const numbers: number[] = [];
    let path = "/events?limit=4&type=pet.*,order.*,category.updated&wait=0";
    for (;;) {
      const answer = await call("GET", path);
      path = nextPath(answer);
      assert.match(path, /^\/events\?type=pet\.\*,order\.\*,category\.updated&limit=4&after=/);
      if (answer.json.length === 0) break;
      numbers.push(...column(answer.json, "number"));
    }
    assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert.ok(path.endsWith(`after=${epoch}-11`), "after the last event, which the filter excludes");
    const kept = nextPath(await call("GET", "/events?petId=1&wait=3&limit=1"));
    assert.equal(kept, `/events?petId=1&limit=1&wait=3&after=${epoch}-1`);
  });

  await t.test("HEAD gets the same links without a body", async () => {
    const answer = await call("HEAD", "/events");
    assert.deepEqual([answer.status, answer.text], [200, ""]);
    assert.notEqual(nextPath(answer), "");
  });
});

test("GET /events shows a key the orders that its access allows", async (t) => {
  const { call, createKey, addPet } = await startApp(t);
  const { key: browse } = await createKey({ access: "browse" });
  const { key: adopt } = await createKey({ access: "adopt" });
  for (const options of [{}, { key: adopt }]) {
    const { id: petId } = await addPet();
    await call("POST", "/store/orders", { ...options, body: { petId } });
  }
  const ordersFor = async (options: { key?: string }) => {
    const { json } = await call("GET", "/events?type=order.*", options);
    return json.map(({ data }: { data: { order: { id: number } } }) => data.order.id);
  };
  assert.deepEqual(await ordersFor({ key: browse }), []);
  assert.deepEqual(await ordersFor({ key: adopt }), [2]);
  assert.deepEqual(await ordersFor({}), [1, 2]);
});

test("GET /events rejects invalid parameters and cursors", async (t) => {
  const { call, url } = await startApp(t);
  const [epoch] = /[0-9a-f]{16}/.exec((await call("GET", "/events")).headers.link ?? "") ?? [];
  const parameters =
    "limit=0 limit=101 type= type=pet type=pet.*, type=cat.created petId=x wait=26 wait=-1 wait=1.5";
  for (const query of `${parameters} after=now&after=now`.split(" "))
    await t.test(`rejects ?${query} with 400`, async () => {
      assertError(await call("GET", `/events?${query}`), "invalid_parameter");
    });

  const ends = "- --1 -99999999999999999999 -9223372036854775808 -01 -1%0A -1%00 -%EF%BC%91".split(" ");
  const cursors = ["", "x", "NOW", `${epoch}`, ...ends.map((end) => `${epoch}${end}`), `%20${epoch}-1`];
  for (const cursor of [...cursors, `${"A".repeat(16)}-1`, `${epoch}-1,${epoch}-2`, "1".repeat(10_000)])
    await t.test(`rejects the cursor "${cursor.slice(0, 40)}" with 400`, async () => {
      assertError(await call("GET", `/events?after=${cursor}`), "invalid_cursor");
    });

  await t.test("answers a cursor of another epoch or from the future with 410 and the start", async () => {
    for (const cursor of [`${"0".repeat(16)}-1`, `${epoch}-1000000`, `${epoch}-9223372036854775807`]) {
      const answer = await call("GET", `/events?after=${cursor}`);
      assertError(answer, "feed_reset", /Read the lists again/);
      assert.equal(answer.headers.link, `<${url}/v1/events>; rel="first"`);
    }
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
  const { call, addPet } = await startApp(t, { environment: { ...engines, DATABASE_URL } });

  const { json: pets } = await call("GET", "/pets");
  assert.deepEqual(column(pets, "name"), ["Rex", "Luna", "Milo"]);
  const empty = await call("GET", "/events");
  assert.equal(empty.text, "[]");
  await call("PATCH", "/pets/2", { body: { name: "Bella" } });
  await call("DELETE", "/pets/3");
  await addPet({ name: "Kira", categoryId: 1 });
  const expected = [
    [1, "pet.updated", { pet: { ...pets[1], name: "Bella" }, previous: { name: "Luna" } }],
    [2, "pet.deleted", { pet: pets[2] }],
    [3, "pet.created", { pet: { ...pets[0], id: 4, name: "Kira" } }],
  ];
  for (const path of ["/events", nextPath(empty)]) {
    const { json: events } = await call("GET", path);
    const shown = events.map(({ number, type, data }: Record<string, unknown>) => [number, type, data]);
    assert.deepEqual(shown, expected);
  }
});
