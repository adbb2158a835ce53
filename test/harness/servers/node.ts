// A node in the process of the test, with the clock of the system unless a test gives another one: for tests that do not need a process of its own.

import type { TestContext } from "node:test";
import pino from "pino";
import { readConfig } from "../../../src/config/config.ts";
import type { Clock } from "../../../src/domain/basics/clock.ts";
import { ServiceError } from "../../../src/domain/basics/errors.ts";
import { createService } from "../../../src/service/service.ts";
import type { Environment } from "../clients/commands.ts";
import { freshEngines } from "../runner/combination.ts";
import { PATIENT_DATABASE_MS } from "../runner/patience.ts";
import { createNode, type Node } from "./service.ts";

const START_ATTEMPTS = 10;

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
  { isPatient = true, clock }: { isPatient?: boolean; clock?: Clock } = {},
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
  const more = { ...(isPatient && { databaseMs: PATIENT_DATABASE_MS }), ...(clock && { clock }) };
  const start = () => createService(config, { log, ...more });
  const service = isPatient ? await start() : await untilAvailable(start);
  const url = await service.listen();
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= service.stop());
  t.after(stop);
  return { ...createNode(url, own, own.ADMIN_API_KEY), logged, stop };
}

/** On a busy machine, the first queries may take longer than production allows. */
async function untilAvailable<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      const isAway = error instanceof ServiceError && error.code === "unavailable";
      if (!isAway || attempt === START_ATTEMPTS) throw error;
    }
  }
}
