// Requests of importAnimals, with an importer of the test's own: what it is given, progress, limits, and the end of clients.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import http from "node:http";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type {
  AnimalImporter,
  ImportReport,
  ImportRequest,
} from "../../../src/domain/animals/animal-import.ts";
import { type ErrorCode, ServiceError } from "../../../src/domain/basics/errors.ts";
import { createCall, repeat } from "../../harness/clients/call.ts";
import { openUpload } from "../../harness/clients/uploads.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";
import { startService } from "../../harness/servers/service.ts";
import { assertError } from "../assertions.ts";

const CSV = { "content-type": "text/csv" };
const MIB = 1024 * 1024;
const DEFAULTS = {
  map: {},
  dateOrder: "auto",
  createCategories: false,
  encoding: "auto",
  delimiter: "auto",
  skipBad: false,
} as const;
const LISTING = {
  id: 9_007_199_254_740_993n,
  name: "Rex",
  categoryId: 3n,
  status: "available" as const,
  categoryName: undefined,
  profile: {},
  photos: [],
  shelter: { id: 1n, name: "Our shelter" },
  createdAtMs: 0,
  updatedAtMs: 0,
};

function reportOf({ settings, isDryRun }: ImportRequest): ImportReport {
  const counts = { rows: 1, added: 1, updated: 0, unchanged: 0, bad: 0 };
  return { isDryRun, ...counts, problems: [], columns: [], preview: [LISTING], settings };
}

interface Begun {
  request: ImportRequest;
  text: string;
  /** The mode of the file. */
  mode: number;
  finish(error?: Error): void;
}

/** `begun` has every import in its order. Without `isHeld`, imports end at once. */
async function startScene(t: TestContext, { isHeld = false, requestMs = 15_000, progressMs = 1_000 } = {}) {
  const begun: Begun[] = [];
  let onBegin = () => {};
  const importAnimals: AnimalImporter = (request) => {
    const { promise, resolve, reject } = Promise.withResolvers<ImportReport>();
    const finish = (error?: Error) => (error ? reject(error) : resolve(reportOf(request)));
    const { size, mode } = statSync(request.path);
    const text = size > 1_000 ? `${size} bytes` : readFileSync(request.path, "utf8");
    begun.push({ request, text, mode: mode & 0o777, finish });
    onBegin();
    if (!isHeld) finish();
    return promise;
  };
  const timeouts = { headersMs: requestMs, requestMs, checkEveryMs: 20, progressMs };
  const app = await startApp(t, { importAnimals, timeouts, environment: { DRAIN_SECONDS: "0" } });
  const folder = dirname((app.engines.DATABASE_URL as string).replace("sqlite:", ""));
  return {
    ...app,
    begun,
    listUploads: () => readdirSync(folder).filter((name) => name.startsWith("animal-store-upload-")),
    send: (body: string | Buffer, query = "", options: { headers?: object; key?: string } = {}) =>
      app.call("POST", `/imports${query}`, { body, ...options, headers: { ...CSV, ...options.headers } }),
    async untilBegun(count: number): Promise<Begun> {
      while (begun.length < count)
        await new Promise<void>((resolve) => {
          onBegin = resolve;
        });
      return begun[count - 1] as Begun;
    },
  };
}

/** A request whose response is read as it arrives. */
async function openImport(url: string, query: string, key = ADMIN_KEY) {
  const headers = { ...CSV, authorization: `Bearer ${key}` };
  const request = http.request(`${url}/v1/imports${query}`, { method: "POST", headers, agent: false });
  request.end("name\nRex\n");
  return {
    request,
    response: once(request, "response").then(([response]) => response as http.IncomingMessage),
  };
}

