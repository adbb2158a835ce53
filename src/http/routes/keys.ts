// The key operations, for admin keys: listKeys, createKey, getKey, updateKey, rotateKey, unbanKey, revokeKey.

import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { type ApiKey as DomainKey, describeKey } from "../../domain/api-key.ts";
import { answerPage } from "../pages.ts";
import { ApiKey, ApiKeys, IssuedKey, KeyPatch, KeyPath, KeyRotation, NewKey, PageQuery } from "../schemas.ts";
import type { HttpServices } from "../services.ts";

export const keyRoutes: FastifyPluginAsyncTypebox<
  Pick<HttpServices, "keyRing" | "clock" | "publicUrl">
> = async (app, { keyRing, clock, publicUrl }) => {
  const listUrl = () => `${publicUrl()}/v1/keys`;
  const describe = (key: DomainKey) => describeKey(key, clock.nowMs());

  app.get(
    "/keys",
    {
      schema: {
        operationId: "listKeys",
        tag: "Keys",
        summary: "List keys",
        description: "A page of keys by id, rising; revoked and expired ones too.",
        querystring: PageQuery,
        answer: { description: "A page of keys.", headers: ["Link"] },
        response: { 200: ApiKeys },
      },
      config: { access: "admin", errors: ["invalid_parameter", "invalid_cursor"] },
    },
    async ({ query }, reply) => {
      const keys = await answerPage(reply, query, { url: new URL(listUrl()), read: keyRing.list });
      return keys.map(describe);
    },
  );

  app.post(
    "/keys",
    {
      schema: {
        operationId: "createKey",
        tag: "Keys",
        summary: "Issue a key",
        description: "The key itself is in this answer and nowhere else.",
        body: NewKey,
        answer: { description: "The key with its secret.", headers: ["Location"] },
        response: { 201: IssuedKey },
      },
      config: { access: "admin" },
    },
    async ({ body: { expiresAt, access = "manage", ...settings } }, reply) => {
      const issued = await keyRing.create({ ...settings, access, expiresAtMs: expiresAt?.getTime() });
      reply.code(201).header("location", `${listUrl()}/${issued.key.id}`);
      return { ...describe(issued.key), key: issued.secret };
    },
  );

  app.get(
    "/keys/:keyId",
    {
      schema: {
        operationId: "getKey",
        tag: "Keys",
        summary: "Get a key",
        params: KeyPath,
        answer: { description: "The key, without its secret." },
        response: { 200: ApiKey },
      },
      config: { access: "admin", errors: ["key_not_found"] },
    },
    async ({ params }) => describe(await keyRing.get(params.keyId)),
  );

  app.patch(
    "/keys/:keyId",
    {
      schema: {
        operationId: "updateKey",
        tag: "Keys",
        summary: "Change a key",
        description:
          "In force with the next request. Leaving the enterprise plan drops the key's own limits.",
        params: KeyPath,
        body: KeyPatch,
        answer: { description: "The changed key." },
        response: { 200: ApiKey },
      },
      config: { access: "admin", errors: ["key_not_found"] },
    },
    async ({ params, body: { expiresAt, ...changes } }) => {
      const expiresAtMs = expiresAt instanceof Date ? expiresAt.getTime() : expiresAt;
      return describe(await keyRing.update(params.keyId, { ...changes, expiresAtMs }));
    },
  );

  app.post(
    "/keys/:keyId/rotate",
    {
      schema: {
        operationId: "rotateKey",
        tag: "Keys",
        summary: "Give a key a new secret",
        description:
          "The key keeps its id, settings and counts. The old secret works until the grace time is over.",
        params: KeyPath,
        body: KeyRotation,
        answer: { description: "The key with its new secret." },
        response: { 200: IssuedKey },
      },
      config: { access: "admin", errors: ["key_not_found"] },
    },
    async ({ params, body }) => {
      const { key, secret, oldEndsAtMs = 0 } = await keyRing.rotate(params.keyId, body?.graceSeconds);
      return { ...describe(key), key: secret, oldEndsAt: new Date(oldEndsAtMs) };
    },
  );

  app.post(
    "/keys/:keyId/unban",
    {
      schema: {
        operationId: "unbanKey",
        tag: "Keys",
        summary: "Lift the ban of a key",
        params: KeyPath,
        answer: { description: "The key." },
        response: { 200: ApiKey },
      },
      config: { access: "admin", errors: ["key_not_found"] },
    },
    async ({ params }) => describe(await keyRing.unban(params.keyId)),
  );

  app.delete(
    "/keys/:keyId",
    {
      schema: {
        operationId: "revokeKey",
        tag: "Keys",
        summary: "Revoke a key",
        description: "For good, in force with the next request. The key stays listed as revoked.",
        params: KeyPath,
        answer: { description: "The key is revoked." },
      },
      config: { access: "admin", errors: ["key_not_found"] },
    },
    async ({ params }, reply) => {
      await keyRing.revoke(params.keyId);
      return reply.code(204).send();
    },
  );
};
