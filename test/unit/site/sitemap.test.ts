// The sitemap: one file, or an index of files beyond the number of addresses that one may have.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { PublicAnimal } from "../../../src/domain/site/site.ts";
import { readPart, renderSitemap } from "../../../src/site/sitemap.ts";

const publicUrl = "https://a.example";

function storeOf(animals: number) {
  const all: PublicAnimal[] = Array.from({ length: animals }, (_, index) => ({
    id: BigInt(2 * index + 1),
    updatedAtMs: 0,
  }));
  return {
    listAnimals: async ({ limit, after = 0n }: { limit: number; after?: bigint | undefined }) =>
      all.filter(({ id }) => id > after).slice(0, limit),
    listShelters: async () => [{ id: 1n, name: "One" }],
  };
}

const locationsOf = (xml: string) =>
  [...xml.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, location = ""]) => location);

test("as many addresses as a file may have are one file; one more makes an index", async () => {
  const options = { publicUrl, addressesMax: 5 };
  const full = await renderSitemap({ ...options, store: storeOf(3) });
  assert.match(full, /<urlset /);
  assert.equal(locationsOf(full).length, 5);

  const store = storeOf(11);
  const index = await renderSitemap({ ...options, store });
  assert.match(index, /<sitemapindex /);
  const files = locationsOf(index);
  const parts = files.map((address) => readPart(new URL(address).searchParams));
  assert.deepEqual(parts, ["shelters", 0n, 9n, 19n]);
  const listed = await Promise.all(
    parts.map(async (part) => locationsOf(await renderSitemap({ ...options, store, part }))),
  );
  assert.ok(listed.every((file) => file.length > 0 && file.length <= 5));
  const expected = [
    "/animals",
    "/shelters/1",
    ...Array.from({ length: 11 }, (_, index) => `/animals/${2 * index + 1}`),
  ];
  assert.deepEqual(
    listed.flat(),
    expected.map((path) => publicUrl + path),
  );
});

test("a number of animals that fills the last file has no empty file after it", async () => {
  const index = await renderSitemap({ publicUrl, addressesMax: 5, store: storeOf(10) });
  assert.equal(locationsOf(index).length, 3);
});

test("more shelters than a file may have make an index too", async () => {
  const listShelters = async () =>
    Array.from({ length: 6 }, (_, index) => ({ id: BigInt(index), name: "One" }));
  const index = await renderSitemap({ publicUrl, addressesMax: 5, store: { ...storeOf(2), listShelters } });
  assert.match(index, /<sitemapindex /);
  assert.equal(locationsOf(index).length, 2);
});

test("a public address is escaped", async () => {
  const store = storeOf(1);
  for (const part of [undefined, 0n])
    assert.match(
      await renderSitemap({ publicUrl: "https://a.example/a&b", store, part }),
      /<loc>https:\/\/a\.example\/a&amp;b\/animals\/1<\/loc>/,
    );
});

test("a part that does not exist is ignored", () => {
  for (const query of ["", "part=", "part=x", "other=1"])
    assert.equal(readPart(new URLSearchParams(query)), undefined);
});
