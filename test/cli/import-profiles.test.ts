// `import` with profiles: every member is a column, and a known externalId changes its animal.

import assert from "node:assert/strict";
import { createCategoryStore } from "../../src/storage/stores/animals/categories.ts";
import { createListingStore } from "../../src/storage/stores/animals/listings.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createOrderStore } from "../../src/storage/stores/orders/orders.ts";
import { type TestStore, testOnStores, writeNext } from "./stores.ts";

/** The result of an import, which must succeed. */
async function importText(store: TestStore, text: string, ...flags: string[]) {
  const { code, stdout, stderr } = await store.command("import", writeNext(store, text), "--json", ...flags);
  assert.equal(code, 0, stdout + stderr);
  const { added, updated, unchanged } = JSON.parse(stdout);
  return { added, updated, unchanged };
}

async function problemsOf(store: TestStore, text: string): Promise<string[]> {
  const { stdout } = await store.command("import", writeNext(store, text), "--json");
  const { problems } = JSON.parse(stdout);
  return problems.map(({ line, message }: { line: number; message: string }) => `${line} ${message}`);
}

const REX_AND_MIA = [
  'name,categoryName,externalId,species,tags,goodWith.cats,goodWith.children,size\nRex,Dogs,A-1,dog,"calm; shy",yes,no,large\n',
  '{"name":"Mia","categoryId":4,"profile":{"externalId":" A-2 ","species":"cat","mixed":true}}\n',
];
const REX_PROFILE = {
  species: "dog",
  size: "large",
  goodWith: { children: "no", cats: "yes" },
  externalId: "A-1",
  tags: ["calm", "shy"],
};

/** A store with the animals, and access to its animals and changes. */
async function importRexAndMia(store: TestStore) {
  const { db } = store;
  const listings = createListingStore(db);
  const findId = async (externalId: string) => {
    const row = await db.first("SELECT id FROM pets WHERE external_id = $1", [externalId]);
    return (row?.id ?? assert.fail(`no ${externalId}`)) as bigint;
  };
  const find = async (externalId: string) => {
    const listing = await listings.find(await findId(externalId));
    const { name, categoryId, status, profile } = listing ?? assert.fail();
    return { name, categoryId, status, profile };
  };
  const newest = async () => Number((await db.first("SELECT max(number) AS n FROM history"))?.n ?? 0);
  const changesAfter = async (number: number) =>
    (await db.all("SELECT what, pet_id FROM history WHERE number > $1 ORDER BY number", [number])).map(
      ({ what, pet_id }) => `${what} ${pet_id}`,
    );
  await createCategoryStore(db).put({ id: 3n, name: "Dogs" }, { atMs: 1 });
  for (const text of REX_AND_MIA)
    assert.deepEqual(await importText(store, text), { added: 1, updated: 0, unchanged: 0 });
  return { listings, pets: createPetStore(db), findId, find, newest, changesAfter };
}

testOnStores("The command imports profiles", async (t, store) => {
  const { find } = await importRexAndMia(store);

  await t.test("An animal of a CSV or NDJSON file is added with its profile", async () => {
    assert.deepEqual(await find("A-1"), {
      name: "Rex",
      categoryId: 3n,
      status: "available",
      profile: REX_PROFILE,
    });
    assert.deepEqual((await find("A-2")).profile, { species: "cat", mixed: true, externalId: "A-2" });
  });

  await t.test("The option --map assigns other headings", async () => {
    await importText(store, "Code,Good\nA-2,no\n", "--map", "externalId=Code,goodWith.children=Good");
    assert.deepEqual((await find("A-2")).profile.goodWith, { children: "no" });
    await importText(store, '{"Code":"A-2","good":"yes"}\n', "--map", "externalId=Code,goodWith.dogs=Good");
    assert.deepEqual((await find("A-2")).profile.goodWith, { children: "no", dogs: "yes" });
  });
});

