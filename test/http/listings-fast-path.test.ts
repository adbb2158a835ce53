// The fast path of listListings and getListing: the same bytes as through the framework, and every change visible.

import assert from "node:assert/strict";
import type http from "node:http";
import { test } from "node:test";
import { LISTING_SORTS, type ListingStore } from "../../src/domain/animals/listing.ts";
import { createListingPages } from "../../src/http/pages/listing-pages.ts";
import { readListingsQuery } from "../../src/http/pages/listings-query.ts";
import { sendRaw } from "../harness/clients/socket.ts";
import { ADMIN_KEY, type AppHarness, createClock, startApp } from "../harness/servers/app.ts";

/** An empty body changes no response, and sends the request through the framework. */
const THROUGH_THE_FRAMEWORK = "content-length: 0\r\n";
const DAY_MS = 86_400_000;

/** The response as bytes, without the parts that differ between any two requests. */
async function rawAnswer({ url }: AppHarness, path: string, extra = ""): Promise<string> {
  const { port, host } = new URL(url);
  const head = `GET /v1/listings${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${ADMIN_KEY}\r\n`;
  const text = await sendRaw(Number(port), `${head}x-request-id: same\r\n${extra}connection: close\r\n\r\n`);
  return text
    .replace(/\r\ndate: [^\r]+/i, "")
    .replace(/x-ratelimit-remaining: \d+/, "x-ratelimit-remaining: N")
    .replaceAll(/;r=\d+/g, ";r=N");
}

/** Paths below /v1/listings that the fast path answers. */
const TAKEN = [
  "",
  "/2",
  "?limit=2",
  "?status=sold",
  "?sort=oldest&limit=1",
  "?species=dog&sex=male",
  "?size=small",
  "?ageGroup=baby",
  "?categoryId=3",
  "?x=1",
  "?species=dog&sort=newest&status=available&limit=100",
];
/** And those that it hands on. */
const HANDED_ON = [
  "/",
  "/0",
  "/99",
  "/2?x=1",
  "?status=any",
  "?status=sold,available",
  "?status=Sold",
  "?goodWith=cats",
  "?ids=1,2",
  "?updatedSince=2026-01-01T00:00:00Z",
  "?species=dragon",
  "?sex=male&sex=male",
  "?limit=0",
  "?categoryId=-3",
  "?categoryId=x",
  "?sort=name",
  "?cursor=x",
  "?specie%73=dog",
  "x",
  "/count",
  "/count?species=dog",
];

test("The fast path of listings", async (t) => {
  const app = await startApp(t);
  const { call, clock } = app;
  for (const [name, profile] of Object.entries({
    Rex: { species: "dog", sex: "male", bornOn: "2026-12-01" },
    'Lu"na 🐈': { species: "cat", size: "small", description: "a\nb" },
    Momo: { species: "dog" },
  })) {
    const { json } = await call("POST", "/pets", { body: { name, categoryId: 3 } });
    await call("PATCH", `/pets/${json.id}/profile`, { body: profile });
  }
  const { link = "" } = (await call("GET", "/listings?limit=1")).headers;
  const next = /\/listings(\?[^>]*cursor=[^>]*)>/.exec(link)?.[1] ?? assert.fail(link);

  for (const path of [...TAKEN, next, ...HANDED_ON])
    await t.test(`answers /v1/listings${path} with the same bytes as through the framework`, async () => {
      const slow = await rawAnswer(app, path, THROUGH_THE_FRAMEWORK);
      assert.equal(await rawAnswer(app, path), slow);
      assert.equal(await rawAnswer(app, path), slow);
    });

  await t.test("answers plain reads itself, and hands on all others", async () => {
    const taken: boolean[] = [];
    const note: http.RequestListener = (request, response) =>
      response.once("finish", () => taken.push(request.pending?.requestId !== ""));
    app.service.app.server.on("request", note);
    for (const path of [...TAKEN, next, ...HANDED_ON]) await rawAnswer(app, path);
    app.service.app.server.off("request", note);
    // PostgreSQL without Redis looks every key up, but ADMIN_API_KEY is in memory.
    const expected = [...TAKEN, next].map(() => true);
    assert.deepEqual(taken, [...expected, ...HANDED_ON.map(() => false)]);
  });

  await t.test("shows every change in the next list and the next read", async () => {
    const shown = async () => [
      (await call("GET", "/listings")).text,
      (await call("GET", "/listings/1")).text,
      (await call("GET", "/listings?species=dog")).text,
    ];
    const changes: Array<[string, string, object | undefined]> = [
      ["PATCH", "/pets/1/profile", { tags: ["new"] }],
      ["PATCH", "/pets/1", { name: "Rexi" }],
      ["PUT", "/categories/3", { name: "Named" }],
      ["DELETE", "/categories/3", undefined],
    ];
    for (const [method, path, body] of changes) {
      const before = await shown();
      clock.advance(1);
      assert.match(String((await call(method, path, body && { body })).status), /^2/);
      const after = await shown();
      for (const [index, text] of after.entries()) assert.notEqual(text, before[index], `${method} ${path}`);
    }
  });
});

test("a page of listings is read again on the next UTC day", async () => {
  const clock = createClock(Date.UTC(2027, 0, 1) - 2);
  let reads = 0;
  const list: ListingStore["list"] = async (_filter, _page, { nowMs }) => ({
    json: `[${++reads},${Math.floor(nowMs / DAY_MS)}]`,
    nextAfter: undefined,
  });
  const listings = { list } as Partial<ListingStore> as ListingStore;
  const pages = createListingPages({ listings, clock, publicUrl: () => "http://x" });
  const request = { limit: 20, list: readListingsQuery({}) };
  const get = async () => (pages.recall(request, 7) ?? (await pages.read(request, 7))).body;
  const day = Math.floor(clock.nowMs() / DAY_MS);
  assert.equal(await get(), `[1,${day}]`);
  clock.advance(1);
  assert.equal(await get(), `[1,${day}]`);
  clock.advance(1);
  assert.equal(await get(), `[2,${day + 1}]`);
});

test("pages of other filters and orders are cached apart", async () => {
  const clock = createClock(Date.UTC(2027, 0, 1));
  let reads = 0;
  const list = async () => ({ json: `[${++reads}]`, nextAfter: undefined });
  const listings = { list } as Partial<ListingStore> as ListingStore;
  const pages = createListingPages({ listings, clock, publicUrl: () => "http://x" });
  const queries = [
    ...LISTING_SORTS.map((sort) => ({ sort })),
    { species: "dog" },
    { species: "cat" },
  ] as const;
  const requests = queries.map((query) => ({ limit: 20, list: readListingsQuery(query) }));
  const all = () =>
    Promise.all(requests.map(async (each) => (pages.recall(each, 7) ?? (await pages.read(each, 7))).body));
  assert.deepEqual(await all(), ["[1]", "[2]", "[3]", "[4]"]);
  assert.deepEqual(await all(), ["[1]", "[2]", "[3]", "[4]"]);
});
