// Section 4 of the interface: listPets, createPet and getPet.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Call } from "../harness/clients/call.ts";
import { ADMIN_KEY, startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const STATUSES = ["available", "pending", "sold"];

async function addPets(call: Call, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let i = 0; i < count; i++) {
    const answer = await call("POST", "/pets", {
      body: { name: `Pet ${i}`, categoryId: i, status: STATUSES[i % 3] },
    });
    ids.push(answer.json.id);
  }
  return ids;
}

function linkOf(answer: Answer, relation: string): URL | undefined {
  const found = new RegExp(`<([^>]+)>; rel="${relation}"`).exec(answer.headers.link ?? "");
  return found?.[1] === undefined ? undefined : new URL(found[1]);
}

test("Section 4.1: list animals", async (t) => {
  const { call, url, createKey } = await startApp(t);

  await t.test("returns an empty list from an empty store", async () => {
    const answer = await call("GET", "/pets");
    assert.equal(answer.text, "[]");
    assert.equal(answer.headers.link, undefined);
  });

  const ids = await addPets(call, 45);

  await t.test("returns 20 animals in ascending order of id when limit is missing", async () => {
    const answer = await call("GET", "/pets");
    assertCommon(answer);
    assert.deepEqual(
      answer.json.map(({ id }: { id: number }) => id),
      ids.slice(0, 20),
    );
  });

  for (const limit of [1, 2, 44, 45, 46, 100]) {
    await t.test(`returns at most ${limit} animals for limit=${limit}`, async () => {
      assert.equal((await call("GET", `/pets?limit=${limit}`)).json.length, Math.min(limit, 45));
    });
  }

  for (const limit of [
    "0",
    "101",
    "-1",
    "abc",
    "1.5",
    "",
    "%205",
    "5%20",
    "+5",
    "05",
    "1e1",
    "0x5",
    "٣",
    "9".repeat(30),
  ]) {
    await t.test(`rejects limit=${limit} with 400`, async () => {
      assertError(
        await call("GET", `/pets?limit=${limit}`),
        "invalid_parameter",
        "limit must be an integer from 1 to 100",
      );
    });
  }

  for (const status of STATUSES) {
    await t.test(`returns only animals with status ${status}`, async () => {
      const answer = await call("GET", `/pets?limit=100&status=${status}`);
      assert.equal(answer.json.length, 15);
      assert.ok(answer.json.every((pet: { status: string }) => pet.status === status));
    });
  }

  for (const status of ["Sold", "lost", "", "available,sold", "%zz"]) {
    await t.test(`rejects status=${status} with 400`, async () => {
      const message = "status must be one of available, pending, sold";
      assertError(await call("GET", `/pets?status=${status}`), "invalid_parameter", message);
    });
  }

  await t.test("names every invalid parameter in one message", async () => {
    const message = "limit must be an integer from 1 to 100; status must be one of available, pending, sold";
    assertError(await call("GET", "/pets?limit=0&status=x"), "invalid_parameter", message);
  });

  for (const filter of ["", "&status=pending"]) {
    await t.test(`reaches every page through the next link${filter}`, async () => {
      const expected = (await call("GET", `/pets?limit=100${filter}`)).json;
      const seen: unknown[] = [];
      let path: string | undefined = `/pets?limit=7${filter}`;
      while (path !== undefined) {
        const page: Answer = await call("GET", path);
        assert.ok(page.json.length <= 7);
        seen.push(...page.json);
        const next = linkOf(page, "next");
        if (next !== undefined) {
          assert.equal(next.origin + next.pathname, `${url}/v1/pets`);
          assert.equal(next.searchParams.get("limit"), "7");
          assert.equal(next.searchParams.get("status") ?? "", filter.replace("&status=", ""));
          const first = linkOf(page, "first");
          assert.equal(first?.searchParams.has("cursor"), false);
          assert.deepEqual((await call("GET", `/pets${first?.search}`)).json, expected.slice(0, 7));
        }
        path = next && `/pets${next.search}`;
      }
      assert.deepEqual(seen, expected);
    });
  }

  await t.test("has no next link on the last page, even when that page is full", async () => {
    assert.equal((await call("GET", "/pets?limit=45")).headers.link, undefined);
    assert.ok(linkOf(await call("GET", "/pets?limit=44"), "next"));
  });

  await t.test("skips and repeats no animal while animals are added", async () => {
    const first = await call("GET", "/pets?limit=40");
    const [added] = await addPets(call, 1);
    const second = await call("GET", `/pets${linkOf(first, "next")?.search}`);
    const seen = [...first.json, ...second.json].map(({ id }) => id);
    assert.deepEqual(seen, [...ids, added]);
  });

  await t.test("accepts another limit with the same cursor", async () => {
    const next = linkOf(await call("GET", "/pets?limit=3"), "next");
    next?.searchParams.set("limit", "2");
    assert.deepEqual(
      (await call("GET", `/pets${next?.search}`)).json.map(({ id }: { id: number }) => id),
      [4, 5],
    );
  });

  await t.test("rejects an invalid cursor, and one of another list or filter, with 400", async () => {
    const cursor =
      linkOf(await call("GET", "/pets?limit=3&status=sold"), "next")?.searchParams.get("cursor") ?? "";
    for (const name of ["first", "second"]) await createKey({ name });
    const foreign = linkOf(await call("GET", "/keys?limit=1"), "next")?.searchParams.get("cursor");
    assert.ok(foreign, "the cursor of another list");
    const flipped = cursor.replace(/^./, (first) => (first === "A" ? "B" : "A"));
    for (const bad of ["", "abc", "%00", "1", flipped, `${cursor}A`, cursor.slice(1), foreign]) {
      assertError(await call("GET", `/pets?status=sold&cursor=${bad}`), "invalid_cursor");
    }
    assertError(await call("GET", `/pets?cursor=${cursor}`), "invalid_cursor");
    assertError(await call("GET", `/pets?status=available&cursor=${cursor}`), "invalid_cursor");
    assert.equal((await call("GET", `/pets?status=sold&cursor=${cursor}`)).status, 200);
  });

  await t.test(
    "answers a matching If-None-Match with 304, without type and length, and charges it",
    async () => {
      const full = await call("GET", "/pets?limit=2");
      const etag = full.headers.etag ?? "";
      assert.match(etag, /^"[\w-]+"$/);
      const before = (await call("GET", "/usage")).json.minute.remaining;
      for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const answer = await call("GET", "/pets?limit=2", { headers: { "if-none-match": condition } });
        assert.equal(answer.status, 304, condition);
        const absent = ["content-type", "content-length", "transfer-encoding"];
        assert.deepEqual(
          absent.filter((name) => name in answer.headers),
          [],
        );
        assert.equal(answer.text, "");
        assertCommon(answer);
        assert.equal(answer.headers.etag, etag);
        assert.equal(answer.headers.link, full.headers.link);
      }
      assert.equal((await call("GET", "/usage")).json.minute.remaining, before - 4);
      const other = await call("GET", "/pets?limit=2", { headers: { "if-none-match": '"other"' } });
      assert.equal(other.text, full.text);
    },
  );

  await t.test("changes the ETag of a page that gets a next page", async () => {
    const all = (await call("GET", "/pets?limit=100")).json.length;
    const before = await call("GET", `/pets?limit=${all}`);
    await addPets(call, 1);
    const headers = { "if-none-match": before.headers.etag ?? "" };
    const after = await call("GET", `/pets?limit=${all}`, { headers });
    assert.equal(after.status, 200);
    assert.equal(after.text, before.text);
    assert.ok(linkOf(after, "next"));
  });

  await t.test("ignores an API key in the query", async () => {
    assertError(await call("GET", `/pets?api_key=${ADMIN_KEY}`, { key: undefined }), "missing_api_key");
  });
});

