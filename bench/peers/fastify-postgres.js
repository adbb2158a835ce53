// Fastify on PostgreSQL and Redis: a pool of pg, named statements, requests counted in Redis through ioredis.

import { Redis } from "ioredis";
import pg from "pg";
import { startApp } from "./fastify-app.js";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
// The options that the documentation of @fastify/rate-limit recommends.
const redis = new Redis(process.env.REDIS_URL, { connectTimeout: 500, maxRetriesPerRequest: 1 });

const COLUMNS = 'id, name, category_id AS "categoryId", status';
const STATEMENTS = {
  findKey: 'SELECT id, per_minute AS "perMinute" FROM api_keys WHERE hash = $1',
  listAll: `SELECT ${COLUMNS} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`,
  listByStatus: `SELECT ${COLUMNS} FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`,
  findPet: `SELECT ${COLUMNS} FROM pets WHERE id = $1`,
  insertPet: "INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING id",
};

/** A named statement is planned once per connection. */
async function query(name, ...values) {
  const { rows } = await pool.query({ name, text: STATEMENTS[name], values });
  return rows;
}

await startApp(
  {
    findKey: async (hash) => (await query("findKey", hash))[0],
    listPets: (status, after, limit) =>
      status ? query("listByStatus", status, after, limit) : query("listAll", after, limit),
    findPet: async (id) => (await query("findPet", id))[0],
    insertPet: async (...pet) => (await query("insertPet", ...pet))[0].id,
  },
  redis,
);
