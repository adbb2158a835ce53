// The hot list while a large file is imported over HTTP: it goes on, and its latencies are compared with those before.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Call, createCall } from "../../harness/clients/call.ts";
import { startService } from "../../harness/servers/service.ts";

const ROWS = Number(process.env.IMPORT_ROWS ?? 10_000);
const CLIENTS = 4;
/** Between two requests of a client. */
const GAP_MS = 5;
const BEFORE_MS = 2_000;
/** Far above what a calm machine needs: one event-loop tick must not hold a whole import. */
const P99_MAX_MS = 1_000;

function writeAnimals(rows: number): string {
  const lines = Array.from(
    { length: rows },
    (_, index) => `Animal ${index},${index % 20},dog,${index % 2 ? "m" : "f"},01.04.2023,A-${index}`,
  );
  return `name,categoryId,species,sex,bornOn,externalId\n${lines.join("\n")}\n`;
}

/** The latencies of the first page until `until` resolves, ascending. */
async function measureList(t: TestContext, call: Call, until: Promise<unknown>): Promise<number[]> {
  const latencies: number[] = [];
  let isOver = false;
  const over = until.finally(() => {
    isOver = true;
  });
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const readOn = async () => {
    while (!isOver) {
      const startMs = performance.now();
      const { status } = await call("GET", "/pets?limit=20", { agent });
      latencies.push(performance.now() - startMs);
      assert.equal(status, 200);
      await pause(GAP_MS);
    }
  };
  await Promise.all([over, ...Array.from({ length: CLIENTS }, readOn)]);
  return latencies.toSorted((one, other) => one - other);
}

function describe(latencies: number[]): string {
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))]?.toFixed(1);
  return `${latencies.length} requests, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, highest ${at(1)} ms`;
}

test(`the hot list goes on while ${ROWS} rows are imported`, async (t) => {
  const { url, adminKey } = await startService(t);
  const admin = createCall(`${url}/v1`, adminKey);
  const limits = { plan: "enterprise", perMinute: 1_000_000, perDay: 100_000_000 };
  const { key } = (await admin("POST", "/keys", { body: { name: "load", ...limits } })).json;
  const call = createCall(`${url}/v1`, key);
  const send = (body: string) =>
    call("POST", "/imports?progress=true", { body, headers: { "content-type": "text/csv" } });
  await send(writeAnimals(1_000));
  const before = await measureList(t, call, pause(BEFORE_MS));
  const startMs = performance.now();
  const imported = send(writeAnimals(ROWS));
  const during = await measureList(t, call, imported);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const last = JSON.parse((await imported).text.trim().split("\n").at(-1) ?? "");
  assert.equal(last.report?.rows, ROWS, JSON.stringify(last.error));
  t.diagnostic(`before: ${describe(before)}`);
  t.diagnostic(`during an import of ${seconds} s: ${describe(during)}`);
  assert.ok((during[Math.floor(0.99 * during.length)] as number) < P99_MAX_MS);
});
