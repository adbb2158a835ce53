// importAnimals of the client: the type of the file, the settings, and the progress that keeps a call waiting.

import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import { test } from "node:test";
import {
  ConflictError,
  ConnectionError,
  TimeoutError,
  UnavailableError,
} from "../../../client/src/client.ts";
import { listen } from "../../harness/servers/listen.ts";
import { startScripted } from "../../harness/servers/scripted-server.ts";
import { clientOf } from "./scene.ts";

const REPORT = { isDryRun: false, rows: 2, added: 2 };
const NDJSON = { "content-type": "application/x-ndjson" };
const CSV = new Blob(["name\nRex\n"]);
const progress = (rows: number) => `${JSON.stringify({ progress: { rows } })}\n`;
const last = (line: object) => `${JSON.stringify(line)}\n`;

test("sends the file with its type, and the settings as JSON", async (t) => {
  const files: Array<[file: Blob | Uint8Array, type: string]> = [
    [CSV, "text/csv"],
    [new TextEncoder().encode("name\n"), "text/csv"],
    [new Blob([""], { type: "text/csv;charset=windows-1252" }), "text/csv;charset=windows-1252"],
    [new File([""], "Tiere.CSV", { type: "application/vnd.ms-excel" }), "text/csv"],
    [new File([""], "animals.tsv"), "text/tab-separated-values"],
    [new File([""], "animals.ndjson"), "application/x-ndjson"],
  ];
  const server = await startScripted(t, ...files.map(() => ({ body: REPORT })));
  const { client } = clientOf(server.url);
  const settings = { map: { name: "Tier & Name" }, categoryId: 9007199254740993n };
  for (const [file] of files)
    assert.deepEqual(await client.importAnimals(file, { dryRun: true, settings }), REPORT);
  assert.deepEqual(
    server.requests.map(({ headers }) => headers["content-type"]),
    files.map(([, type]) => type),
  );
  const { searchParams } = new URL(server.requests[0]?.url ?? "", server.url);
  assert.deepEqual(Object.fromEntries(searchParams), {
    dryRun: "true",
    settings: '{"map":{"name":"Tier & Name"},"categoryId":9007199254740993}',
  });
});

test("reports the progress, and resolves to the report", async (t) => {
  const report = { ...REPORT, preview: [{ id: 9007199254740993n }] };
  const text = `{"report":${JSON.stringify(REPORT).slice(0, -1)},"preview":[{"id":9007199254740993}]}}\n`;
  const server = await startScripted(t, { headers: NDJSON, body: progress(1) + progress(2) + text });
  const { client } = clientOf(server.url);
  const rows: number[] = [];
  const found = await client.importAnimals(CSV, {}, { onProgress: (done) => rows.push(done) });
  assert.deepEqual([found, rows], [report, [1, 2]]);
  assert.match(server.requests[0]?.url ?? "", /\?progress=true$/);
});

test("rejects with the error that the last line names", async (t) => {
  const error = { code: "file_has_bad_rows", message: "One is bad.", status: 409 };
  const server = await startScripted(t, { headers: NDJSON, body: progress(1) + last({ error }) });
  const { client } = clientOf(server.url);
  await assert.rejects(client.importAnimals(CSV, { progress: true }), (thrown) => {
    assert.ok(thrown instanceof ConflictError);
    assert.deepEqual([thrown.code, thrown.status, thrown.message], [error.code, 409, error.message]);
    return true;
  });
});

test("continues an import that was cut, or that the service could not finish", async (t) => {
  const away = { code: "unavailable", message: "Later.", status: 503 };
  const server = await startScripted(
    t,
    { headers: NDJSON, body: progress(1) },
    { headers: NDJSON, body: progress(1) + last({ error: away }) },
    { headers: NDJSON, body: last({ report: REPORT }) },
  );
  const { client } = clientOf(server.url);
  assert.deepEqual(await client.importAnimals(CSV, { progress: true }), REPORT);
  const bodies = new Set(server.requests.map(({ body }) => body));
  assert.deepEqual([server.requests.length, bodies.size], [3, 1]);
  const cut = clientOf((await startScripted(t, { headers: NDJSON, body: progress(1) })).url, { retries: 0 });
  await assert.rejects(cut.client.importAnimals(CSV, { progress: true }), ConnectionError);
  const refused = clientOf((await startScripted(t, { status: 503, body: away })).url, { retries: 0 });
  await assert.rejects(refused.client.importAnimals(CSV, { progress: true }), UnavailableError);
});

test("waits as long as the service sends its progress, and no longer", async (t) => {
  const open: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, NDJSON).write(progress(0));
    open.push(response);
  });
  const url = await listen(t, server);
  // An upload has 20 s more than other calls.
  const { client } = clientOf(url, { timeoutMs: 1_000, retries: 0 });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let rows = -1;
  const onProgress = (done: number) => {
    rows = done;
  };
  const call = assert.rejects(client.importAnimals(CSV, {}, { onProgress }), TimeoutError);
  const untilRows = async (done: number) => {
    while (rows < done) await new Promise(setImmediate);
  };
  await untilRows(0);
  for (const done of [1, 2, 3]) {
    t.mock.timers.tick(20_000);
    open[0]?.write(progress(done));
    await untilRows(done);
  }
  t.mock.timers.tick(22_000);
  await call;
});
