// updateProfile, getListing, listListings and countListings.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { column, nextCursor, readPages } from "../harness/clients/pages.ts";
import { startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const OUR_SHELTER = { id: 1, name: "Our shelter" };
const FULL = {
  species: "dog",
  breeds: ["Labrador", "Poodle"],
  mixed: false,
  sex: "female",
  bornOn: "2024-02-29",
  bornIsEstimated: true,
  size: "extra_large",
  colors: ["black", "white"],
  coat: "curly",
  goodWith: { children: "yes", dogs: "no", cats: "unknown" },
  neutered: "yes",
  vaccinated: "no",
  houseTrained: "unknown",
  specialNeeds: "no",
  description: 'Likes "walks".\nAnd 🐕 <b>naps</b>.',
  fee: { amount: 0, currency: "EUR" },
  arrivedOn: "2026-12-24",
  videoUrl: "https://video.example:8443/watch?v=1#t=2",
  externalId: "A-1",
  tags: ["calm", "young at heart"],
  custom: { constructor: "1", kennel: "B 12", microchip: "276098106000000" },
};

async function startStore(t: TestContext) {
  const harness = await startApp(t);
  const { call, addPet } = harness;
  const patch = (id: number, body: unknown) => call("PATCH", `/pets/${id}/profile`, { body });
  async function add(pet: object = {}, profile?: object): Promise<number> {
    const { id } = await addPet(pet);
    if (profile !== undefined) {
      const { status, text } = await patch(id, profile);
      assert.equal(status, 200, text);
    }
    return id;
  }
  const listing = (id: number) => call("GET", `/listings/${id}`);
  const profileOf = async (id: number) => (await listing(id)).json.profile;
  const iso = (laterMs = 0) => new Date(harness.clock.nowMs() + laterMs).toISOString();
  return { ...harness, patch, add, listing, profileOf, iso };
}

test("PATCH /pets/{petId}/profile", async (t) => {
  const { add, patch, profileOf, listing, clock, iso } = await startStore(t);

  await t.test("stores every member and responds with the listing that GET sends", async () => {
    const id = await add({ name: "Rex" });
    clock.advance(60_000);
    // Given in another order than the one in which members are sent.
    const changed = await patch(id, Object.fromEntries(Object.entries(FULL).reverse()));
    assertCommon(changed);
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(Object.entries(changed.json.profile), Object.entries(FULL));
    const { profile, ...others } = changed.json;
    const pet = { id, name: "Rex", categoryId: 3, status: "available", ageGroup: "adult", photos: [] };
    assert.deepEqual(others, { ...pet, shelter: OUR_SHELTER, createdAt: iso(-60_000), updatedAt: iso() });
    const read = await listing(id);
    assert.deepEqual([read.text, read.headers.etag], [changed.text, changed.headers.etag]);
    await patch(id, { externalId: null });
  });

  await t.test("keeps other members, and removes a member with null", async () => {
    const id = await add({}, { species: "cat", tags: ["a"], fee: { amount: 5, currency: "USD" } });
    const fee = { amount: 7, currency: "EUR" };
    await patch(id, { tags: null, sex: "male", fee });
    assert.deepEqual(await profileOf(id), { species: "cat", sex: "male", fee });
    await patch(id, { species: null, sex: null, fee: null, mixed: null });
    assert.deepEqual(await profileOf(id), {});
  });

  await t.test("changes goodWith member by member", async () => {
    const id = await add({}, { goodWith: { children: "yes", dogs: "no" } });
    await patch(id, { goodWith: { dogs: null, cats: "unknown" } });
    assert.deepEqual(await profileOf(id), { goodWith: { children: "yes", cats: "unknown" } });
    await patch(id, { goodWith: { children: null, cats: null } });
    assert.deepEqual(await profileOf(id), {}, "an empty goodWith is removed");
    await patch(id, { goodWith: { cats: "yes" } });
    await patch(id, { goodWith: null });
    assert.deepEqual(await profileOf(id), {});
  });

  await t.test("changes custom member by member, in the order of names", async () => {
    const id = await add({}, { custom: { kennel: "B 12", toString: "x" } });
    await patch(id, { custom: { toString: null, valueOf: null, box: "7" } });
    assert.deepEqual(Object.entries((await profileOf(id)).custom), [
      ["box", "7"],
      ["kennel", "B 12"],
    ]);
    await patch(id, { custom: { kennel: null, box: null } });
    assert.deepEqual(await profileOf(id), {}, "an empty custom is removed");
    await patch(id, { custom: { a: "1" } });
    await patch(id, { custom: null });
    assert.deepEqual(await profileOf(id), {});
  });

  await t.test("keeps at most 20 members of custom, and can replace all of them at once", async () => {
    const members = (letter: string, value: string | null) =>
      Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${letter}${index}`, value]));
    const id = await add({}, { custom: members("a", "x") });
    const refused = await patch(id, { custom: { b: "x" }, species: "cat" });
    assertError(refused, "invalid_body", /^custom must have at most 20 members, and would have 21$/);
    assert.deepEqual(await profileOf(id), { custom: members("a", "x") });
    const replaced = await patch(id, { custom: { ...members("a", null), ...members("b", "y") } });
    assert.deepEqual(replaced.json.profile, { custom: members("b", "y") });
  });

  await t.test("trims short texts, and keeps the description as it is", async () => {
    const id = await add();
    const given = { breeds: [" Poodle "], colors: [" red"], tags: ["x "], externalId: " E 1 " };
    const trimmed = { breeds: ["Poodle"], colors: ["red"], tags: ["x"], externalId: "E 1" };
    await patch(id, { ...given, custom: { box: " 7 " }, description: "  a\n " });
    assert.deepEqual(await profileOf(id), { ...trimmed, custom: { box: "7" }, description: "  a\n " });
  });
});

test("A change of a profile", async (t) => {
  const { call, add, patch, profileOf, clock } = await startStore(t);

  await t.test("writes nothing when nothing changes", async () => {
    const id = await add({}, { species: "dog", goodWith: { cats: "no" } });
    const before = await call("GET", `/listings/${id}`);
    clock.advance(1_000);
    const same = await patch(id, { goodWith: { cats: "no", dogs: null }, sex: null });
    assert.equal(same.text, before.text);
    const history = await call("GET", `/pets/${id}/history`);
    assert.deepEqual(column(history.json, "what"), ["pet.created", "listing.updated"]);
  });

  await t.test("the change is in the history of the animal, with the profile before and after", async () => {
    const custom = { kennel: "B 12" };
    const id = await add({ categoryId: 9 }, { species: "dog", custom });
    await patch(id, { species: "cat" });
    const { json } = await call("GET", `/pets/${id}/history`);
    const state = { status: "available", name: "Rex", categoryId: 9 };
    const profiles = [{}, { species: "dog", custom }, { species: "cat", custom }];
    const states = profiles.map((profile) => ({ ...state, profile }));
    assert.deepEqual(column(json.slice(1), "what"), ["listing.updated", "listing.updated"]);
    assert.deepEqual(column(json.slice(1), "from"), states.slice(0, 2));
    assert.deepEqual(column(json.slice(1), "to"), states.slice(1));
  });

  await t.test("the change is an event with the complete listing", async () => {
    await call("PUT", "/categories/77", { body: { name: "Hounds" } });
    const id = await add({ categoryId: 77 });
    const changed = await patch(id, { bornOn: "2026-12-31", description: "x", custom: { box: "7" } });
    const later = await patch(id, { description: null });
    const { json } = await call("GET", `/events?type=listing.*&petId=${id}`);
    assert.deepEqual(column(json, "type"), ["listing.updated", "listing.updated"]);
    assert.deepEqual(column(json, "data"), [{ listing: changed.json }, { listing: later.json }]);
    assert.deepEqual([changed.json.categoryName, changed.json.ageGroup], ["Hounds", "baby"]);
  });

  await t.test("keeps identifiers exact in the event", async () => {
    const pet = await call("POST", "/pets", { body: '{"name": "Rex", "categoryId": 9007199254740993}' });
    await patch(pet.json.id, { mixed: true });
    const { text } = await call("GET", `/events?type=listing.updated&petId=${pet.json.id}`);
    assert.match(text, /"categoryId":9007199254740993,/);
  });

  await t.test("rejects the externalId of another animal with 409, and accepts it once free", async () => {
    const [one, two] = [await add({}, { externalId: "taken" }), await add()];
    assertError(await patch(two, { externalId: " taken ", sex: "male" }), "external_id_taken");
    assert.deepEqual(await profileOf(two), {}, "nothing was changed");
    assert.equal((await patch(one, { externalId: "taken", sex: "male" })).status, 200, "its own");
    await patch(one, { externalId: null });
    assert.equal((await patch(two, { externalId: "taken" })).status, 200);
    await call("DELETE", `/pets/${two}`);
    assert.equal((await patch(one, { externalId: "taken" })).status, 200, "its animal was deleted");
  });

  await t.test("gives an externalId to one of many concurrent callers", async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => add()));
    const answers = await Promise.all(ids.map((id) => patch(id, { externalId: "race" })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(409)]);
  });

  await t.test("takes the longest description, and unknown members are ignored", async () => {
    const id = await add();
    const description = "🐕".repeat(10_000);
    assert.equal((await patch(id, { description, colour: "red" })).status, 200);
    assert.deepEqual(await profileOf(id), { description });
  });

  await t.test("takes a body of 64 KiB, and rejects a larger one with 413", async () => {
    const id = await add();
    const padded = (bytes: number) => `${'{"mixed":true}'.padEnd(bytes)}`;
    assert.equal((await patch(id, padded(65_536))).status, 200);
    for (const headers of [{}, { "transfer-encoding": "chunked" }]) {
      const rejected = await call("PATCH", `/pets/${id}/profile`, { body: padded(65_537), headers });
      assertError(rejected, "body_too_large");
      assert.equal(rejected.headers.connection, "close");
    }
  });

  for (const id of ["999999", "0", "abc"])
    await t.test(`responds to the unknown animal ${id} with 404`, async () => {
      assertError(await call("PATCH", `/pets/${id}/profile`, { body: { sex: "male" } }), "pet_not_found");
      assertError(await call("GET", `/listings/${id}`), "pet_not_found");
    });

  await t.test("the profile is deleted with its animal", async () => {
    const id = await add({}, FULL);
    await call("DELETE", `/pets/${id}`);
    assertError(await call("GET", `/listings/${id}`), "pet_not_found");
  });
});

test("PATCH /pets/{petId}/profile rejects an invalid body with 400", async (t) => {
  const { add, patch } = await startStore(t);
  const rejected: Record<string, [unknown, RegExp]> = {
    "no member": [{}, /^at least one of species, breeds, /],
    "an unknown species": [
      { species: "dragon" },
      /^species must be one of dog, [^;]*, or null to remove it$/,
    ],
    "too many breeds": [
      { breeds: ["a", "b", "c"] },
      /^breeds must be a list of at most 2, each item 1 to 100 [^;]*, or null to remove it$/,
    ],
    "an empty breed": [{ breeds: [" "] }, /^breeds must be/],
    "text for a boolean": [{ mixed: "true" }, /^mixed must be true or false, or null to remove it$/],
    "a day that does not exist": [
      { bornOn: "2025-02-29" },
      /^bornOn must be a date, such as 2030-01-31, or null to remove it$/,
    ],
    "a time for a day": [{ arrivedOn: "2025-02-28T00:00:00Z" }, /^arrivedOn must be a date/],
    "an unknown answer": [
      { neutered: true },
      /^neutered must be one of yes, no, unknown, or null to remove it$/,
    ],
    "an unknown answer for companions": [
      { goodWith: { dogs: "maybe" } },
      /^goodWith must be an object with children, dogs, cats \(one of yes, no, unknown, or null to remove it\), or null to remove it$/,
    ],
    "a list for companions": [{ goodWith: [] }, /^goodWith must be an object/],
    "a control character": [{ description: "a\tb" }, /^description must be text of at most 10000 characters/],
    "a description that is too long": [{ description: "x".repeat(10_001) }, /^description must be/],
    "a fee without currency": [
      { fee: { amount: 1 } },
      /^fee must be an object with amount \(an integer from 0 to \d+\) and currency \(a currency code [^;]*\), or null to remove it$/,
    ],
    "a negative fee": [{ fee: { amount: -1, currency: "EUR" } }, /^fee must be/],
    "a fraction of a minor unit": [{ fee: { amount: 1.5, currency: "EUR" } }, /^fee must be/],
    "a currency that is no code": [{ fee: { amount: 1, currency: "eur" } }, /ISO 4217/],
    "a video without https": [{ videoUrl: "http://video.example/1" }, /^videoUrl must be an https address/],
    "a video with quotes": [{ videoUrl: 'https://video.example/"' }, /^videoUrl must be/],
    "a video with a password": [{ videoUrl: "https://a:b@video.example/" }, /^videoUrl must be/],
    "an externalId of 65 characters": [{ externalId: "x".repeat(65) }, /^externalId must be 1 to 64/],
    "too many tags": [{ tags: Array(11).fill("x") }, /^tags must be a list of at most 10/],
    "a custom name with a capital first": [
      { custom: { Kennel: "1" } },
      /^custom must be an object with names \(a small letter and up to 39 ASCII letters and digits\) and values \(1 to 500 characters [^;]*, or null to remove it\), or null to remove it$/,
    ],
    "a custom name of 41 characters": [{ custom: { ["a".repeat(41)]: "1" } }, /^custom must be an object/],
    "a custom name with a line feed at its end": [{ custom: { "a\n": "1" } }, /^custom must be/],
    "a custom number": [{ custom: { a: 1 } }, /^custom must be/],
    "an empty custom value": [{ custom: { a: " " } }, /^custom must be/],
    "a custom value of 501 characters": [{ custom: { a: "x".repeat(501) } }, /^custom must be/],
    "a list for custom": [{ custom: ["a"] }, /^custom must be/],
    "several errors": [{ species: 1, sex: "x" }, /^species must .*; sex must /],
  };
  for (const [what, [body, message]] of Object.entries(rejected))
    await t.test(`rejects ${what} with 400`, async () => {
      assertError(await patch(await add(), body), "invalid_body", message);
    });
});

test("GET /listings/{petId}", async (t) => {
  const { call, add, patch, listing, clock, iso } = await startStore(t);

  await t.test("a listing has the name of its category while there is one", async () => {
    const id = await add({ categoryId: 5 });
    const nameOf = async () => (await listing(id)).json.categoryName;
    assert.equal(await nameOf(), undefined);
    await call("PUT", "/categories/5", { body: { name: 'Big "Dogs"' } });
    assert.equal(await nameOf(), 'Big "Dogs"');
    assert.equal((await call("GET", `/listings?ids=${id}`)).json[0].categoryName, 'Big "Dogs"');
    await call("DELETE", "/categories/5");
    assert.equal(await nameOf(), undefined);
  });

  await t.test("shows the animal in any status, and the time of its last change", async () => {
    const id = await add();
    const createdAt = iso();
    clock.advance(5);
    await call("PATCH", `/pets/${id}`, { body: { status: "sold" } });
    const pet = { id, name: "Rex", categoryId: 3, status: "sold", profile: {}, photos: [] };
    assert.deepEqual((await listing(id)).json, { ...pet, shelter: OUR_SHELTER, createdAt, updatedAt: iso() });
    clock.advance(5);
    await call("PATCH", `/pets/${id}`, { body: { status: "available" } });
    clock.advance(5);
    await call("POST", "/store/orders", { body: { petId: id } });
    const { status, updatedAt } = (await listing(id)).json;
    assert.deepEqual([status, updatedAt], ["pending", iso()]);
  });

  await t.test("responds with 304 to the current ETag", async () => {
    const id = await add({}, { species: "dog" });
    const { etag = "" } = (await listing(id)).headers;
    const again = () => call("GET", `/listings/${id}`, { headers: { "if-none-match": etag } });
    assert.equal((await again()).status, 304);
    await patch(id, { species: "cat" });
    assert.equal((await again()).status, 200);
  });

  await t.test("derives the age group from the day, without any change", async () => {
    const id = await add({}, { bornOn: "2026-08-31" });
    const groups: Record<string, string> = {
      "2027-02-27T23:59:59.999Z": "baby",
      // There is no 31 February: six months end with that month.
      "2027-02-28T00:00:00.000Z": "baby",
      "2027-03-01T00:00:00.000Z": "young",
      "2028-08-30T23:59:59.999Z": "young",
      "2028-08-31T00:00:00.000Z": "adult",
      "2035-08-30T23:59:59.999Z": "adult",
      "2035-08-31T00:00:00.000Z": "senior",
    };
    for (const [time, group] of Object.entries(groups)) {
      clock.set(Date.parse(time));
      assert.equal((await listing(id)).json.ageGroup, group, time);
      const listed = await call("GET", `/listings?ids=${id}&ageGroup=${group}`);
      assert.deepEqual(column(listed.json, "ageGroup"), [group], time);
    }
  });
});

/** Six animals, of which two are not available. */
async function startListed(t: TestContext) {
  const store = await startStore(t);
  const { add, clock, iso } = store;
  await add({ name: "plain" });
  const young = { species: "dog", sex: "male", size: "small", bornOn: "2026-11-01" };
  await add({ name: "dog", categoryId: 1 }, young);
  const goodWith = { children: "yes", cats: "yes", dogs: "no" };
  await add(
    { name: "old dog", categoryId: 1 },
    { species: "dog", sex: "female", bornOn: "2010-01-01", goodWith },
  );
  clock.advance(1_000);
  const since = iso();
  await add({ name: "cat", categoryId: 2 }, { species: "cat", size: "small", goodWith: { children: "yes" } });
  await add({ name: "pending dog", status: "pending" }, { species: "dog", sex: "male" });
  await add({ name: "sold cat", status: "sold", categoryId: 2 }, { species: "cat", bornOn: "2025-06-01" });
  return { ...store, since };
}

test("GET /listings filters and sorts, in pages, and counts", async (t) => {
  const { call, since } = await startListed(t);
  const all = ["plain", "dog", "old dog", "cat", "pending dog", "sold cat"];

  const lists: Record<string, string[]> = {
    "": ["cat", "old dog", "dog", "plain"],
    "sort=newest": ["cat", "old dog", "dog", "plain"],
    "sort=oldest": ["plain", "dog", "old dog", "cat"],
    "status=available": ["cat", "old dog", "dog", "plain"],
    "status=pending": ["pending dog"],
    "status=any": ["sold cat", "pending dog", "cat", "old dog", "dog", "plain"],
    "status=sold,pending": ["sold cat", "pending dog"],
    "status=sold,pending,sold&sort=oldest": ["pending dog", "sold cat"],
    "status=available,pending,sold&sort=oldest": all,
    "categoryId=1": ["old dog", "dog"],
    "categoryId=2&status=any": ["sold cat", "cat"],
    "species=dog": ["old dog", "dog"],
    "species=dog&status=any&sort=oldest": ["dog", "old dog", "pending dog"],
    "species=horse&status=any": [],
    "sex=male&status=any": ["pending dog", "dog"],
    "sex=unknown": [],
    "size=small": ["cat", "dog"],
    "ageGroup=baby": ["dog"],
    "ageGroup=young&status=any": ["sold cat"],
    "ageGroup=adult&status=any": [],
    "ageGroup=senior": ["old dog"],
    "goodWith=children": ["cat", "old dog"],
    "goodWith=cats,children": ["old dog"],
    "goodWith=dogs": [],
    "ids=1,3,2,1,99,-5&sort=oldest": ["plain", "dog", "old dog"],
    "ids=1,6": ["plain"],
    "ids=1,6&status=any": ["sold cat", "plain"],
    [`updatedSince=${since}`]: ["cat"],
    [`updatedSince=${since}&status=any`]: ["sold cat", "pending dog", "cat"],
    "updatedSince=2000-01-01T00:00:00%2B01:00": ["cat", "old dog", "dog", "plain"],
    "species=dog&sex=female&ageGroup=senior&goodWith=cats&categoryId=1&ids=3": ["old dog"],
    "species=dog&size=large": [],
    "unknown=1": ["cat", "old dog", "dog", "plain"],
  };
  for (const [query, expected] of Object.entries(lists))
    await t.test(`?${query} lists and counts ${expected.join(", ") || "nothing"}`, async () => {
      const { json } = await call("GET", `/listings?${query}`);
      assert.deepEqual(column(json, "name"), expected);
      const pages = await readPages((path) => call("GET", path), `/listings?${query}&limit=1`);
      assert.deepEqual(
        pages.flatMap((page) => column(page.json, "name")),
        expected,
      );
      const counted = await call("GET", `/listings/count?${query}`);
      assertCommon(counted);
      assert.deepEqual([counted.status, counted.text], [200, `{"count":${expected.length},"exact":true}`]);
    });
});

test("GET /listings and GET /listings/count", async (t) => {
  const { call, patch, clock, iso } = await startListed(t);

  await t.test("counts age groups by the day of the request", async () => {
    const babies = async () => (await call("GET", "/listings/count?ageGroup=baby")).json.count;
    assert.equal(await babies(), 1);
    const startMs = clock.nowMs();
    clock.set(Date.parse("2027-05-02T00:00:00Z"));
    assert.equal(await babies(), 0);
    clock.set(startMs);
  });

  await t.test("counts without the parameters of a page", async () => {
    const { json } = await call("GET", "/listings/count?limit=1&cursor=x&sort=name&species=dog");
    assert.deepEqual(json, { count: 2, exact: true });
  });

  await t.test("the list has the same listings as GET of one", async () => {
    const { json, text } = await call("GET", "/listings?status=any");
    const single = await Promise.all(
      json.map(async ({ id }: { id: number }) => (await call("GET", `/listings/${id}`)).text),
    );
    assert.equal(text, `[${single.join(",")}]`);
  });

  await t.test("links to the next page with all parameters in one form", async () => {
    const query = "limit=1&updatedSince=2026-01-01T00:00:00Z&ids=4,2,3&goodWith=children&sort=newest";
    const { headers } = await call("GET", `/listings?${query}`);
    const address =
      "status=available&goodWith=children&ids=4,2,3&updatedSince=2026-01-01T00:00:00.000Z&limit=1";
    assert.ok(headers.link?.includes(`/v1/listings?${address}>; rel="first"`));
  });

  await t.test("rejects a cursor of another filter or order with 400", async () => {
    const cursor = nextCursor(await call("GET", "/listings?limit=1"));
    const get = (query: string) => call("GET", `/listings?limit=1&cursor=${cursor}&${query}`);
    assert.deepEqual(column((await get("status=available&sort=newest")).json, "name"), ["old dog"]);
    for (const other of ["sort=oldest", "species=dog", "status=any"])
      assertError(await get(other), "invalid_cursor");
    assertError(await call("GET", `/pets?limit=1&cursor=${cursor}`), "invalid_cursor");
  });

  await t.test("updatedSince finds changes of an animal and of its profile", async () => {
    clock.advance(1_000);
    const changedSince = iso();
    await patch(2, { mixed: true });
    await call("PATCH", "/pets/3", { body: { name: "older dog" } });
    const { json } = await call("GET", `/listings?updatedSince=${changedSince}`);
    assert.deepEqual(column(json, "id"), [3, 2]);
  });

  await t.test("responds with 304 until a listing changes", async () => {
    const { headers } = await call("GET", "/listings");
    const again = () => call("GET", "/listings", { headers: { "if-none-match": headers.etag ?? "" } });
    assert.equal((await again()).status, 304);
    await patch(1, { tags: ["x"] });
    assert.equal((await again()).status, 200);
  });
});

test("GET /listings rejects invalid parameters with 400", async (t) => {
  const { call } = await startApp(t);
  const rejected: Record<string, RegExp> = {
    "status=Sold": /^status must be any, or a list, separated by commas, of available, pending, sold$/,
    "status=": /^status must be/,
    "status=any,sold": /^status must be/,
    "status=sold,": /^status must be/,
    "species=dog,cat": /^species must be one of dog/,
    "sex=m": /^sex must be one of male, female, unknown$/,
    "ageGroup=old": /^ageGroup must be one of baby, young, adult, senior$/,
    "goodWith=horses": /^goodWith must be a list, separated by commas, of children, dogs, cats$/,
    "ids=1,,2": /^ids must be a list/,
    "ids=9223372036854775808": /^ids must be a list of int64/,
    [`ids=${Array(101).fill("1").join(",")}`]: /^ids must be .* at most 100 identifiers$/,
    "updatedSince=yesterday": /^updatedSince must be an RFC 3339 time/,
    "sort=name": /^sort must be one of newest, oldest$/,
    "sex=male&sex=female": /^sex may be given only once$/,
    "size=big": /^size must /,
    "limit=0&size=big": /^limit must .*; size must /,
  };
  for (const [query, message] of Object.entries(rejected))
    await t.test(`rejects ?${query.slice(0, 40)} with 400, in a count too`, async () => {
      assertError(await call("GET", `/listings?${query}`), "invalid_parameter", message);
      const counted = await call("GET", `/listings/count?${query}`);
      // A count has no order and no pages.
      const [ignored] = /^(sort|limit)/.exec(query) ?? [];
      if (ignored === undefined) assertError(counted, "invalid_parameter", message);
      if (ignored === "sort") assert.equal(counted.status, 200);
    });
});
