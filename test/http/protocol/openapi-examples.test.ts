// The OpenAPI document has an example wherever tools look for one, and the service behaves as the examples say.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { EVENT_TYPES } from "../../../src/domain/events/event.ts";
import { TEST_TYPE } from "../../../src/domain/webhooks/webhook.ts";
import type { Call, CallOptions } from "../../harness/clients/call.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { column } from "../../harness/clients/pages.ts";
import { startApp } from "../../harness/servers/app.ts";

interface Described {
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
  schema: Record<string, unknown>;
}
interface Answer {
  headers: { Location?: { example: string } };
  content?: Record<string, Described>;
}
interface Operation {
  operationId: string;
  parameters: Array<Described & { name: string; in: string }>;
  requestBody?: { content: { "application/json"?: Described } };
  responses: Record<string, Answer | { $ref: string }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Pick<Operation, "operationId" | "parameters" | "requestBody"> }>;
  components: {
    responses: Record<string, Answer>;
    headers: Record<string, Described>;
    schemas: Record<string, object>;
  };
}

/** Steps of the story of the examples, by the minutes since its start. */
const STEPS: Record<number, string> = {
  0: `putCategory putCategory listCategories createKey listAudit getKey listKeys rotateKey unbanKey updateKey
    revokeKey createPet getPet listPets`,
  15: "updatePet listPetHistory createShelter getShelter updateShelter listShelters updateSite getSite",
  20: "updateProfile getListing listListings countListings importAnimals getExport",
  30: "createOrder getOrder listOrders",
  60: `createWebhook getWebhook listWebhooks updateWebhook updateOrder listEvents getInventory getOrderCounts
    getUsage getTraffic getTrafficPeriods getKeyUsage addPhoto orderPhotos updatePhoto deletePhoto deleteCategory
    deletePet deleteShelter listDeliveries replayWebhook testWebhook rotateWebhook deleteWebhook`,
  90: `createInvitation listInvitations revokeInvitation acceptInvitation listPeople updatePerson createDeviceLink
    endSession endPerson`,
};
const STORY = Object.entries(STEPS).flatMap(([minute, ids]) =>
  ids.split(/\s+/).map((operationId) => ({ minute: Number(minute), operationId })),
);
const STORY_STARTS_MS = Date.parse("2026-11-15T09:30:00.000Z");
/**
 * Their bodies depend on other requests, on the hash of an image, or on a receiver that does not exist;
 * only their schema is checked.
 */
const CHANGING = `getKey listKeys getUsage getInventory getTraffic getTrafficPeriods getKeyUsage listEvents
  getOrderCounts addPhoto orderPhotos updatePhoto listDeliveries replayWebhook testWebhook rotateWebhook`.split(
  /\s+/,
);

async function startDocument(t: TestContext) {
  // The host of the example does not resolve.
  const environment = { WEBHOOK_ALLOW: "hooks.example.net" };
  const app = await startApp(t, { startMs: STORY_STARTS_MS, environment });
  const document: Document = (await app.service.app.inject("/openapi.json")).json();
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return { ...app, document, operations, check: compileCheck(document) };
}

test("The OpenAPI document", async (t) => {
  const { document, operations, check } = await startDocument(t);

  await t.test("every parameter, body, 2xx response and error has an example, valid by its schema", () => {
    const described = [
      ...operations.flatMap(({ operation }) => listExamples(operation)),
      ...Object.entries(document.components.responses).map(([name, { content }]) => [
        name,
        content?.["application/json"],
      ]),
      ...Object.entries(document.components.headers),
    ] as Array<[string, Described]>;
    assert.ok(described.length > 100);
    for (const [place, { example, examples, schema }] of described) {
      const values = examples ? Object.values(examples).map(({ value }) => value) : [example];
      assert.ok(values.length > 0 && !values.includes(undefined), `${place} has no example`);
      for (const value of values) check(place, schema, value);
    }
  });

  await t.test("no member of a request body has a default: generated types would require it", () => {
    for (const { operation } of operations) {
      const schema = operation.requestBody?.content["application/json"]?.schema;
      if (schema !== undefined) assert.deepEqual(findDefaults(schema, document), [], operation.operationId);
    }
  });
});

