// Orders: listOrders, createOrder, getOrder, updateOrder, getInventory, and the expiry of placed orders.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../harness/clients/call.ts";
import { nextPath } from "../harness/clients/pages.ts";
import { startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const HOUR_MS = 3_600_000;

/** The in-process service with short names for requests that most tests send. */
async function startStore(t: Parameters<typeof startApp>[0], environment: Record<string, string> = {}) {
  const harness = await startApp(t, { environment });
  const { call } = harness;
  return {
    ...harness,
    async addPet(status = "available"): Promise<number> {
      return (await call("POST", "/pets", { body: { name: "Rex", categoryId: 3, status } })).json.id;
    },
    place: (petId: number, key?: string) =>
      call("POST", "/store/orders", { body: { petId }, ...(key !== undefined && { key }) }),
    move: (id: number, status: string, key?: string) =>
      call("PATCH", `/store/orders/${id}`, { body: { status }, ...(key !== undefined && { key }) }),
    statusOf: async (petId: number) => (await call("GET", `/pets/${petId}`)).json.status,
  };
}

test("POST /store/orders", async (t) => {
  const { call, clock, url, addPet, place, statusOf } = await startStore(t);

  await t.test("reserves the animal and responds with 201, the order and its Location", async () => {
    const petId = await addPet();
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
    const longest = "🐕".repeat(255);
    for (const reference of ["", "  two spaces  ", longest]) {
      const answer = await call("POST", "/store/orders", { body: { petId: await addPet(), reference } });
      assert.equal(answer.json.reference, reference);
    }
    assert.equal((await place(await addPet())).json.reference, "");
  });

  for (const status of ["pending", "sold"]) {
    await t.test(`rejects an order for an animal that is ${status} with 409`, async () => {
      const petId = await addPet(status);
      assertError(await place(petId), "pet_not_available", new RegExp(`not available: it is ${status}\\.`));
      assert.equal(await statusOf(petId), status);
    });
  }

  await t.test("rejects a second open order for an animal with 409", async () => {
    const petId = await addPet();
    await place(petId);
    assertError(await place(petId), "pet_not_available");
  });

  await t.test("rejects an order for an unknown animal with 404", async () => {
    assertError(await place(999_999), "pet_not_found");
    assertError(
      await call("POST", "/store/orders", { body: '{"petId":9223372036854775807}' }),
      "pet_not_found",
    );
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
  for (const [what, [body, message]] of Object.entries(rejected)) {
    await t.test(`rejects ${what} with 400`, async () => {
      assertError(await call("POST", "/store/orders", { body }), "invalid_body", message);
    });
  }

  await t.test("accepts one of fifty concurrent orders for an animal", async () => {
    const petId = await addPet();
    const answers = await Promise.all(Array.from({ length: 50 }, () => place(petId)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      assertError(answer, "pet_not_available");
  });
});

test("PATCH /store/orders/{orderId}", async (t) => {
  const { call, clock, addPet, place, move, statusOf } = await startStore(t);
  const begin = async (...moves: string[]) => {
    const petId = await addPet();
    const { id } = (await place(petId)).json;
    for (const status of moves) assert.equal((await move(id, status)).status, 200);
    return { id, petId };
  };

  const paths: Array<[string[], string]> = [
    [["approved"], "pending"],
    [["approved", "delivered"], "sold"],
    [["approved", "delivered", "returned"], "available"],
    [["cancelled"], "available"],
    [["approved", "cancelled"], "available"],
  ];
  for (const [moves, petStatus] of paths) {
    await t.test(`${moves.join(", then ")} leaves the animal ${petStatus}`, async () => {
      const { id, petId } = await begin(...moves);
      assert.equal(await statusOf(petId), petStatus);
      const { json } = await call("GET", `/store/orders/${id}`);
      assert.equal(json.status, moves.at(-1));
      assert.equal("expiresAt" in json, false);
      if (petStatus === "available") assert.equal((await place(petId)).status, 201);
    });
  }

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
    delivered: [["approved", "delivered"], "only returned"],
    returned: [["approved", "delivered", "returned"], "nothing else"],
    cancelled: [["cancelled"], "nothing else"],
  };
  for (const [from, [moves, allowed]] of Object.entries(states)) {
    for (const to of ["placed", "approved", "delivered", "returned", "cancelled", "expired"]) {
      if (allowed.includes(to)) continue;
      await t.test(`rejects ${from} → ${to}`, async () => {
        const { id, petId } = await begin(...moves);
        const before = await statusOf(petId);
        const only = to === "placed" || to === "expired" ? ", which only the service sets" : "";
        const message = `The order is ${from} and cannot become ${to}${only}: it can become ${allowed}.`;
        assertError(await move(id, to), "invalid_transition", message);
        assert.equal(await statusOf(petId), before);
      });
    }
  }

  await t.test("rejects an unknown status, and a body without status, with 400", async () => {
    const { id } = await begin();
    assertError(
      await move(id, "Approved"),
      "invalid_body",
      "status must be one of approved, delivered, returned, cancelled",
    );
    assertError(
      await call("PATCH", `/store/orders/${id}`, { body: {} }),
      "invalid_body",
      "status is required",
    );
  });

  for (const id of ["999999", "0", "abc", "1.5"]) {
    await t.test(`responds to /store/orders/${id} with 404`, async () => {
      const body = { status: "approved" };
      assertError(await call("PATCH", `/store/orders/${id}`, { body }), "order_not_found");
      assertError(await call("GET", `/store/orders/${id}`), "order_not_found");
    });
  }

  await t.test("accepts one of two concurrent transitions that exclude each other", async () => {
    const { id } = await begin("approved");
    const answers = await Promise.all([move(id, "delivered"), move(id, "cancelled")]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  });

  await t.test("a late return does not change an animal that a later order has taken", async () => {
    const { id, petId } = await begin("approved", "delivered");
    await call("PATCH", `/pets/${petId}`, { body: { status: "available" } });
    const second = (await place(petId)).json.id;
    assert.equal((await move(id, "returned")).status, 200);
    assert.equal(await statusOf(petId), "pending");
    await move(second, "approved");
    await move(second, "delivered");
    assert.equal(await statusOf(petId), "sold");

    const third = await begin("approved", "delivered");
    await call("PATCH", `/pets/${third.petId}`, { body: { status: "available" } });
    const fourth = (await place(third.petId)).json.id;
    await move(fourth, "approved");
    await move(fourth, "delivered");
    assert.equal((await move(third.id, "returned")).status, 200);
    assert.equal(await statusOf(third.petId), "sold");
  });

  await t.test(
    "a return makes the animal available, also if an earlier order is still delivered",
    async () => {
      const { petId } = await begin("approved", "delivered");
      await call("PATCH", `/pets/${petId}`, { body: { status: "available" } });
      const second = (await place(petId)).json.id;
      await move(second, "approved");
      await move(second, "delivered");
      assert.equal((await move(second, "returned")).status, 200);
      assert.equal(await statusOf(petId), "available");
    },
  );
});

test("GET /store/orders", async (t) => {
  const { call, addPet, place, move } = await startStore(t);
  const ids: number[] = [];
  const pets: number[] = [];
  for (let i = 0; i < 25; i++) {
    pets.push(await addPet());
    ids.push((await place(pets[i] as number)).json.id);
    if (i % 5 === 0) await move(ids[i] as number, "approved");
  }
  const idsOf = (answer: Answer) => answer.json.map(({ id }: { id: number }) => id);
  /** The ids of all pages. */
  async function readAll(path: string): Promise<number[]> {
    const found: number[] = [];
    for (let next = path; next !== ""; ) {
      const page = await call("GET", next);
      found.push(...idsOf(page));
      next = nextPath(page);
    }
    return found;
  }

  await t.test("lists orders by id in pages of 20, with a link to the next page", async () => {
    const first = await call("GET", "/store/orders");
    assert.deepEqual(idsOf(first), ids.slice(0, 20));
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.link ?? "")?.[1] ?? "";
    const rest = await call("GET", next.replace(/^.*\/v1/, ""));
    assert.deepEqual(idsOf(rest), ids.slice(20));
    assert.equal(rest.headers.link, undefined);
  });

  await t.test("filters by status and by animal, and keeps the filters in the links", async () => {
    const approved = await call("GET", "/store/orders?status=approved&limit=3");
    assert.deepEqual(idsOf(approved), [ids[0], ids[5], ids[10]]);
    assert.match(approved.headers.link ?? "", /status=approved&limit=3&cursor=/);
    assert.deepEqual(idsOf(await call("GET", `/store/orders?petId=${pets[7]}`)), [ids[7]]);
    assert.deepEqual(idsOf(await call("GET", `/store/orders?petId=${pets[7]}&status=approved`)), []);
  });

  await t.test("lists the newest first with sort=newest, with every filter, over all pages", async () => {
    const queries: Record<string, number[]> = {
      "": ids,
      "&status=approved": ids.filter((_, index) => index % 5 === 0),
      [`&petId=${pets[7]}`]: ids.slice(7, 8),
      "&expand=pet": ids,
    };
    for (const [query, expected] of Object.entries(queries))
      assert.deepEqual(await readAll(`/store/orders?limit=4&sort=newest${query}`), expected.toReversed());
    assert.deepEqual(await readAll("/store/orders?limit=4&sort=oldest"), ids);
  });

  await t.test("adds the current animal with expand=pet; a deleted animal is absent", async () => {
    const { id: petId } = (await call("POST", "/pets", { body: { name: "Zoë 🐈", categoryId: 4 } })).json;
    const { id } = (await place(petId)).json;
    const expand = async () => (await call("GET", `/store/orders?petId=${petId}&expand=pet`)).json;
    const order = (await call("GET", `/store/orders/${id}`)).json;
    const pet = { id: petId, name: "Zoë 🐈", categoryId: 4, status: "pending" };
    assert.deepEqual(await expand(), [{ ...order, pet }]);
    await call("PATCH", `/pets/${petId}`, { body: '{"name":"Lu","categoryId":9007199254740993}' });
    const { text } = await call("GET", `/store/orders?petId=${petId}&expand=pet`);
    assert.ok(
      text.endsWith(`,"pet":{"id":${petId},"name":"Lu","categoryId":9007199254740993,"status":"pending"}}]`),
      text,
    );
    assert.equal("pet" in (await call("GET", `/store/orders?petId=${petId}`)).json[0], false);
    await move(id, "cancelled");
    assert.equal((await call("DELETE", `/pets/${petId}`)).status, 204);
    assert.deepEqual(await expand(), [(await call("GET", `/store/orders/${id}`)).json]);
    ids.push(id);
  });

  await t.test("keeps expand and sort in the links", async () => {
    const first = await call("GET", "/store/orders?sort=newest&expand=pet&status=placed&limit=2");
    assert.match(first.headers.link ?? "", /orders\?status=placed&sort=newest&expand=pet&limit=2&cursor=/);
    const next = await call("GET", nextPath(first));
    assert.ok(next.json.every((order: object) => "pet" in order));
  });

  for (const query of ["", "?sort=newest", "?expand=pet", "?expand=pet&sort=newest&status=placed"]) {
    await t.test(`answers a matching If-None-Match on ${query || "the list"} with 304`, async () => {
      const { etag = "" } = (await call("GET", `/store/orders${query}`)).headers;
      const read = () => call("GET", `/store/orders${query}`, { headers: { "if-none-match": etag } });
      assert.equal((await read()).status, 304);
      // The order stays the same, and its animal changes.
      if (!query.startsWith("?expand")) return;
      const [{ petId }] = (await call("GET", `/store/orders${query}`)).json;
      assert.equal((await call("PATCH", `/pets/${petId}`, { body: { name: query } })).status, 200);
      assert.equal((await read()).status, 200);
    });
  }

  const refused = {
    "limit=0": "invalid_parameter",
    "status=open": "invalid_parameter",
    "petId=x": "invalid_parameter",
    "petId=1.0": "invalid_parameter",
    "petId=01": "invalid_parameter",
    "petId=": "invalid_parameter",
    "petId=1&petId=1": "invalid_parameter",
    "expand=pets": "invalid_parameter",
    "expand=": "invalid_parameter",
    "sort=Newest": "invalid_parameter",
    "sort=id": "invalid_parameter",
    "cursor=x": "invalid_cursor",
  } as const;
  for (const [query, code] of Object.entries(refused)) {
    await t.test(`rejects ?${query} with 400`, async () => {
      assertError(await call("GET", `/store/orders?${query}`), code);
    });
  }

  await t.test("rejects a cursor of another filter or list", async () => {
    const { link = "" } = (await call("GET", "/store/orders?limit=1")).headers;
    const cursor = /cursor=([\w-]+)/.exec(link)?.[1];
    assert.deepEqual(idsOf(await call("GET", `/store/orders?limit=1&cursor=${cursor}`)), [ids[1]]);
    assertError(await call("GET", `/store/orders?status=placed&cursor=${cursor}`), "invalid_cursor");
    assertError(await call("GET", `/pets?cursor=${cursor}`), "invalid_cursor");
  });

  await t.test("rejects a cursor of the other order; accepts it with and without expand", async () => {
    const cursorOf = async (query: string) =>
      /cursor=([\w-]+)/.exec((await call("GET", `/store/orders?limit=1${query}`)).headers.link ?? "")?.[1];
    const [oldest, newest] = [await cursorOf(""), await cursorOf("&sort=newest")];
    assertError(await call("GET", `/store/orders?sort=newest&cursor=${oldest}`), "invalid_cursor");
    assertError(await call("GET", `/store/orders?cursor=${newest}`), "invalid_cursor");
    assertError(await call("GET", `/store/orders?sort=oldest&cursor=${newest}`), "invalid_cursor");
    for (const query of ["", "&sort=oldest", "&expand=pet"]) {
      const page = await call("GET", `/store/orders?limit=1${query}&cursor=${oldest}`);
      assert.deepEqual(idsOf(page), [ids[1]], query);
    }
  });
});

test("A key with access adopt", async (t) => {
  const { call, createKey, addPet, place, move } = await startStore(t);
  const { key: mine } = await createKey({ access: "adopt", plan: "pro" });
  const { key: yours } = await createKey({ access: "adopt", plan: "pro" });
  const { key: manager } = await createKey({ access: "manage", plan: "pro" });
  const own = (await place(await addPet(), mine)).json.id;
  const foreign = (await place(await addPet(), yours)).json.id;

  await t.test("sees only its own orders, with every filter", async () => {
    for (const query of ["", "?status=placed", "?limit=1", "?sort=newest", "?expand=pet"]) {
      const listed = await call("GET", `/store/orders${query}`, { key: mine });
      assert.deepEqual(
        listed.json.map(({ id }: { id: number }) => id),
        [own],
      );
      assert.equal(listed.headers.link, undefined);
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
    const id = (await place(await addPet(), rotating.key)).json.id;
    const { json } = await call("POST", `/keys/${rotating.id}/rotate`, { body: { graceSeconds: 0 } });
    assert.equal((await call("GET", `/store/orders/${id}`, { key: json.key })).status, 200);
  });

  await t.test("a key with access manage sees and changes all orders", async () => {
    const listed = await call("GET", "/store/orders", { key: manager });
    assert.equal(listed.json.length, 3);
    assert.equal((await move(foreign, "approved", manager)).status, 200);
  });

  await t.test("a key with access browse has no access to orders, only to the inventory", async () => {
    const { key } = await createKey({ access: "browse" });
    assertError(await call("GET", "/store/orders", { key }), "insufficient_access");
    assertError(await place(1, key), "insufficient_access");
    assert.equal((await call("GET", "/store/inventory", { key })).status, 200);
  });
});

test("Placed orders expire", async (t) => {
  const store = await startStore(t, { ORDER_HOLD_HOURS: "2" });
  const { call, clock, service, addPet, place, move, statusOf } = store;

  await t.test("after ORDER_HOLD_HOURS; approved orders do not", async () => {
    const [one, two] = [await addPet(), await addPet()];
    const placed = (await place(one)).json;
    const approved = (await place(two)).json;
    await move(approved.id, "approved");
    assert.equal(Date.parse(placed.expiresAt) - clock.nowMs(), 2 * HOUR_MS);

    clock.advance(2 * HOUR_MS - 1);
    await service.runMaintenance();
    assert.equal(await statusOf(one), "pending");

    clock.advance(1);
    await service.runMaintenance();
    const { json } = await call("GET", `/store/orders/${placed.id}`);
    assert.equal(json.status, "expired");
    assert.equal("expiresAt" in json, false);
    assert.equal(json.updatedAt, new Date(clock.nowMs()).toISOString());
    assert.equal(await statusOf(one), "available");
    assert.equal(await statusOf(two), "pending");
    assertError(await move(placed.id, "approved"), "invalid_transition", /expired .* nothing else/);
    assert.equal((await place(one)).status, 201);
  });

  await t.test("all in one run, more than one batch of them", async () => {
    // In sequence: a busy machine rejects some of 130 concurrent orders with 503.
    for (let i = 0; i < 130; i++) assert.equal((await place(await addPet())).status, 201);
    assert.equal((await call("GET", "/store/inventory")).json.pending, 132);
    clock.advance(3 * HOUR_MS);
    await service.runMaintenance();
    const { json } = await call("GET", "/store/inventory");
    assert.equal(json.pending, 1, "the approved order");
    assert.deepEqual((await call("GET", "/store/orders?status=placed")).json, []);
  });
});

test("GET /store/inventory", async (t) => {
  const { call, addPet, place, move } = await startStore(t);
  const inventory = async () => (await call("GET", "/store/inventory")).text;

  await t.test("is zero for every status in an empty store", async () => {
    const answer = await call("GET", "/store/inventory");
    assertCommon(answer);
    assert.equal(answer.text, '{"available":0,"pending":0,"sold":0}');
  });

  await t.test("follows every change", async () => {
    const [one, two] = [await addPet(), await addPet("sold")];
    assert.equal(await inventory(), '{"available":1,"pending":0,"sold":1}');
    const { id } = (await place(one)).json;
    assert.equal(await inventory(), '{"available":0,"pending":1,"sold":1}');
    await call("PATCH", `/pets/${two}`, { body: { status: "available", name: "Luna" } });
    await call("PATCH", `/pets/${two}`, { body: { name: "Lucy" } });
    assert.equal(await inventory(), '{"available":1,"pending":1,"sold":0}');
    await move(id, "approved");
    await move(id, "delivered");
    assert.equal(await inventory(), '{"available":1,"pending":0,"sold":1}');
    await call("DELETE", `/pets/${two}`);
    assert.equal(await inventory(), '{"available":0,"pending":0,"sold":1}');
  });
});
