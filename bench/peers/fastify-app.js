// The same interface as a Fastify application, written as its users do: schemas, hooks, plugins.

import { createHash } from "node:crypto";
import cors from "@fastify/cors";
import etag from "@fastify/etag";
import rateLimit from "@fastify/rate-limit";
import Fastify from "fastify";

const status = { type: "string", enum: ["available", "pending", "sold"] };
const newPet = {
  type: "object",
  required: ["name", "categoryId"],
  properties: {
    name: { type: "string", minLength: 1, maxLength: 255 },
    categoryId: { type: "integer" },
    status: { ...status, default: "available" },
  },
};
const pet = {
  type: "object",
  properties: { id: { type: "integer" }, name: { type: "string" }, categoryId: { type: "integer" }, status },
};
const petsQuery = {
  type: "object",
  properties: {
    limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    status,
    cursor: { type: "integer", minimum: 0, default: 0 },
  },
};
const petPath = { type: "object", properties: { petId: { type: "integer" } } };

/** `store` may return values or promises; `redis` undefined: requests are counted in this process. */
export async function startApp(store, redis) {
  const app = Fastify({ logger: true, bodyLimit: 16_384 });

  app.setErrorHandler((error, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) request.log.error(error);
    reply.code(status).send({ code: error.code ?? "error", message: error.message, status });
  });

  await app.register(cors);
  await app.register(etag);

  app.decorateRequest("apiKey", null);
  app.addHook("onRequest", async (request, reply) => {
    const secret = request.headers.authorization?.match(/^Bearer (\S+)$/i)?.[1];
    const hash = secret && createHash("sha256").update(secret).digest("hex");
    request.apiKey = hash && (await store.findKey(hash));
    if (!request.apiKey) {
      return reply
        .code(401)
        .send({ code: "invalid_api_key", message: "The API key is missing or invalid.", status: 401 });
    }
  });

  await app.register(rateLimit, {
    timeWindow: "1 minute",
    max: (request) => request.apiKey.perMinute,
    keyGenerator: (request) => request.apiKey.id,
    redis,
  });

  app.get(
    "/v1/pets",
    { schema: { querystring: petsQuery, response: { 200: { type: "array", items: pet } } } },
    async (request, reply) => {
      const { limit, status, cursor } = request.query;
      const pets = await store.listPets(status, cursor, limit + 1);
      if (pets.length > limit) {
        pets.pop();
        const next = new URLSearchParams({ limit, ...(status && { status }), cursor: pets.at(-1).id });
        reply.header("link", `<${request.protocol}://${request.host}/v1/pets?${next}>; rel="next"`);
      }
      return pets;
    },
  );

  app.post("/v1/pets", { schema: { body: newPet, response: { 201: pet } } }, async (request, reply) => {
    const { name, categoryId, status } = request.body;
    const id = await store.insertPet(name, categoryId, status);
    reply.code(201).header("location", `/v1/pets/${id}`);
    return { id, name, categoryId, status };
  });

  app.get(
    "/v1/pets/:petId",
    { schema: { params: petPath, response: { 200: pet } } },
    async (request, reply) => {
      const found = await store.findPet(request.params.petId);
      if (found) return found;
      return reply
        .code(404)
        .send({ code: "pet_not_found", message: "No animal has this identifier.", status: 404 });
    },
  );

  await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
}
