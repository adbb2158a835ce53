// Animals in the stores: every value is kept, the JSON of a page is exact, and a reader that pages misses none.

import assert from "node:assert/strict";
import fc from "fast-check";
import { PET_STATUSES, type Pet, petJson } from "../../src/domain/animals/pet.ts";
import { INT64_MAX, INT64_MIN } from "../../src/domain/basics/int64.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { codePoint } from "../harness/clients/code-points.ts";
import { testOnEngines } from "./engines.ts";
import { followTable } from "./follow-table.ts";

const ORIGIN = { keyId: 1n, atMs: 1_000 };
const listJson = (pets: Pet[]) => `[${pets.map(petJson).join(",")}]`;

testOnEngines("PetStore", async (t, db) => {
  const pets = createPetStore(db);
  const create = (name: string) => pets.create({ name, categoryId: 1n, status: "sold" }, ORIGIN);

  await t.test("returns every name and int64 as it was stored", async () => {
    const name = fc
      .string({ unit: codePoint, minLength: 1, maxLength: 50 })
      .filter((text) => !text.includes("\0"));
    const categoryId = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
    await fc.assert(
      fc.asyncProperty(name, categoryId, fc.constantFrom(...PET_STATUSES), async (text, category, status) => {
        const created = await pets.create({ name: text, categoryId: category, status }, ORIGIN);
        const stored = { id: created.id, name: text, categoryId: category, status };
        assert.deepEqual(await pets.find(created.id), stored);
        const { json } = await pets.list({}, { limit: 1, after: created.id - 1n });
        assert.equal(json, listJson([stored]));
      }),
    );
  });

  await t.test("writes every character as JSON like petJson", async () => {
    const codes = Array.from({ length: 0x3000 }, (_, code) => code + 1);
    const created = await create(String.fromCodePoint(...codes, 0x1f415, 0xfffd, 0xffff, 0x10ffff));
    const { json } = await pets.list({}, { limit: 1, after: created.id - 1n });
    assert.equal(json, listJson([created]));
  });

  await t.test("ends a page before a name that looks like the JSON of an animal", async () => {
    const created: Pet[] = [];
    for (const name of ["Rex", 'a,{"id":7,"name":"b', '{"id":8', "Tom"]) created.push(await create(name));
    const after = (created[0]?.id ?? 0n) - 1n;
    for (let limit = 1; limit < created.length; limit++) {
      const page = created.slice(0, limit);
      const expected = { json: listJson(page), nextAfter: page.at(-1)?.id };
      assert.deepEqual(await pets.list({}, { limit, after }), expected);
    }
  });

  await t.test("makes ids visible in ascending order: a reader that pages by id misses none", async () => {
    const createMany = async () => {
      // Ten at a time: on a busy machine, more would exceed the deadline of a transaction.
      for (let i = 0; i < 6; i++) await Promise.all(Array.from({ length: 10 }, () => create("Rex")));
    };
    await followTable(db, { table: "pets", column: "id" }, createMany());
  });
});
