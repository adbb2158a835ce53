// The same interface as an Express application, written as its users do: middleware, zod, better-sqlite3.

import { createHash } from "node:crypto";
import Database from "better-sqlite3";
import cors from "cors";
import express from "express";
import { rateLimit } from "express-rate-limit";
import morgan from "morgan";
import { z } from "zod";

const db = new Database(process.env.DATABASE);
db.pragma("journal_mode = WAL");
// Every create is on disk before its response.
db.pragma("synchronous = FULL");

const COLUMNS = "id, name, category_id AS categoryId, status";
const findKey = db.prepare("SELECT id, per_minute AS perMinute FROM api_keys WHERE hash = ?");
const listAll = db.prepare(`SELECT ${COLUMNS} FROM pets WHERE id > ? ORDER BY id LIMIT ?`);
const listByStatus = db.prepare(
  `SELECT ${COLUMNS} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
);
const findPet = db.prepare(`SELECT ${COLUMNS} FROM pets WHERE id = ?`);
const insertPet = db.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)");

const Status = z.enum(["available", "pending", "sold"]);
const NewPet = z.object({
  name: z.string().trim().min(1).max(255),
  categoryId: z.int(),
  status: Status.default("available"),
});
const PetsQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  status: Status.optional(),
  cursor: z.coerce.number().int().min(0).default(0),
});

function fail(res, status, code, message) {
  return res.status(status).json({ code, message, status });
}

function authenticate(req, res, next) {
  const secret = req.get("authorization")?.match(/^Bearer (\S+)$/i)?.[1];
  const hash = secret && createHash("sha256").update(secret).digest("hex");
  req.apiKey = hash && findKey.get(hash);
  if (!req.apiKey) return fail(res, 401, "invalid_api_key", "The API key is missing or invalid.");
  next();
}

const limiter = rateLimit({
  windowMs: 60_000,
  limit: (req) => req.apiKey.perMinute,
  keyGenerator: (req) => String(req.apiKey.id),
  standardHeaders: "draft-8",
  legacyHeaders: true,
});

const app = express();
app.use(morgan("combined"));
app.use(cors());
app.use(express.json({ limit: "16kb" }));
app.use("/v1", authenticate, limiter);

app.get("/v1/pets", (req, res) => {
  const query = PetsQuery.safeParse(req.query);
  if (!query.success) return fail(res, 400, "invalid_parameter", z.prettifyError(query.error));
  const { limit, status, cursor } = query.data;
  const pets = status ? listByStatus.all(status, cursor, limit + 1) : listAll.all(cursor, limit + 1);
  if (pets.length > limit) {
    pets.pop();
    const next = new URLSearchParams({ limit, ...(status && { status }), cursor: pets.at(-1).id });
    res.set("Link", `<${req.protocol}://${req.get("host")}/v1/pets?${next}>; rel="next"`);
  }
  res.json(pets);
});

app.post("/v1/pets", (req, res) => {
  const body = NewPet.safeParse(req.body);
  if (!body.success) return fail(res, 400, "invalid_body", z.prettifyError(body.error));
  const { name, categoryId, status } = body.data;
  const id = insertPet.run(name, categoryId, status).lastInsertRowid;
  res.status(201).location(`/v1/pets/${id}`).json({ id, name, categoryId, status });
});

app.get("/v1/pets/:petId", (req, res) => {
  const pet = findPet.get(req.params.petId);
  if (!pet) return fail(res, 404, "pet_not_found", "No animal has this identifier.");
  res.json(pet);
});

app.listen(Number(process.env.PORT), "127.0.0.1");
