// API keys: getUsage for every caller; listKeys, createKey, getKey, updateKey, rotateKey, unbanKey and revokeKey for `admin`.

import type { Page } from "../../domain/basics/page.ts";
import type { Admission } from "../../domain/keys/admission.ts";
import { type ApiKey as DomainKey, describeKey } from "../../domain/keys/api-key.ts";
import { describeUsage } from "../../domain/keys/shown-limits.ts";
import { actorOf } from "../admission/caller.ts";
import { answerPage } from "../pages/pages.ts";
import {
  ApiKey,
  ApiKeys,
  ChangedKey,
  IssuedKey,
  KeyDetails,
  KeyPatch,
  KeyPath,
  KeyRotation,
  KeysQuery,
  NewKey,
  RotatedKey,
  Usage,
} from "../schemas/keys.ts";
import type { HttpServices } from "../services.ts";
import { apiUrl, type Route, routePlugin } from "./route.ts";

type UsageOfDay = ReturnType<typeof describeUsage> & { day: object };

/** Only the gate knows whether a key is banned. */
async function showKey(key: DomainKey, { gate, clock }: Pick<HttpServices, "gate" | "clock">) {
  const { ban } = describeUsage(await gate.peek(key));
  return { ...describeKey(key, clock.nowMs()), ...(ban && { ban }) };
}

export const getUsage: Route = (app) =>
  app.get("/usage", {
    schema: {
      operationId: "getUsage",
      summary: "Show the remaining requests",
      description: "Not counted against any limit. Works during a ban too.",
      answer: "Both rate limit windows, and the ban if there is one.",
      response: { 200: Usage },
    },
    config: { access: "browse", charged: false },
    handler: async ({ apiKey, admission }) => {
      const { plan, access, shelterId, person } = apiKey as DomainKey;
      // Publishable keys, which have no limit per day, may not call this.
      const usage = describeUsage(admission as Admission) as UsageOfDay;
      return { plan, access, ...(shelterId && { shelterId }), ...(person && { person }), ...usage };
    },
  });

export const listKeys: Route<"keyRing" | "gate" | "clock" | "publicUrl"> = (app, services) =>
  app.get("/keys", {
    schema: {
      operationId: "listKeys",
      summary: "List keys",
      description:
        "One page of keys, in ascending order of id, including revoked and expired ones. `ban` is present while a key is banned.",
      querystring: KeysQuery,
      answer: "A page of keys.",
      response: { 200: ApiKeys },
    },
    config: { access: "admin" },
    handler: async ({ query }, reply) => {
      const keys = await answerPage(reply, query, {
        path: "keys",
        filters: query.calls === undefined ? [] : [`calls=${query.calls}`],
        base: apiUrl(services),
        read: (page: Page) => services.keyRing.list(page, { hasUsedDeprecated: query.calls !== undefined }),
      });
      return Promise.all(keys.map((key) => showKey(key, services)));
    },
  });

export const createKey: Route<"answerPost" | "clock" | "publicUrl"> = (app, services) =>
  app.post("/keys", {
    schema: {
      operationId: "createKey",
      summary: "Create a key",
      description:
        "Only this response contains a secret key. A publishable key is for web pages: it needs `allowedOrigins`, and `getKey` shows it again.",
      body: NewKey,
      answer: "The key with its secret.",
      response: { 201: IssuedKey },
    },
    config: { access: "admin", hasSecret: true },
    handler: (request, reply) =>
      services.answerPost(request, reply, async (stores) => {
        const { expiresAt, shelterId, ...settings } = request.body;
        const expiresAtMs = expiresAt?.getTime();
        const { key, secret } = await stores.keyRing.create(
          { ...settings, expiresAtMs, shelterId: shelterId ?? undefined },
          actorOf(request),
        );
        const body = { ...describeKey(key, services.clock.nowMs()), key: secret };
        return { status: 201, location: apiUrl(services, `/keys/${key.id}`), body };
      }),
  });

