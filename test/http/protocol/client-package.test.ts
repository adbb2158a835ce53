// GET /client.tgz: the package of the client, built once where it is not part of the installation.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { ServiceError } from "../../../src/domain/basics/errors.ts";
import { createClientPackage } from "../../../src/http/static/client-package.ts";
import { VERSION } from "../../../src/tools/program.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { createClock, startApp } from "../../harness/servers/app.ts";

test("GET /client.tgz", async (t) => {
  const { url, outside } = await startApp(t);

  await t.test("needs no key and names the file and its type", async () => {
    const { headers } = await outside("GET", "/client.tgz");
    assert.equal(headers["content-type"], "application/gzip");
    assert.equal(headers["content-disposition"], `attachment; filename="animal-store-client-${VERSION}.tgz"`);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["cache-control"], "private, no-cache");
  });

  await t.test("answers HEAD without the package, a known ETag with 304, and POST with 405", async () => {
    const { etag = "", "content-length": length } = (await outside("GET", "/client.tgz")).headers;
    const head = await outside("HEAD", "/client.tgz");
    assert.deepEqual([head.status, head.text, head.headers["content-length"]], [200, "", length]);
    const known = await outside("GET", "/client.tgz", { headers: { "if-none-match": etag } });
    assert.deepEqual([known.status, known.text, known.headers.etag], [304, "", etag]);
    const { json, headers } = await outside("POST", "/client.tgz");
    assert.deepEqual([json.code, headers.allow], ["method_not_allowed", "GET, HEAD"]);
  });

  await t.test("sends the whole file, not encoded again, to requests for a range or for gzip", async () => {
    const { "content-length": length } = (await outside("GET", "/client.tgz")).headers;
    const ranges = [{ range: "bytes=0-9" }, { range: "bytes=999999999-" }];
    for (const headers of [...ranges, { "accept-encoding": "gzip" }]) {
      const answer = await outside("GET", "/client.tgz", { headers });
      const { "content-length": sent, "content-encoding": encoding } = answer.headers;
      assert.deepEqual([answer.status, sent, encoding], [200, length, undefined], JSON.stringify(headers));
    }
  });

  await t.test("serves the next client after one that disconnects during the download", async () => {
    await new Promise<void>((resolve, reject) => {
      const request = http.get(`${url}/client.tgz`, { agent: false }, (response) => {
        response.once("data", () => response.destroy());
        response.once("close", resolve);
      });
      request.once("error", reject);
    });
    assert.equal((await outside("GET", "/client.tgz")).status, 200);
  });
});

test("/docs shows the command that installs the client, below the path of PUBLIC_URL too", async (t) => {
  const { outside } = await startApp(t, { environment: { PUBLIC_URL: "https://host.example.org/shelter" } });
  const { text } = await outside("GET", "/docs");
  assert.ok(
    text.replaceAll(/<[^>]*>/g, "").includes("npm install https://host.example.org/shelter/client.tgz"),
  );
});

/** A clone whose build writes the package and a line to runs.txt. */
const COUNTING = `import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
appendFileSync(join(import.meta.dirname, "runs.txt"), JSON.stringify(Object.keys(process.env)) + "\\n");
mkdirSync(join(import.meta.dirname, "dist"), { recursive: true });
writeFileSync(join(import.meta.dirname, "dist/client.tgz"), "the package");`;
/** Ends only when it is killed. */
const ENDLESS = `import { writeFileSync } from "node:fs";
import { join } from "node:path";
writeFileSync(join(import.meta.dirname, "runs.txt"), String(process.pid));
setInterval(() => {}, 1_000);`;

function openRoot(t: TestContext, { script, file }: { script?: string; file?: string }) {
  const folder = makeFolder(t);
  mkdirSync(join(folder, "client/dist"), { recursive: true });
  const clock = createClock(0);
  const setScript = (text: string) => writeFileSync(join(folder, "client/pack.ts"), text);
  if (script !== undefined) setScript(script);
  if (file !== undefined) writeFileSync(join(folder, "client/dist/client.tgz"), file);
  const runs = join(folder, "client/runs.txt");
  const readRuns = () => (existsSync(runs) ? readFileSync(runs, "utf8") : "");
  return { options: { root: pathToFileURL(`${folder}/`), clock }, clock, setScript, readRuns };
}

test("100 calls at the same time share one build, which does not get the environment", async (t) => {
  const { options, readRuns } = openRoot(t, { script: COUNTING });
  const { get } = createClientPackage(options);
  process.env.SECRET_FOR_TEST = "secret";
  t.after(() => delete process.env.SECRET_FOR_TEST);
  const found = await Promise.all(Array.from({ length: 100 }, get));
  await get();
  assert.deepEqual(new Set(found.map(({ bytes }) => String(bytes))), new Set(["the package"]));
  assert.equal(readRuns().trimEnd().split("\n").length, 1);
  assert.doesNotMatch(readRuns(), /SECRET_FOR_TEST/);
});

test("a failed build gives 503 with the commands to run, and is tried again after ten seconds", async (t) => {
  const { options, clock, setScript, readRuns } = openRoot(t, { script: "throw new Error('no compiler');" });
  const { get } = createClientPackage(options);
  const expectFailure = async (retryAfterSeconds: number) => {
    await assert.rejects(get(), (error: ServiceError) => {
      assert.deepEqual([error.code, error.retryAfterSeconds], ["unavailable", retryAfterSeconds]);
      assert.match(error.message, /run "npm ci && npm run build:client"/);
      assert.match((error.cause as Error).message, /no compiler/, "the log gets the reason");
      return true;
    });
  };
  await expectFailure(10);
  setScript(COUNTING);
  clock.advance(9_000);
  await expectFailure(1);
  assert.equal(readRuns(), "", "no build before the time is over");
  clock.advance(1_000);
  assert.equal(String((await get()).bytes), "the package");
});

test("a build that takes too long is killed and gives 503", async (t) => {
  const { options } = openRoot(t, { script: ENDLESS });
  const { get } = createClientPackage({ ...options, buildMaxMs: 1 });
  await assert.rejects(get(), (error: ServiceError) => {
    assert.equal(error.code, "unavailable");
    assert.equal((error.cause as { killed?: boolean }).killed, true);
    return true;
  });
});

test("the stop of the service ends a running build", async (t) => {
  const { options, readRuns } = openRoot(t, { script: ENDLESS });
  const { get, close } = createClientPackage(options);
  const refused = assert.rejects(get(), { code: "unavailable" });
  while (readRuns() === "") await pause(10);
  close();
  await refused;
  const isGone = () => {
    try {
      return !process.kill(Number(readRuns()), 0);
    } catch {
      return true;
    }
  };
  while (!isGone()) await pause(10);
});

test("an installation without sources serves its file, or says where to build one", async (t) => {
  const complete = openRoot(t, { file: "the installed package" });
  const { bytes } = await createClientPackage(complete.options).get();
  assert.equal(String(bytes), "the installed package");
  const empty = openRoot(t, {});
  await assert.rejects(createClientPackage(empty.options).get(), {
    code: "unavailable",
    message: /^This installation has no client package\./,
  });
});
