// If-Match: updatePet, deletePet, updateProfile and updateOrder change only what the client has seen.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const CALLERS = 30;
const UNKNOWN = 999_999;

type Store = Awaited<ReturnType<typeof startStore>>;

async function startStore(t: TestContext) {
  const harness = await startApp(t);
  const { call, addPet } = harness;
  const addOrder = async (): Promise<number> =>
    (await call("POST", "/store/orders", { body: { petId: (await addPet()).id } })).json.id;
  /** Sends a change; with `ifMatch`, under this condition. */
  const send = (method: string, path: string, { body, ifMatch }: { body?: object; ifMatch?: string }) =>
    call(method, path, { body, ...(ifMatch !== undefined && { headers: { "if-match": ifMatch } }) });
  const etagOf = async (path: string) => (await call("GET", path)).headers.etag ?? assert.fail("no ETag");
  return { ...harness, addOrder, send, etagOf };
}

/** An operation with If-Match: its path, the path whose ETag it compares, and a body that changes something. */
interface Change {
  method: "PATCH" | "DELETE";
  path: string;
  read: string;
  body?: object;
}

const CHANGES: Change[] = [
  { method: "PATCH", path: "/pets/ID", read: "/pets/ID", body: { name: "Luna" } },
  { method: "DELETE", path: "/pets/ID", read: "/pets/ID" },
  { method: "PATCH", path: "/pets/ID", read: "/listings/ID", body: { name: "Luna" } },
  { method: "DELETE", path: "/pets/ID", read: "/listings/ID" },
  { method: "PATCH", path: "/pets/ID/profile", read: "/listings/ID", body: { species: "dog" } },
  { method: "PATCH", path: "/store/orders/ID", read: "/store/orders/ID", body: { status: "approved" } },
];

test("If-Match", async (t) => {
  const store = await startStore(t);
  for (const change of CHANGES)
    await t.test(`${change.method} ${change.path} compares the ETag of ${change.read}`, (t) =>
      testChange(t, store, change),
    );
});

async function testChange(t: TestContext, store: Store, change: Change): Promise<void> {
  const { call, addPet, addOrder, send, etagOf } = store;
  const isOrder = change.path.startsWith("/store");
  const doneStatus = change.method === "DELETE" ? 204 : 200;
  const add = async () => {
    const id = isOrder ? await addOrder() : (await addPet()).id;
    const [path, read] = [change.path, change.read].map((each) => each.replace("ID", String(id)));
    return { path: path as string, read: read as string, id };
  };
  const sendWith = (path: string, ifMatch?: string) =>
    send(change.method, path, {
      ...(change.body && { body: change.body }),
      ...(ifMatch !== undefined && { ifMatch }),
    });

  const accepted: Record<string, (etag: string) => string | undefined> = {
    "no If-Match": () => undefined,
    "the current ETag": (etag) => etag,
    "any of several ETags": (etag) => `"other" , ${etag},W/"third"`,
    "an asterisk": () => " * ",
  };
  for (const [what, ifMatchOf] of Object.entries(accepted))
    await t.test(`makes the change with ${what}`, async () => {
      const { path, read } = await add();
      const answer = await sendWith(path, ifMatchOf(await etagOf(read)));
      assert.equal(answer.status, doneStatus, answer.text);
      assertCommon(answer);
    });

  const refused: Record<string, (etag: string) => string> = {
    "another ETag": () => '"other"',
    "several other ETags": () => '"one", "two"',
    "the current ETag as a weak one": (etag) => `W/${etag}`,
    "the current ETag without quotes": (etag) => etag.slice(1, -1),
    "an asterisk in quotes": () => '"*"',
    "an empty header": () => "",
  };
  for (const [what, ifMatchOf] of Object.entries(refused))
    await t.test(`responds with 412 to ${what}, and changes nothing`, async () => {
      const { path, read } = await add();
      const state = async () => [
        (await call("GET", read)).text,
        (await call("GET", "/events?after=now")).headers.link,
      ];
      const before = await state();
      assertError(await sendWith(path, ifMatchOf(await etagOf(read))), "precondition_failed");
      assert.deepEqual(await state(), before);
    });

  await t.test("responds with 412 to the ETag of an earlier state", async () => {
    const { path, read, id } = await add();
    const etag = await etagOf(read);
    const [changed, body] = isOrder
      ? [`/store/orders/${id}`, { status: "approved" }]
      : [`/pets/${id}`, { name: "Momo" }];
    assert.equal((await call("PATCH", changed, { body })).status, 200);
    assertError(await sendWith(path, etag), "precondition_failed");
  });

  await t.test("responds with 404 if the animal or order does not exist", async () => {
    const path = change.path.replace("ID", String(UNKNOWN));
    for (const ifMatch of ['"other"', "*"])
      assertError(await sendWith(path, ifMatch), isOrder ? "order_not_found" : "pet_not_found");
  });

  await t.test("lets one of many callers with the same ETag succeed", async () => {
    const { path, read } = await add();
    const etag = await etagOf(read);
    const answers = await Promise.all(Array.from({ length: CALLERS }, () => sendWith(path, etag)));
    const others = answers.filter(({ status }) => status !== doneStatus);
    assert.equal(others.length, CALLERS - 1);
    // A deleted animal is not found.
    const code = change.method === "DELETE" ? "pet_not_found" : "precondition_failed";
    for (const answer of others) assertError(answer, code);
  });
}

