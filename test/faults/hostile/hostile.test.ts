// Hostile clients and one honest client against the real program with a small heap. HOSTILE_SECONDS sets how long,
// HOSTILE_SEED repeats a run, HOSTILE_ONLY (names of attacks, separated by "; ") picks some of the attacks.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { createCall } from "../../harness/clients/call.ts";
import { type Service, startService } from "../../harness/servers/service.ts";
import { ATTACKS, type Attack } from "./attacks.ts";
import type { HonestReport } from "./honest-client.ts";
import { createRandom } from "./random.ts";

const SECONDS = Number(process.env.HOSTILE_SECONDS ?? 4);
const SEED = Number(process.env.HOSTILE_SEED ?? Date.now() % 1_000_000_007);
const LOST_LOG_SECONDS = 1;
const LOST_LOG_MS = 300;
const ATTACKERS = 4;
/** Far more than any request needs, because a busy machine delays the service too. */
const HONEST_MS_MAX = 3_000;
const GROWTH_MIB_MAX = 160;
const MEMORY_CHECK_MS = 250;
const ERROR_LEVEL = 50;

const chosen = process.env.HOSTILE_ONLY?.split("; ");
const attacks = Object.entries(ATTACKS).filter(([name]) => chosen?.includes(name) ?? true);

test("Hostile clients do not crash the service, slow it down or fill its memory", {
  timeout: (SECONDS + 120) * 1000,
}, async (t) => {
  const service = await startTarget(t);
  await withstand(t, service, SECONDS);
  assert.deepEqual(errorLines(service.output.stderr), [], `error lines; HOSTILE_SEED=${SEED}`);
  assert.equal(await service.stop(), 0, "it stops in order");
});

const LOST_LOGS: Record<string, (service: Service) => void> = {
  closes: ({ process: { stderr } }) => void stderr?.destroy(),
  "reads no more": ({ process: { stderr } }) => void stderr?.pause(),
};
for (const [what, lose] of Object.entries(LOST_LOGS)) {
  test(`Hostile clients do no harm if the reader of the log ${what} in between`, {
    timeout: 45_000,
  }, async (t) => {
    const service = await startTarget(t, "info");
    const losing = setTimeout(lose, LOST_LOG_MS, service);
    await withstand(t, service, LOST_LOG_SECONDS).finally(() => clearTimeout(losing));
    assert.equal(await service.stop(), 0, "it stops in order");
  });
}

async function startTarget(t: TestContext, level = "warn"): Promise<Service> {
  const service = await startService(t, { NODE_OPTIONS: "--max-old-space-size=256", LOG_LEVEL: level });
  for (let i = 0; i < 100; i++) {
    const body = { name: `Pet ${i} ${"x".repeat(200)}`, categoryId: i };
    assert.equal((await service.call("POST", "/pets", { body })).status, 201);
  }
  return service;
}

/** Fails if the process ends, memory grows beyond its bound, or the honest client gets an error or waits too long. */
async function withstand(t: TestContext, service: Service, seconds: number): Promise<void> {
  const { key } = await service.createKey({ plan: "enterprise", perMinute: 1e7, perDay: 1e8 });
  const honest = startHonestClient(t, service.url, key);
  const untilMs = Date.now() + seconds * 1000;
  const isOver = () => Date.now() >= untilMs || service.process.exitCode !== null || hasSignal(service);
  const watching = watchMemory(await openMemory(service), isOver);
  const counts: Record<string, number> = {};
  const ping = createCall(service.url);
  const attackers = Array.from({ length: ATTACKERS }, async (_, index) => {
    const random = createRandom(SEED + index);
    while (!isOver()) {
      const [name, attack] = random.pick(attacks) as [string, Attack];
      await attack({ port: service.port, key, random });
      // Attackers take turns: more load than the machine can handle would delay every client.
      await ping("GET", "/healthz").catch(() => {});
      counts[name] = (counts[name] ?? 0) + 1;
    }
  });
  const results = await Promise.allSettled([...attackers, watching]);

  const again = `; repeat with HOSTILE_SEED=${SEED}`;
  assert.deepEqual(
    [service.process.exitCode, service.process.signalCode],
    [null, null],
    `the process has ended${again}: ${service.output.stderr.slice(-2_000)}`,
  );
  const report = await honest();
  const growthMib = await watching;
  t.diagnostic(`seed ${SEED}; ${JSON.stringify(counts)}`);
  t.diagnostic(`resident memory grew by at most ${growthMib.toFixed(0)} MiB`);
  t.diagnostic(
    `honest: ${report.requests} requests, slowest ${report.slowest} ${report.slowestMs.toFixed(0)} ms`,
  );
  for (const result of results) if (result.status === "rejected") throw result.reason;
  assert.deepEqual(report.failures, [], `the honest client${again}`);
  assert.ok(
    report.slowestMs < HONEST_MS_MAX,
    `${report.slowest} took ${report.slowestMs.toFixed(0)} ms${again}`,
  );
  assert.ok(growthMib < GROWTH_MIB_MAX, `memory grew by ${growthMib.toFixed(0)} MiB${again}`);
}

function hasSignal({ process: { signalCode } }: Service): boolean {
  return signalCode !== null;
}

/** Returns a function that stops it and resolves to its report. */
function startHonestClient(t: TestContext, url: string, key: string): () => Promise<HonestReport> {
  const worker = new Worker(new URL("./honest-client.ts", import.meta.url), { workerData: { url, key } });
  t.after(() => worker.terminate());
  return async () => {
    const reported = once(worker, "message") as Promise<[HonestReport]>;
    worker.postMessage("stop");
    return (await reported)[0];
  };
}

/** Reads the resident memory of the service in MiB; throws if there is no response. */
async function openMemory(service: Service): Promise<() => Promise<number>> {
  const call = createCall(service.url, service.adminKey);
  const read = async () => {
    const { text } = await call("GET", "/metrics");
    const [, bytes] = /^process_resident_memory_bytes (\d\S*)$/m.exec(text) ?? [];
    if (bytes === undefined) throw new Error(text.slice(0, 200));
    return Number(bytes) / 2 ** 20;
  };
  // The first request loads prom-client, which needs memory.
  await read();
  return read;
}

/** Resolves to the largest growth. A service that does not respond in time fails another check. */
async function watchMemory(read: () => Promise<number>, isOver: () => boolean): Promise<number> {
  const before = await read();
  let most = before;
  while (!isOver()) {
    most = Math.max(most, await read().catch(() => 0));
    await pause(MEMORY_CHECK_MS);
  }
  return most - before;
}

/** Log lines at error level, and all output that is not a log line. */
function errorLines(log: string): string[] {
  const isBad = (line: string) => {
    try {
      return JSON.parse(line).level >= ERROR_LEVEL;
    } catch {
      return true;
    }
  };
  return log.split("\n").filter((line) => line !== "" && isBad(line));
}