export const getKey: Route<"keyRing" | "gate" | "clock"> = (app, { keyRing, gate, clock }) =>
  app.get("/keys/:keyId", {
    schema: {
      operationId: "getKey",
      summary: "Get a key",
      description: "Includes the current state of both rate limit windows, and the ban if there is one.",
      params: KeyPath,
      answer: "The key with its remaining requests, without its secret.",
      response: { 200: KeyDetails },
    },
    config: { access: "admin" },
    handler: async ({ params }) => {
      const key = await keyRing.get(params.keyId);
      const usage = describeUsage(await gate.peek(key));
      return { ...describeKey(key, clock.nowMs()), ...(usage.ban && { ban: usage.ban }), usage };
    },
  });

export const updateKey: Route<"keyRing" | "gate" | "clock"> = (app, services) =>
  app.patch("/keys/:keyId", {
    schema: {
      operationId: "updateKey",
      summary: "Change a key",
      description:
        "Takes effect with the next request. Leaving the enterprise plan removes the key's own limits. Of a person's key, only the name can be changed.",
      params: KeyPath,
      body: KeyPatch,
      answer: "The changed key.",
      response: { 200: ChangedKey },
    },
    config: { access: "admin", errors: ["invalid_transition"] },
    handler: async (request) => {
      const { expiresAt, ...changes } = request.body;
      const expiresAtMs = expiresAt instanceof Date ? expiresAt.getTime() : expiresAt;
      const { keyId } = request.params;
      const key = await services.keyRing.update(keyId, { ...changes, expiresAtMs }, actorOf(request));
      return showKey(key, services);
    },
  });

export const rotateKey: Route<"answerPost" | "clock"> = (app, services) =>
  app.post("/keys/:keyId/rotate", {
    schema: {
      operationId: "rotateKey",
      summary: "Rotate the secret of a key",
      description:
        "The key keeps its id, settings and counts. The old secret works until the grace period ends. A person's key cannot be rotated.",
      params: KeyPath,
      body: KeyRotation,
      answer: "The key with its new secret.",
      response: { 200: RotatedKey },
    },
    config: { access: "admin", hasSecret: true, errors: ["invalid_transition"] },
    handler: (request, reply) =>
      services.answerPost(request, reply, async (stores) => {
        const { keyId } = request.params;
        const { graceSeconds } = request.body ?? {};
        const rotated = await stores.keyRing.rotate(keyId, actorOf(request), graceSeconds);
        const { key, secret, oldEndsAtMs = 0 } = rotated;
        const shown = describeKey(key, services.clock.nowMs());
        return { status: 200, body: { ...shown, key: secret, oldEndsAt: new Date(oldEndsAtMs) } };
      }),
  });

export const unbanKey: Route<"answerPost" | "clock"> = (app, services) =>
  app.post("/keys/:keyId/unban", {
    schema: {
      operationId: "unbanKey",
      summary: "Lift the ban of a key",
      description: "Takes effect with the next request. Without a ban, nothing changes.",
      params: KeyPath,
      answer: "The key.",
      response: { 200: ApiKey },
    },
    config: { access: "admin" },
    handler: (request, reply) =>
      services.answerPost(request, reply, async (stores) => {
        const { nowMs } = request.admission as Admission;
        const key = await stores.keyRing.unban(request.params.keyId, nowMs, actorOf(request));
        return { status: 200, body: describeKey(key, services.clock.nowMs()) };
      }),
  });

export const revokeKey: Route<"keyRing"> = (app, { keyRing }) =>
  app.delete("/keys/:keyId", {
    schema: {
      operationId: "revokeKey",
      summary: "Revoke a key",
      description:
        "Permanent; takes effect with the next request. The key remains in the list as revoked. Revoking the key of a person ends the session of that device.",
      params: KeyPath,
      answer: "The key is revoked.",
    },
    config: { access: "admin" },
    handler: async (request, reply) => {
      await keyRing.revoke(request.params.keyId, actorOf(request));
      return reply.code(204).send();
    },
  });

export const keyRoutes = routePlugin(
  "Keys",
  getUsage,
  listKeys,
  createKey,
  getKey,
  updateKey,
  rotateKey,
  unbanKey,
  revokeKey,
);
