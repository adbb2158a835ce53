// Random requests: every response conforms to the published OpenAPI document, and none is 500.

import assert from "node:assert/strict";
import http from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import SqliteConnection from "better-sqlite3";
import fc from "fast-check";
import { type Answer, call as callUrl } from "../../harness/clients/call.ts";
import { codePoint } from "../../harness/clients/code-points.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { startApp } from "../../harness/servers/app.ts";
import { assertCommon } from "../../http/assertions.ts";

/** A multiple of 3: a third of them for each kind but one. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 600);

const name = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 300 }),
  fc.constantFrom("Rex", " ", "x".repeat(256)),
);
const number = fc.oneof(
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String),
  fc.double().map(String),
  fc.stringMatching(/^-?[0-9]{1,25}(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/),
);
const anyStatus = fc.oneof(fc.jsonValue(), fc.constantFrom("sold", "pending"));
const jsonText = fc.oneof(
  fc.json(),
  fc.record({ name, categoryId: fc.integer() }).map((pet) => JSON.stringify(pet)),
  fc.tuple(name, number).map(([text, digits]) => `{"name":${JSON.stringify(text)},"categoryId":${digits}}`),
  fc.record({ name, categoryId: fc.integer(), status: anyStatus }).map((pet) => JSON.stringify(pet)),
);
const body = fc.oneof(
  { weight: 6, arbitrary: jsonText.map((text) => Buffer.from(text)) },
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.integer({ min: 16_000, max: 17_000 }).map((size) => Buffer.alloc(size, "x")),
);
const segment = fc.oneof(
  fc.string({ maxLength: 20 }).map(encodeURIComponent),
  fc.webPath({ size: "small" }),
  fc.stringMatching(/^[%0-9a-fA-FzZ;:@&=+$,.~!*'()-]{0,12}$/),
  number.map(encodeURIComponent),
  fc.integer({ min: 0, max: 50 }).map(String),
);
const query = fc
  .array(
    fc.tuple(
      fc.constantFrom("limit", "status", "cursor", "limit[]", "x", "__proto__"),
      fc.oneof(segment, fc.constantFrom("1", "100", "sold", "Sold", "")),
    ),
    { maxLength: 4 },
  )
  .map((pairs) => pairs.map(([key, value]) => `${key}=${value.replaceAll("#", "")}`).join("&"));
const HEADERS = "if-none-match accept x-request-id origin content-type content-encoding range cookie";
const headerText = fc.stringMatching(/^[\x21-\x7e]([\x20-\x7e]{0,40}[\x21-\x7e])?$/);
const headers = fc.dictionary(fc.constantFrom(...HEADERS.split(" ")), headerText, { maxKeys: 3 });

interface Request {
  operation: string;
  method: string;
  path: string;
  body?: Buffer;
  headers: Record<string, string>;
}

const list: Pick<Request, "operation" | "method"> = { operation: "listPets", method: "GET" };
const create = { operation: "createPet", method: "POST" };
const get = { operation: "getPet", method: "GET" };
const plainId = (text: string) => text.replaceAll(/[/?#]/g, "") || "0";
const listRequest = fc
  .record({ query, headers })
  .map(({ query, ...rest }): Request => ({ ...list, ...rest, path: `/pets?${query}` }));
const createRequest = fc
  .record({ query, headers, body })
  .map(({ query, ...rest }): Request => ({ ...create, ...rest, path: `/pets?${query}` }));
const getRequest = fc.record({ segment, query, headers }).map(
  ({ segment, query, headers }): Request => ({
    ...get,
    headers,
    path: `/pets/${plainId(segment)}?${query}`,
  }),
);

const petId = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 30 }).map(String) }, segment);
const status = fc.constantFrom("available", "pending", "sold", "placed", "approved", "delivered", "x");
const idempotency = fc.option(fc.oneof(headerText, fc.constantFrom("one", "two", '"one"')), {
  nil: undefined,
});
const change = fc.oneof(
  jsonText,
  fc.record({ status }).map((each) => JSON.stringify(each)),
  fc.record({ name, status }, { requiredKeys: [] }).map((each) => JSON.stringify(each)),
  fc.tuple(number, name).map(([id, text]) => `{"petId":${id},"reference":${JSON.stringify(text)}}`),
  fc.integer({ min: 1, max: 30 }).map((id) => `{"petId":${id}}`),
);

/** The other operations: id, method and path. */
const OTHERS = `updatePet PATCH /pets/ID, deletePet DELETE /pets/ID, listPetHistory GET /pets/ID/history,
  countListings GET /listings/count, listOrders GET /store/orders, createOrder POST /store/orders,
  getOrder GET /store/orders/ID, updateOrder PATCH /store/orders/ID, getInventory GET /store/inventory,
  listCategories GET /categories, putCategory PUT /categories/ID, deleteCategory DELETE /categories/ID`;
