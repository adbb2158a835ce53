// If-Match: updatePet, deletePet, updateProfile and updateOrder change only what the client has seen.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Answer } from "../harness/clients/call.ts";
import { startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const CALLERS = 30;

type Store = Awaited<ReturnType<typeof startStore>>;

async function startStore(t: TestContext) {
  const harness = await startApp(t);
  const { call } = harness;
  const addPet = async (): Promise<number> =>
    (await call("POST", "/pets", { body: { name: "Rex", categoryId: 3 } })).json.id;
  return {
    ...harness,
    /** Path of a new animal. */
    addPet: async () => `/pets/${await addPet()}`,
    /** Path of a new order. */
    async addOrder() {
      const { json } = await call("POST", "/store/orders", { body: { petId: await addPet() } });
      return `/store/orders/${json.id}`;
    },
    etagOf: async (path: string) => (await call("GET", path)).headers.etag ?? assert.fail("no ETag"),
  };
}

interface Change {
  /** Resolves to the path of something that `send` can change. */
  add(store: Store): Promise<string>;
  send(store: Store, path: string, ifMatch?: string): Promise<Answer>;
  /** Of the change. */
  status: number;
  unknown: { path: string; code: "pet_not_found" | "order_not_found" };
}

/** The operations with If-Match. */
const CHANGES: Record<string, Change> = {
  "PATCH /pets/{petId}": {
    add: ({ addPet }) => addPet(),
    send: ({ call }, path, ifMatch) =>
      call("PATCH", path, { body: { name: "Luna" }, ...headersWith(ifMatch) }),
    status: 200,
    unknown: { path: "/pets/999999", code: "pet_not_found" },
  },
  "DELETE /pets/{petId}": {
    add: ({ addPet }) => addPet(),
    send: ({ call }, path, ifMatch) => call("DELETE", path, headersWith(ifMatch)),
    status: 204,
    unknown: { path: "/pets/999999", code: "pet_not_found" },
  },
  "PATCH /pets/{petId} with the ETag of getListing": {
    add: ({ addPet }) => addListing(addPet),
    send: ({ call }, path, ifMatch) =>
      call("PATCH", path.replace("listings", "pets"), { body: { name: "Luna" }, ...headersWith(ifMatch) }),
    status: 200,
    unknown: { path: "/listings/999999", code: "pet_not_found" },
  },
  "DELETE /pets/{petId} with the ETag of getListing": {
    add: ({ addPet }) => addListing(addPet),
    send: ({ call }, path, ifMatch) => call("DELETE", path.replace("listings", "pets"), headersWith(ifMatch)),
    status: 204,
    unknown: { path: "/listings/999999", code: "pet_not_found" },
  },
  "PATCH /pets/{petId}/profile": {
    add: ({ addPet }) => addListing(addPet),
    send: ({ call }, path, ifMatch) =>
      call("PATCH", `${path.replace("listings", "pets")}/profile`, {
        body: { species: "dog" },
        ...headersWith(ifMatch),
      }),
    status: 200,
    unknown: { path: "/listings/999999", code: "pet_not_found" },
  },
  "PATCH /store/orders/{orderId}": {
    add: ({ addOrder }) => addOrder(),
    send: ({ call }, path, ifMatch) =>
      call("PATCH", path, { body: { status: "approved" }, ...headersWith(ifMatch) }),
    status: 200,
    unknown: { path: "/store/orders/999999", code: "order_not_found" },
  },
};

async function addListing(addPet: Store["addPet"]): Promise<string> {
  return (await addPet()).replace("pets", "listings");
}

function headersWith(ifMatch: string | undefined) {
  return ifMatch === undefined ? {} : { headers: { "if-match": ifMatch } };
}

test("If-Match", async (t) => {
  const store = await startStore(t);
  for (const operation of Object.keys(CHANGES))
    await t.test(operation, (t) => testChange(t, store, operation));
});

async function testChange(t: TestContext, store: Store, operation: string): Promise<void> {
  const { add, send, status, unknown } = CHANGES[operation] as Change;
  const { call, etagOf } = store;

  const accepted: Record<string, (etag: string) => string | undefined> = {
    "no If-Match": () => undefined,
    "the current ETag": (etag) => etag,
    "any of several ETags": (etag) => `"other" , ${etag},W/"third"`,
    "an asterisk": () => " * ",
  };
  for (const [what, ifMatchOf] of Object.entries(accepted))
    await t.test(`makes the change with ${what}`, async () => {
      const path = await add(store);
      const answer = await send(store, path, ifMatchOf(await etagOf(path)));
      assert.equal(answer.status, status, answer.text);
      assertCommon(answer);
    });

  const refused: Record<string, (etag: string) => string> = {
    "another ETag": () => '"other"',
    "several other ETags": () => '"one", "two"',
    "the current ETag as a weak one": (etag) => `W/${etag}`,
    "the current ETag without quotes": (etag) => etag.slice(1, -1),
    "an asterisk in quotes": () => '"*"',
    nothing: () => "",
  };
  for (const [what, ifMatchOf] of Object.entries(refused))
    await t.test(`responds with 412 to ${what}, and changes nothing`, async () => {
      const path = await add(store);
      const before = await call("GET", path);
      const history = (await call("GET", "/events?after=now")).headers.link;
      assertError(await send(store, path, ifMatchOf(before.headers.etag ?? "")), "precondition_failed");
      assert.equal((await call("GET", path)).text, before.text);
      assert.equal((await call("GET", "/events?after=now")).headers.link, history);
    });

  await t.test("responds with 412 to the ETag of an earlier state", async () => {
    const path = await add(store);
    const etag = await etagOf(path);
    const isOrder = path.startsWith("/store");
    const changed = path.replace("listings", "pets");
    const change = isOrder ? { status: "approved" } : { name: "Momo" };
    assert.equal((await call("PATCH", changed, { body: change })).status, 200);
    assertError(await send(store, path, etag), "precondition_failed");
  });

  await t.test("responds with 404 if there is no such thing", async () => {
    for (const ifMatch of ['"other"', "*"])
      assertError(await send(store, unknown.path, ifMatch), unknown.code);
  });

  await t.test("lets one of many callers with the same ETag succeed", async () => {
    const path = await add(store);
    const etag = await etagOf(path);
    const answers = await Promise.all(Array.from({ length: CALLERS }, () => send(store, path, etag)));
    const [done, refused] = [true, false].map((isDone) =>
      answers.filter((answer) => (answer.status === status) === isDone),
    );
    assert.equal(done?.length, 1);
    // A deleted animal is not found.
    const code = status === 204 ? "pet_not_found" : "precondition_failed";
    for (const answer of refused ?? []) assertError(answer, code);
  });
}

test("The ETag of a listing in If-Match of PATCH and DELETE /pets/{petId}", async (t) => {
  const { call, addPet } = await startStore(t);

  await t.test(
    "is outdated by a change of the profile, which the ETag of getPet does not contain",
    async () => {
      for (const method of ["PATCH", "DELETE"]) {
        const path = await addPet();
        const [pet, listing] = await Promise.all([
          call("GET", path),
          call("GET", path.replace("pets", "listings")),
        ]);
        await call("PATCH", `${path}/profile`, { body: { species: "dog", bornOn: "2020-05-05" } });
        const send = (etag: string | undefined) =>
          call(method, path, {
            headers: { "if-match": etag ?? assert.fail("no ETag") },
            ...(method === "PATCH" && { body: { name: "Luna" } }),
          });
        assertError(await send(listing.headers.etag), "precondition_failed");
        assert.equal((await send(pet.headers.etag)).status, method === "PATCH" ? 200 : 204);
      }
    },
  );
});

test("The ETag of a change", async (t) => {
  const store = await startStore(t);
  const { call, addPet, addOrder, etagOf } = store;

  const changes: Record<string, { add(): Promise<string>; bodies: object[] }> = {
    animal: { add: addPet, bodies: [{ name: "Zoë 🐈 \u2028 \"'" }, { categoryId: 4 }, { status: "sold" }] },
    order: { add: addOrder, bodies: [{ status: "approved" }, { status: "delivered" }] },
  };
  for (const [what, { add, bodies }] of Object.entries(changes))
    await t.test(`is the one that GET of the ${what} sends, so that the next change can use it`, async () => {
      const path = await add();
      let etag = await etagOf(path);
      for (const body of bodies) {
        const answer = await call("PATCH", path, { body, headers: { "if-match": etag } });
        assert.equal(answer.status, 200, answer.text);
        assert.notEqual(answer.headers.etag, etag);
        etag = answer.headers.etag ?? assert.fail("no ETag");
        assert.equal(await etagOf(path), etag);
        // HEAD does not take the fast path.
        assert.equal((await call("HEAD", path)).headers.etag, etag);
      }
    });

  await t.test("does not make a change conditional on If-None-Match", async () => {
    const path = await addPet();
    const headers = { "if-none-match": await etagOf(path) };
    assert.equal((await call("PATCH", path, { body: { categoryId: 3 }, headers })).status, 200);
  });

  await t.test("is missing in a response without a change", async () => {
    const path = await addPet();
    const answer = await call("PATCH", path, { body: { name: "Luna" }, headers: { "if-match": '"other"' } });
    assert.equal(answer.headers.etag, undefined);
    assert.equal((await call("DELETE", path)).headers.etag, undefined);
  });

  await t.test("does not matter to other checks, which come first: 400, 403", async () => {
    const path = await addOrder();
    const headers = { "if-match": '"other"' };
    assertError(await call("PATCH", path, { body: {}, headers }), "invalid_body");
    const { key } = await store.createKey({ access: "adopt" });
    assertError(
      await call("PATCH", path, { body: { status: "approved" }, headers, key }),
      "insufficient_access",
    );
    assertError(
      await call("PATCH", path, { body: { status: "cancelled" }, headers, key }),
      "order_not_found",
    );
  });

  await t.test("comes before the rules of the domain: a client that is not up to date gets 412", async () => {
    const headers = { "if-match": '"other"' };
    const path = await addOrder();
    assertError(await call("PATCH", path, { body: { status: "returned" }, headers }), "precondition_failed");
    const { petId } = (await call("GET", path)).json;
    assertError(await call("DELETE", `/pets/${petId}`, { headers }), "precondition_failed");
  });
});
