// Publishable keys: how they are created, what they see, how pages send them, and how caches keep the responses.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ERRORS, type ErrorCode } from "../../src/domain/basics/errors.ts";
import type { Answer, CallOptions } from "../harness/clients/call.ts";
import { areTaken, readBytes, THROUGH_THE_FRAMEWORK } from "../harness/clients/fast-path.ts";
import { column, nextPath, readPages } from "../harness/clients/pages.ts";
import { startApp } from "../harness/servers/app.ts";
import { assertError } from "./assertions.ts";

const ORIGIN = "https://www.example.org";
const FROM_PAGE = { origin: ORIGIN };
const CACHED = "public, max-age=60, stale-while-revalidate=60";
const KEY = { name: "Website", plan: "business", kind: "publishable", allowedOrigins: [ORIGIN] };

async function startWithKey(t: TestContext, { settings = {}, environment = {} } = {}) {
  const app = await startApp(t, { environment });
  const created = await app.call("POST", "/keys", { body: { ...KEY, ...settings } });
  assert.equal(created.status, 201, created.text);
  const { id, key } = created.json;
  /** As a script of the page does. */
  const visit = (path: string, options: CallOptions = {}) => {
    const address = `${path}${path.includes("?") ? "&" : "?"}key=${key}`;
    return app.call(options.body ? "POST" : "GET", address, {
      key: undefined,
      headers: FROM_PAGE,
      ...options,
    });
  };
  return { ...app, created, id, key, visit };
}

function assertRefused(answer: Answer, code: ErrorCode, message = /./): void {
  assert.equal(answer.json.code, code, answer.text);
  assert.equal(answer.status, ERRORS[code].status);
  assert.match(answer.json.message, message);
  assert.equal(answer.headers["cache-control"], "no-store");
  assert.match(answer.headers["x-ratelimit-remaining"] ?? "", /^\d+$/);
}

