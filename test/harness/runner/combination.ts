// The engines that the tests run on: TEST_COMBINATION is sqlite (the default) or postgres, with or without +redis.

import { join } from "node:path";
import type { TestContext } from "node:test";
import { createTestDatabase } from "../servers/databases.ts";
import { startRedis } from "../servers/redis.ts";
import { copySqliteStore, takePostgresStore } from "../servers/stores.ts";
import { makeFolder } from "./folder.ts";
import { PATIENT_MS } from "./patience.ts";

const COMBINATIONS = ["sqlite", "sqlite+redis", "postgres", "postgres+redis"];

/** Stores without rows, with the schema of this release. */
export function freshEngines(
  t: TestContext,
  combination = process.env.TEST_COMBINATION ?? "sqlite",
): Promise<Record<string, string>> {
  return startEngines(t, combination, { sqlite: copySqliteStore, postgres: takePostgresStore });
}

/** Nothing: the first start creates the store. */
export function emptyEngines(t: TestContext, combination: string): Promise<Record<string, string>> {
  const sqlite = async () => join(makeFolder(t), "store.db");
  return startEngines(t, combination, { sqlite, postgres: createTestDatabase });
}

async function startEngines(
  t: TestContext,
  combination: string,
  make: Record<"sqlite" | "postgres", (t: TestContext) => Promise<string>>,
): Promise<Record<string, string>> {
  if (!COMBINATIONS.includes(combination))
    throw new Error(`TEST_COMBINATION must be one of ${COMBINATIONS.join(", ")}`);
  const [database, gate] = combination.split("+");
  return {
    DATABASE_URL: database === "postgres" ? await make.postgres(t) : `sqlite:${await make.sqlite(t)}`,
    ...(gate === "redis" && { REDIS_URL: (await startRedis(t)).url, REDIS_TIMEOUT_MS: PATIENT_MS }),
  };
}
