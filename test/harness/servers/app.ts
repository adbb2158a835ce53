// The service in the process of the test, on a real socket, with a clock that the test moves.

import type { TestContext } from "node:test";
import pino from "pino";
import { readConfig } from "../../../src/config/config.ts";
import type { AggregatorFileWriter } from "../../../src/domain/animals/aggregator.ts";
import type { AnimalImporter } from "../../../src/domain/animals/animal-import.ts";
import type { ImageProcessor } from "../../../src/domain/animals/stored-image.ts";
import type { Timeouts } from "../../../src/http/services.ts";
import { createService, type Service } from "../../../src/service/service.ts";
import { type Call, createCall } from "../clients/call.ts";
import { freshEngines } from "../runner/combination.ts";
import { PATIENT_DATABASE_MS } from "../runner/patience.ts";
import { patientProcessor } from "./images.ts";

export const ADMIN_KEY = "an-admin-key-for-tests-only";

export interface ManualClock {
  nowMs(): number;
  monotonicMs(): number;
  /** Backwards moves the wall clock only: a monotonic clock never goes back. */
  set(ms: number): void;
  advance(ms: number): void;
}

export function createClock(startMs: number): ManualClock {
  let nowMs = startMs;
  let monotonicMs = 0;
  const set = (ms: number) => {
    monotonicMs += Math.max(0, ms - nowMs);
    nowMs = ms;
  };
  return {
    nowMs: () => nowMs,
    monotonicMs: () => monotonicMs,
    set,
    advance: (ms) => set(nowMs + ms),
  };
}

interface StoredPet {
  id: number;
  name: string;
  categoryId: number;
  status: string;
}

export interface AppHarness {
  service: Service;
  /** The settings of the engines, for commands that use the same store. */
  engines: Record<string, string>;
  clock: ManualClock;
  url: string;
  port: number;
  /** Calls below /v1, with ADMIN_KEY unless the call names another key. */
  call: Call;
  /** Calls outside /v1, without a key. */
  outside: Call;
  /** Through the API; resolves to the stored animal. */
  addPet(pet?: object): Promise<StoredPet>;
  /** Through the API; on the Free plan with access manage unless `settings` say otherwise. */
  createKey(settings?: object): Promise<{ id: number; key: string }>;
  /** Lines of the log. */
  logged: string[];
  /** Runs once; the end of the test calls it too. */
  stop(): Promise<void>;
}

export async function startApp(
  t: TestContext,
  options: {
    environment?: Record<string, string>;
    timeouts?: Timeouts;
    startMs?: number;
    images?: ImageProcessor;
    importAnimals?: AnimalImporter;
    writeAggregatorFile?: AggregatorFileWriter;
  } = {},
): Promise<AppHarness> {
  const clock = createClock(options.startMs ?? Date.UTC(2027, 0, 1, 12));
  const engines = await freshEngines(t);
  const config = readConfig({
    ...engines,
    PORT: "0",
    ADMIN_API_KEY: ADMIN_KEY,
    ...options.environment,
  });
  const logged: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => logged.push(line) });
  const { timeouts, importAnimals, writeAggregatorFile, images = patientProcessor() } = options;
  const given = {
    log,
    clock,
    importAnimals,
    writeAggregatorFile,
    databaseMs: PATIENT_DATABASE_MS,
    images,
    ...(timeouts && { timeouts }),
  };
  const service = await createService(config, given);
  const url = await service.listen();
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= service.stop());
  t.after(stop);
  const call = createCall(`${url}/v1`, ADMIN_KEY);
  return {
    service,
    engines,
    clock,
    url,
    port: Number(new URL(url).port),
    call,
    outside: createCall(url),
    logged,
    stop,
    async addPet(pet = {}) {
      const answer = await call("POST", "/pets", { body: { name: "Rex", categoryId: 3, ...pet } });
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.json;
    },
    async createKey(settings = {}) {
      const answer = await call("POST", "/keys", { body: { name: "test", plan: "free", ...settings } });
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.json;
    },
  };
}
