// A program that uses a number of keys at the in-process gate and prints memory and time per key.

import type { ApiKey } from "../../src/domain/keys/api-key.ts";
import type { CountStore } from "../../src/domain/keys/gate.ts";
import { createInProcessGate } from "../../src/gate/in-process.ts";

const ADMISSIONS_TIMED = 2_000_000;
const ADMISSIONS_PER_MS = 100;

const keys = Number(process.argv[2]);
let admissions = 0;
const nowMs = () => 1_800_000_000_000 + Math.floor(admissions / ADMISSIONS_PER_MS);
const clock = { nowMs, monotonicMs: nowMs };
const emptyStore: CountStore = {
  readAll: async () => new Map(),
  loadAll: async () => new Map(),
  save: async () => {},
  find: async () => undefined,
};

const bytesBefore = bytesInUse();
const gate = await createInProcessGate({
  clock,
  store: emptyStore,
  onFlushError: (error) => {
    throw error;
  },
});
for (let i = 0; i < keys; i++) admitKey(i);
// A second time: only then does a key count as in use.
for (let i = 0; i < keys; i++) admitKey(i);
await gate.flush();
const bytesPerKey = (bytesInUse() - bytesBefore) / keys;

const startMs = performance.now();
for (let i = 0; i < ADMISSIONS_TIMED; i++) admitKey((i * 7919) % keys);
const nanosecondsPerAdmission = ((performance.now() - startMs) / ADMISSIONS_TIMED) * 1e6;
await gate.close();

process.stdout.write(`${JSON.stringify({ keys, bytesPerKey, nanosecondsPerAdmission })}\n`);

function admitKey(number: number): void {
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
  if (gate.admit(key) instanceof Promise) throw new Error("The in-process gate must decide synchronously.");
}

/** Heap and external memory, which includes the buffers of typed arrays. */
function bytesInUse(): number {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
