// Guarantees of every route and every schema, including those that are added later.

import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import Fastify from "fastify";
import { ACCESS_LEVELS, type Access } from "../../../src/domain/keys/plan.ts";
import { collectOperations } from "../../../src/http/openapi/operations.ts";
import { compileSerializer } from "../../../src/http/replies/serializer.ts";
import * as audit from "../../../src/http/routes/audit.ts";
import * as categories from "../../../src/http/routes/categories.ts";
import * as events from "../../../src/http/routes/events.ts";
import * as exports from "../../../src/http/routes/exports.ts";
import * as imports from "../../../src/http/routes/imports.ts";
import * as invitations from "../../../src/http/routes/invitations.ts";
import * as keys from "../../../src/http/routes/keys.ts";
import * as listings from "../../../src/http/routes/listings.ts";
import * as orders from "../../../src/http/routes/orders.ts";
import * as people from "../../../src/http/routes/people.ts";
import * as pets from "../../../src/http/routes/pets.ts";
import * as photos from "../../../src/http/routes/photos.ts";
import type { Route } from "../../../src/http/routes/route.ts";
import * as session from "../../../src/http/routes/session.ts";
import * as shelters from "../../../src/http/routes/shelters.ts";
import * as site from "../../../src/http/routes/site.ts";
import * as traffic from "../../../src/http/routes/traffic.ts";
import * as webhookDeliveries from "../../../src/http/routes/webhook-deliveries.ts";
import * as webhooks from "../../../src/http/routes/webhooks.ts";
import { kindOf, type Schema } from "../../../src/http/schemas/keywords.ts";
import { startApp } from "../../harness/servers/app.ts";
import { assertError } from "../assertions.ts";

test("A route under /v1 without operationId or access is refused at start", () => {
  const half = [{}, { schema: { operationId: "x" } }, { config: { access: "admin" as const } }];
  for (const options of half) {
    const app = Fastify();
    collectOperations(app);
    assert.throws(
      () => app.get("/v1/x", options, async () => ""),
      /needs an operationId and an access level/,
    );
  }
});

const ROUTE_FILES = [
  audit,
  categories,
  events,
  exports,
  imports,
  invitations,
  keys,
  listings,
  orders,
  people,
  pets,
  photos,
  session,
  shelters,
  site,
  traffic,
  webhooks,
  webhookDeliveries,
];
const OPERATIONS = Object.fromEntries(
  ROUTE_FILES.flatMap((file) => Object.entries(file).filter(([name]) => !name.endsWith("Routes"))),
) as Record<string, Route>;

/** These describe a value and restrict nothing. */
const ANNOTATIONS = ["title", "description", "default", "examples", "x-allowed"];

/** The keywords that the validator enforces, by kind of schema. */
const ENFORCED: Record<ReturnType<typeof kindOf>, Array<keyof Schema>> = {
  object: ["type", "properties", "required", "minProperties", "x-missing"],
  map: ["type", "additionalProperties", "propertyNames", "maxProperties"],
  array: ["type", "items", "maxItems"],
  union: ["anyOf"],
  null: ["type"],
  boolean: ["type"],
  int64: ["type", "format"],
  integer: ["type", "minimum", "maximum"],
  number: ["type", "minimum", "maximum"],
  time: ["type", "format"],
  day: ["type", "format"],
  enum: ["type", "enum", "x-transitions", "x-limits"],
  string: ["type", "pattern", "maxLength", "contentMediaType", "contentSchema"],
};

/** Keywords that are enforced in these parts of a request only. A query parameter is published as optional. */
const PARTS: Record<string, string[]> = {
  required: ["body", "params"],
  minProperties: ["body"],
  "x-missing": ["params"],
};

/** The keywords that would be published and not enforced, each with its path. */
function listUnenforced(schema: Schema, path: string): string[] {
  const known: string[] = [...ANNOTATIONS, ...ENFORCED[kindOf(schema)]];
  const unknown = Object.keys(schema).filter((keyword) => !known.includes(keyword));
  return [
    ...unknown.map((keyword) => `${path}: ${keyword}`),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
      listUnenforced(member, `${path}.${name}`),
    ),
    ...(schema.anyOf ?? []).flatMap((each) => listUnenforced(each, path)),
    ...[schema.items, schema.additionalProperties, schema.propertyNames, schema.contentSchema].flatMap(
      (each) => (each === undefined ? [] : listUnenforced(each, `${path}[]`)),
    ),
  ];
}

