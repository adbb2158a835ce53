// The service inside the test's process, on a real socket, with a clock that the test moves.

import type { TestContext } from "node:test";
import pino from "pino";
import { readConfig } from "../../src/config.ts";
import type { Timeouts } from "../../src/http/services.ts";
import { createService, type Service } from "../../src/service.ts";
import { type Call, createCall } from "./call.ts";
import { freshEngines } from "./combination.ts";

export const ADMIN_KEY = "an-admin-key-for-tests-only";

export interface ManualClock {
  nowMs(): number;
  monotonicMs(): number;
  /** Backwards, only the wall clock moves: no machine's monotonic clock does. */
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

export interface AppHarness {
  service: Service;
  clock: ManualClock;
  url: string;
  /** Calls below /v1 with an admin key, unless told otherwise. */
  call: Call;
  createKey(settings?: object): Promise<{ id: number; key: string }>;
  logged: string[];
}

export async function startApp(
  t: TestContext,
  options: { environment?: Record<string, string>; timeouts?: Timeouts; startMs?: number } = {},
): Promise<AppHarness> {
  const clock = createClock(options.startMs ?? Date.UTC(2027, 0, 1, 12));
  const config = readConfig({
    ...(await freshEngines(t)),
    PORT: "0",
    ADMIN_API_KEY: ADMIN_KEY,
    ...options.environment,
  });
  const logged: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => logged.push(line) });
  const { timeouts } = options;
  const service = await createService(config, { log, clock, ...(timeouts && { timeouts }) });
  const url = await service.listen();
  t.after(() => service.stop());
  const call = createCall(`${url}/v1`, ADMIN_KEY);
  return {
    service,
    clock,
    url,
    call,
    logged,
    async createKey(settings = {}) {
      const answer = await call("POST", "/keys", { body: { name: "test", plan: "free", ...settings } });
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.json;
    },
  };
}