test("The service answers every example request with the example response, in one story", async (t) => {
  const { call, clock, createKey, document, operations, check } = await startDocument(t);
  // Its id is the `keyId` of the example changes.
  const { key } = await createKey({ plan: "business", access: "admin" });
  const covered = new Set(STORY.map(({ operationId }) => operationId));
  const ids = operations.map(({ operation }) => operation.operationId);
  // A stream has no end; its own test reads it.
  assert.deepEqual(
    ids.filter((id) => !covered.has(id)),
    ["streamEvents"],
  );
  assert.equal(covered.size, operations.length - 1);

  let personKey: string | undefined;
  for (const { minute, operationId } of STORY)
    await t.test(operationId, async () => {
      clock.set(STORY_STARTS_MS + minute * 60_000);
      const { path, method, operation } = operations[ids.indexOf(operationId)] as (typeof operations)[number];
      if (operationId === "replayWebhook") await untilDelivery(call);
      if (operationId === "deletePet")
        await call("PATCH", "/store/orders/1", { body: { status: "cancelled" } });
      // The example asks for animals near a place.
      if (operationId === "listListings")
        await call("PATCH", "/shelters/1", { body: { location: { latitude: 52.53, longitude: 13.38 } } });
      const { target: described, options } = requestOf(path, operation);
      // From the oldest event on: the example begins at the end of the feed, where there is nothing to check.
      const target = described.replace("after=now", "");
      if (operationId === "addPhoto") {
        options.body = await drawImage("red");
        options.headers["content-type"] = "image/png";
      }
      if (operationId === "importAnimals") {
        options.body = "Name;Number;Sex;Chip\nRex III;A-2041;m;276098106\nMinka;A-2042;tom;276098107\n";
        options.headers["content-type"] = "text/csv";
      }
      if (operationId === "acceptInvitation") {
        // The invitation of the example was revoked, and its code is no code of this store.
        const { url } = (await call("POST", "/invitations", { body: { name: "Maria", access: "manage" } }))
          .json;
        options.body = { ...(options.body as object), code: codeOf(url) };
      }
      const keyOfCall = ["createDeviceLink", "endSession"].includes(operationId) ? personKey : key;
      const send = () => call(method.toUpperCase(), target, { key: keyOfCall, ...options });
      // The example is no ETag of this store.
      if (options.headers["If-Match"] !== undefined) {
        assert.equal((await send()).json.code, "precondition_failed");
        const read = operationId === "updateProfile" ? "/listings/1" : target;
        options.headers["If-Match"] = (await call("GET", read)).headers.etag ?? "";
      }
      const answer = await send();
      assert.match(String(answer.status), /^2/, answer.text);
      if (operationId === "acceptInvitation") personKey = answer.json.key;
      const { content, headers } = operation.responses[answer.status] as Answer;
      assert.equal(pathOf(answer.headers.location), pathOf(headers.Location?.example), "Location");
      if (content?.["text/csv"] !== undefined) return assert.equal(answer.text, content["text/csv"].example);
      const { schema, example } = content?.["application/json"] ?? {};
      if (schema === undefined) return assert.equal(answer.text, "");
      check(operationId, schema, answer.json);
      if (!CHANGING.includes(operationId)) assert.deepEqual(hideSecrets(answer.json), hideSecrets(example));
    });

  await t.test("the document describes every event of the story, and the stream", async () => {
    // A webhook gets the same bytes as a reader of the feed.
    const events: Array<{ type: string }> = (await call("GET", "/events?limit=100")).json;
    assert.deepEqual(new Set(events.map(({ type }) => type)), new Set(EVENT_TYPES));
    assert.deepEqual(Object.keys(document.webhooks), [...EVENT_TYPES, TEST_TYPE]);
    const requestOfType = (type: string) => document.webhooks[type]?.post as Operation;
    for (const event of events) {
      const { schema = {} } =
        requestOfType(event.type).requestBody?.content["application/json"] ?? assert.fail();
      check(event.type, schema, event);
      for (const other of EVENT_TYPES.filter((each) => each.split(".")[0] !== event.type.split(".")[0])) {
        const { schema: foreign = {} } = requestOfType(other).requestBody?.content["application/json"] ?? {};
        assert.throws(() => check(event.type, foreign, event), `${event.type} is no ${other}`);
      }
    }
    const paths = [...Object.values(document.paths), ...Object.values(document.webhooks)];
    const named = paths.flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    assert.equal(named.filter((name) => typeof name === "string").length, named.length);
    assert.equal(new Set(named).size, named.length, "every operation has a name of its own");
    for (const { post } of Object.values(document.webhooks))
      assert.match(
        column(post.parameters, "name").join(" "),
        /^webhook-id webhook-timestamp webhook-signature$/,
      );
    const stream = document.paths["/events/stream"]?.get?.responses[200] as Answer;
    assert.deepEqual(Object.keys(stream.content ?? {}), ["text/event-stream"]);
  });
});

