// PostgreSQL for the benchmarks: one server with production durability, and databases with animals on it.

import pg from "pg";
import { makePostgres, type PostgresServer } from "../../test/harness/postgres.ts";
import type { Scope } from "../scope.ts";
import { INSERT_TEXTS, insertStatements } from "./animals.ts";
import { listingRow, PET_COLUMNS } from "./listings.ts";
import { createPeerKey, PEER_LIMIT } from "./peer-key.ts";

/** The tests switch fsync off and save memory; a measured server must not. */
const SETTINGS = [
  "fsync = on",
  "synchronous_commit = on",
  "full_page_writes = on",
  "shared_buffers = '128MB'",
];

/** Of columns that are not text. */
const TYPES: Record<string, string> = {
  id: "bigint",
  category_id: "bigint",
  good_with: "bigint",
  created_at_ms: "bigint",
  updated_at_ms: "bigint",
};
const LISTING_BATCH = 5_000;

/** A typical schema for the same interface. */
const PEER_SCHEMA = `
  CREATE TABLE pets (
    id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    name text NOT NULL,
    category_id integer NOT NULL,
    status text NOT NULL
  );
  CREATE INDEX pets_by_status ON pets (status, id);
  CREATE TABLE api_keys (
    id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    hash text NOT NULL UNIQUE,
    per_minute integer NOT NULL
  );
`;

export async function startDurablePostgres(scope: Scope): Promise<PostgresServer> {
  const { server, remove } = await makePostgres(SETTINGS);
  scope.after(remove);
  return server;
}

/** The database at `url` must have the schema of the service. */
export async function fillPostgres(url: string, animals: number): Promise<void> {
  await withClient(url, async (client) => {
    await fill(client, animals);
    // The first release has no texts.
    const { rows } = await client.query("SELECT to_regclass('pet_texts') AS found");
    if (rows[0].found !== null) await withoutIndex(client, () => client.query(INSERT_TEXTS));
  });
}

/** The same with animals that have profiles. */
export async function fillPostgresListings(url: string, animals: number): Promise<void> {
  const names = PET_COLUMNS.split(", ");
  const input = `json_to_recordset($1) AS input (${[...names, "search_text"].map((name) => `${name} ${TYPES[name] ?? "text"}`).join(", ")})`;
  const insert = `WITH input AS MATERIALIZED (SELECT * FROM ${input}),
    texts AS (INSERT INTO pet_texts (pet_id, text) SELECT id, search_text FROM input)
    INSERT INTO pets (${PET_COLUMNS}) SELECT ${PET_COLUMNS} FROM input`;
  await withClient(url, (client) =>
    withoutIndex(client, async () => {
      for (let first = 1; first <= animals; first += LISTING_BATCH) {
        const rows = Array.from({ length: Math.min(LISTING_BATCH, animals - first + 1) }, (_, k) => {
          const row = listingRow(first + k, animals);
          return Object.fromEntries([...names, "search_text"].map((name, index) => [name, row[index]]));
        });
        await client.query(insert, [JSON.stringify(rows)]);
      }
      await client.query("VACUUM ANALYZE pets");
    }),
  );
}

/** The index of texts is created afterwards, which is faster. */
async function withoutIndex(client: pg.Client, insert: () => Promise<unknown>): Promise<void> {
  const { rows } = await client.query(
    "SELECT pg_get_indexdef('pet_texts_by_trigram'::regclass) AS definition",
  );
  await client.query("DROP INDEX pet_texts_by_trigram");
  await insert();
  await client.query("SET maintenance_work_mem = '512MB'");
  await client.query(rows[0].definition);
  await client.query("VACUUM ANALYZE pet_texts");
  await client.query("CHECKPOINT");
}

/** Returns the key of the peer. */
export async function makePeerDatabase(url: string, animals: number): Promise<string> {
  const { key, hash } = createPeerKey();
  await withClient(url, async (client) => {
    await client.query(PEER_SCHEMA);
    await client.query("INSERT INTO api_keys (hash, per_minute) VALUES ($1, $2)", [hash, PEER_LIMIT]);
    await fill(client, animals);
  });
  return key;
}

async function fill(client: pg.Client, animals: number): Promise<void> {
  for (const statement of insertStatements("postgres", animals)) await client.query(statement);
  // Without this, PostgreSQL's autovacuum would do it during a round.
  await client.query("VACUUM ANALYZE pets");
  await client.query("CHECKPOINT");
}

async function withClient(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}
