// Measures the hot list of a node with many open event streams, and the same node without them, under the same changes.

import { setTimeout as pause } from "node:timers/promises";
import { generateSecret } from "../../src/domain/keys/key-secret.ts";
import { STREAMS_PER_KEY } from "../../src/domain/request-limits.ts";
import { call } from "../../test/harness/call.ts";
import type { Accompany, Contender } from "../contenders/contender.ts";
import type { ServerProcess } from "../contenders/server-process.ts";
import { startService } from "../contenders/service.ts";
import { ENGINES, type Engine } from "../data/stores.ts";
import { openReaders } from "../load/readers.ts";
import { CHANGES_PER_SECOND, SETTLED_PART, STREAM_LANES } from "../load/stream-part.ts";
import { startWriter } from "../load/writer.ts";
import { showProgress } from "../progress.ts";
import type { StreamRun } from "../results.ts";
import type { Bench } from "./bench.ts";
import { runRounds } from "./rounds.ts";

export async function measureStreams(bench: Bench, engine: Engine): Promise<StreamRun> {
  const animals = bench.sizes.comparison;
  const { streams, seconds } = bench.sizes.streams;
  const title = `${ENGINES[engine]}, ${streams} streams`;
  showProgress(`${title}: creating ${animals} animals`);
  const store = await bench.stores.get(engine, animals);
  const adminKey = generateSecret("production");
  const environment = { ...store.environment, ADMIN_API_KEY: adminKey };
  const service = await startService(bench, { ...store, environment });
  const keys = await createKeys(service.server.url, adminKey, Math.ceil(streams / STREAMS_PER_KEY));
  const lanes = [
    { ...service, name: STREAM_LANES.without, accompany: changeAnimals(service) },
    { ...service, name: STREAM_LANES.with, accompany: changeAndRead(bench, service, { keys, streams }) },
  ];
  const samples = await runRounds({ ...bench, seconds }, lanes, { workload: "hot-list", animals, title });
  await service.server.stop();
  return { engine, animals, streams, seconds, samples };
}

function changeAnimals({ server: { url }, key }: Contender): Accompany {
  return async (run) => {
    const writer = startWriter(url, key, CHANGES_PER_SECOND);
    const report = await run();
    const { fault } = await writer.stop();
    return { ...report, ...joinFaults(report.fault, fault) };
  };
}

/** Exported for a test with a server that loses events. */
export function changeAndRead(
  { scope }: Pick<Bench, "scope">,
  { server, key }: { server: Pick<ServerProcess, "url" | "residentMegabytes">; key: string },
  { keys, streams }: { keys: string[]; streams: number },
): Accompany {
  const { url } = server;
  return async (run, seconds) => {
    const readers = await openReaders(scope, { url, keys, readers: streams });
    const writer = startWriter(url, key, CHANGES_PER_SECOND);
    const settled = pause(seconds * SETTLED_PART * 1000).then(server.residentMegabytes);
    const report = await run();
    const residentMegabytes = { settled: await settled, end: server.residentMegabytes() };
    const { created, fault } = await writer.stop();
    // A create makes one event.
    const faults = [report.fault, fault, await readers.findFault(readers.start + created)];
    await readers.close();
    return { ...report, residentMegabytes, ...joinFaults(...faults) };
  };
}

function joinFaults(...faults: Array<string | undefined>): { fault?: string } {
  const found = faults.filter((fault) => fault !== undefined);
  return found.length > 0 ? { fault: found.join(", ") } : {};
}

async function createKeys(url: string, adminKey: string, count: number): Promise<string[]> {
  const keys: string[] = [];
  while (keys.length < count) {
    const body = { name: "stream", plan: "enterprise", access: "browse" };
    const { status, text } = await call("POST", `${url}/v1/keys`, { key: adminKey, body });
    if (status !== 201) throw new Error(`createKey returned ${status} ${text}`);
    keys.push(JSON.parse(text).key);
  }
  return keys;
}
