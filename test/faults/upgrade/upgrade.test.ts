// This release on the data of a previous one, which then refuses the newer schema.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { PLANS } from "../../../src/domain/keys/plan.ts";
import { SCHEMA_VERSION } from "../../../src/storage/migrations/migrate.ts";
import { type Call, createCall } from "../../harness/clients/call.ts";
import { column } from "../../harness/clients/pages.ts";
import { emptyEngines } from "../../harness/runner/combination.ts";
import { startService } from "../../harness/servers/service.ts";
import {
  assertReplayed,
  type Contents,
  fillStore,
  listsOf,
  type Page,
  PUBLIC_URL,
  readAll,
  SPENT,
  sendPosts,
} from "./contents.ts";
import { PREVIOUS_RELEASES, type PreviousRelease, unpackRelease } from "./previous-release.ts";

/** Counts are stored in the database by the first, in Redis by the second. */
const COMBINATIONS = ["sqlite", "postgres+redis"];

/** In the JSON of a listing, since release 1.2. */
const FIRST_SHELTER = '"shelter":{"id":1,"name":"Our shelter"}';

test("the release before this one in the changelog is tested", () => {
  const changelog = readFileSync(new URL("../../../CHANGELOG.md", import.meta.url), "utf8");
  const [, previous] = [...changelog.matchAll(/^## (\d\S+)/gm)].map(([, version]) => version as string);
  assert.ok(
    PREVIOUS_RELEASES.some(({ version }) => version === previous),
    `${previous} is missing`,
  );
});

for (const release of PREVIOUS_RELEASES)
  test(`Data of release ${release.version}`, async (t) => {
    const root = unpackRelease(t, release.version);
    for (const combination of COMBINATIONS)
      await t.test(`on ${combination}`, (t) => upgrade(t, { release, root, combination }));
  });

interface Upgrade {
  release: PreviousRelease;
  /** The folder of the release. */
  root: string;
  combination: string;
}

async function upgrade(t: TestContext, { release, root, combination }: Upgrade): Promise<void> {
  const environment = {
    ...(await emptyEngines(t, combination)),
    PUBLIC_URL,
    // Documentation addresses are not allowed otherwise.
    WEBHOOK_ALLOW: "203.0.113.0/24",
    WEBHOOK_SECRET_KEY: randomBytes(32).toString("base64"),
  };
  const lists = listsOf(release);
  const old = await startService(t, environment, root);
  const contents = await fillStore(old, release);
  const before = {
    pages: await readAll(old.call, lists),
    counts: await readCounts(old.call, contents),
    audit: release.hasListings ? await readAudit(old.call) : [],
    events: release.hasListings ? await readEvents(old.call) : undefined,
  };
  assert.equal(await old.stop(), 0);

  const upgraded = await startService(t, environment);
  // The store has an admin key, so the start creates none.
  assert.doesNotMatch(upgraded.output.stdout, /ask_live_/);
  const call = createCall(`${upgraded.url}/v1`, old.adminKey);
  await checkUpgraded(t, { call, contents, lists, before });
  const newPosts = await sendPosts(call, "second");
  const pages = await readAll(call, lists);
  assert.equal(await upgraded.stop(), 0);

  if (SCHEMA_VERSION > release.schema)
    await t.test("the previous release refuses the newer schema", async () => {
      const reason = `The database has schema ${SCHEMA_VERSION}; this release knows up to ${release.schema}\\.`;
      await assert.rejects(startService(t, environment, root), { message: new RegExp(reason) });
    });

  await t.test("the data are complete when this release starts again", async () => {
    const again = await startService(t, environment);
    const callAgain = createCall(`${again.url}/v1`, old.adminKey);
    assert.deepEqual(await readAll(callAgain, lists), pages);
    await assertReplayed(callAgain, [...contents.posts, ...newPosts]);
  });
}

function hasKeys(path: string): boolean {
  return path.startsWith("/keys");
}

/** The keys of a list, whose members may have another order. */
function withoutKind(text: string): string {
  const keys: object[] = JSON.parse(text);
  const membersOf = (key: object) => Object.entries(key).filter(([name]) => name !== "kind");
  return JSON.stringify(keys.map((key) => Object.fromEntries(membersOf(key).sort())));
}

/** Not the minute: on a slow machine it may end during the test. */
async function readCounts(call: Call, { spentKey, bannedKey }: Contents) {
  const { day } = (await call("GET", "/usage", { key: spentKey })).json;
  const { ban } = (await call("GET", "/usage", { key: bannedKey })).json;
  return { day, ban };
}

interface Event {
  id: string;
  number: number;
  type: string;
  data: { pet?: { id: number } };
}

async function readEvents(call: Call): Promise<Event[]> {
  return (await call("GET", "/events?limit=100")).json;
}

/** The actions, oldest first, without the ban, whose moment differs. */
async function readAudit(call: Call): Promise<string[]> {
  const records: Array<{ action: string }> = (await call("GET", "/audit?limit=100")).json;
  const actions = records.map(({ action }) => action);
  return actions.filter((action) => action !== "key.banned").toReversed();
}

interface Upgraded {
  call: Call;
  contents: Contents;
  lists: string[];
  before: {
    pages: Record<string, Page>;
    counts: unknown;
    audit: string[];
    /** Undefined if the release has no events. */
    events: Event[] | undefined;
  };
}

async function checkUpgraded(t: TestContext, { call, contents, lists, before }: Upgraded): Promise<void> {
  await t.test("keeps counts, bans and keys", async () => {
    assert.deepEqual(await readCounts(call, contents), before.counts);
    assert.equal((await call("GET", "/pets", { key: contents.spentKey })).status, 200);
    assert.equal((await readCounts(call, contents)).day.remaining, PLANS.free.perDay - SPENT - 1);
    assert.equal((await call("GET", "/pets", { key: contents.bannedKey })).json.code, "key_banned");
    assert.equal((await call("GET", "/pets", { key: contents.revokedKey })).json.code, "invalid_api_key");
    for (const key of contents.rotated.keys) assert.equal((await call("GET", "/pets", { key })).status, 200);
  });

  await t.test("every list is the same, with the same ETags and links", async () => {
    // A later release may add ETags.
    const pages = Object.entries(await readAll(call, lists)).map(([path, page]) => {
      // Release 1.0.0 does not say which keys of a list are banned.
      const known = before.events === undefined ? page.text.replace(/,"ban":\{"reset":\d+\}/, "") : page.text;
      const text = known.replaceAll(`${FIRST_SHELTER},`, "");
      const isChanged = before.pages[path]?.etag === undefined || text !== known || hasKeys(path);
      const etag = isChanged ? before.pages[path]?.etag : page.etag;
      return [path, { ...page, text: hasKeys(path) ? withoutKind(text) : text, etag }];
    });
    const expected = Object.entries(before.pages).map(([path, page]) => [
      path,
      hasKeys(path) ? { ...page, text: withoutKind(page.text) } : page,
    ]);
    assert.deepEqual(Object.fromEntries(pages), Object.fromEntries(expected));
    // Listings have got a shelter, and keys a kind.
    const conditional = Object.entries(before.pages).filter(
      ([path, { etag }]) => etag !== undefined && !path.startsWith("/listings") && !hasKeys(path),
    );
    assert.ok(conditional.length > 5, "most lists have an ETag");
    for (const [path, { etag = "" }] of conditional)
      assert.equal((await call("GET", path, { headers: { "if-none-match": etag } })).status, 304, path);
    const second = await call("GET", before.pages["/pets?limit=3"]?.next ?? "");
    assert.deepEqual(column(second.json, "name"), ["=1+1", "Once"]);
  });

  await t.test("every animal belongs to the first shelter", async () => {
    const { json: shelters } = await call("GET", "/shelters");
    assert.deepEqual(column(shelters, "name"), ["Our shelter"]);
    const listings = (await call("GET", "/listings?status=any&shelterId=1&limit=100")).json;
    assert.deepEqual(
      column(listings, "id").toSorted(),
      column((await call("GET", "/pets")).json, "id").toSorted(),
    );
    for (const { shelter } of listings) assert.deepEqual(shelter, { id: 1, name: "Our shelter" });
    const listed = Object.entries(before.pages).filter(
      ([path, { text }]) => path.startsWith("/listings") && text !== "[]",
    );
    for (const [path, { etag = "" }] of listed)
      assert.equal((await call("GET", path, { headers: { "if-none-match": etag } })).status, 200, path);
  });

  await t.test("stored responses are repeated", () => assertReplayed(call, contents.posts));

  await t.test("the old changes are events without a gap", async () => {
    const events = await readEvents(call);
    assert.deepEqual(
      column(events, "number"),
      Array.from(events, (_, index) => index + 1),
    );
    const { id } = contents.posts[0].answer.json;
    const ofPet = events.filter(({ data }) => data.pet?.id === id);
    assert.deepEqual(ofPet.at(-1)?.data.pet, (await call("GET", `/pets/${id}`)).json);
    const { json: history } = await call("GET", `/pets/${id}/history`);
    assert.deepEqual(
      column(ofPet, "number"),
      history.map(({ number }: { number: number }) => number),
    );
    if (before.events === undefined)
      // Its names of categories begin with the next change.
      assert.deepEqual(
        new Set(events.map(({ type }) => type)),
        new Set(["pet.created", "pet.updated", "pet.deleted", "order.created", "order.updated"]),
      );
    else {
      const withoutShelter = JSON.stringify(events).replaceAll(`${FIRST_SHELTER},`, "");
      assert.deepEqual(JSON.parse(withoutShelter), before.events);
    }
  });

  await t.test("new rows continue with the next ids and numbers", async () => {
    const { id: lastId } = contents.posts[0].answer.json;
    const { number: lastNumber } = (await call("GET", `/pets/${lastId}/history`)).json.at(-1);
    const created = await call("POST", "/pets", { body: { name: "New", categoryId: 3 } });
    assert.equal(created.json.id, lastId + 1, created.text);
    const [{ number }] = (await call("GET", `/pets/${created.json.id}/history`)).json;
    assert.equal(number, lastNumber + 1);
  });

  await t.test("orders, categories and keys can be changed", () => changeAll(call, contents));

  await t.test("the audit log has the old records, and the changes since the upgrade", async () => {
    assert.deepEqual(await readAudit(call), [...before.audit, "key.updated", "key.revoked"]);
  });
}

async function changeAll(call: Call, { rotated }: Contents): Promise<void> {
  const changes = [
    await call("PATCH", "/store/orders/1", { body: { status: "approved" } }),
    await call("PATCH", "/store/orders/2", { body: { status: "delivered" } }),
    await call("POST", "/store/orders", { body: { petId: 4 } }),
    await call("DELETE", "/categories/4"),
    await call("PATCH", "/keys/1", { body: { name: "renamed" } }),
    await call("DELETE", `/keys/${rotated.id}`),
  ];
  assert.deepEqual(column(changes, "status"), [200, 200, 201, 204, 200, 204]);
  assert.equal((await call("GET", "/pets?status=sold")).json.length, 2);
}
