// Guarantees of every route, including routes that are added later.

import assert from "node:assert/strict";
import { test } from "node:test";
import Fastify from "fastify";
import { ACCESS_LEVELS, type Access } from "../../../src/domain/keys/plan.ts";
import { collectOperations } from "../../../src/http/openapi/operations.ts";
import { compileValidator } from "../../../src/http/request/validation.ts";
import * as audit from "../../../src/http/routes/audit.ts";
import * as categories from "../../../src/http/routes/categories.ts";
import * as events from "../../../src/http/routes/events.ts";
import * as keys from "../../../src/http/routes/keys.ts";
import * as listings from "../../../src/http/routes/listings.ts";
import * as orders from "../../../src/http/routes/orders.ts";
import * as pets from "../../../src/http/routes/pets.ts";
import * as photos from "../../../src/http/routes/photos.ts";
import * as traffic from "../../../src/http/routes/traffic.ts";
import * as webhookDeliveries from "../../../src/http/routes/webhook-deliveries.ts";
import * as webhooks from "../../../src/http/routes/webhooks.ts";
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

test("A schema with a keyword that would not be enforced is refused at start", async (t) => {
  const member = (schema: object) => ({ type: "object", properties: { name: schema } });
  const int64 = { type: "integer", format: "int64" };
  const refused: Record<string, object> = {
    "on the body": { ...member(int64), additionalProperties: false },
    "on a member": member({ type: "string", minLength: 1 }),
    "on a member of another type": member({ type: "string", minimum: 1 }),
    "on an int64": member({ ...int64, minimum: 1 }),
    "beside an enum": member({ type: "string", enum: ["a"], pattern: "a" }),
    "an unknown format": member({ type: "string", format: "email" }),
    "an unknown type": member({ type: "number" }),
    "beside anyOf": member({ anyOf: [int64, { type: "null" }], maximum: 1 }),
    "in anyOf": member({ anyOf: [{ ...int64, multipleOf: 2 }, { type: "null" }] }),
    "in a nested object": member(member({ type: "string", maxLength: 1 })),
    "on the items of an array": member({ type: "array", items: { type: "string", maxLength: 1 } }),
    "on an array": member({ type: "array", items: int64, minItems: 1 }),
  };
  const start = async (schema: object) => {
    const app = Fastify().setValidatorCompiler(compileValidator);
    collectOperations(app);
    app.post(
      "/v1/x",
      { schema: { operationId: "x", ...schema }, config: { access: "admin" } },
      async () => "",
    );
    await app.ready();
    await app.close();
  };
  await start({ body: member({ anyOf: [int64, { type: "null" }] }) });
  for (const [place, schema] of Object.entries(refused))
    await t.test(`${place}, in a body and in a response`, async () => {
      await assert.rejects(start({ body: schema }), /not supported/);
      await assert.rejects(start({ response: { 200: schema } }), /not supported/);
    });

  const enforcedIn: Record<string, { keyword: object; parts: string[] }> = {
    required: { keyword: { required: ["name"] }, parts: ["body", "params"] },
    minProperties: { keyword: { minProperties: 1 }, parts: ["body"] },
    "x-missing": { keyword: { "x-missing": "pet_not_found" }, parts: ["params"] },
  };
  for (const [name, { keyword, parts }] of Object.entries(enforcedIn))
    await t.test(`${name}, outside ${parts.join(" and ")}`, async () => {
      const schema = { ...member({ type: "string" }), ...keyword };
      for (const part of ["body", "querystring", "params"]) {
        const started = start({ [part]: schema });
        if (parts.includes(part)) await started;
        else await assert.rejects(started, /not supported/, part);
      }
    });
});

/** Each level may also call the operations of the levels before it. */
const OPERATIONS_BY_ACCESS: Record<Access, string> = {
  browse: `listPets getPet listListings countListings getListing getInventory listCategories listEvents
    streamEvents getUsage`,
  adopt: "listOrders createOrder getOrderCounts getOrder updateOrder",
  manage: `createPet updatePet deletePet listPetHistory updateProfile addPhoto orderPhotos updatePhoto
    deletePhoto putCategory deleteCategory listWebhooks createWebhook getWebhook updateWebhook deleteWebhook testWebhook
    rotateWebhook listDeliveries replayWebhook`,
  admin: `listKeys createKey getKey updateKey revokeKey rotateKey unbanKey listAudit getTraffic
    getTrafficPeriods getKeyUsage`,
};

test("Every operation", async (t) => {
  // Each operation is called without a key from a different address, so that none reaches the limit of another.
  const { call, service, createKey } = await startApp(t, { environment: { TRUST_PROXY: "127.0.0.1" } });
  const document = (await service.app.inject("/openapi.json")).json();
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, OperationObject>).map(([method, operation]) => ({
      path,
      method,
      operation,
      access: operation.security[0].bearerAuth[0],
    })),
  );

  await t.test("every operation has the access that the interface gives it", () => {
    for (const [level, ids] of Object.entries(OPERATIONS_BY_ACCESS)) {
      const declared = operations.filter(({ access }) => access === level);
      const found = declared.map(({ operation }) => operation.operationId);
      assert.deepEqual(found.sort(), ids.split(/\s+/).sort());
    }
  });

  await t.test("every operation is the constant of its name in a route file", () => {
    const some = [audit, categories, events, keys, listings, orders];
    const files = [...some, pets, photos, traffic, webhooks, webhookDeliveries];
    const constants = files.flatMap((file) => Object.keys(file).filter((name) => !name.endsWith("Routes")));
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.deepEqual(ids.sort(), constants.sort());
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
      for (const key of keysByLevel.slice(level)) assert.ok(![401, 403].includes((await ask(key)).status));
      for (const key of keysByLevel.slice(0, level)) {
        const refused = await ask(key);
        assertError(refused, "insufficient_access");
        const challenge = `Bearer realm="animal-store", error="insufficient_scope", scope="${access}"`;
        assert.equal(refused.headers["www-authenticate"], challenge);
      }
    });

    if (method === "post") {
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
  security: [{ bearerAuth: [Access] }];
  parameters: Array<{ name: string }>;
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, object>;
}
