// listPets: pages, filters, cursors, and conditional reads.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../harness/clients/call.ts";
import { column, nextCursor, nextPath, readPages } from "../harness/clients/pages.ts";
import { ADMIN_KEY, type AppHarness, startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const STATUSES = ["available", "pending", "sold"];

async function addPets({ addPet }: AppHarness, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let i = 0; i < count; i++)
    ids.push((await addPet({ name: `Pet ${i}`, categoryId: i, status: STATUSES[i % 3] })).id);
  return ids;
}

function linkOf({ headers }: Answer, relation: string): URL | undefined {
  const [, address] = new RegExp(`<([^>]+)>; rel="${relation}"`).exec(headers.link ?? "") ?? [];
  return address === undefined ? undefined : new URL(address);
}

test("GET /pets lists animals in pages", async (t) => {
  const app = await startApp(t);
  const { call, url } = app;
  const get = (query: string) => call("GET", `/pets${query}`);

  await t.test("returns an empty list from an empty store", async () => {
    const answer = await get("");
    assert.deepEqual([answer.text, answer.headers.link], ["[]", undefined]);
  });

  const ids = await addPets(app, 45);

  await t.test("returns 20 animals in ascending order of id when limit is missing", async () => {
    const answer = await get("");
    assertCommon(answer);
    assert.deepEqual(column(answer.json, "id"), ids.slice(0, 20));
  });

  for (const limit of [1, 2, 44, 45, 46, 100])
    await t.test(`returns at most ${limit} animals for limit=${limit}`, async () => {
      assert.equal((await get(`?limit=${limit}`)).json.length, Math.min(limit, 45));
    });

  for (const status of STATUSES)
    await t.test(`returns only animals with status ${status}`, async () => {
      const { json } = await get(`?limit=100&status=${status}`);
      assert.deepEqual(column(json, "status"), Array(15).fill(status));
    });

  for (const filter of ["", "&status=pending"])
    await t.test(`reaches every page through the next link${filter}`, async () => {
      const expected = (await get(`?limit=100${filter}`)).json;
      const pages = await readPages((path) => call("GET", path), `/pets?limit=7${filter}`);
      for (const page of pages.slice(0, -1)) {
        assert.ok(page.json.length <= 7);
        const [next, first] = [linkOf(page, "next"), linkOf(page, "first")];
        assert.equal(`${next?.origin}${next?.pathname}`, `${url}/v1/pets`);
        assert.equal(next?.searchParams.get("limit"), "7");
        assert.equal(next?.searchParams.get("status") ?? "", filter.replace("&status=", ""));
        assert.equal(first?.searchParams.has("cursor"), false);
        assert.deepEqual((await get(first?.search ?? "")).json, expected.slice(0, 7));
      }
      const items = pages.flatMap(({ json }) => json);
      assert.deepEqual(items, expected);
    });

  await t.test("the last page has no next link, even when it is full", async () => {
    assert.equal((await get("?limit=45")).headers.link, undefined);
    assert.ok(linkOf(await get("?limit=44"), "next"));
  });

  await t.test("skips and repeats no animal while animals are added", async () => {
    const first = await get("?limit=40");
    const [added] = await addPets(app, 1);
    const second = await call("GET", nextPath(first));
    assert.deepEqual(column([...first.json, ...second.json], "id"), [...ids, added]);
  });

  await t.test("accepts another limit with the same cursor", async () => {
    const cursor = nextCursor(await get("?limit=3"));
    assert.deepEqual(column((await get(`?limit=2&cursor=${cursor}`)).json, "id"), [4, 5]);
  });
});

