// The store of the peer, filled at its start: SQLite through better-sqlite3, or PostgreSQL through a pool of pg.

import { createHash } from "node:crypto";
import Database from "better-sqlite3";
import pg from "pg";

const { DATABASE_URL, API_KEY, ANIMALS } = process.env;
const isSqlite = DATABASE_URL.startsWith("sqlite:");
const ID = `INTEGER PRIMARY KEY ${isSqlite ? "AUTOINCREMENT" : "GENERATED ALWAYS AS IDENTITY"}`;
const NUMBERS = isSqlite
  ? `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ANIMALS}) SELECT i FROM n`
  : `SELECT i FROM generate_series(1, ${ANIMALS}) AS i`;
/** The animals of the service without their profiles, and a key whose limit is never reached. */
const FILL = `
  CREATE TABLE pets (id ${ID}, name text NOT NULL, category_id integer NOT NULL, status text NOT NULL);
  CREATE INDEX pets_by_status ON pets (status, id);
  CREATE TABLE api_keys (id ${ID}, hash text NOT NULL UNIQUE, per_minute integer NOT NULL);
  INSERT INTO pets (name, category_id, status)
  SELECT 'Animal ' || i, i % 100, CASE i % 4 WHEN 0 THEN 'pending' WHEN 1 THEN 'sold' ELSE 'available' END
  FROM (${NUMBERS}) AS numbers;
  INSERT INTO api_keys (hash, per_minute) VALUES ('${digestKey(API_KEY)}', 1000000000);`;

const prepare = isSqlite ? openSqlite(DATABASE_URL.replace("sqlite:", "")) : await openPostgres();

function openSqlite(path) {
  const db = new Database(path);
  db.pragma("journal_mode = WAL");
  // Every create is on disk before its response.
  db.pragma("synchronous = FULL");
  db.exec(FILL);
  db.pragma("wal_checkpoint(TRUNCATE)");
  return (text) => {
    const statement = db.prepare(text.replaceAll(/\$\d/g, "?"));
    return (...values) => statement.all(...values);
  };
}

async function openPostgres() {
  const pool = new pg.Pool({ connectionString: DATABASE_URL });
  // Without the last two, PostgreSQL would do this work during a round.
  for (const text of [FILL, "VACUUM ANALYZE", "CHECKPOINT"]) await pool.query(text);
  // A named statement is planned once per connection.
  return (text) => {
    const name = digestKey(text);
    return async (...values) => (await pool.query({ name, text, values })).rows;
  };
}

const SELECT = 'SELECT id, name, category_id AS "categoryId", status FROM pets';
const key = prepare('SELECT id, per_minute AS "perMinute" FROM api_keys WHERE hash = $1');
const all = prepare(`${SELECT} WHERE id > $1 ORDER BY id LIMIT $2`);
const byStatus = prepare(`${SELECT} WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`);
const one = prepare(`${SELECT} WHERE id = $1`);
const insert = prepare("INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING id");

export const findKey = async (hash) => (await key(hash))[0];
export const listPets = (status, ...page) => (status ? byStatus(status, ...page) : all(...page));
export const findPet = async (id) => (await one(id))[0];
export const insertPet = async (...pet) => (await insert(...pet))[0].id;

export function digestKey(secret) {
  return createHash("sha256").update(secret).digest("hex");
}
