// PostgreSQL for the benchmarks: one server with production durability, and databases with animals on it.

import pg from "pg";
import { makePostgres, type PostgresServer } from "../../test/harness/postgres.ts";
import type { Scope } from "../scope.ts";
import { insertStatements } from "./animals.ts";
import { createPeerKey, PEER_LIMIT } from "./peer-key.ts";

/** The tests switch fsync off and save memory; a measured server must not. */
const SETTINGS = [
  "fsync = on",
  "synchronous_commit = on",
  "full_page_writes = on",
  "shared_buffers = '128MB'",
];

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
  await withClient(url, (client) => fill(client, animals));
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