test("GET /pets rejects invalid parameters with 400", async (t) => {
  const app = await startApp(t);
  const { call, createKey } = app;
  await addPets(app, 12);
  const limitRule = "limit must be an integer from 1 to 100";
  const statusRule = "status must be one of available, pending, sold";
  const limits = ["", ..."0 101 -1 abc 1.5 %205 5%20 +5 05 1e1 0x5 ٣".split(" "), "9".repeat(30)];
  const statuses = ["", "Sold", "lost", "available,sold", "%zz"];
  const rejected: Record<string, string> = {
    ...Object.fromEntries(limits.map((limit) => [`limit=${limit}`, limitRule])),
    ...Object.fromEntries(statuses.map((status) => [`status=${status}`, statusRule])),
    "limit=0&status=x": `${limitRule}; ${statusRule}`,
    "limit=5&limit=5": "limit may be given only once",
    "status=sold&status=sold": "status may be given only once",
  };
  for (const [query, message] of Object.entries(rejected))
    await t.test(`rejects ?${query}`, async () => {
      assertError(await call("GET", `/pets?${query}`), "invalid_parameter", message);
    });

  await t.test("rejects an invalid cursor, and one of another list or filter", async () => {
    const cursor = nextCursor(await call("GET", "/pets?limit=3&status=sold"));
    for (const name of ["first", "second"]) await createKey({ name });
    const foreign = nextCursor(await call("GET", "/keys?limit=1"));
    assert.ok(cursor && foreign, "both lists have a second page");
    const flipped = cursor.replace(/^./, (first) => (first === "A" ? "B" : "A"));
    for (const bad of ["", "abc", "%00", "1", flipped, `${cursor}A`, cursor.slice(1), foreign])
      assertError(await call("GET", `/pets?status=sold&cursor=${bad}`), "invalid_cursor");
    for (const filter of ["", "status=available&"])
      assertError(await call("GET", `/pets?${filter}cursor=${cursor}`), "invalid_cursor");
    assert.equal((await call("GET", `/pets?status=sold&cursor=${cursor}`)).status, 200);
  });

  await t.test("ignores an API key in the query", async () => {
    assertError(await call("GET", `/pets?api_key=${ADMIN_KEY}`, { key: undefined }), "missing_api_key");
  });
});

test("GET /pets with If-None-Match", async (t) => {
  const app = await startApp(t);
  const { call } = app;
  await addPets(app, 3);
  const get = (limit: number, condition: string) =>
    call("GET", `/pets?limit=${limit}`, { headers: { "if-none-match": condition } });

  await t.test("answers a matching ETag with 304, without type and length, and charges it", async () => {
    const full = await call("GET", "/pets?limit=2");
    const etag = full.headers.etag ?? "";
    assert.match(etag, /^"[\w-]+"$/);
    const remaining = async () => (await call("GET", "/usage")).json.minute.remaining;
    const before = await remaining();
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const answer = await get(2, condition);
      assert.deepEqual([answer.status, answer.text], [304, ""], condition);
      for (const name of ["content-type", "content-length", "transfer-encoding"])
        assert.ok(!(name in answer.headers), name);
      assertCommon(answer);
      assert.deepEqual([answer.headers.etag, answer.headers.link], [etag, full.headers.link]);
    }
    assert.equal(await remaining(), before - 4);
    assert.equal((await get(2, '"other"')).text, full.text);
  });

  await t.test("changes the ETag of a page that gets a next page", async () => {
    const before = await call("GET", "/pets?limit=3");
    await addPets(app, 1);
    const after = await get(3, before.headers.etag ?? "");
    assert.deepEqual([after.status, after.text], [200, before.text]);
    assert.ok(linkOf(after, "next"));
  });
});

test("PUBLIC_URL and GET_PET_DEPRECATED_AT appear in links and headers", async (t) => {
  const base = "https://animals.example.org/shelter";
  const environment = { PUBLIC_URL: `${base}/`, GET_PET_DEPRECATED_AT: "2026-06-01T00:00:00Z" };
  const { call, addPet } = await startApp(t, { environment });
  const created = await call("POST", "/pets", { body: { name: "Rex", categoryId: 3 } });
  await addPet();
  assert.equal(created.headers.location, `${base}/v1/pets/1`);
  const { link = "" } = (await call("GET", "/pets?limit=1&status=available")).headers;
  assert.ok(link.startsWith(`<${base}/v1/pets?status=available&limit=1&cursor=`), link);
  assert.match(link, /&cursor=[\w-]{16}>; rel="next", </);
  const { headers } = await call("GET", "/pets/1");
  assert.equal(headers.deprecation, "@1780272000");
  assert.ok(headers.link?.includes(`<${base}/docs>; rel="deprecation"`));
});
