// The writer of files for aggregators: one moment, in the order of ids, in parts.

import assert from "node:assert/strict";
import type { AggregatorFileRequest } from "../../src/domain/animals/aggregator.ts";
import type { Profile } from "../../src/domain/animals/profile.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createAggregatorFileWriter } from "../../src/transfer/export/aggregator-writer.ts";
import { addAnimals, EXPORT_MS } from "../unit/transfer/aggregator-animals.ts";
import { testOnEngines } from "./engines.ts";

const DOG: Profile = { species: "dog", breeds: ["Mix"], sex: "male" };
/** Several pages. */
const COUNT = 180;

testOnEngines("A file for an aggregator", async (t, db) => {
  const statuses = ["available", "pending", "sold"] as const;
  await addAnimals(
    db,
    Array.from({ length: COUNT }, (_, i) => [`Pet ${i + 1}`, statuses[i % 3] as "sold", DOG]),
  );
  const pets = createPetStore(db);
  const ended = new AbortController();
  const write = createAggregatorFileWriter(db);
  const run = (changes: Partial<AggregatorFileRequest>) =>
    write({
      aggregator: "petfinder",
      shelterId: undefined,
      skip: false,
      nowMs: EXPORT_MS,
      publicUrl: "",
      signal: ended.signal,
      write: async () => {},
      ...changes,
    });

  await t.test("has all animals of one moment in the order of their ids, in parts", async () => {
    const parts: string[] = [];
    await run({
      async write(text) {
        if (parts.push(text) === 2) await pets.update(178n, { status: "sold" }, { atMs: 2 });
      },
    });
    const ids = parts
      .join("")
      .trimEnd()
      .split("\r\n")
      .slice(1)
      .map((row) => Number(row.split(",")[0]));
    const expected = Array.from({ length: COUNT }, (_, i) => i + 1).filter((id) => id % 3 !== 0);
    assert.deepEqual(ids, expected);
    assert.ok(parts.length > 3, `${parts.length} parts`);
  });

  await t.test("stops when the client leaves", async () => {
    let parts = 0;
    const left = run({
      async write() {
        parts += 1;
        if (parts === 2) ended.abort(new Error("left"));
      },
    });
    await assert.rejects(left, /left/);
    assert.equal(parts, 2);
  });
});
