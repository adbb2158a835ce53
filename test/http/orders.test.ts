// Orders: listOrders, createOrder, getOrder, updateOrder, getInventory, and the expiry of placed orders.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Answer } from "../harness/clients/call.ts";
import { column, nextCursor, nextPath, readPages } from "../harness/clients/pages.ts";
import { startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const HOUR_MS = 3_600_000;

/** The in-process service with short names for requests that most tests send. */
async function startStore(t: TestContext, environment: Record<string, string> = {}) {
  const harness = await startApp(t, { environment });
  const { call } = harness;
  const withKey = (key: string | undefined) => (key === undefined ? {} : { key });
  const statusOf = async (petId: number) => (await call("GET", `/pets/${petId}`)).json.status;
  const addPetId = async (status = "available") => (await harness.addPet({ status })).id;
  const place = (petId: number, key?: string) =>
    call("POST", "/store/orders", { body: { petId }, ...withKey(key) });
  const move = (id: number | string, status: string, key?: string) =>
    call("PATCH", `/store/orders/${id}`, { body: { status }, ...withKey(key) });
  /** A new order, moved to each of these statuses. */
  const begin = async (moves: string[] = [], petId?: number): Promise<{ id: number; petId: number }> => {
    const { json } = await place(petId ?? (await addPetId()));
    for (const status of moves) assert.equal((await move(json.id, status)).status, 200);
    return json;
  };
  return { ...harness, statusOf, addPetId, place, move, begin };
}

test("POST /store/orders", async (t) => {
  const { call, clock, url, addPetId, place, statusOf } = await startStore(t);

  await t.test("reserves the animal and responds with 201, the order and its Location", async () => {
    const petId = await addPetId();
    const answer = await call("POST", "/store/orders", { body: { petId, reference: "Fall 4711 · Müller" } });
    assertCommon(answer);
    assert.equal(answer.status, 201);
    const now = new Date(clock.nowMs()).toISOString();
    const end = new Date(clock.nowMs() + 72 * HOUR_MS).toISOString();
    assert.equal(
      answer.text,
      `{"id":1,"petId":${petId},"status":"placed","reference":"Fall 4711 · Müller","createdAt":"${now}","updatedAt":"${now}","expiresAt":"${end}"}`,
    );
    assert.equal(answer.headers.location, `${url}/v1/store/orders/1`);
    assert.equal(await statusOf(petId), "pending");
    assert.equal((await call("GET", "/store/orders/1")).text, answer.text);
  });

  await t.test("keeps a reference unchanged; a missing one is an empty string", async () => {
    for (const reference of ["", "  two spaces  ", "🐕".repeat(255), undefined]) {
      const answer = await call("POST", "/store/orders", { body: { petId: await addPetId(), reference } });
      assert.equal(answer.json.reference, reference ?? "");
    }
  });

  for (const status of ["pending", "sold"])
    await t.test(`rejects an order for an animal that is ${status} with 409`, async () => {
      const petId = await addPetId(status);
      assertError(await place(petId), "pet_not_available", new RegExp(`not available: it is ${status}\\.`));
      assert.equal(await statusOf(petId), status);
    });

  await t.test("rejects a second open order for an animal with 409", async () => {
    const petId = await addPetId();
    await place(petId);
    assertError(await place(petId), "pet_not_available");
  });

  await t.test("rejects an order for an unknown animal with 404", async () => {
    for (const id of ["999999", "9223372036854775807"])
      assertError(await call("POST", "/store/orders", { body: `{"petId":${id}}` }), "pet_not_found");
  });

  const rejected: Record<string, [unknown, RegExp]> = {
    "no petId": [{}, /^petId is required$/],
    "a petId that is a string": [{ petId: "1" }, /^petId must be an integer/],
    "a petId beyond int64": ['{"petId":9223372036854775808}', /^petId must be an integer/],
    "null for the reference": [{ petId: 1, reference: null }, /^reference must be text of at most 255/],
    "a reference of 256 characters": [{ petId: 1, reference: "x".repeat(256) }, /^reference must be/],
    "a control character": [{ petId: 1, reference: "a\u0000b" }, /without control characters$/],
    "a lone surrogate": ['{"petId":1,"reference":"\\ud800"}', /^reference must be/],
    "two errors": [{ petId: 1.5, reference: 7 }, /^petId must be .*; reference must be /],
  };
  for (const [what, [body, message]] of Object.entries(rejected))
    await t.test(`rejects ${what} with 400`, async () => {
      assertError(await call("POST", "/store/orders", { body }), "invalid_body", message);
    });

  await t.test("accepts one of fifty concurrent orders for an animal", async () => {
    const petId = await addPetId();
    const answers = await Promise.all(Array.from({ length: 50 }, () => place(petId)));
    const refused = answers.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 49);
    for (const answer of refused) assertError(answer, "pet_not_available");
  });
});

