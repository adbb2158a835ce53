// Lists, searches and counts on every engine, compared with a plain filter over the same animals. SEARCH_QUERIES sets how often.

import assert from "node:assert/strict";
import fc from "fast-check";
import type { ListingFilter } from "../../../src/domain/animals/listing.ts";
import { PET_STATUSES, type Pet } from "../../../src/domain/animals/pet.ts";
import {
  AGE_GROUPS,
  ageGroupOf,
  COMPANIONS,
  companionsOf,
  type Profile,
  SEXES,
  SIZES,
  SPECIES,
} from "../../../src/domain/animals/profile.ts";
import { normaliseText, readWords } from "../../../src/domain/animals/search-text.ts";
import { createSearch, type Search } from "../../../src/storage/search/search.ts";
import { createCategoryStore } from "../../../src/storage/stores/animals/categories.ts";
import { createListingCount } from "../../../src/storage/stores/animals/listing-count.ts";
import { createListingPages } from "../../../src/storage/stores/animals/listing-pages.ts";
import { createListingStore } from "../../../src/storage/stores/animals/listings.ts";
import { createPetStore } from "../../../src/storage/stores/animals/pets.ts";
import { testOnEngines } from "../../contract/engines.ts";

const SEED = 20_261_116;
const PETS = 400;
const QUERIES = Number(process.env.SEARCH_QUERIES ?? 30);
const NOW_MS = Date.UTC(2027, 0, 1, 12);
const ORIGIN = { keyId: 1n, atMs: NOW_MS };

/** Every script of the promise, accents in both forms, short words, digits, and what SQL, patterns and FTS5 treat specially. */
const WORDS = String.raw`
  Rex Rexi Luna Lu L. R2 back\slash under_score per%cent Bella friendly FRIENDLY Ångström Straße STRASSE İnci
  Собака ёжик ЕЖИК белый σκύλος ΣΚΥΛΟΣ γάτα قِطَّة قطة كلب כֶּלֶב כלב แมวดำ หมา बिल्ली कुत्ता
  猫 子猫 柴犬太郎 花子 花子さん 黑猫 ねこ ネコ コーギー ﾈｺ 강아지 강 고양이 猫a 🐕 🐕‍🦺 👩🏽 &
  100% 50_50 a\b c:\d O'Neil "quoted" AND OR NOT NEAR * ^x a-b (x) {y} text:dog % _ \ ' " %%% ___ ''
  qq xbx QQr YBY 1 5 42 317 007`
  .trim()
  .split(/\s+/)
  .concat("A\u030angstrom");
const NAMES = ["Hunde", "Katzen & Co", "猫と犬", "Собаки", "100%", "Friends_of_Rex"];