const otherRequest = fc
  .record({ target: fc.constantFrom(...OTHERS.split(/,\s+/)), petId, query, headers, change, idempotency })
  .map(({ target, petId, query, headers, change, idempotency }): Request => {
    const [operation = "", method = "", path = ""] = target.split(" ");
    const hasBody = method !== "GET" && (method.startsWith("P") || change.length % 2 === 0);
    return {
      operation,
      method,
      path: `${path.replace("ID", plainId(petId))}?${query}`,
      ...(hasBody && { body: Buffer.from(change) }),
      headers: { ...headers, ...(idempotency !== undefined && { "idempotency-key": idempotency }) },
    };
  });

test("Random requests get only responses that the published document declares", {
  timeout: 300_000,
}, async (t) => {
  const path = join(makeFolder(t), "store.db");
  const { call, createKey, url } = await startApp(t, { environment: { DATABASE_URL: `sqlite:${path}` } });
  const { key } = await createKey({ plan: "enterprise", perMinute: 1_000_000, perDay: 100_000_000 });
  const document = (await callUrl("GET", `${url}/openapi.json`)).json;
  const conforms = compileChecks(document);
  const file = new SqliteConnection(path, { readonly: true });
  t.after(() => file.close());
  const counts = ["pets", "orders", "categories", "history", "idempotency_keys"].map(
    (table) => `(SELECT count(*) FROM ${table}) AS ${table}`,
  );
  const selectCounts = file.prepare(`SELECT ${counts.join(", ")}`);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
  t.after(() => agent.destroy());

  for (const [kind, request] of Object.entries({ listRequest, createRequest, getRequest, otherRequest }))
    await t.test(kind, async () => {
      const statuses = new Set<number>();
      await fc.assert(
        fc.asyncProperty(request, async ({ operation, method, path, body: bytes, headers: extra }) => {
          const before = countRows();
          const answer = await call(method, path, { key, body: bytes, headers: extra, agent });
          statuses.add(answer.status);
          assertCommon(answer);
          conforms(operation, answer);
          assert.notEqual(answer.status, 500, answer.text);
          const isAccepted = answer.status < 300 && method !== "GET";
          if (!isAccepted) assert.deepEqual(countRows(), before, "a rejected request changes nothing");
          if (operation === "createPet" && isAccepted) assert.equal(countRows().pets, before.pets + 1);
        }),
        { numRuns: kind === "otherRequest" ? RUNS : RUNS / 3 },
      );
      assert.ok(statuses.size > 1, `only ${[...statuses]} came back`);
    });

  function countRows(): { pets: number } {
    return selectCounts.get() as { pets: number };
  }
});

interface Declared {
  $ref?: string;
  content?: { "application/json": { schema: object } };
}

/** Checks the status and the body of a response against the document. */
function compileChecks(document: {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, Declared> }>>;
  components: { responses: Record<string, Declared> };
}) {
  const ajv = new Ajv2020({
    strict: false,
    unicodeRegExp: true,
    formats: { int64: true, "date-time": true },
  });
  ajv.addSchema({ $id: "document", components: document.components });
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const responses = new Map(operations.map((each) => [each.operationId, each.responses]));
  const compiled = new Map<string, (value: unknown) => boolean>();

  return (operation: string, answer: Answer): void => {
    const given = responses.get(operation)?.[answer.status];
    const declared = given?.$ref ? document.components.responses[given.$ref.replace(/^.*\//, "")] : given;
    assert.ok(declared, `${operation} does not declare ${answer.status}: ${answer.text}`);
    const schema = declared.content?.["application/json"].schema;
    if (schema === undefined) {
      assert.equal(answer.text, "");
      return;
    }
    const name = `${operation} ${answer.status}`;
    const check = compiled.get(name) ?? ajv.compile(absolute(schema));
    compiled.set(name, check);
    assert.ok(check(answer.json), `${name}: ${answer.text}`);
  };
}

function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components'));
}
