// How long a page of animals is kept in memory.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { PetStore } from "../../src/domain/pet.ts";
import { createPetPages } from "../../src/http/list-pets/pet-pages.ts";
import { createClock } from "../harness/app.ts";

test("a page is kept for 1 s, also when the clock is set back", async () => {
  const clock = createClock(Date.UTC(2027, 0, 1));
  const list = async () => ({ json: "[]", lastId: undefined, hasMore: false });
  const pets = { list } as Partial<PetStore> as PetStore;
  const pages = createPetPages({ pets, clock, publicUrl: () => "http://x" });
  await pages.read({ limit: 20 }, 7);
  clock.set(clock.nowMs() - 3_600_000);
  clock.advance(999);
  assert.equal(pages.recall({ limit: 20 }, 7)?.body, "[]");
  assert.equal(pages.recall({ limit: 20 }, 8), undefined, "under its own version only");
  clock.advance(1);
  assert.equal(pages.recall({ limit: 20 }, 7), undefined);
});