test("createKey, getKey, listKeys, updateKey and rotateKey with a publishable key", async (t) => {
  const { call, created, id, key, visit, logged } = await startWithKey(t);

  await t.test("it is shown at any time, with its kind and origins, and has no limit a day", async () => {
    const { createdAt, ...shown } = created.json;
    assert.match(key, /^ask_pub_[0-9A-Za-z]{36}$/);
    assert.deepEqual(shown, {
      ...KEY,
      id,
      access: "browse",
      perMinute: 1000,
      hint: key.slice(0, 12),
      key,
      state: "active",
    });
    const { usage, ...details } = (await call("GET", `/keys/${id}`)).json;
    assert.deepEqual(details, created.json);
    assert.deepEqual(Object.keys(usage), ["minute"]);
    const listed = (await call("GET", "/keys")).json.find((each: { id: number }) => each.id === id);
    assert.deepEqual(listed, created.json);
  });

  await t.test("a secret key has its kind, and is not shown again", async () => {
    const secret = (await call("POST", "/keys", { body: { name: "x", plan: "free" } })).json;
    assert.equal(secret.kind, "secret");
    const shown = (await call("GET", `/keys/${secret.id}`)).json;
    assert.deepEqual([shown.kind, shown.key, shown.perDay], ["secret", undefined, 1000]);
  });

  const rejected: Record<string, [settings: object, message: RegExp]> = {
    "an access level and a limit a day": [
      { access: "browse", perDay: 5 },
      /^access is not for publishable keys; perDay is not/,
    ],
    "no origin": [{ allowedOrigins: undefined }, /^allowedOrigins is required/],
    "an empty list": [{ allowedOrigins: [] }, /^allowedOrigins must have 1 to 20 origins$/],
    "21 origins": [
      { allowedOrigins: Array(21).fill(ORIGIN) },
      /^allowedOrigins must be a list of at most 20/,
    ],
    "a path": [
      { allowedOrigins: [ORIGIN, "https://wrong.example/"] },
      /^allowedOrigins: "https:\/\/wrong\.example\/" is not an origin as browsers send it/,
    ],
    "origins for a secret key": [{ kind: "secret" }, /^allowedOrigins is for publishable keys only$/],
    "origins without a kind": [{ kind: undefined }, /^allowedOrigins is for publishable keys only$/],
    "an unknown kind": [{ kind: "public" }, /^kind must be one of/],
  };
  for (const [what, [settings, message]] of Object.entries(rejected))
    await t.test(`rejects ${what} with 400`, async () => {
      assertError(await call("POST", "/keys", { body: { ...KEY, ...settings } }), "invalid_body", message);
    });

  await t.test(
    "a change of its origins takes effect with the next request, and is in the audit log",
    async () => {
      const allowedOrigins = ["http://localhost:5173"];
      const changed = await call("PATCH", `/keys/${id}`, { body: { allowedOrigins } });
      assert.deepEqual(changed.json.allowedOrigins, allowedOrigins);
      assertRefused(await visit("/listings"), "origin_not_allowed");
      assert.equal((await visit("/listings", { headers: { origin: "http://localhost:5173" } })).status, 200);
      const [record] = (await call("GET", "/audit?limit=1")).json;
      assert.deepEqual([record.from, record.to], [{ allowedOrigins: [ORIGIN] }, { allowedOrigins }]);
      for (const body of [{ access: "browse" }, { perDay: 5 }, { perDay: null }, { allowedOrigins: [] }])
        assertError(await call("PATCH", `/keys/${id}`, { body }), "invalid_body");
      const secret = (await call("GET", "/keys")).json.find(
        ({ kind }: { kind: string }) => kind === "secret",
      );
      assertError(await call("PATCH", `/keys/${secret.id}`, { body: { allowedOrigins } }), "invalid_body");
      await call("PATCH", `/keys/${id}`, { body: { allowedOrigins: [ORIGIN] } });
    },
  );

  await t.test(
    "a rotation issues another publishable key, and the old one works for the grace period",
    async () => {
      const rotated = (await call("POST", `/keys/${id}/rotate`, { body: { graceSeconds: 60 } })).json;
      assert.match(rotated.key, /^ask_pub_/);
      assert.notEqual(rotated.key, key);
      assert.equal((await call("GET", `/keys/${id}`)).json.key, rotated.key);
      assert.equal((await visit("/listings")).status, 200);
      const path = `/listings?key=${rotated.key}`;
      assert.equal((await call("GET", path, { key: undefined, headers: FROM_PAGE })).status, 200);
    },
  );

  await t.test("a revoked key is unknown", async () => {
    assert.equal((await call("DELETE", `/keys/${id}`)).status, 204);
    const refused = await visit("/listings");
    assertRefused(refused, "invalid_api_key");
    assert.match(refused.headers["www-authenticate"] ?? "", /error="invalid_token"/);
  });

  await t.test("the log never has the key", () => {
    assert.ok(logged.length > 10);
    assert.doesNotMatch(logged.join(""), /ask_pub_/);
  });
});

/** An animal of each status, and one with members of its own only. */
async function startWithAnimals(t: TestContext) {
  const app = await startWithKey(t);
  const { call, addPet } = app;
  const profile = {
    species: "dog",
    description: 'says ,"custom":{"x',
    custom: { custom: "{}", kennel: '"custom":{' },
  };
  for (const status of ["available", "pending", "sold"]) {
    const { id } = await addPet({ name: status, status });
    assert.equal((await call("PATCH", `/pets/${id}/profile`, { body: profile })).status, 200);
  }
  const { id: bare } = await addPet({ name: "bare" });
  await call("PATCH", `/pets/${bare}/profile`, { body: { custom: { kennel: "B 12" } } });
  await call("PUT", "/categories/3", { body: { name: "Dogs" } });
  return { ...app, profile };
}

