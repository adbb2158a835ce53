// A node in the process of the test, with the clock of the system: for tests that do not need a process of its own.

import type { TestContext } from "node:test";
import pino from "pino";
import { readConfig } from "../../src/config.ts";
import { createService } from "../../src/service.ts";
import { freshEngines, PATIENT_DATABASE_MS } from "./combination.ts";
import type { Environment } from "./commands.ts";
import { createNode, type Node } from "./service.ts";

export const ADMIN_API_KEY = "an-admin-key-for-all-nodes";

export interface LocalNode extends Node {
  /** Lines of the log. */
  logged: string[];
  stop(): Promise<void>;
}

/**
 * Uses a new store unless `environment` has a DATABASE_URL. Logs at level info unless it has another LOG_LEVEL. Waits for
 * PostgreSQL longer than in production unless `isPatient` is false.
 */
export async function startNode(
  t: TestContext,
  environment: Environment = {},
  { isPatient = true }: { isPatient?: boolean } = {},
): Promise<LocalNode> {
  const own: Environment = {
    ...(environment.DATABASE_URL === undefined ? await freshEngines(t) : {}),
    PORT: "0",
    ADMIN_API_KEY,
    ...environment,
  };
  const config = readConfig(own);
  const logged: string[] = [];
  const log = pino({ level: config.logLevel }, { write: (line: string) => logged.push(line) });
  const service = await createService(config, { log, ...(isPatient && { databaseMs: PATIENT_DATABASE_MS }) });
  const url = await service.listen();
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= service.stop());
  t.after(stop);
  return { ...createNode(url, own, own.ADMIN_API_KEY), logged, stop };
}
