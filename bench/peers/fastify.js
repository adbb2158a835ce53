// Fastify on SQLite: better-sqlite3, requests counted in the process.

import Database from "better-sqlite3";
import { startApp } from "./fastify-app.js";

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

await startApp({
  findKey: (hash) => findKey.get(hash),
  listPets: (status, after, limit) =>
    status ? listByStatus.all(status, after, limit) : listAll.all(after, limit),
  findPet: (id) => findPet.get(id),
  insertPet: (name, categoryId, status) => Number(insertPet.run(name, categoryId, status).lastInsertRowid),
});