test("PATCH /store/orders/{orderId}", async (t) => {
  const { call, clock, begin, place, move, statusOf } = await startStore(t);
  const sold = ["approved", "delivered"];

  const paths: Array<[string[], string]> = [
    [["approved"], "pending"],
    [["approved", "delivered"], "sold"],
    [["approved", "delivered", "returned"], "available"],
    [["cancelled"], "available"],
    [["approved", "cancelled"], "available"],
  ];
  for (const [moves, petStatus] of paths)
    await t.test(`an order that was ${moves.join(", then ")} leaves the animal ${petStatus}`, async () => {
      const { id, petId } = await begin(moves);
      assert.equal(await statusOf(petId), petStatus);
      const { json } = await call("GET", `/store/orders/${id}`);
      assert.deepEqual([json.status, "expiresAt" in json], [moves.at(-1), false]);
      if (petStatus === "available") assert.equal((await place(petId)).status, 201);
    });

  await t.test("sets updatedAt and keeps createdAt", async () => {
    const { id } = await begin();
    const before = (await call("GET", `/store/orders/${id}`)).json;
    clock.advance(1_000);
    const { json } = await move(id, "approved");
    assert.equal(json.createdAt, before.createdAt);
    assert.equal(Date.parse(json.updatedAt) - Date.parse(before.updatedAt), 1_000);
  });

  const states: Record<string, [string[], string]> = {
    placed: [[], "only approved or cancelled"],
    approved: [["approved"], "only delivered or cancelled"],
    delivered: [sold, "only returned"],
    returned: [[...sold, "returned"], "nothing else"],
    cancelled: [["cancelled"], "nothing else"],
  };
  for (const [from, [moves, allowed]] of Object.entries(states))
    for (const to of ["placed", "approved", "delivered", "returned", "cancelled", "expired"]) {
      if (allowed.includes(to)) continue;
      await t.test(`rejects ${from} → ${to}`, async () => {
        const { id, petId } = await begin(moves);
        const before = await statusOf(petId);
        const only = to === "placed" || to === "expired" ? ", which only the service sets" : "";
        const message = `The order is ${from} and cannot become ${to}${only}: it can become ${allowed}.`;
        assertError(await move(id, to), "invalid_transition", message);
        assert.equal(await statusOf(petId), before);
      });
    }

  await t.test("rejects an unknown status, and a body without status, with 400", async () => {
    const { id } = await begin();
    const message = "status must be one of approved, delivered, returned, cancelled";
    assertError(await move(id, "Approved"), "invalid_body", message);
    const empty = await call("PATCH", `/store/orders/${id}`, { body: {} });
    assertError(empty, "invalid_body", "status is required");
  });

  for (const id of ["999999", "0", "abc", "1.5"])
    await t.test(`responds to /store/orders/${id} with 404`, async () => {
      assertError(await move(id, "approved"), "order_not_found");
      assertError(await call("GET", `/store/orders/${id}`), "order_not_found");
    });

  await t.test("accepts one of two concurrent transitions that exclude each other", async () => {
    const { id } = await begin(["approved"]);
    const answers = await Promise.all([move(id, "delivered"), move(id, "cancelled")]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  });

  const later: Record<string, { moves: string[]; returns: "first" | "second"; petStatus: string }> = {
    "a late return does not change an animal that a later order has reserved": {
      moves: [],
      returns: "first",
      petStatus: "pending",
    },
    "a late return does not change an animal that a later order has delivered": {
      moves: sold,
      returns: "first",
      petStatus: "sold",
    },
    "a return makes the animal available, also if an earlier order is still delivered": {
      moves: sold,
      returns: "second",
      petStatus: "available",
    },
  };
  for (const [what, { moves, returns, petStatus }] of Object.entries(later))
    await t.test(what, async () => {
      const first = await begin(sold);
      await call("PATCH", `/pets/${first.petId}`, { body: { status: "available" } });
      const second = await begin(moves, first.petId);
      assert.equal((await move({ first, second }[returns].id, "returned")).status, 200);
      assert.equal(await statusOf(first.petId), petStatus);
      if (moves.length > 0) return;
      for (const status of sold) await move(second.id, status);
      assert.equal(await statusOf(first.petId), "sold");
    });
});

const idsOf = ({ json }: Answer) => column(json, "id");

/** The service with 25 orders, of which every fifth is approved. */
async function startWithOrders(t: TestContext) {
  const store = await startStore(t);
  const { call, begin } = store;
  const orders: Array<{ id: number; petId: number }> = [];
  for (let i = 0; i < 25; i++) orders.push(await begin(i % 5 === 0 ? ["approved"] : []));
  const get = (query: string) => call("GET", `/store/orders${query}`);
  return { ...store, orders, ids: column(orders, "id") as number[], get };
}

test("GET /store/orders", async (t) => {
  const { call, begin, move, addPet, clock, orders, ids, get } = await startWithOrders(t);
  const seventh = orders[7]?.petId;

  await t.test("lists orders by id in pages of 20, with a link to the next page", async () => {
    const pages = await readPages((path) => call("GET", path), "/store/orders");
    assert.deepEqual(pages.map(idsOf), [ids.slice(0, 20), ids.slice(20)]);
    assert.equal(pages[1]?.headers.link, undefined);
  });

  await t.test("filters by status and by animal, and keeps the filters in the links", async () => {
    const approved = await get("?status=approved&limit=3");
    assert.deepEqual(idsOf(approved), [ids[0], ids[5], ids[10]]);
    assert.match(approved.headers.link ?? "", /status=approved&limit=3&cursor=/);
    assert.deepEqual(idsOf(await get(`?petId=${seventh}`)), [ids[7]]);
    assert.deepEqual(idsOf(await get(`?petId=${seventh}&status=approved`)), []);
  });

  await t.test("lists the newest first with sort=newest, with every filter, over all pages", async () => {
    const queries: Record<string, number[]> = {
      "sort=oldest": ids.toReversed(),
      "sort=newest": ids,
      "sort=newest&status=approved": ids.filter((_, index) => index % 5 === 0),
      [`sort=newest&petId=${seventh}`]: ids.slice(7, 8),
      "sort=newest&expand=pet": ids,
    };
    for (const [query, expected] of Object.entries(queries)) {
      const pages = await readPages((path) => call("GET", path), `/store/orders?limit=4&${query}`);
      assert.deepEqual(pages.flatMap(idsOf), expected.toReversed(), query);
    }
  });

  await t.test("adds the current animal with expand=pet; a deleted animal is absent", async () => {
    const { id: petId } = await addPet({ name: "Zoë 🐈", categoryId: 4 });
    const { id } = await begin([], petId);
    const expanded = () => get(`?petId=${petId}&expand=pet`);
    const order = async () => (await call("GET", `/store/orders/${id}`)).json;
    const pet = { id: petId, name: "Zoë 🐈", categoryId: 4, status: "pending" };
    assert.deepEqual((await expanded()).json, [{ ...(await order()), pet }]);
    await call("PATCH", `/pets/${petId}`, { body: '{"name":"Lu","categoryId":9007199254740993}' });
    const { text } = await expanded();
    const changed = `{"id":${petId},"name":"Lu","categoryId":9007199254740993,"status":"pending"}`;
    assert.ok(text.endsWith(`,"pet":${changed}}]`), text);
    assert.equal("pet" in (await get(`?petId=${petId}`)).json[0], false);
    await move(id, "cancelled");
    assert.equal((await call("DELETE", `/pets/${petId}`)).status, 204);
    assert.deepEqual((await expanded()).json, [await order()]);
  });

  await t.test("lists what expires first with sort=ending, over all pages", async () => {
    const pages = await readPages(
      (path) => call("GET", path),
      "/store/orders?sort=ending&status=placed&limit=4",
    );
    const placed = ids.filter((_, index) => index % 5 > 0);
    assert.deepEqual(pages.flatMap(idsOf), placed, "the orders of a moment are in the order of their ids");
    clock.advance(-HOUR_MS);
    const { id, petId } = await begin();
    clock.advance(HOUR_MS);
    const first = await get("?status=placed&sort=ending&expand=pet&limit=2");
    assert.deepEqual(idsOf(first), [id, placed[0]]);
    assert.equal(first.json[0].pet.id, petId);
    assert.match(first.headers.link ?? "", /orders\?status=placed&sort=ending&expand=pet&limit=2&cursor=/);
    assert.deepEqual(idsOf(await get(`?status=placed&sort=ending&petId=${petId}`)), [id]);
    await move(id, "cancelled");
  });

  await t.test("keeps expand and sort in the links", async () => {
    const first = await get("?sort=newest&expand=pet&status=placed&limit=2");
    assert.match(first.headers.link ?? "", /orders\?status=placed&sort=newest&expand=pet&limit=2&cursor=/);
    const { json } = await call("GET", nextPath(first));
    assert.ok(json.every((order: object) => "pet" in order));
  });

  for (const query of ["", "?sort=newest", "?expand=pet", "?expand=pet&sort=newest&status=placed"])
    await t.test(`answers a matching If-None-Match on ${query || "the list"} with 304`, async () => {
      const { headers, json } = await get(query);
      const read = () =>
        call("GET", `/store/orders${query}`, { headers: { "if-none-match": headers.etag ?? "" } });
      assert.equal((await read()).status, 304);
      // The order stays the same, and its animal changes.
      if (!query.startsWith("?expand")) return;
      assert.equal((await call("PATCH", `/pets/${json[0].petId}`, { body: { name: query } })).status, 200);
      assert.equal((await read()).status, 200);
    });
});

test("GET /store/orders?q=", async (t) => {
  const { call, move, addPet, ids, get } = await startWithOrders(t);

  await t.test("finds every word in the reference or in the name of the animal, however short", async () => {
    const { id: petId } = await addPet({ name: "Zoë Straße 花子" });
    const placed = await call("POST", "/store/orders", { body: { petId, reference: "case 4711 50%_a\\b" } });
    const { id } = placed.json;
    const found = ["zoe", "ZOË", "strasse", "子", "47 z", "%", "_a\\B", " case  4711 zoë 花子 e ", "c"];
    const missing = ["zoee", "4712", "zoe rex", "47%11", "e4711"];
    for (const q of [...found, ...missing]) {
      const { json } = await get(`?petId=${petId}&q=${encodeURIComponent(q)}`);
      assert.deepEqual(column(json, "id"), found.includes(q) ? [id] : [], q);
    }
    assert.equal("pet" in (await get(`?petId=${petId}&q=zoe`)).json[0], false);
    assert.equal((await get(`?petId=${petId}&q=zoe&expand=pet`)).json[0].pet.name, "Zoë Straße 花子");
    await move(id, "cancelled");
    await call("DELETE", `/pets/${petId}`);
    assert.deepEqual(idsOf(await get(`?petId=${petId}&q=zoe`)), [], "a deleted animal has no name");
    assert.deepEqual(idsOf(await get(`?petId=${petId}&q=4711`)), [id]);
  });

  await t.test("keeps q in the links, and fills every page of a search", async () => {
    const pages = await readPages((path) => call("GET", path), "/store/orders?q=re%20x&sort=newest&limit=10");
    assert.match(pages[0]?.headers.link ?? "", /orders\?q=re%20x&sort=newest&limit=10&cursor=/);
    assert.deepEqual(pages.map((page) => page.json.length).slice(0, -1), [10, 10]);
    assert.deepEqual(pages.flatMap(idsOf).slice(-25), ids.toReversed());
  });
});

test("GET /store/orders rejects invalid parameters and foreign cursors with 400", async (t) => {
  const { call, begin } = await startStore(t);
  const ids = [(await begin()).id, (await begin()).id, (await begin()).id];
  const get = (query: string) => call("GET", `/store/orders?${query}`);
  const parameters =
    "limit=0 status=open petId=x petId=1.0 petId=01 petId= petId=1&petId=1 expand=pets expand=";
  const long = `q=a+b+c+d+e+f q=${"x".repeat(201)} q=%00 q=a&q=b`;
  for (const query of `${parameters} sort=Newest sort=id ${long}`.split(" "))
    await t.test(`rejects ?${query.slice(0, 40)}`, async () => {
      assertError(await get(query), "invalid_parameter");
    });

  for (const query of ["sort=ending", "sort=ending&status=approved", "sort=ending&status=expired"])
    await t.test(`rejects ?${query}: only placed orders expire`, async () => {
      assertError(await get(query), "invalid_parameter", /^sort may be ending only with status=placed/);
    });

  await t.test("rejects a cursor of another filter, order or list; accepts it with expand", async () => {
    const oldest = nextCursor(await get("limit=1"));
    const newest = nextCursor(await get("limit=1&sort=newest"));
    const foreign = ["cursor=x", `status=placed&cursor=${oldest}`, `sort=newest&cursor=${oldest}`];
    for (const query of [...foreign, `cursor=${newest}`, `sort=oldest&cursor=${newest}`])
      assertError(await get(query), "invalid_cursor");
    assertError(await call("GET", `/pets?cursor=${oldest}`), "invalid_cursor");
    const ending = nextCursor(await get("limit=1&status=placed&sort=ending"));
    const found = nextCursor(await get("limit=1&q=rex"));
    const others = [
      `status=placed&sort=newest&cursor=${ending}`,
      `status=placed&sort=ending&cursor=${oldest}`,
    ];
    for (const query of [...others, `cursor=${found}`, `q=re&cursor=${found}`])
      assertError(await get(query), "invalid_cursor");
    assert.deepEqual(column((await get(`q=rex&limit=1&cursor=${found}`)).json, "id"), [ids[1]]);
    for (const query of ["", "&sort=oldest", "&expand=pet"])
      assert.deepEqual(column((await get(`limit=1${query}&cursor=${oldest}`)).json, "id"), [ids[1]], query);
  });
});

test("A key with access adopt", async (t) => {
  const { call, createKey, addPetId, place, move } = await startStore(t);
  const { key: mine } = await createKey({ access: "adopt", plan: "pro" });
  const { key: yours } = await createKey({ access: "adopt", plan: "pro" });
  const { key: manager } = await createKey({ access: "manage", plan: "pro" });
  const own = (await place(await addPetId(), mine)).json.id;
  const foreign = (await place(await addPetId(), yours)).json.id;

  await t.test("sees only its own orders, with every filter", async () => {
    const queries = ["", "?status=placed", "?limit=1", "?sort=newest", "?expand=pet", "?q=rex"];
    for (const query of [...queries, "?status=placed&sort=ending"]) {
      const { json, headers } = await call("GET", `/store/orders${query}`, { key: mine });
      assert.deepEqual([column(json, "id"), headers.link], [[own], undefined]);
    }
    assert.equal((await call("GET", `/store/orders/${own}`, { key: mine })).status, 200);
    assertError(await call("GET", `/store/orders/${foreign}`, { key: mine }), "order_not_found");
    const none = { approved: 0, delivered: 0, returned: 0, cancelled: 0, expired: 0 };
    const counted = await call("GET", "/store/order-counts", { key: mine });
    assertCommon(counted);
    assert.deepEqual(counted.json, { placed: 1, ...none });
    const all = await call("GET", "/store/order-counts", { key: manager });
    assert.deepEqual(all.json, { placed: 2, ...none });
  });

  await t.test("cancels its own orders and no others", async () => {
    assertError(await move(foreign, "cancelled", mine), "order_not_found");
    assert.equal((await move(own, "cancelled", mine)).json.status, "cancelled");
  });

  await t.test("cannot approve, deliver or return an order", async () => {
    for (const status of ["approved", "delivered", "returned", "placed", "expired"]) {
      const answer = await move(foreign, status, yours);
      assertError(answer, "insufficient_access");
      assert.match(answer.headers["www-authenticate"] ?? "", /error="insufficient_scope", scope="manage"$/);
    }
  });

  await t.test("keeps its orders after a rotation", async () => {
    const rotating = await createKey({ access: "adopt" });
    const { id } = (await place(await addPetId(), rotating.key)).json;
    const { json } = await call("POST", `/keys/${rotating.id}/rotate`, { body: { graceSeconds: 0 } });
    assert.equal((await call("GET", `/store/orders/${id}`, { key: json.key })).status, 200);
  });

  await t.test("a key with access manage sees and changes all orders", async () => {
    assert.equal((await call("GET", "/store/orders", { key: manager })).json.length, 3);
    assert.equal((await move(foreign, "approved", manager)).status, 200);
  });
});

test("Placed orders expire", async (t) => {
  const store = await startStore(t, { ORDER_HOLD_HOURS: "2" });
  const { call, clock, service, addPetId, place, move, statusOf } = store;

  await t.test("a placed order expires after ORDER_HOLD_HOURS; an approved order does not", async () => {
    const [one, two] = [await addPetId(), await addPetId()];
    const placed = (await place(one)).json;
    await move((await place(two)).json.id, "approved");
    assert.equal(Date.parse(placed.expiresAt) - clock.nowMs(), 2 * HOUR_MS);

    clock.advance(2 * HOUR_MS - 1);
    await service.runMaintenance();
    assert.equal(await statusOf(one), "pending");

    clock.advance(1);
    await service.runMaintenance();
    const { json } = await call("GET", `/store/orders/${placed.id}`);
    assert.deepEqual([json.status, "expiresAt" in json], ["expired", false]);
    assert.equal(json.updatedAt, new Date(clock.nowMs()).toISOString());
    assert.deepEqual([await statusOf(one), await statusOf(two)], ["available", "pending"]);
    assertError(await move(placed.id, "approved"), "invalid_transition", /expired .* nothing else/);
    assert.equal((await place(one)).status, 201);
  });

  await t.test("one run expires all of them, more than one batch", async () => {
    // In sequence: a busy machine rejects some of 130 concurrent orders with 503.
    for (let i = 0; i < 130; i++) assert.equal((await place(await addPetId())).status, 201);
    assert.equal((await call("GET", "/store/inventory")).json.pending, 132);
    clock.advance(3 * HOUR_MS);
    await service.runMaintenance();
    const { json } = await call("GET", "/store/inventory");
    assert.equal(json.pending, 1, "the approved order");
    assert.deepEqual((await call("GET", "/store/orders?status=placed")).json, []);
  });
});

test("GET /store/inventory counts animals by status, from zero on and after every change", async (t) => {
  const { call, addPetId, place, move } = await startStore(t);
  const assertCounts = async (available: number, pending: number, sold: number) => {
    const answer = await call("GET", "/store/inventory");
    assertCommon(answer);
    assert.equal(answer.text, `{"available":${available},"pending":${pending},"sold":${sold}}`);
  };
  await assertCounts(0, 0, 0);
  const [one, two] = [await addPetId(), await addPetId("sold")];
  await assertCounts(1, 0, 1);
  const { id } = (await place(one)).json;
  await assertCounts(0, 1, 1);
  await call("PATCH", `/pets/${two}`, { body: { status: "available", name: "Luna" } });
  await call("PATCH", `/pets/${two}`, { body: { name: "Lucy" } });
  await assertCounts(1, 1, 0);
  await move(id, "approved");
  await move(id, "delivered");
  await assertCounts(1, 0, 1);
  await call("DELETE", `/pets/${two}`);
  await assertCounts(0, 0, 1);
});