testOnStores("The command changes animals with a known externalId", async (t, store) => {
  const { listings, pets, findId, find, newest, changesAfter } = await importRexAndMia(store);

  await t.test("Only the columns of the file change, and an empty cell changes nothing", async () => {
    const before = await newest();
    const csv = "externalId,size,goodWith.dogs,goodWith.children,tags\nA-1,,no,,\n";
    assert.deepEqual(await importText(store, csv), { added: 0, updated: 1, unchanged: 0 });
    assert.deepEqual(await find("A-1"), {
      name: "Rex",
      categoryId: 3n,
      status: "available",
      profile: { ...REX_PROFILE, goodWith: { children: "no", dogs: "no", cats: "yes" } },
    });
    assert.deepEqual(await changesAfter(before), [`listing.updated ${await findId("A-1")}`]);
  });

  await t.test(
    "Name, category and status change with their events, and an empty status is kept",
    async () => {
      const before = await newest();
      const csv = "name,categoryId,status,externalId,sex\nRex II,4,sold,A-1,male\nMia,4,,A-2,\n";
      assert.deepEqual(await importText(store, csv), { added: 0, updated: 1, unchanged: 1 });
      const { profile, ...pet } = await find("A-1");
      assert.deepEqual(pet, { name: "Rex II", categoryId: 4n, status: "sold" });
      assert.equal(profile.sex, "male");
      const id = await findId("A-1");
      assert.deepEqual(await changesAfter(before), [`pet.updated ${id}`, `listing.updated ${id}`]);
      const [updated, listed] = (await pets.history(id, { limit: 10 })).slice(-2);
      assert.deepEqual(updated?.from, { name: "Rex", categoryId: 3n, status: "available" });
      const { sex: _, ...profileBefore } = profile;
      assert.deepEqual(listed?.from, { ...pet, profile: profileBefore });
      assert.deepEqual(listed?.to?.profile, profile);
      const counted = await store.db.first("SELECT pets FROM inventory WHERE status = 'sold'");
      assert.equal(counted?.pets, 1n);
    },
  );

  await t.test("The search finds the new texts, and not the old ones", async () => {
    const search = async (...words: string[]) => {
      const view = { sort: "oldest", nowMs: 0, publicUrl: "" } as const;
      return JSON.parse((await listings.list({ words }, { limit: 9 }, view)).json).map(
        ({ name }: { name: string }) => name,
      );
    };
    await importText(store, "name,externalId,description\nBello,A-1,Naïve\n");
    assert.deepEqual([await search("bello", "naive"), await search("rex")], [["Bello"], []]);
    await importText(store, "externalId,name,categoryId,tags\nnew,Ida,1,Früh\n");
    assert.deepEqual(await search("fruh"), ["Ida"]);
  });

  await t.test("NDJSON merges a profile like updateProfile", async () => {
    await importText(store, '{"profile":{"externalId":"A-2","mixed":null,"coat":"long"}}\n');
    assert.deepEqual((await find("A-2")).profile, { species: "cat", coat: "long", externalId: "A-2" });
  });
});

testOnStores("The command reports an import with profiles", async (t, store) => {
  const { listings, pets, findId, newest, changesAfter } = await importRexAndMia(store);

  await t.test("The option --dry-run shows how many animals would be added and changed", async () => {
    const csv = "name,categoryId,externalId,species\nRex II,4,A-1,dog\nMia,4,A-2,cat\nTom,1,A-3,\nIda,1,,\n";
    const before = await newest();
    const counts = { added: 2, updated: 1, unchanged: 1 };
    assert.deepEqual(await importText(store, csv, "--dry-run"), counts);
    const { stdout } = await store.command("import", writeNext(store, csv), "--dry-run");
    assert.match(
      stdout,
      /Nothing was written\. An import of the good rows: 2 animals added, 1 changed, 1 unchanged\.\n/,
    );
    assert.equal(await newest(), before);
  });

  await t.test("Rows that the store does not allow are listed with their lines", async () => {
    await importText(store, "externalId,status\nA-1,sold\n");
    const { id } = await pets.create({ name: "Max", categoryId: 1n, status: "available" }, { atMs: 1 });
    await listings.updateProfile(id, { externalId: "held" }, { atMs: 1 });
    await createOrderStore(store.db, { holdMs: 1_000 }).create({ petId: id }, { atMs: 1, keyId: 1n });
    const csv =
      "name,categoryId,status,externalId\nRex,1,pending,A-1\nMax,1,sold,held\nTom,,,unknown\nTom,1,,twice\nTom,1,,twice\n";
    assert.deepEqual(await problemsOf(store, csv), [
      "2 The animal is sold and cannot become pending: it can become only available",
      "3 The animal has an open order: deliver or cancel order 1 first",
      "4 a category is required: give a column categoryId or categoryName, or set categoryId (--category)",
      '6 externalId "twice" is also on line 5',
    ]);
    const before = await newest();
    const { added } = await importText(store, csv, "--skip-bad");
    assert.equal(added, 1);
    assert.equal((await changesAfter(before)).length, 2);
  });

  await t.test("An interrupted import is continued without a second change", async () => {
    const rows = Array.from({ length: 2 }, (_, i) => `Pet ${i},1,C-${i},short`);
    const csv = `name,categoryId,externalId,coat\nMia,4,A-2,wire\n${rows.join("\n")}\nRex,3,A-1,wire\n`;
    const file = writeNext(store, csv);
    await store.command("import", file);
    // As if it was killed after the first row, and the others were not yet written.
    await listings.updateProfile(await findId("A-1"), { coat: null }, { atMs: 1 });
    await store.db.transaction(async (tx) => {
      await tx.run(
        "UPDATE imports SET rows_done = 1, pets = 0, updated = 1, finished_at_ms = NULL, imported = NULL WHERE last_id = (SELECT max(id) FROM pets)",
      );
      await tx.run("DELETE FROM pets WHERE external_id IN ('C-0', 'C-1')");
    });
    const before = await newest();
    const result = JSON.parse((await store.command("import", file, "--json")).stdout);
    assert.deepEqual([result.added, result.updated, result.unchanged], [2, 1, 1]);
    assert.deepEqual(
      (await changesAfter(before)).map((each) => each.split(" ")[0]),
      ["pet.created", "listing.updated", "pet.created", "listing.updated", "listing.updated"],
    );
  });

  await t.test("The audit log has the number of changed animals", async () => {
    await importText(store, "externalId,coat\nA-2,curly\n");
    const row = await store.db.first("SELECT state_after FROM audit ORDER BY number DESC LIMIT 1");
    assert.deepEqual(JSON.parse(String(row?.state_after)), { pets: 0, updated: 1 });
  });
});