for (const [name, addRoute] of Object.entries(OPERATIONS))
  test(`${name} enforces every keyword of its schemas`, () => {
    let schema: Record<string, unknown> = {};
    const add = (_url: string, options: { schema: typeof schema }) => {
      schema = options.schema;
    };
    const ignored = { addHook() {} };
    addRoute({ get: add, post: add, put: add, patch: add, delete: add, ...ignored } as never, {});
    for (const part of ["body", "querystring", "params"]) {
      const shape = (schema[part] ?? { type: "object" }) as Schema;
      const misplaced = Object.keys(PARTS).filter((each) => each in shape && !PARTS[each]?.includes(part));
      assert.deepEqual([...misplaced, ...listUnenforced(shape, part)], []);
    }
    for (const [status, shape] of Object.entries(schema.response ?? {}))
      assert.deepEqual(listUnenforced(shape, status), []);
  });

test("a keyword that is not enforced is found at any depth", () => {
  const text = { type: "string", minLength: 1 } as Schema;
  const inside = { type: "object", properties: { name: text } };
  assert.deepEqual(listUnenforced(text, "x"), ["x: minLength"]);
  assert.deepEqual(listUnenforced({ type: "object", properties: { inside } }, "x"), [
    "x.inside.name: minLength",
  ]);
  assert.deepEqual(listUnenforced({ type: "array", items: text }, "x"), ["x[]: minLength"]);
  assert.deepEqual(listUnenforced({ anyOf: [text, { type: "null" }] }, "x"), ["x: minLength"]);
});

/** Each level may also call the operations of the levels before it. */
const OPERATIONS_BY_ACCESS: Record<Access, string> = {
  browse: `listPets getPet listListings countListings getListing getInventory listCategories listShelters getShelter listEvents
    streamEvents getSite getUsage createDeviceLink endSession`,
  adopt: "listOrders createOrder getOrderCounts getOrder updateOrder",
  manage: `importAnimals getExport createPet updatePet deletePet listPetHistory updateProfile addPhoto orderPhotos updatePhoto
    deletePhoto putCategory deleteCategory updateShelter listWebhooks createWebhook getWebhook updateWebhook deleteWebhook testWebhook
    rotateWebhook listDeliveries replayWebhook`,
  admin: `createShelter deleteShelter updateSite listKeys createKey getKey updateKey revokeKey rotateKey unbanKey listAudit getTraffic
    getTrafficPeriods getKeyUsage listPeople updatePerson endPerson listInvitations createInvitation revokeInvitation`,
};
/** Whoever has a code has no key yet. */
const KEYLESS = ["acceptInvitation"];
/** Only a person's device has a session to end or to share. */
const OF_PERSONS = ["createDeviceLink", "endSession"];