const word = fc.constantFrom(...WORDS);
const words = (max: number) => fc.array(word, { minLength: 1, maxLength: max }).map((some) => some.join(" "));
const profile: fc.Arbitrary<Profile> = fc.record(
  {
    species: fc.constantFrom(...SPECIES.slice(0, 3)),
    sex: fc.constantFrom(...SEXES),
    size: fc.constantFrom(...SIZES),
    bornOn: fc.constantFrom("2026-12-01", "2026-07-01", "2025-01-01", "2018-01-01", "2010-01-01"),
    goodWith: fc.record(
      {
        children: fc.constantFrom("yes", "no"),
        dogs: fc.constantFrom("yes", "unknown"),
        cats: fc.constant("yes"),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    breeds: fc.array(words(2), { maxLength: 2 }),
    tags: fc.array(word, { maxLength: 3 }),
    description: words(6),
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<Profile>;

interface Sample {
  pet: Omit<Pet, "id">;
  profile: Profile | undefined;
}
const sample: fc.Arbitrary<Sample> = fc.record({
  pet: fc.record({
    name: words(2),
    categoryId: fc.bigInt({ min: -2n, max: BigInt(NAMES.length) }),
    // Few are sold, so that a filter can be rare.
    status: fc.constantFrom("available", "available", "available", "pending", ...PET_STATUSES),
  }),
  profile: fc.option(profile, { nil: undefined }),
});

/** A part of a word, in another form. */
const fragment = fc
  .tuple(word, fc.nat(8), fc.integer({ min: 1, max: 8 }), fc.boolean())
  .map(([text, from, length, isUpper]) => {
    const part = [...text]
      .slice(from % [...text].length)
      .slice(0, length)
      .join("");
    return isUpper ? part.toUpperCase() : part;
  });
const seldom = <T>(values: readonly T[], weight = 1) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(undefined) },
    { weight, arbitrary: fc.constantFrom(...values) },
  );

interface Query {
  q: string | undefined;
  filter: ListingFilter;
  sort: "newest" | "oldest";
  limit: number;
}
const query: fc.Arbitrary<Query> = fc.record({
  q: fc.option(
    fc
      .array(fc.oneof(fragment, fragment, fc.constantFrom(...NAMES)), { minLength: 1, maxLength: 3 })
      .map((some) => some.join(" ")),
    { nil: undefined, freq: 8 },
  ),
  filter: fc.record({
    statuses: seldom([["available"], ["sold"], ["pending", "sold"]] as const, 8),
    categoryId: seldom([1n, -2n, 99n]),
    species: seldom(SPECIES.slice(0, 4)),
    sex: seldom(SEXES),
    size: seldom(SIZES),
    ageGroup: seldom(AGE_GROUPS),
    goodWith: seldom([["children"], ["dogs", "cats"], COMPANIONS]),
    ids: seldom([[1n, 2n, 3n, 50n, 10_000n]]),
  }),
  sort: fc.constantFrom("newest", "oldest"),
  limit: fc.integer({ min: 1, max: 12 }),
});

interface Stored extends Pet {
  profile: Profile;
}

const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u;

/** Whether a word of the name begins with this text. A symbol after white space counts as a word. */
function beginsWord(name: string, text: string): boolean {
  const letters = [...name];
  return letters.some((letter, i) => {
    const before = letters[i - 1] ?? " ";
    const isLetter = /[\p{L}\p{N}]/u.test(letter);
    const isInside = /[\p{L}\p{N}]/u.test(before) && !IDEOGRAPH.test(before) && !IDEOGRAPH.test(letter);
    const isStart = isLetter ? !isInside : /\s/.test(before);
    return isStart && letters.slice(i).join("").startsWith(text);
  });
}

function isInName(name: string, text: string): boolean {
  if ([...text].every((letter) => IDEOGRAPH.test(letter)) || [...text].length > 2) return name.includes(text);
  return beginsWord(name, text);
}

/** Animals whose names have every word come first. */
function isNamed({ name }: Stored, { q }: Query): boolean {
  return readWords(q ?? "").every((text) => isInName(normalise(name), text));
}

/** The promise, in plain words. */
function isFound(stored: Stored, { q, filter }: Query, categories: Map<bigint, string>): boolean {
  const { name, categoryId, profile } = stored;
  const { breeds = [], tags = [], externalId = "", description = "" } = profile;
  const category = categories.get(categoryId) ?? "";
  const others = [...breeds, category, ...tags, externalId, description].map(normalise);
  const isEverywhere = (text: string) =>
    [...text].length > 2 || [...text].every((letter) => IDEOGRAPH.test(letter));
  const isWanted = (text: string) =>
    String(stored.id) === text ||
    isInName(normalise(name), text) ||
    (isEverywhere(text) && others.some((searched) => searched.includes(text)));
  return isListed(stored, filter) && readWords(q ?? "").every(isWanted);
}

const normalised = new Map<string, string>();

/** Every query compares the same texts. */
function normalise(text: string): string {
  const known = normalised.get(text) ?? normaliseText(text);
  normalised.set(text, known);
  return known;
}

function isListed({ id, status, categoryId, profile }: Stored, filter: ListingFilter): boolean {
  const is = <T>(wanted: T | undefined, value: T) => wanted === undefined || wanted === value;
  return (
    (filter.statuses?.includes(status) ?? true) &&
    is(filter.categoryId, categoryId) &&
    is<unknown>(filter.species, profile.species) &&
    is<unknown>(filter.sex, profile.sex) &&
    is<unknown>(filter.size, profile.size) &&
    is<unknown>(filter.ageGroup, ageGroupOf(profile, NOW_MS)) &&
    (filter.goodWith?.every((companion) => companionsOf(profile).includes(companion)) ?? true) &&
    (filter.ids?.includes(id) ?? true)
  );
}

testOnEngines("lists and searches", async (t, db) => {
  const pets = createPetStore(db);
  const categories = createCategoryStore(db);
  const stored = new Map<bigint, Stored>();
  const named = new Map<bigint, string>();
  const special = ["back\\slash", "under_score", "per%cent"].map(
    (q): Query => ({ q, filter: {}, sort: "newest", limit: 1 }),
  );
  const queries = [...special, ...fc.sample(query, { numRuns: QUERIES, seed: SEED })];

  /** With few animals, the index has all that are found; otherwise, the list is read for them, or for the names too. */
  async function compare(many: Query[]): Promise<void> {
    for (const fewMax of [1_000, 30, 0]) await compareWith(many, createSearch(db, { fewMax }));
  }

  async function compareWith(many: Query[], search: Search): Promise<void> {
    const [list, count] = [createListingPages(db, search), createListingCount(db, search)];
    for (const each of many) {
      const all = [...stored.values()].filter((pet) => isFound(pet, each, named));
      if (each.sort === "newest") all.reverse();
      const parts = Map.groupBy(all, (pet) => isNamed(pet, each));
      const expected = [...(parts.get(true) ?? []), ...(parts.get(false) ?? [])].map(({ id }) => id);
      const { filter, sort, limit } = each;
      const found: bigint[] = [];
      const wanted = { ...filter, words: each.q === undefined ? undefined : readWords(each.q) };
      for (let after: bigint | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
        const page = await list(wanted, { limit, after }, { sort, nowMs: NOW_MS, publicUrl: "" });
        const ids = JSON.parse(page.json).map(({ id }: { id: number }) => BigInt(id));
        assert.ok(ids.length <= limit);
        found.push(...ids);
        after = page.nextAfter;
      }
      const text = JSON.stringify(each, (_, value) => (typeof value === "bigint" ? `${value}` : value));
      assert.deepEqual(found, expected, text);
      const counted = await count(wanted, NOW_MS);
      assert.deepEqual(counted, { count: expected.length, isExact: true }, text);
    }
  }

  async function add({ pet, profile }: Sample): Promise<void> {
    const listings = createListingStore(db);
    const { id } = await pets.create(pet, ORIGIN);
    if (profile !== undefined) await listings.updateProfile(id, profile, ORIGIN);
    stored.set(id, { id, ...pet, profile: profile ?? {} });
  }

  async function name(id: bigint, text: string): Promise<void> {
    await categories.put({ id, name: text }, ORIGIN);
    named.set(id, text);
  }

  const samples = fc.sample(sample, { numRuns: PETS, seed: SEED });
  for (const [index, text] of NAMES.entries()) await name(BigInt(index), text);
  for (const each of samples) await add(each);

  await t.test("find what a plain filter finds", () => compare(queries));

  await t.test("find changed animals, and none that is deleted", async () => {
    const listings = createListingStore(db);
    const others = fc.sample(sample, { numRuns: PETS, seed: SEED + 1 });
    for (const [index, { pet, profile }] of others.entries()) {
      const id = BigInt(index + 1);
      const before = stored.get(id) ?? assert.fail("not stored");
      if (index % 5 === 0) {
        await pets.delete(id, ORIGIN);
        stored.delete(id);
      } else if (index % 5 === 1) {
        const { name, categoryId } = pet;
        await pets.update(id, { name, categoryId }, ORIGIN);
        stored.set(id, { ...before, name, categoryId });
      } else if (index % 5 === 2 && profile !== undefined) {
        await listings.updateProfile(id, profile, ORIGIN);
        stored.set(id, {
          ...before,
          profile: { ...before.profile, ...profile, ...joinGoodWith(before, profile) },
        });
      }
    }
    await compare(queries);
  });

  await t.test("find the animals of a renamed category by its new name only", async () => {
    for (const [index, text] of NAMES.toReversed().entries()) await name(BigInt(index), `${text} neu`);
    await categories.delete(1n, ORIGIN);
    named.delete(1n);
    await compare(queries);
  });

  if (db.engine === "postgres")
    await t.test("find the same without the index", async () => {
      await db.transaction((tx) => tx.run("DROP INDEX pet_texts_by_trigram"));
      await compare(queries);
    });
});

/** It changes member by member. */
function joinGoodWith({ profile }: Stored, changes: Profile): Pick<Profile, "goodWith"> {
  const goodWith = { ...profile.goodWith, ...changes.goodWith };
  return Object.keys(goodWith).length === 0 ? {} : { goodWith };
}
