// Paths outside /v1: health, metrics, documents, the console.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import SqliteConnection from "better-sqlite3";
import { parse } from "yaml";
import { ERRORS } from "../../../src/domain/basics/errors.ts";
import { VERSION } from "../../../src/tools/program.ts";
import { createCall } from "../../harness/clients/call.ts";
import { column } from "../../harness/clients/pages.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { startApp } from "../../harness/servers/app.ts";
import { startService } from "../../harness/servers/service.ts";
import { assertError } from "../assertions.ts";

const ROOT = join(import.meta.dirname, "../../..");

test("Outside /v1", async (t) => {
  const environment = { STAGING_URL: "https://staging.animals.example.org" };
  const { url, outside } = await startApp(t, { environment });

  await t.test("reports alive and ready without a key", async () => {
    assert.deepEqual((await outside("GET", "/healthz")).json, { status: "ok", version: VERSION });
    const ready = await outside("GET", "/readyz");
    assert.equal(ready.status, 200);
    const { store, ...state } = ready.json;
    assert.deepEqual(state, { status: "ready", reasons: [] });
    assert.match(store, /^[0-9a-f]{12}$/);
  });

  await t.test("serves the sample animals and their drawings to the console, and no other file", async () => {
    const animals = await outside("GET", "/console/sample/animals.json");
    assert.equal(animals.headers["content-type"], "application/json; charset=utf-8");
    for (const { drawing } of animals.json) {
      const { status, headers } = await outside("GET", `/console/sample/${drawing}.webp`);
      assert.deepEqual([status, headers["content-type"]], [200, "image/webp"]);
      const conditions = { "if-none-match": headers.etag ?? "" };
      const again = await outside("GET", `/console/sample/${drawing}.webp`, { headers: conditions });
      assert.equal(again.status, 304);
    }
    for (const file of ["missing.webp", "render.ts", "drawings", "..%2Fpackage.json", "%2e%2e/package.json"])
      assert.equal((await outside("GET", `/console/sample/${file}`)).json.code, "route_not_found", file);
  });

  await t.test("rejects an unknown path with 404 and another method with 405, without a key", async () => {
    assert.equal((await outside("GET", "/nothing")).json.code, "route_not_found");
    const text = { body: "x", headers: { "content-type": "text/plain" } };
    const { json, headers } = await outside("POST", "/healthz", text);
    assert.deepEqual([json.code, headers.allow], ["method_not_allowed", "GET, HEAD"]);
  });

  await t.test("serves the same document as JSON and as YAML", async () => {
    const json = await outside("GET", "/openapi.json");
    const yaml = await outside("GET", "/openapi.yaml");
    assert.match(yaml.headers["content-type"] ?? "", /^application\/yaml/);
    assert.deepEqual(parse(yaml.text), json.json);
    assert.equal(json.json.openapi, "3.1.0");
    assert.equal(json.json.info.version, "1.0.0");
    assert.deepEqual(
      json.json.servers.map((server: { url: string }) => server.url),
      [`${url}/v1`, "https://staging.animals.example.org/v1"],
    );
    assert.deepEqual(json.json.info.contact, { name: "Operator of this service", url: `${url}/docs` });
  });

  await t.test("serves an API reference that loads nothing from other hosts", async () => {
    const page = await outside("GET", "/docs");
    assert.match(page.headers["content-type"] ?? "", /^text\/html/);
    assert.match(page.headers["content-security-policy"] ?? "", /default-src 'none'/);
    for (const operation of "listPets createPet getPet getUsage listKeys createKey rotateKey".split(" "))
      assert.match(page.text, new RegExp(`id="${operation}"`));
    const [, createPet = ""] = /<section id="createPet"[^>]*>([\s\S]*?)<\/section>/.exec(page.text) ?? [];
    assert.match(
      createPet,
      /Response 201: [^\n]*\n<pre [^>]+>\{\n {2}<span class="name">&quot;id&quot;<\/span>: /,
    );
    assert.match(page.text, /<input [^>]*name="petId" data-in="path" required[^>]* placeholder="1">/);
    assert.match(page.text, /<small>API 1\.0\.0<\/small>/, "not the version of the service");
    const loaded = page.text.match(/(?<=<(?:script|link|img)[^>]*(?:src|href)=")[^"]+/g) ?? [];
    const [markdown, icon = "", ...files] = loaded;
    assert.equal(markdown, "docs.md");
    assert.match(icon, /^data:image\/svg\+xml,/);
    assert.ok(files.length >= 3);
    for (const file of files) {
      assert.match(file, /^console\/reference/);
      const { status, text } = await outside("GET", `/${file}`);
      assert.equal(status, 200);
      assert.doesNotMatch(text, /https?:\/\//);
    }
  });
});

test("The reference at /docs.md has the same contents as Markdown, and an ETag", async (t) => {
  const { outside } = await startApp(t);
  const [page, markdown, document] = await Promise.all(
    ["/docs", "/docs.md", "/openapi.json"].map((path) => outside("GET", path)),
  );
  assert.match(markdown?.headers["content-type"] ?? "", /^text\/markdown/);
  const text = markdown?.text ?? "";
  const headings = [...text.matchAll(/^#{2,3} (.*?)(?: \(deprecated\))?$/gm)].map(([, title]) => title);
  const anchors = [...(page?.text ?? "").matchAll(/<a class="anchor" [^>]*>([^<]*)</g)];
  assert.deepEqual(headings, column(anchors, "1"));
  const operations = Object.values(document?.json.paths as object).flatMap((path) => Object.values(path));
  for (const { operationId } of operations as Array<{ operationId: string }>)
    assert.ok(text.includes(`Operation \`${operationId}\`.`), operationId);
  for (const code of Object.keys(ERRORS))
    assert.match(text, new RegExp(`^\\| \`${code}\` \\| \\d+ \\| `, "m"));
  const prose = text.replaceAll(/```[\s\S]*?```|`[^`]*`/g, "");
  assert.deepEqual(prose.match(/.*(?:(?<!\\)<|\]\(#|undefined).*/g), null);
  const headers = { "if-none-match": markdown?.headers.etag ?? "" };
  assert.equal((await outside("GET", "/docs.md", { headers })).status, 304);
});

test("The OpenAPI document names the contact of CONTACT_URL, an email address as such", async (t) => {
  const { service } = await startApp(t, { environment: { CONTACT_URL: "mailto:help@animals.example.org" } });
  assert.deepEqual((await service.app.inject("/openapi.json")).json().info.contact, {
    name: "Operator of this service",
    email: "help@animals.example.org",
  });
});

test("A console below a path loads its files from there", async (t) => {
  const environment = { PUBLIC_URL: "https://host.example.org/our&own/shelter" };
  const { outside } = await startApp(t, { environment });
  const { text, headers } = await outside("GET", "/");
  const addresses = [...text.matchAll(/(?:src|href)="(?!data:)([^"]*)"/g)].map(([, address]) => address);
  const base = "/our&amp;own/shelter";
  assert.equal(addresses.pop(), `${base}/docs`);
  assert.ok(addresses.length >= 2);
  for (const address of addresses) assert.ok(address?.startsWith(`${base}/console/`));
  assert.match(headers["content-security-policy"] ?? "", /base-uri 'none'/);
});

test("A service without a built console says which command builds it, and serves everything else", async (t) => {
  const folder = makeFolder(t);
  for (const part of ["src", "docs/guides"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
  const { url, call } = await startService(t, {}, folder);
  const page = await createCall(url)("GET", "/");
  assert.equal(page.status, 503);
  assert.equal(page.headers["referrer-policy"], "no-referrer");
  assert.equal(page.headers["cross-origin-opener-policy"], "same-origin");
  assert.match(page.headers["content-type"] ?? "", /^text\/html/);
  assert.match(page.text, /run <code>npm start<\/code> or <code>npm run build:console<\/code>/);
  assert.equal((await createCall(url)("GET", "/docs")).status, 200);
  const client = await createCall(url)("GET", "/client.tgz");
  assert.deepEqual([client.status, client.json.code], [503, "unavailable"]);
  assert.match(client.json.message, /^This installation has no client package\./);
  const widget = await createCall(url)("GET", "/widget.js");
  assert.deepEqual([widget.status, widget.json.code], [503, "unavailable"]);
  assert.equal((await call("GET", "/pets")).status, 200);
  mkdirSync(join(folder, "console/dist"), { recursive: true });
  writeFileSync(join(folder, "console/dist/pages.json"), JSON.stringify({ console: "built meanwhile" }));
  assert.equal((await createCall(url)("GET", "/")).text, "built meanwhile");
});

test("Failing writes make the service degraded until writes succeed again; reads continue", {
  timeout: 30_000,
}, async (t) => {
  const { url, call, environment, adminKey } = await startService(t);
  const readGauges = async () => {
    const { text } = await createCall(url, adminKey)("GET", "/metrics");
    return ["ready", "writable"].map(
      (name) => new RegExp(`^animal_store_${name} ([01])$`, "m").exec(text)?.[1],
    );
  };
  const other = new SqliteConnection(environment.DATABASE_URL?.replace("sqlite:", "") ?? "");
  t.after(() => other.close());
  const write = () => call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
  other.exec("BEGIN IMMEDIATE");
  const refused = await write();
  assertError(refused, "unavailable");
  assert.equal(refused.headers["retry-after"], "1");
  const ready = await createCall(url)("GET", "/readyz");
  assert.equal(ready.status, 200);
  const { status, reasons } = ready.json;
  assert.deepEqual([status, reasons], ["degraded", ["the last write to the database failed"]]);
  assert.deepEqual(await readGauges(), ["1", "0"]);
  assert.equal((await call("GET", "/pets")).text, "[]");
  assert.equal((await createCall(url)("GET", "/readyz")).json.status, "degraded", "while writes fail");
  other.exec("COMMIT");
  // The service tests writes on its own; a test that has waited for the lock may still be running.
  const isReady = async () => (await createCall(url)("GET", "/readyz")).json.status === "ready";
  for (let probes = 0; !(await isReady()); probes++) {
    assert.ok(probes < 200, "ready again");
    await pause(50);
  }
  assert.deepEqual(await readGauges(), ["1", "1"]);
  assert.equal((await write()).status, 201);
});

test("HOST=localhost listens on one address, so that the limits on connections hold for all", async (t) => {
  const { service, url } = await startApp(t, { environment: { HOST: "localhost" } });
  const addresses = service.app.addresses() as AddressInfo[];
  assert.deepEqual(column(addresses, "address"), ["127.0.0.1"]);
  assert.match(url, /^http:\/\/127\.0\.0\.1:/);
});
