// The state of the site is read on demand, at most once in 250 ms, by one query for all requests.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ServiceError } from "../../../src/domain/basics/errors.ts";
import type { SiteState, SiteStore } from "../../../src/domain/site/site.ts";
import { createSiteStateReader } from "../../../src/site/state.ts";
import { createClock } from "../../harness/servers/app.ts";

function open() {
  const clock = createClock(Date.UTC(2027, 0, 1, 12));
  let state: SiteState | Error = { site: { isPublic: true, language: "en" }, title: "A", version: "e:1" };
  let reads = 0;
  const readState = async () => {
    reads += 1;
    if (state instanceof Error) throw state;
    return state;
  };
  const store = {
    readState,
    listShelters: async () => [],
    listSpecies: async () => [],
  } as Partial<SiteStore> as SiteStore;
  return {
    clock,
    reader: createSiteStateReader(store, clock),
    reads: () => reads,
    set(next: typeof state) {
      state = next;
    },
    first: state,
  };
}

test("requests of the same time share one query, and later ones use its result for 250 ms", async () => {
  const { clock, reader, reads } = open();
  const all = await Promise.all([reader.get(), reader.get(), reader.get()]);
  assert.equal(new Set(all).size, 1);
  clock.advance(249);
  assert.equal(reader.get(), all[0]);
  assert.equal(reads(), 1);
  clock.advance(1);
  assert.equal(await reader.get(), all[0], "nothing has changed");
  assert.equal(reads(), 2);
});

test("another version, another site and another day are other states", async () => {
  const { clock, reader, set, first } = open();
  const before = await reader.get();
  set({ ...(first as SiteState), version: "e:2" });
  clock.advance(250);
  const changed = await reader.get();
  assert.notEqual(changed, before);
  set({ ...(first as SiteState), version: "e:2", site: { isPublic: false, language: "en" } });
  clock.advance(250);
  const closed = await reader.get();
  assert.equal(closed.site.isPublic, false);
  clock.advance(86_400_000);
  assert.notEqual(await reader.get(), closed);
});

test("a failed query fails its requests, and the next request asks again", async () => {
  const { clock, reader, set, first } = open();
  await reader.get();
  clock.advance(250);
  set(new ServiceError("unavailable"));
  await assert.rejects(async () => reader.get(), { code: "unavailable" });
  assert.equal(reader.last()?.title, "A");
  set(first as SiteState);
  assert.equal((await reader.get()).title, "A");
});