test("Every operation", async (t) => {
  // Each operation is called without a key from a different address, so that none reaches the limit of another.
  const { call, service, createKey } = await startApp(t, { environment: { TRUST_PROXY: "127.0.0.1" } });
  const document = (await service.app.inject("/openapi.json")).json();
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, OperationObject>).map(([method, operation]) => ({
      path,
      method,
      operation,
    })),
  );
  const operations = all.flatMap(({ operation, ...rest }) => {
    const [security] = operation.security;
    return security === undefined ? [] : [{ ...rest, operation, access: security.bearerAuth[0] }];
  });

  await t.test("only the operations that are named here need no key", () => {
    const keyless = all.filter(({ operation }) => operation.security.length === 0);
    assert.deepEqual(
      keyless.map(({ operation }) => operation.operationId),
      KEYLESS,
    );
  });

  await t.test("every operation has the access that the interface gives it", () => {
    for (const [level, ids] of Object.entries(OPERATIONS_BY_ACCESS)) {
      const declared = operations.filter(({ access }) => access === level);
      const found = declared.map(({ operation }) => operation.operationId);
      assert.deepEqual(found.sort(), ids.split(/\s+/).sort());
    }
  });

  await t.test("every operation is the constant of its name in a route file", () => {
    const ids = all.map(({ operation }) => operation.operationId);
    assert.deepEqual(ids.sort(), Object.keys(OPERATIONS).sort());
    assert.equal(new Set(ids).size, ids.length);
  });

  const keysByLevel = await Promise.all(
    ACCESS_LEVELS.map(async (access) => (await createKey({ plan: "business", access })).key),
  );

  for (const [index, { path, method, operation, access }] of operations.entries()) {
    const name = `${method.toUpperCase()} ${path}`;
    const target = path.replaceAll(/\{\w+\}/g, "1");
    const headers = { "x-forwarded-for": `192.0.2.${index + 1}` };

    await t.test(`${name} rejects a request without a key with 401`, async () => {
      assertError(await call(method.toUpperCase(), target, { key: undefined, headers }), "missing_api_key");
    });

    await t.test(`${name} is for keys of its access and the higher ones only`, async () => {
      const level = ACCESS_LEVELS.indexOf(access);
      // A stream would not end.
      const isStream = JSON.stringify(operation.responses).includes("text/event-stream");
      const ask = (key: string | undefined) =>
        call(isStream ? "HEAD" : method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "999"), { key });
      for (const key of keysByLevel.slice(level)) {
        const answer = await ask(key);
        if (OF_PERSONS.includes(operation.operationId)) assertError(answer, "insufficient_access", /person/);
        else assert.ok(![401, 403].includes(answer.status));
      }
      for (const key of keysByLevel.slice(0, level)) {
        const refused = await ask(key);
        assertError(refused, "insufficient_access");
        const challenge = `Bearer realm="animal-store", error="insufficient_scope", scope="${access}"`;
        assert.equal(refused.headers["www-authenticate"], challenge);
      }
    });

    // An import may be repeated without a key.
    if (
      method === "post" &&
      operation.operationId !== "importAnimals" &&
      !OF_PERSONS.includes(operation.operationId)
    ) {
      await t.test(`${name} rejects an invalid Idempotency-Key with 400`, async () => {
        const [[type, { example = "" }] = ["application/json", {}]] = Object.entries(
          operation.requestBody?.content ?? {},
        );
        const headers = { "content-type": type, "idempotency-key": "a b" };
        const answer = await call("POST", target, { body: example, headers });
        assertError(answer, "invalid_idempotency_key");
        assert.ok(operation.parameters.some((parameter) => parameter.name === "Idempotency-Key"));
      });
    }

    await t.test(`${name} declares its responses`, () => {
      const statuses = Object.keys(operation.responses);
      assert.ok(statuses.some((status) => /^2\d\d$/.test(status)));
      for (const status of ["401", "429", "500", "503"]) assert.ok(statuses.includes(status), status);
      if (operation.requestBody)
        for (const status of ["400", "413", "415"]) assert.ok(statuses.includes(status), status);
      if (path.includes("{")) assert.ok(statuses.includes("404"));
      assert.ok(operation.summary.length > 5);
      assert.ok(operation.description.length > 5);
    });
  }
});

interface OperationObject {
  operationId: string;
  summary: string;
  description: string;
  security: Array<{ bearerAuth: [Access] }>;
  parameters: Array<{ name: string }>;
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, object>;
}

const ROOT = join(import.meta.dirname, "../../..");
const INVALID_SCHEMA = /schema is invalid/;

test("the schema of every response can be compiled", async () => {
  const responses = await collectResponses();
  assert.ok(responses.length > 40, `${responses.length} responses`);
  for (const { name, schema } of responses) {
    const serialize = compileSerializer({ schema, method: "GET", url: "/", httpStatus: "200" });
    // Without its members a body may be refused, which is no fault of the schema.
    try {
      serialize({});
    } catch (error) {
      assert.doesNotMatch((error as Error).message, INVALID_SCHEMA, name);
    }
  }
});

test("a schema that cannot be compiled fails with its first response, and only then", () => {
  const schema = { type: "object", properties: { name: { type: "nothing" } } };
  const serialize = compileSerializer({ schema, method: "GET", url: "/", httpStatus: "200" });
  assert.throws(() => serialize({ name: "Rex" }), INVALID_SCHEMA);
});

async function collectResponses(): Promise<Array<{ name: string; schema: object }>> {
  const found = [];
  for (const path of globSync("src/http/schemas/*.ts", { cwd: ROOT }))
    for (const [name, schema] of Object.entries(await import(join(ROOT, path))))
      if (typeof schema === "object" && schema !== null && ("type" in schema || "anyOf" in schema))
        found.push({ name, schema });
  return found;
}