test("A publishable key sees what the public may see", async (t) => {
  const { call, visit, profile, id: keyId } = await startWithAnimals(t);

  await t.test("listings have available and pending animals only, without custom", async () => {
    assert.deepEqual(column((await visit("/listings")).json, "name"), ["bare", "available"]);
    const all = (await visit("/listings?status=any")).json;
    assert.deepEqual(column(all, "name"), ["bare", "pending", "available"]);
    const { custom, ...rest } = profile;
    assert.deepEqual(column(all, "profile"), [{}, rest, rest]);
    assert.deepEqual(all[1], (await visit("/listings/2")).json);
    assert.equal((await visit("/listings?q=says&status=any")).json.length, 2);
    assert.deepEqual((await visit("/listings?q=says&status=any")).json[0].profile, rest);
    assert.deepEqual((await call("GET", "/listings/2")).json.profile, profile, "staff sees all");
    assert.deepEqual((await call("GET", "/listings?status=pending")).json[0].profile, profile);
  });

  await t.test("counts have the same animals", async () => {
    assert.deepEqual((await visit("/listings/count?status=any")).json, { count: 3, exact: true });
    assert.deepEqual((await visit("/listings/count?ids=3&status=any")).json, { count: 0, exact: true });
  });

  for (const path of [
    "/listings?status=sold",
    "/listings?status=available,sold",
    "/listings/count?status=sold",
    "/listings?status=available,pending,sold",
    "/listings?status=any,sold",
    "/listings/count?status=lost",
  ])
    await t.test(`${path} is 400`, async () => {
      assertRefused(
        await visit(path),
        "invalid_parameter",
        /^status must be one of available, pending, any for a publishable key$/,
      );
    });

  await t.test("a sold animal is 404, and is found again when it comes back", async () => {
    assertRefused(await visit("/listings/3"), "pet_not_found");
    await call("PATCH", "/pets/3", { body: { status: "available" } });
    assert.equal((await visit("/listings/3")).json.name, "sold");
    assert.equal((await visit("/listings")).json.length, 3);
    await call("PATCH", "/pets/3", { body: { status: "sold" } });
    assert.equal((await visit("/listings")).json.length, 2);
  });

  await t.test("categories and shelters are readable", async () => {
    assert.deepEqual((await visit("/categories")).json, [{ id: 3, name: "Dogs" }]);
    assert.equal((await visit("/shelters")).json.length, 1);
    assert.equal((await visit("/shelters/1")).json.id, 1);
  });

  await t.test("with a shelter, it sees the animals of this shelter only", async () => {
    const { id: shelterId } = (await call("POST", "/shelters", { body: { name: "North" } })).json;
    await call("PATCH", "/pets/2/profile", { body: { shelterId } });
    assert.equal((await visit("/listings?status=any")).json.length, 3);
    assert.equal((await call("PATCH", `/keys/${keyId}`, { body: { shelterId } })).status, 200);
    for (const path of [
      "/listings?status=any",
      `/listings?status=any&shelterId=1,${shelterId}`,
      `/listings?status=any&q=says`,
    ])
      assert.deepEqual(column((await visit(path)).json, "id"), [2], path);
    assert.deepEqual((await visit("/listings?status=any&shelterId=1")).json, []);
    assert.equal((await visit("/listings/count?status=any")).json.count, 1);
    assert.equal((await visit("/listings/count?status=any&shelterId=1")).json.count, 0);
    assertRefused(await visit("/listings/1"), "pet_not_found");
    assert.equal((await visit("/shelters")).json.length, 2);
  });
});

test("A publishable key is refused what staff may do", async (t) => {
  const { visit } = await startWithKey(t);

  for (const path of [
    "/pets",
    "/pets/1",
    "/pets/1/history",
    "/events",
    "/usage",
    "/keys",
    "/store/orders",
    "/store/inventory",
    "/audit",
  ])
    await t.test(`GET ${path} is 403`, async () => {
      assertRefused(await visit(path), "insufficient_access", /publishable/);
    });

  await t.test("it changes nothing", async () => {
    assertRefused(await visit("/pets", { body: { name: "x", categoryId: 1 } }), "insufficient_access");
    assertRefused(await visit("/nothing"), "route_not_found");
  });
});

