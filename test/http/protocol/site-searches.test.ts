// Searches on the public pages run a few at a time: neither another address nor a plain page waits for a flood of them.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ListingStore } from "../../../src/domain/animals/listing.ts";
import { ServiceError } from "../../../src/domain/basics/errors.ts";
import type { KeyRing } from "../../../src/domain/keys/key-ring.ts";
import type { ShelterStore } from "../../../src/domain/shelters/shelter.ts";
import type { SiteStore } from "../../../src/domain/site/site.ts";
import { createPublicSite } from "../../../src/site/public-site.ts";
import { type Answer, countStatuses, createCall } from "../../harness/clients/call.ts";
import { STEP_MS } from "../../harness/runner/patience.ts";
import { createClock } from "../../harness/servers/app.ts";
import { openGate, startAppOver } from "../../harness/servers/stand-ins.ts";

/** One search of an address runs and ten wait. */
const SERVED = 11;
const SENT = 30;

/** The service over a store whose searches for the word `held` end when the test calls `release`. */
async function startHolding(t: TestContext) {
  const clock = createClock(Date.UTC(2027, 0, 1));
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let isDown = false;
  const list: ListingStore["list"] = async ({ words = [] }) => {
    if (words.includes("held")) await released;
    return { json: "[]", nextAfter: undefined };
  };
  const readState: SiteStore["readState"] = async () => {
    if (isDown) throw new ServiceError("unavailable");
    return { site: { isPublic: true, language: "de" }, title: "A", version: "1" };
  };
  const publicUrl = () => "http://localhost";
  const gate = await openGate(t, clock);
  const sitePages = createPublicSite({
    clock,
    publicUrl,
    listings: { list } as ListingStore,
    shelters: {} as ShelterStore,
    site: {
      readState,
      listShelters: async () => [],
      listSpecies: async () => [],
    } as Partial<SiteStore> as SiteStore,
  });
  const keyRing = { recall: () => undefined } as unknown as KeyRing;
  const url = await startAppOver(t, {
    clock,
    gate,
    keyRing,
    publicUrl,
    sitePages,
    trustProxy: ["127.0.0.1"],
  });
  // A failed test has not released them, and the service ends after its requests.
  t.after(() => release());
  const call = createCall(url);
  return {
    release,
    get: (path: string, address: string) => call("GET", path, { headers: { "x-forwarded-for": address } }),
    fail() {
      isDown = true;
      clock.advance(250);
    },
  };
}

test("Searches of one address keep out neither another address nor plain pages", {
  timeout: STEP_MS,
}, async (t) => {
  const { release, get } = await startHolding(t);
  const [greedy, modest] = ["192.0.2.1", "192.0.2.2"];
  // No search waits too long, however slow the machine is.
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const refused: Answer[] = [];
  const { promise: allRefused, resolve } = Promise.withResolvers<void>();
  const sent = Array.from({ length: SENT }, async (_, index) => {
    const answer = await get(`/animals?q=held+${index}`, greedy);
    if (answer.status === 503 && refused.push(answer) === SENT - SERVED) resolve();
    return answer;
  });
  await allRefused;
  for (const address of [greedy, modest]) assert.equal((await get("/animals", address)).status, 200);
  assert.equal((await get("/animals?q=free", modest)).status, 200);
  // The searches rest between each other.
  t.mock.timers.reset();
  release();
  assert.deepEqual(countStatuses(await Promise.all(sent)), { 200: SERVED, 503: SENT - SERVED });
  for (const { text, headers } of refused) {
    assert.match(text, /<h1><bdi>Bitte gleich noch einmal versuchen<\/bdi><\/h1>/);
    assert.deepEqual([headers["retry-after"], headers["cache-control"]], ["1", "no-store"]);
  }
});

test("Without its database, the site answers 503 with a page in its language", async (t) => {
  const { get, fail } = await startHolding(t);
  assert.equal((await get("/animals", "192.0.2.1")).status, 200);
  fail();
  for (const path of ["/animals", "/robots.txt", "/animals.json"]) {
    const { status, text, headers } = await get(path, "192.0.2.1");
    assert.equal(status, 503, path);
    assert.match(text, /<html lang="de">[\s\S]*Bitte gleich noch einmal versuchen/);
    assert.equal(headers["cache-control"], "no-store");
  }
});
