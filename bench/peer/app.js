// The same interface as a Fastify application, written as its users do: schemas, hooks, plugins. It runs on both engines.

import cors from "@fastify/cors";
import etag from "@fastify/etag";
import rateLimit from "@fastify/rate-limit";
import Fastify from "fastify";
import { Redis } from "ioredis";
import { digestKey, findKey, findPet, insertPet, listPets } from "./store.js";

const { REDIS_URL, PORT } = process.env;
// The options that the documentation of @fastify/rate-limit recommends. Without Redis, it counts in the process.
const redis = REDIS_URL && new Redis(REDIS_URL, { connectTimeout: 500, maxRetriesPerRequest: 1 });

const integer = { type: "integer" };
const name = { type: "string", minLength: 1, maxLength: 255 };
const status = { type: "string", enum: ["available", "pending", "sold"] };
const newPet = {
  type: "object",
  required: ["name", "categoryId"],
  properties: { name, categoryId: integer, status: { ...status, default: "available" } },
};
const pet = { type: "object", properties: { id: integer, name, categoryId: integer, status } };
const limit = { type: "integer", minimum: 1, maximum: 100, default: 20 };
const cursor = { type: "integer", minimum: 0, default: 0 };
const petsQuery = { type: "object", properties: { limit, status, cursor } };
const petPath = { type: "object", properties: { petId: integer } };

const app = Fastify({ logger: true, bodyLimit: 16_384 });
await app.register(cors);
await app.register(etag);

app.decorateRequest("apiKey", null);
app.addHook("onRequest", async (request, reply) => {
  const secret = request.headers.authorization?.match(/^Bearer (\S+)$/i)?.[1];
  request.apiKey = secret && (await findKey(digestKey(secret)));
  if (!request.apiKey) return fail(reply, 401, "invalid_api_key", "The API key is missing or invalid.");
});

await app.register(rateLimit, {
  timeWindow: "1 minute",
  max: (request) => request.apiKey.perMinute,
  keyGenerator: (request) => request.apiKey.id,
  redis,
});

const listSchema = { querystring: petsQuery, response: { 200: { type: "array", items: pet } } };
app.get("/v1/pets", { schema: listSchema }, async (request, reply) => {
  const { limit, status, cursor } = request.query;
  const pets = await listPets(status, cursor, limit + 1);
  if (pets.length > limit) {
    pets.pop();
    const next = new URLSearchParams({ limit, ...(status && { status }), cursor: pets.at(-1).id });
    reply.header("link", `<${request.protocol}://${request.host}/v1/pets?${next}>; rel="next"`);
  }
  return pets;
});

app.post("/v1/pets", { schema: { body: newPet, response: { 201: pet } } }, async (request, reply) => {
  const { name, categoryId, status } = request.body;
  const id = await insertPet(name, categoryId, status);
  reply.code(201).header("location", `/v1/pets/${id}`);
  return { id, name, categoryId, status };
});

const getSchema = { params: petPath, response: { 200: pet } };
app.get("/v1/pets/:petId", { schema: getSchema }, async (request, reply) => {
  const found = await findPet(request.params.petId);
  return found ?? fail(reply, 404, "pet_not_found", "No animal has this identifier.");
});

function fail(reply, status, code, message) {
  return reply.code(status).send({ code, message, status });
}

await app.listen({ port: Number(PORT), host: "127.0.0.1" });