test("POST /imports gives the importer the file and the settings", async (t) => {
  const { send, begun, clock, listUploads } = await startScene(t);
  const settings = { map: { name: "Tier", breeds: ["A", "B"], sex: null }, dateOrder: "dmy", categoryId: 3 };
  const given = `?dryRun=true&settings=${encodeURIComponent(JSON.stringify(settings))}`;
  const cases: Record<string, [type: string, query: string, expected: object]> = {
    CSV: ["text/csv", "", { format: "csv", settings: DEFAULTS, isDryRun: false }],
    "tab-separated values": ["text/tab-separated-values", "", { format: "tsv", settings: DEFAULTS }],
    NDJSON: ["Application/X-NDJSON", "?dryRun=false", { format: "ndjson", isDryRun: false }],
    "a charset": [
      'text/csv; header=present; Charset="Windows-1252"',
      "",
      { settings: { ...DEFAULTS, encoding: "windows-1252" } },
    ],
    "another label of the charset": [
      "text/csv; charset=ISO-8859-1",
      "",
      { settings: { ...DEFAULTS, encoding: "windows-1252" } },
    ],
    "utf8 without a hyphen": ["text/csv; charset=utf8", "", { settings: { ...DEFAULTS, encoding: "utf-8" } }],
    "an encoding, which overrides the charset": [
      "text/csv; charset=utf-8",
      `?settings=${encodeURIComponent('{"encoding":"utf-16le"}')}`,
      { settings: { ...DEFAULTS, encoding: "utf-16le" } },
    ],
    settings: ["text/csv", given, { isDryRun: true, settings: { ...DEFAULTS, ...settings, categoryId: 3n } }],
  };
  for (const [what, [type, query, expected]] of Object.entries(cases))
    await t.test(what, async () => {
      const answer = await send("name\nRex\n", query, { headers: { "content-type": type } });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
      const { request, text, mode } = begun.at(-1) as Begun;
      assert.deepEqual([text, mode], ["name\nRex\n", 0o600]);
      const found: Record<string, unknown> = { ...request };
      assert.deepEqual(
        Object.fromEntries(Object.keys(expected).map((name) => [name, found[name]])),
        expected,
      );
      assert.deepEqual(request.origin, { keyId: 0n, atMs: clock.nowMs() });
      assert.deepEqual(listUploads(), []);
      assert.match(answer.text, /"preview":\[\{"id":9007199254740993,"name":"Rex","categoryId":3,/);
      assert.deepEqual(
        Object.keys(answer.json).join(" "),
        "isDryRun rows added updated unchanged bad problems columns preview settings",
      );
    });

  await t.test("a file of 32 MiB", async () => {
    assert.equal((await send(Buffer.alloc(32 * MIB, "x"))).status, 200);
    assert.equal(begun.at(-1)?.text, `${32 * MIB} bytes`);
  });
});

test("POST /imports refuses, before the importer sees the file", async (t) => {
  const { send, call, begun, listUploads } = await startScene(t);
  const typed = (type: string) => ({ "content-type": type });
  const settings = (value: unknown) =>
    `?settings=${encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value))}`;
  const cases: Record<string, [code: ErrorCode, query: string, headers?: object, message?: RegExp]> = {
    JSON: ["unsupported_media_type", "", typed("application/json"), /text\/csv, .*not a form.*Received: /],
    "a form": ["unsupported_media_type", "", typed("multipart/form-data; boundary=x")],
    "a Content-Encoding": ["unsupported_media_type", "", { "content-encoding": "gzip" }],
    "another dryRun": ["invalid_parameter", "?dryRun=1"],
    "another progress": ["invalid_parameter", "?progress=yes"],
    "settings that are no JSON": [
      "invalid_parameter",
      settings("{"),
      {},
      /^settings must be a JSON object of at most 4 KiB$/,
    ],
    "settings that are a list": ["invalid_parameter", settings([])],
    "settings of more than 4 KiB": ["invalid_parameter", settings({ map: { name: "ä".repeat(2_048) } })],
    "settings that are unknown or have other types": [
      "invalid_parameter",
      settings({ dateOrder: "ydm", skipBad: 1, map: { a: 1 }, categoryId: "3", currency: "euro", colour: 1 }),
      {},
      /map must be an object of members, each .*dateOrder must be one of auto, dmy, mdy, ymd;.*currency must .*categoryId must .*skipBad must be true or false;.*"colour" is no setting: they are map, /,
    ],
  };
  for (const [what, [code, query, headers = {}, message]] of Object.entries(cases))
    await t.test(`${what} with ${code}`, async () => {
      assertError(await send("name\nRex\n", query, { headers }), code, message);
    });
  const none = await call("POST", "/imports", { headers: {} });
  assertError(none, "unsupported_media_type");
  const large = Buffer.alloc(32 * MIB + 1);
  for (const headers of [{}, { "transfer-encoding": "chunked" }]) {
    const answer = await send(large, "", { headers });
    assertError(answer, "body_too_large", /^The file is larger than 32 MiB\./);
    assert.equal(answer.headers.connection, "close");
  }
  assert.deepEqual([begun, listUploads()], [[], []]);
});

test("Errors of an import are ordinary statuses until its first row is written", async (t) => {
  const { send, begun, untilBegun, listUploads } = await startScene(t, { isHeld: true });
  const errors: Array<[code: ErrorCode, error: Error]> = [
    ["invalid_file", new ServiceError("invalid_file")],
    ["file_has_bad_rows", new ServiceError("file_has_bad_rows")],
    ["invalid_parameter", new ServiceError("invalid_parameter", { message: "no such heading" })],
    ["internal_error", new TypeError("a bug")],
  ];
  for (const query of ["", "?progress=true"])
    for (const [code, error] of errors)
      await t.test(`${code} ${query}`, async () => {
        const answer = send("name\nRex\n", query);
        (await untilBegun(begun.length + 1)).finish(error);
        assertError(await answer, code);
        assert.deepEqual(listUploads(), []);
      });
});

test("With progress=true, the response is lines", async (t) => {
  const { url, send, untilBegun } = await startScene(t, { isHeld: true, progressMs: 5 });

  await t.test("progress, then the report", async () => {
    const { response } = await openImport(url, "?progress=true");
    const { request, finish } = await untilBegun(1);
    request.onProgress(1_000);
    const { headers, statusCode } = await response;
    assert.deepEqual([statusCode, headers["content-type"]], [200, "application/x-ndjson"]);
    const lines: string[] = [];
    let text = "";
    for await (const chunk of (await response).setEncoding("utf8")) {
      text += chunk;
      lines.splice(0, lines.length, ...text.split("\n"));
      if (lines.length === 3) request.onProgress(2_000);
      if (text.includes('{"progress":{"rows":2000}}')) finish();
    }
    assert.equal(lines.pop(), "");
    const report = JSON.parse(lines.pop() ?? "");
    assert.deepEqual([Object.keys(report), report.report.added], [["report"], 1]);
    assert.equal(lines[0], '{"progress":{"rows":1000}}');
    assert.deepEqual(new Set(lines), new Set(['{"progress":{"rows":1000}}', '{"progress":{"rows":2000}}']));
  });

  await t.test("an error after the first row is the last line", async () => {
    const answer = send("name\nRex\n", "?progress=true");
    const { request, finish } = await untilBegun(2);
    request.onProgress(0);
    finish(new ServiceError("unavailable"));
    const { status, text } = await answer;
    const { code, message } = new ServiceError("unavailable");
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(text.trim().split("\n").at(-1) ?? ""), {
      error: { code, message, status: 503 },
    });
  });

  await t.test("the report alone where nothing was written", async () => {
    const answer = send("name\nRex\n", "?progress=true&dryRun=true");
    (await untilBegun(3)).finish();
    const { text, headers } = await answer;
    assert.equal(headers["content-type"], "application/x-ndjson");
    assert.deepEqual(Object.keys(JSON.parse(text)), ["report"]);
  });
});

test("An import ends when its client leaves", async (t) => {
  const { url, untilBegun, listUploads, logged, call } = await startScene(t, { isHeld: true });
  for (const [index, query] of ["", "?progress=true"].entries())
    await t.test(`a client that leaves while the import runs ends it ${query}`, async () => {
      const { request: client, response } = await openImport(url, query);
      response.catch(() => {});
      client.on("error", () => {});
      const { request, finish } = await untilBegun(index + 1);
      request.onProgress(1);
      const aborted = once(request.signal, "abort");
      client.destroy();
      await aborted;
      assert.equal(listUploads().length, 1, "the importer may still read the file");
      finish(request.signal.reason);
      while (listUploads().length > 0) await call("GET", "/usage");
    });
  await t.test("a client that leaves while it sends the file ends it", async () => {
    const lines = ["Content-Length: 1000"];
    const { socket } = openUpload(t, url, { key: ADMIN_KEY, lines, path: "/imports", type: "text/csv" });
    socket.write("name\n");
    while (listUploads().length === 0) await call("GET", "/usage");
    socket.destroy();
    while (listUploads().length > 0) await call("GET", "/usage");
  });
  const lines = logged.join("").trim().split("\n");
  assert.deepEqual(
    lines.filter((line) => JSON.parse(line).level > 30),
    [],
  );
});

test("A client that sends too slowly gets 408, and its file is deleted", async (t) => {
  const { url, begun, listUploads } = await startScene(t, { requestMs: 300 });
  const lines = ["Content-Length: 1000000"];
  const { socket, answer } = openUpload(t, url, {
    key: ADMIN_KEY,
    lines,
    path: "/imports",
    type: "text/csv",
  });
  const timer = setInterval(() => socket.write("x"), 20);
  t.after(() => clearInterval(timer));
  assert.equal((await answer).status, 408);
  while (listUploads().length > 0) await pause(10);
  assert.deepEqual(begun, []);
});

test("A key that sends many imports runs one, and does not keep others from theirs", async (t) => {
  const { call, createKey, send, untilBegun, begun, listUploads } = await startScene(t, { isHeld: true });
  const [greedy, other] = [await createKey({ plan: "pro" }), await createKey({ plan: "pro" })];
  const body = "name\nRex\n";
  const first = send(body, "", greedy);
  await untilBegun(1);
  const waiting = send(body, "", greedy);
  while (listUploads().length < 2) await call("GET", "/usage");
  for (const answer of await repeat(20, () => send(body, "", greedy))) {
    assertError(answer, "unavailable", /^This key has a running import/);
    assert.equal(answer.headers["retry-after"], "5");
  }
  const served = send(body, "", other);
  assert.equal((await untilBegun(2)).request.origin.keyId, BigInt(other.id));
  begun[1]?.finish();
  assert.equal((await served).status, 200);
  assert.equal(begun.length, 2, "the second import of the key still waits");
  begun[0]?.finish();
  assert.equal((await first).status, 200);
  (await untilBegun(3)).finish();
  assert.equal((await waiting).status, 200);
});

test("Uploads of one key take half of the space at most, also where they send nothing", async (t) => {
  const { url, createKey, send, call, listUploads } = await startScene(t);
  const [greedy, other] = [await createKey({ plan: "pro" }), await createKey({ plan: "pro" })];
  const lines = ["Transfer-Encoding: chunked"];
  const uploads = Array.from({ length: 128 }, () =>
    openUpload(t, url, { key: greedy.key, lines, path: "/imports", type: "text/csv" }),
  );
  while (listUploads().length < 128) await call("GET", "/usage");
  const refused = await send("name\n", "", greedy);
  assertError(refused, "unavailable", /^Too many files are being imported\./);
  assert.equal(refused.headers["retry-after"], "2");
  assert.equal((await send("name\nRex\n", "", other)).status, 200);
  for (const { socket } of uploads) socket.destroy();
  while (listUploads().length > 0) await call("GET", "/usage");
  assert.equal((await send("name\nRex\n", "", greedy)).status, 200);
});

test("A service that stops ends its imports, and its clients learn how to continue", async (t) => {
  const advice = /^The service is stopping\. Send the same file with the same settings again/;
  for (const query of ["", "?progress=true"])
    await t.test(`as a status, or as the last line ${query}`, async (t) => {
      const { send, untilBegun, stop, listUploads } = await startScene(t, { isHeld: true });
      const answer = send("name\nRex\n", query);
      const { request, finish } = await untilBegun(1);
      request.onProgress(5);
      const aborted = once(request.signal, "abort");
      const stopped = stop();
      await aborted;
      finish(request.signal.reason);
      const { status, text } = await answer;
      const last = JSON.parse(text.trim().split("\n").at(-1) ?? "");
      const { code, message } = last.error ?? last;
      assert.deepEqual([status, code], [query === "" ? 503 : 200, "unavailable"]);
      assert.match(message, advice);
      await stopped;
      assert.deepEqual(listUploads(), []);
    });
});

test("A stop waits for the last batch of an import whose client has left", async (t) => {
  const { url, untilBegun, stop, service } = await startScene(t, { isHeld: true });
  const { request: client, response } = await openImport(url, "");
  response.catch(() => {});
  client.on("error", () => {});
  const { request, finish } = await untilBegun(1);
  const aborted = once(request.signal, "abort");
  // After a reset, no connection is left for the stop to wait for.
  client.socket?.resetAndDestroy();
  await aborted;
  const order: string[] = [];
  service.app.server.once("close", async () => {
    // Longer than the rest of a stop that does not wait.
    await pause(300);
    order.push("import");
    finish(request.signal.reason);
  });
  await stop();
  order.push("stop");
  assert.deepEqual(order, ["import", "stop"]);
});

test("POST /imports ignores an Idempotency-Key, and is charged once", async (t) => {
  const { createKey, send, call, begun } = await startScene(t);
  const { key } = await createKey({ plan: "free" });
  for (const idempotency of ["same", "same", "not valid ä"]) {
    const headers = { "idempotency-key": Buffer.from(idempotency).toString("latin1") };
    const { status, headers: received } = await send("name\nRex\n", "", { headers, key });
    assert.deepEqual([status, received["idempotent-replayed"]], [200, undefined]);
  }
  assert.equal(begun.length, 3);
  assert.equal((await call("GET", "/usage", { key })).headers["x-ratelimit-remaining"], "57");
});

test("Files of a killed process are deleted at the start, and no others", async (t) => {
  const folder = makeFolder(t);
  const dead = 2 ** 22 - 1;
  const [left, living, foreign] = [`${dead}-AbCd12`, `${process.ppid}-AbCd12`, `${dead}-AbCd12.txt`].map(
    (name) => `animal-store-upload-${name}`,
  ) as [string, string, string];
  for (const name of [left, living, foreign]) mkdirSync(join(folder, name));
  await startApp(t, { environment: { DATABASE_URL: `sqlite:${join(folder, "store.db")}` } });
  const names = readdirSync(folder).filter((name) => name.startsWith("animal-store-upload-"));
  assert.deepEqual(names.toSorted(), [living, foreign].toSorted());
});

test("A file that the disk cannot take gets 503, and the log names its folder", async (t) => {
  const folder = makeFolder(t);
  const service = await startService(t, { DATABASE_URL: `sqlite:${join(folder, "store.db")}` });
  // The limit of a file's size: the write fails as on a full disk. The store is smaller.
  execFileSync("prlimit", ["--pid", String(service.process.pid), `--fsize=${8 * MIB}`]);
  const call = createCall(`${service.url}/v1`, service.adminKey);
  const refused = await call("POST", "/imports", { body: Buffer.alloc(12 * MIB, "x"), headers: CSV });
  assertError(refused, "unavailable", "The service has no room for files at the moment. Try again later.");
  assert.equal(refused.headers["retry-after"], "60");
  assert.equal(
    (await call("POST", "/imports", { body: "name,categoryId\nRex,3\n", headers: CSV })).status,
    200,
  );
  await service.stop();
  const { stdout, stderr } = service.output;
  assert.match(
    stdout + stderr,
    new RegExp(`cannot be written to ${folder}/.*: EFBIG: file too large. Make room`),
  );
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith("animal-store-upload-")),
    [],
  );
});
