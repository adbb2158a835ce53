// `sample`, and the progress bar of long commands.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createProgressBar, withProgressBar } from "../../src/cli/progress-bar.ts";
import { makeSample } from "../../src/cli/sample-pets.ts";
import { readConfig } from "../../src/config/config.ts";
import { PET_STATUSES } from "../../src/domain/animals/pet.ts";
import { addSample } from "../../src/transfer/sample.ts";
import { commandsIn } from "../harness/clients/commands.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { startNode } from "../harness/servers/node.ts";
import { testOnStores } from "./stores.ts";

interface Listing {
  photos: [{ alt: string; urls: Record<string, string> }];
}

testOnStores("sample adds animals with profiles, photos and categories", async (t, store) => {
  const { readOutput, readJson, environment, db } = store;
  await db.transaction((tx) => tx.run("INSERT INTO categories (id, name) VALUES (2, 'Own cats')"));
  assert.equal(await readOutput("sample", "3"), "Added: 3 animals, with ids from 1 to 3.\n");
  const service = await startNode(t, environment);
  assert.deepEqual(await readJson("sample", "2"), { animals: 2, firstId: 4, lastId: 5 });
  const pets = (await service.call("GET", "/pets?limit=100")).json;
  assert.deepEqual(pets[0], { id: 1, name: "Minka", categoryId: 1, status: "available" });
  const plain = ({ name, categoryId, status }: Record<string, unknown>) => ({ name, categoryId, status });
  assert.deepEqual(pets.slice(3).map(plain), pets.slice(0, 2).map(plain), "the same every time");
  const categories = (await service.call("GET", "/categories")).json;
  assert.deepEqual(categories.slice(0, 2), [
    { id: 1, name: "Cats" },
    { id: 2, name: "Own cats" },
  ]);

  const listings = (await service.call("GET", "/listings?status=any&sort=oldest")).json;
  assert.equal(listings[0].profile.species, "cat");
  const covers = listings.map(({ photos: [{ alt, urls }] }: Listing) => [alt, urls["320"]]);
  assert.equal(covers[0][0], "A ginger cat");
  assert.deepEqual(covers.slice(3), covers.slice(0, 2), "a drawing is stored once");
  const image = await fetch(covers[0][1]);
  assert.deepEqual([image.status, image.headers.get("content-type")], [200, "image/webp"]);
  const changes = (await service.call("GET", "/pets/1/history")).json;
  assert.deepEqual(
    changes.map(({ what, keyId }: { what: string; keyId?: number }) => [what, keyId]),
    [
      ["pet.created", undefined],
      ["listing.updated", undefined],
      ["listing.updated", undefined],
    ],
  );
});

test("sample animals have texts with their own names, consistent dates, and all statuses", () => {
  const { makePet, categories } = makeSample(Date.UTC(2030, 0, 31));
  const pets = Array.from({ length: 500 }, (_, index) => makePet(index));
  for (const { name, categoryId, profile } of pets) {
    assert.ok(profile.description?.includes(name), `${name}: ${profile.description}`);
    assert.ok(String(profile.bornOn) < String(profile.arrivedOn), name);
    assert.ok(String(profile.arrivedOn) < "2030-01-31", name);
    assert.ok(categories.some(({ id }) => id === categoryId));
  }
  assert.deepEqual(new Set(pets.map(({ status }) => status)), new Set(PET_STATUSES));
  const [rex, sixth] = [pets[2], pets[62]];
  // The documentation adds a dog to category 3 before it suggests to add samples.
  assert.deepEqual([rex?.categoryId, categories[2]?.name], [3n, "Dogs"]);
  assert.deepEqual([rex?.name, rex?.profile.bornOn], ["Rex", "2026-10-09"]);
  assert.equal(sixth?.photo.drawing, rex?.photo.drawing);
  assert.notDeepEqual([sixth?.name, sixth?.profile.bornOn], [rex?.name, rex?.profile.bornOn]);
});

test("a large sample is added in batches, and only its first animals get photos", async (t) => {
  const config = readConfig({ DATABASE_URL: `sqlite:${makeFolder(t)}/store.db` });
  const done: Record<string, number[]> = {};
  const made = new Set<number>();
  const { makePet, ...others } = makeSample(Date.now());
  const note = (index: number) => {
    made.add(index);
    return makePet(index);
  };
  const sample = { ...others, makePet: note, count: 3_000, pictured: 1 };
  const onProgress = (count: number, _total: number, what: string) => {
    done[what] = [...(done[what] ?? []), count];
  };
  const added = await addSample(config, sample, onProgress);
  assert.deepEqual(added, { firstId: 1n, lastId: 3_000n });
  const { animals = [], photos } = done;
  assert.ok(animals.length > 1 && animals.at(-1) === 3_000, animals.join());
  assert.deepEqual(photos, [1]);
  assert.equal(made.size, 3_000, "each batch has other animals");
});

test("sample creates a missing store, and refuses an invalid number", async (t) => {
  const { readOutput, assertRefused } = commandsIn({ DATABASE_URL: `sqlite:${makeFolder(t)}/store.db` });
  assert.equal(await readOutput("sample"), "Added: 50 animals, with ids from 1 to 50.\n");
  const says = /N must be a whole number from 1 to 1000000/;
  for (const wrong of ["0", "-1", "many", "1000001"]) await assertRefused(["sample", "--", wrong], says, 2);
});

test("the progress bar is drawn on terminals only", () => {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  const terminal = createProgressBar({ isTTY: true, write } as never);
  terminal.show(50, 100, "rows");
  terminal.show(100, 100, "rows");
  terminal.end();
  terminal.end();
  const half = `${"#".repeat(15)}${".".repeat(15)}`;
  assert.deepEqual(written, [
    `\r[${half}] 50 of 100 rows\u001b[K`,
    `\r[${"#".repeat(30)}] 100 of 100 rows\u001b[K`,
    "\n",
  ]);
  written.length = 0;
  const pipe = createProgressBar({ isTTY: false, write } as never);
  pipe.show(1, 2, "rows");
  pipe.end();
  assert.deepEqual(written, []);
});

test("the progress bar ends also when the work fails, before the error is printed", async () => {
  const written: string[] = [];
  const screen = { isTTY: true, write: (text: string) => written.push(text) > 0 } as never;
  const work = withProgressBar(async (show) => {
    show(1, 2, "rows");
    throw new Error("disk full");
  }, screen);
  await assert.rejects(work, /disk full/);
  assert.equal(written.at(-1), "\n");
});