/** The deletion of the animal is an event for the webhook; its delivery is created a moment later. */
async function untilDelivery(call: Call): Promise<void> {
  while ((await call("GET", "/webhooks/1/deliveries")).json.length === 0) await pause(20);
}

function listExamples({
  operationId,
  parameters,
  requestBody,
  responses,
}: Operation): Array<[string, unknown]> {
  const successes = Object.entries(responses).flatMap(([status, answer]) =>
    status.startsWith("2") && "content" in answer
      ? [[status, Object.values(answer.content ?? {})[0]] as const]
      : [],
  );
  return [
    ...parameters.map((parameter): [string, unknown] => [`${operationId} ${parameter.name}`, parameter]),
    // A file has no example.
    ...(requestBody?.content["application/json"]
      ? [[`${operationId} body`, requestBody.content["application/json"]] as [string, unknown]]
      : []),
    ...successes.map(([status, content]): [string, unknown] => [`${operationId} ${status}`, content]),
  ];
}

/** A validator that follows references into the document. */
function compileCheck({ components }: Document) {
  const ajv = new Ajv2020({
    strict: false,
    unicodeRegExp: true,
    allErrors: true,
    formats: {
      int64: { type: "number", validate: Number.isSafeInteger },
      "date-time": (text: string) => new Date(text).toISOString() === text,
      date: (text: string) => new Date(text).toISOString().startsWith(text),
    },
  });
  ajv.addSchema({ $id: "document", components });
  return (place: string, schema: object, value: unknown): void => {
    const absolute = JSON.stringify(schema).replaceAll('"#/components', '"document#/components');
    const isValid = ajv.validate(JSON.parse(absolute), value);
    assert.ok(isValid, `${place}: ${JSON.stringify(value)} ${ajv.errorsText()}`);
  };
}

function requestOf(path: string, { parameters, requestBody }: Operation) {
  const placed = (place: string) =>
    parameters
      .filter((each) => each.in === place)
      .map(({ name, example }) => [name, String(example)] as const);
  const filled = placed("path").reduce((text, [name, value]) => text.replace(`{${name}}`, value), path);
  const query = new URLSearchParams(placed("query").map(([name, value]) => [name, value]));
  const headers: Record<string, string> = Object.fromEntries(placed("header"));
  const options: CallOptions & { headers: typeof headers } = { headers };
  if (requestBody) options.body = requestBody.content["application/json"]?.example;
  return { target: query.size > 0 ? `${filled}?${query}` : filled, options };
}

/** Paths of the members with a default, through all references. */
function findDefaults(node: unknown, document: Document, path = ""): string[] {
  if (typeof node !== "object" || node === null) return [];
  const { $ref, ...members } = node as Record<string, unknown>;
  const target =
    typeof $ref === "string" ? document.components.schemas[$ref.split("/").at(-1) ?? ""] : undefined;
  return [
    ...("default" in members ? [path] : []),
    ...findDefaults(target, document, path),
    ...Object.entries(members).flatMap(([name, member]) => findDefaults(member, document, `${path}/${name}`)),
  ];
}

/** The code in the address of an invitation or a link. */
function codeOf(url: string): string | undefined {
  return url.split("#join/")[1];
}

/** The host of the example is not the host of the test. */
function pathOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : new URL(address).pathname;
}

function hideSecrets(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (name, value) =>
    ["key", "hint", "secret"].includes(name) || String(value).includes("/#join/") ? "secret" : value,
  );
}
