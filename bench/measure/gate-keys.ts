// A program: uses a number of keys at the in-process gate, and prints what that takes in memory and time.

import type { ApiKey } from "../../src/domain/keys/api-key.ts";
import type { CountStore } from "../../src/domain/keys/gate.ts";
import { createInProcessGate } from "../../src/gate/in-process.ts";

const ADMISSIONS_TIMED = 2_000_000;
const PER_MS = 100;

const keys = Number(process.argv[2]);
let admissions = 0;
const nowMs = () => 1_800_000_000_000 + Math.floor(admissions / PER_MS);
const clock = { nowMs, monotonicMs: nowMs };
const nowhere: CountStore = {
  readAll: async () => new Map(),
  loadAll: async () => new Map(),
  save: async () => {},
  find: async () => undefined,
};

const bytesBefore = bytesInUse();
const gate = await createInProcessGate({
  clock,
  store: nowhere,
  onFlushError: (error) => {
    throw error;
  },
});
for (let i = 0; i < keys; i++) use(i);
// A second time: a key is in use when it comes back.
for (let i = 0; i < keys; i++) use(i);
await gate.flush();
const bytesPerKey = (bytesInUse() - bytesBefore) / keys;

const startMs = performance.now();
for (let i = 0; i < ADMISSIONS_TIMED; i++) use((i * 7919) % keys);
const nanosecondsPerAdmission = ((performance.now() - startMs) / ADMISSIONS_TIMED) * 1e6;
await gate.close();

process.stdout.write(`${JSON.stringify({ keys, bytesPerKey, nanosecondsPerAdmission })}\n`);

function use(number: number): void {
  admissions += 1;
  const key: ApiKey = {
    id: BigInt(number + 1),
    name: "load",
    plan: "enterprise",
    access: "browse",
    perMinute: 1_000_000_000,
    perDay: 1_000_000_000,
    hint: "ask_live_0000",
    createdAtMs: 0,
  };
  gate.admit(key);
}

/** Heap and what lies beside it; buffers of arrays are part of `external`. */
function bytesInUse(): number {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
