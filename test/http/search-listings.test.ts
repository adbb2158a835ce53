// `q` of listListings and countListings.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { encodeCursor } from "../../src/domain/basics/cursor.ts";
import { column, nextPath } from "../harness/clients/pages.ts";
import { startApp } from "../harness/servers/app.ts";
import { assertError } from "./assertions.ts";

/** The service with four animals to search for. */
async function startSearch(t: TestContext) {
  const { call, addPet } = await startApp(t);
  const add = async (name: string, profile: object = {}, pet: object = {}) => {
    const { id } = await addPet({ name, ...pet });
    await call("PATCH", `/pets/${id}/profile`, { body: profile });
  };
  const names = async (q: string, more = "") => {
    const { json, text } = await call("GET", `/listings?q=${encodeURIComponent(q)}${more}`);
    assert.ok(Array.isArray(json), text);
    return column(json, "name");
  };
  await call("PUT", "/categories/3", { body: { name: "Große Hunde" } });
  await add("Réx", { breeds: ["Border Collie"], description: "Likes 100% of all walks." });
  await add("Bella", { tags: ["young at heart"], externalId: "A_7", species: "dog" });
  await add("Rexona", { description: "Brother of Bella" }, { categoryId: 4 });
  await add("Sold Rex", {}, { status: "sold" });
  return { call, addPet, names };
}

test("GET /listings?q=", async (t) => {
  const { call, addPet, names } = await startSearch(t);

  const found: Record<string, string[]> = {
    rex: ["Rexona", "Réx"],
    ona: ["Rexona"],
    "REX collie": ["Réx"],
    "collie REX": ["Réx"],
    bella: ["Bella", "Rexona"],
    "oun hea": ["Bella"],
    a_7: ["Bella"],
    "A%7": [],
    "100%": ["Réx"],
    grosse: ["Bella", "Réx"],
    "HUNDE rex": ["Réx"],
    r: ["Rexona", "Réx"],
    RÉ: ["Rexona", "Réx"],
    ex: [],
    "re lla": ["Rexona"],
    nothing: [],
    "   ": ["Rexona", "Bella", "Réx"],
    "": ["Rexona", "Bella", "Réx"],
  };
  for (const [q, expected] of Object.entries(found))
    await t.test(`"${q}" finds ${expected.length} animals`, async () => {
      assert.deepEqual(await names(q), expected);
      const counted = await call("GET", `/listings/count?q=${encodeURIComponent(q)}`);
      assert.deepEqual(counted.json, { count: expected.length, exact: true });
    });

  await t.test("q is combined with filters and the order", async () => {
    assert.deepEqual(await names("rex", "&status=any&sort=oldest"), ["Réx", "Rexona", "Sold Rex"]);
    assert.deepEqual(await names("bella", "&species=dog"), ["Bella"]);
    assert.deepEqual(await names("grosse", "&status=sold"), ["Sold Rex"]);
    const counted = await call("GET", "/listings/count?q=rex&status=any");
    assert.deepEqual(counted.json, { count: 3, exact: true });
  });

  await t.test("finds an animal by the name of its new category, and no longer by the old one", async () => {
    const { id } = await addPet({ name: "Mover", categoryId: 4 });
    assert.deepEqual(await names("mover grosse"), []);
    for (const categoryId of [3, 4]) {
      await call("PATCH", `/pets/${id}`, { body: { categoryId } });
      assert.deepEqual(await names("mover grosse"), categoryId === 3 ? ["Mover"] : []);
    }
    await call("DELETE", `/pets/${id}`);
  });

  await t.test("finds animals by the new name of their category at once", async () => {
    await call("PUT", "/categories/3", { body: { name: "Katzen" } });
    assert.deepEqual(await names("hunde"), []);
    assert.deepEqual(await names("katze"), ["Bella", "Réx"]);
    await call("DELETE", "/categories/3");
    assert.deepEqual(await names("katze"), []);
  });
});

test("Pages of GET /listings?q=", async (t) => {
  const { call, names } = await startSearch(t);

  await t.test("the link to the next page keeps q", async () => {
    assert.deepEqual(await names('Ré "', "&limit=1"), []);
    const page = await call("GET", "/listings?q=RE%20r%C3%A9x&limit=1");
    assert.equal(page.json[0].name, "Rexona");
    const path = nextPath(page);
    assert.match(path, /q=RE%20r%C3%A9x/);
    const next = await call("GET", path);
    assert.deepEqual([next.json.length, next.json[0].name], [1, "Réx"]);
    assert.doesNotMatch(next.headers.link ?? "", /rel="next"/);
    const foreign = path.replace("q=RE%20r%C3%A9x", "q=bella");
    assertError(await call("GET", foreign), "invalid_cursor");
  });

  await t.test("a cursor knows whether the names are done", async () => {
    const first = await call("GET", "/listings?q=bella&limit=1");
    assert.deepEqual(column(first.json, "name"), ["Bella"]);
    const second = await call("GET", nextPath(first));
    assert.deepEqual(column(second.json, "name"), ["Rexona"]);
    assert.doesNotMatch(second.headers.link ?? "", /rel="next"/);
  });

  await t.test("continues after a cursor of release 1.1.0", async () => {
    const cursor = encodeCursor("listings?status=available&q=bella", 2n);
    const { json } = await call("GET", `/listings?q=bella&cursor=${cursor}`);
    assert.deepEqual(column(json, "name"), ["Rexona"]);
  });
});

test("The bounds of GET /listings?q=", async (t) => {
  const { call, names } = await startSearch(t);

  await t.test("answers a forged cursor with the lowest place", async () => {
    const cursor = encodeCursor("listings?status=available&q=%26", -(2n ** 63n));
    const { status, text } = await call("GET", `/listings?q=%26&cursor=${cursor}`);
    assert.deepEqual([status, text], [200, "[]"]);
  });

  const refused = {
    "six words": "a b c d e f",
    "a control character": "a\u0000b",
    "201 characters": "a".repeat(201),
  };
  for (const [what, q] of Object.entries(refused))
    await t.test(`rejects ${what} with 400`, async () => {
      for (const path of ["/listings", "/listings/count"])
        assertError(await call("GET", `${path}?q=${encodeURIComponent(q)}`), "invalid_parameter", /^q must /);
    });

  await t.test("accepts five words and 200 characters", async () => {
    assert.deepEqual(await names("r e x o n"), []);
    assert.deepEqual(await names("🐕".repeat(200)), []);
  });
});

test("GET /listings?q= finds words of other scripts, short words, and an animal by its id", async (t) => {
  const { call, addPet } = await startApp(t);
  const add = async (name: string, description?: string) => {
    const { id } = await addPet({ name });
    await call("PATCH", `/pets/${id}/profile`, { body: { description } });
    return id;
  };
  const list = async (q: string) =>
    column((await call("GET", `/listings?q=${encodeURIComponent(q)}`)).json, "name");
  await add("Luna 5");
  await add("花子と太郎", "黒い柴犬です");
  await add("Luna");
  const shelly = await add("Shelly", "Looked after by volunteers, 5 years");
  assert.deepEqual(await list("luna 5"), ["Luna 5"]);
  assert.deepEqual(await list("lun"), ["Luna", "Luna 5", "Shelly"]);
  for (const q of ["花子", "花", "太郎", "柴犬", "犬", "花 犬"])
    assert.deepEqual(await list(q), ["花子と太郎"], q);
  assert.deepEqual(await list(String(shelly)), ["Shelly"]);
  assert.deepEqual(await list(`lun ${shelly}`), ["Shelly"]);
  assert.deepEqual(await list("ne"), []);
});