test("A change of the profile outdates the ETag of the listing, not the ETag of the animal", async (t) => {
  const { call, addPet, send, etagOf } = await startStore(t);
  for (const [method, options] of [
    ["PATCH", { body: { name: "Luna" } }],
    ["DELETE", {}],
  ] as const) {
    const { id } = await addPet();
    const [pet, listing] = [await etagOf(`/pets/${id}`), await etagOf(`/listings/${id}`)];
    await call("PATCH", `/pets/${id}/profile`, { body: { species: "dog", bornOn: "2020-05-05" } });
    assertError(await send(method, `/pets/${id}`, { ...options, ifMatch: listing }), "precondition_failed");
    assert.match(
      String((await send(method, `/pets/${id}`, { ...options, ifMatch: pet })).status),
      /^20[04]$/,
    );
  }
});

test("The ETag of a change", async (t) => {
  const store = await startStore(t);
  const { call, addPet, addOrder, send, etagOf } = store;
  const addPetPath = async () => `/pets/${(await addPet()).id}`;
  const addOrderPath = async () => `/store/orders/${await addOrder()}`;

  const changes: Record<string, { add(): Promise<string>; bodies: object[] }> = {
    animal: {
      add: addPetPath,
      bodies: [{ name: "Zoë 🐈 \u2028 \"'" }, { categoryId: 4 }, { status: "sold" }],
    },
    order: { add: addOrderPath, bodies: [{ status: "approved" }, { status: "delivered" }] },
  };
  for (const [what, { add, bodies }] of Object.entries(changes))
    await t.test(`a change of an ${what} sends the ETag of GET, which the next change can use`, async () => {
      const path = await add();
      let etag = await etagOf(path);
      for (const body of bodies) {
        const answer = await send("PATCH", path, { body, ifMatch: etag });
        assert.equal(answer.status, 200, answer.text);
        assert.notEqual(answer.headers.etag, etag);
        etag = await etagOf(path);
        // HEAD does not take the fast path.
        const { headers } = await call("HEAD", path);
        assert.deepEqual([answer.headers.etag, headers.etag], [etag, etag]);
      }
    });

  await t.test("If-None-Match does not make a change conditional", async () => {
    const path = await addPetPath();
    const headers = { "if-none-match": await etagOf(path) };
    assert.equal((await call("PATCH", path, { body: { categoryId: 3 }, headers })).status, 200);
  });

  await t.test("a response without a change has no ETag", async () => {
    const path = await addPetPath();
    const refused = await send("PATCH", path, { body: { name: "Luna" }, ifMatch: '"other"' });
    assert.equal(refused.headers.etag, undefined);
    assert.equal((await call("DELETE", path)).headers.etag, undefined);
  });

  await t.test("If-Match is checked after body and access, and before the rules of the domain", async () => {
    const path = await addOrderPath();
    const { key } = await store.createKey({ access: "adopt" });
    const headers = { "if-match": '"other"' };
    const patch = (body: object, options = {}) => call("PATCH", path, { body, headers, ...options });
    assertError(await patch({}), "invalid_body");
    assertError(await patch({ status: "approved" }, { key }), "insufficient_access");
    assertError(await patch({ status: "cancelled" }, { key }), "order_not_found");
    assertError(await patch({ status: "returned" }), "precondition_failed");
    const { petId } = (await call("GET", path)).json;
    assertError(await call("DELETE", `/pets/${petId}`, { headers }), "precondition_failed");
  });
});