test("Section 4.2: add an animal", async (t) => {
  const { call, url, createKey } = await startApp(t);

  await t.test("responds with 201, the animal and its Location", async () => {
    const answer = await call("POST", "/pets", { body: { name: "Rex", categoryId: 3 } });
    assert.equal(answer.status, 201);
    assertCommon(answer);
    assert.deepEqual(answer.json, { id: 1, name: "Rex", categoryId: 3, status: "available" });
    assert.equal(answer.headers.location, `${url}/v1/pets/1`);
  });

  await t.test("assigns ids from 1 without a gap, also after a rejected request", async () => {
    await call("POST", "/pets", { body: { name: "", categoryId: 3 } });
    const answer = await call("POST", "/pets", { body: { name: "Mia", categoryId: 3 } });
    assert.equal(answer.json.id, 2);
  });

  const invalid: Record<string, { body: unknown; message: RegExp | string }> = {
    "no name": { body: { categoryId: 3 }, message: "name is required" },
    "no categoryId": { body: { name: "Rex" }, message: "categoryId is required" },
    "no member at all": { body: {}, message: "name is required; categoryId is required" },
    "several errors": {
      body: { categoryId: "3", status: "gone" },
      message: /^name is required; categoryId must be an integer.*; status must be one of/,
    },
    "a list": { body: [], message: "The body must be an object" },
    null: { body: "null", message: "The body must be an object" },
    "a string": { body: '"Rex"', message: "The body must be an object" },
    "a number": { body: "1", message: "The body must be an object" },
  };
  for (const [what, { body, message }] of Object.entries(invalid)) {
    await t.test(`rejects ${what} with 400 and adds no animal`, async () => {
      assertError(await call("POST", "/pets", { body }), "invalid_body", message);
      assert.equal((await call("GET", "/pets")).json.length, 2);
    });
  }

  await t.test("rejects a body that is nested as deep as its size allows with 400", async () => {
    assertError(await call("POST", "/pets", { body: "[".repeat(8_000) + "]".repeat(8_000) }), "invalid_body");
    const deep = `{"a":${"[".repeat(8_000)}1e5${"]".repeat(8_000)}}`;
    const answer = await call("POST", "/pets", { body: deep });
    assert.equal(answer.status, 400);
  });

  await t.test("shows a new animal in the next list", async () => {
    for (let i = 0; i < 30; i++) {
      const created = await call("POST", "/pets", { body: { name: "Rex", categoryId: 3, status: "sold" } });
      const listed = await call("GET", "/pets?status=sold&limit=100");
      assert.ok(listed.json.some(({ id }: { id: number }) => id === created.json.id));
    }
  });

  await t.test("requires access manage", async () => {
    const { key } = await createKey({ access: "adopt" });
    const answer = await call("POST", "/pets", { key, body: { name: "Rex", categoryId: 3 } });
    assertError(answer, "insufficient_access");
    const challenge = 'Bearer realm="animal-store", error="insufficient_scope", scope="manage"';
    assert.equal(answer.headers["www-authenticate"], challenge);
  });
});