test("A publishable key is sent in the query or as Bearer, by pages of its origins", async (t) => {
  const { call, addPet, key, visit, createKey } = await startWithKey(t);
  for (let i = 0; i < 3; i++) await addPet();
  const get = (path: string, options: CallOptions) =>
    call("GET", path, { key: undefined, headers: FROM_PAGE, ...options });

  await t.test("the origin must be one of the key's, or the page must be of the same origin", async () => {
    for (const headers of [FROM_PAGE, { "sec-fetch-site": "same-origin" }])
      assert.equal((await visit("/listings", { headers })).status, 200);
    for (const headers of [
      {},
      { origin: "https://other.example" },
      { origin: "null" },
      { origin: `${ORIGIN}, ${ORIGIN}` },
      { origin: "https://other.example", "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
    ])
      assertRefused(await visit("/listings", { headers }), "origin_not_allowed");
  });

  await t.test("caches may keep a success for a minute, and no error", async () => {
    const inQuery = await visit("/listings");
    assert.deepEqual(
      [inQuery.headers["cache-control"], inQuery.headers.vary],
      [CACHED, "Origin, Accept-Encoding"],
    );
    const bearer = await get("/listings", { key });
    assert.deepEqual(
      [bearer.headers["cache-control"], bearer.headers.vary],
      ["private, max-age=60", "Origin"],
    );
    const headers = { ...FROM_PAGE, "if-none-match": inQuery.headers.etag ?? "" };
    const known = await visit("/listings", { headers });
    assert.deepEqual([known.status, known.headers["cache-control"]], [304, CACHED]);
    const count = await visit("/listings/count");
    assert.deepEqual(
      [count.headers["cache-control"], count.headers.vary],
      [CACHED, "Origin, Accept-Encoding"],
    );
    assertRefused(await visit("/listings?limit=0"), "invalid_parameter");
    assertRefused(await get("/listings?limit=0", { key }), "invalid_parameter");
  });

  await t.test("a key in the query beside Bearer, or twice, is 400", async () => {
    const { key: secret } = await createKey();
    for (const other of [key, secret, "x"])
      assertRefused(
        await get(`/listings?key=${key}`, { key: other }),
        "invalid_parameter",
        /^key may be given only once/,
      );
    assertRefused(await visit(`/listings?key=${key}`), "invalid_parameter");
    assertRefused(await visit("/listings?key=other"), "invalid_parameter");
  });

  await t.test("any other kind of key in the query is ignored", async () => {
    const { key: secret } = await createKey();
    assertError(await get(`/listings?key=${secret}`, {}), "missing_api_key");
    assert.equal((await get(`/listings?key=${secret}&key=x`, { key: secret })).status, 200);
    assertRefused(await get(`/listings?key=${key.slice(0, -1)}`, {}), "invalid_api_key");
    assert.equal((await get(`/listings?key=${key.replaceAll("_", "%5F")}`, {})).status, 200);
  });

  await t.test("the links of a list keep the key", async () => {
    for (const first of ["/listings?limit=1", "/listings?limit=1&q=Rex"]) {
      const pages = await readPages((path) => get(path, {}), `${first}&key=${key}`);
      assert.deepEqual(
        pages.flatMap(({ json }) => column(json, "id")),
        [3, 2, 1],
      );
      assert.match(
        pages[0]?.headers.link ?? "",
        new RegExp(`key=${key}>; rel="next", <[^>]+key=${key}>; rel="first"$`),
      );
    }
    assert.doesNotMatch(nextPath(await get("/listings?limit=1", { key })), /key=/);
    await call("PUT", "/categories/1", { body: { name: "a" } });
    await call("PUT", "/categories/2", { body: { name: "b" } });
    assert.match(nextPath(await visit("/categories?limit=1")), new RegExp(`&key=${key}$`));
    // getPet names its successor and a page of the docs.
    const refused = await visit("/pets/1");
    assertRefused(refused, "insufficient_access");
    assert.doesNotMatch(refused.headers.link ?? "", /key=/);
  });
});

test("Pages of an allowed origin may read every response, whatever CORS_ORIGINS says", async (t) => {
  const { call, outside, id, visit, clock } = await startWithKey(t, {
    environment: { CORS_ORIGINS: "https://console.example" },
  });
  const preflight = async (origin: string) => {
    const { status, headers } = await outside("OPTIONS", "/v1/listings", { headers: { origin } });
    assert.equal(status, 204);
    return headers["access-control-allow-origin"];
  };

  await t.test("preflights are answered for the origins of all publishable keys", async () => {
    const origins = [ORIGIN, "https://console.example", "https://other.example"];
    assert.deepEqual(await Promise.all(origins.map(preflight)), [
      ORIGIN,
      "https://console.example",
      undefined,
    ]);
  });

  await t.test("responses and errors name the origin of the page", async () => {
    for (const path of ["/listings", "/listings/99", "/pets", "/listings/count", "/shelters"])
      assert.equal((await visit(path)).headers["access-control-allow-origin"], ORIGIN, path);
    const other = await visit("/listings", { headers: { origin: "https://other.example" } });
    assert.equal(other.headers["access-control-allow-origin"], undefined);
    const secret = await call("GET", "/listings", { headers: FROM_PAGE });
    assert.equal(secret.headers["access-control-allow-origin"], undefined);
  });

  await t.test("preflights follow a change of a key within a second", async () => {
    await call("PATCH", `/keys/${id}`, { body: { allowedOrigins: ["https://other.example"] } });
    clock.advance(1_000);
    assert.deepEqual(await Promise.all([ORIGIN, "https://other.example"].map(preflight)), [
      undefined,
      "https://other.example",
    ]);
    await call("DELETE", `/keys/${id}`);
    clock.advance(1_000);
    assert.equal(await preflight("https://other.example"), undefined);
  });
});

test("The fast path serves publishable keys with the same bytes as the framework", async (t) => {
  const { key, ...app } = await startWithKey(t, { environment: { CORS_ORIGINS: "https://console.example" } });
  for (const name of ["Rex", "Luna"]) {
    const { id } = await app.addPet({ name });
    await app.call("PATCH", `/pets/${id}/profile`, { body: { species: "dog", custom: { kennel: "B" } } });
  }
  const extra = `origin: ${ORIGIN}\r\n`;
  const read = (path: string, more = "") => readBytes(app, path, { key: "", extra: `${extra}${more}` });
  const paths = [
    "/listings?",
    "/listings?limit=1&",
    "/listings?species=dog&sort=oldest&",
    "/listings/1?",
    "/listings?status=sold&",
    "/listings/9?",
  ];
  const taken = [true, true, true, true, false, false];

  for (const path of paths)
    await t.test(`${path}key=…`, async () => {
      const slow = await read(`${path}key=${key}`, THROUGH_THE_FRAMEWORK);
      for (let i = 0; i < 2; i++) assert.equal(await read(`${path}key=${key}`), slow);
    });

  await t.test("it answers hot lists and single listings itself", async () => {
    const found = await areTaken(app, async () => {
      for (const path of paths) await read(`${path}key=${key}`);
    });
    // PostgreSQL without Redis has no versions to check a cached key against, so that every key is looked up.
    const isLookedUp = process.env.TEST_COMBINATION === "postgres";
    assert.deepEqual(found, isLookedUp ? paths.map(() => false) : taken);
  });
});