test("Section 4.3: get an animal", async (t) => {
  const { call, url } = await startApp(t);
  const created = await call("POST", "/pets", { body: { name: "Rex", categoryId: 3 } });

  function assertDeprecated(answer: Answer): void {
    assert.equal(answer.headers.deprecation, "@1764892800");
    assert.equal(answer.headers.sunset, "Thu, 05 Dec 2030 00:00:00 GMT");
    const successor = `<${url}/v1/pets?status=available>; rel="successor-version"`;
    assert.equal(answer.headers.link, `${successor}, <${url}/docs>; rel="deprecation"; type="text/html"`);
  }

  await t.test("responds with 200 and the animal", async () => {
    const answer = await call("GET", "/pets/1");
    assert.equal(answer.status, 200);
    assertCommon(answer);
    assertDeprecated(answer);
    assert.equal(answer.text, created.text);
  });

  const missing = [
    "2",
    "0",
    "-1",
    "9223372036854775807",
    "9223372036854775808",
    "01",
    "+1",
    "1.0",
    "1e0",
    "abc",
    "%zz",
    "%ff",
    "1%20",
    "%31%2f",
    "a".repeat(8_000),
    "9".repeat(300),
    "%F0%9F%90%95",
    ";",
    "-0",
  ];
  for (const id of missing) {
    await t.test(`responds to id ${id.slice(0, 20)} with 404`, async () => {
      const answer = await call("GET", `/pets/${id}`);
      assertError(answer, "pet_not_found");
      assertDeprecated(answer);
    });
  }

  await t.test("sends the deprecation headers with every response: 401, HEAD and 304 too", async () => {
    const anonymous = await call("GET", "/pets/1", { key: undefined });
    assertError(anonymous, "missing_api_key");
    assertDeprecated(anonymous);
    assertDeprecated(await call("HEAD", "/pets/1"));
    const { etag = "" } = (await call("GET", "/pets/1")).headers;
    const same = await call("GET", "/pets/1", { headers: { "if-none-match": etag } });
    assert.equal(same.status, 304);
    assert.equal(same.text, "");
    assertDeprecated(same);
    assertCommon(same);
  });

  await t.test("sends no deprecation headers with other operations", async () => {
    const answer = await call("GET", "/pets");
    assert.equal(answer.headers.deprecation, undefined);
    assert.equal(answer.headers.sunset, undefined);
  });
});

test("PUBLIC_URL and GET_PET_DEPRECATED_AT appear in links and headers", async (t) => {
  const environment = {
    PUBLIC_URL: "https://animals.example.org/shelter/",
    GET_PET_DEPRECATED_AT: "2026-06-01T00:00:00Z",
  };
  const { call } = await startApp(t, { environment });
  const created = await call("POST", "/pets", { body: { name: "Rex", categoryId: 3 } });
  await call("POST", "/pets", { body: { name: "Mia", categoryId: 3 } });
  assert.equal(created.headers.location, "https://animals.example.org/shelter/v1/pets/1");
  const page = await call("GET", "/pets?limit=1&status=available");
  assert.match(
    page.headers.link ?? "",
    /^<https:\/\/animals\.example\.org\/shelter\/v1\/pets\?status=available&limit=1&cursor=[\w-]{16}>; rel="next", </,
  );
  const one = await call("GET", "/pets/1");
  assert.equal(one.headers.deprecation, "@1780272000");
  assert.match(one.headers.link ?? "", /<https:\/\/animals\.example\.org\/shelter\/docs>; rel="deprecation"/);
});
