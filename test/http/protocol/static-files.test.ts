// How pages, scripts and styles are sent: compressed, conditional, and cached forever where their address has a hash.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { chooseCoding } from "../../../src/http/static/content-coding.ts";
import { type Answer, createCall } from "../../harness/clients/call.ts";
import { startApp } from "../../harness/servers/app.ts";

const DIST = join(import.meta.dirname, "../../../console/dist");
/** Of everything that the first view of the console needs, gzipped. */
const FIRST_VIEW_BYTES_MAX = 85_000;
/** A script of one line can grow when it is compressed. */
const TINY = 200;
const FOREVER = "public, max-age=31536000, immutable";
const HASHED = /^\/console\/[\w-]+-[A-Z0-9]{8}\.(?:css|js)$/;
const CODINGS = ["identity", "gzip", "br"];

test("Accept-Encoding decides in which form a document is sent", () => {
  const cases: Array<[acceptEncoding: string | undefined, coding: string | undefined]> = [
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["deflate", undefined],
    ["gzip, deflate, br, zstd", "br"],
    ["br;q=0.1, gzip;q=0.2", "gzip"],
    ["gzip", "gzip"],
    ["GZIP ; Q=0.5", "gzip"],
    ["x-gzip", "gzip"],
    ["gzip;q=0.001", "gzip"],
    ["gzip;q=0", undefined],
    ["gzip;q=0.5, identity", undefined],
    ["gzip;q=0.5, identity;q=0.5", "gzip"],
    ["identity;q=0.5, gzip;q=0.4, br;q=0.3", undefined],
    ["*", "br"],
    ["*;q=0.5, br;q=0", "gzip"],
    ["gzip, *;q=0", "gzip"],
    ["identity;q=0, *", "br"],
    ["identity;q=0, br", "br"],
    // Nothing is named that could be sent.
    ["identity;q=0", "gzip"],
    ["*;q=0", undefined],
    ["identity;q=0, gzip;q=0, br;q=0", undefined],
    // Not valid: as if they were not there.
    ["gzip;q=2, br;q=x", undefined],
    [",;q=1, ,", undefined],
  ];
  for (const [acceptEncoding, coding] of cases)
    assert.equal(chooseCoding(acceptEncoding), coding, String(acceptEncoding));
});

test("Pages and their files", async (t) => {
  const { url } = await startApp(t);
  const call = createCall(url);
  const findFiles = async (path: string) => {
    const { text } = await call("GET", path);
    return [...text.matchAll(/<(?:script|link)[^>]*(?:src|href)="(?!data:)([^"]+)"/g)].map(
      ([, file]) => `/${file}`,
    );
  };
  const linked = [...(await findFiles("/")), ...(await findFiles("/docs"))];
  const documents = ["/", "/docs", "/docs.md", "/openapi.json", "/console/sample/animals.json"];
  const files = linked.filter((path) => !documents.includes(path));

  await t.test("scripts and styles have a hash in their address", () => {
    assert.ok(files.length >= 4, files.join(" "));
    assert.deepEqual(
      files.filter((path) => !HASHED.test(path)),
      [],
    );
  });

  for (const path of [...files, ...documents])
    await t.test(`GET and HEAD ${path}: each form has its own ETag, and 304 without a body`, async () => {
      const plain = await call("GET", path);
      const etags = new Set<string | undefined>();
      for (const coding of CODINGS) {
        const headers = { "accept-encoding": coding };
        const full = await call("GET", path, { headers });
        assert.equal(full.status, 200);
        assert.equal(full.headers["content-encoding"], coding === "identity" ? undefined : coding);
        assert.equal(full.headers["content-type"], plain.headers["content-type"]);
        assert.equal(decode(full, coding), plain.text);
        if (coding !== "identity" && plain.bytes.length > TINY)
          assert.ok(full.bytes.length < plain.bytes.length, coding);
        assert.equal(full.headers.vary, "Origin, Accept-Encoding");
        assert.equal(full.headers["x-content-type-options"], "nosniff");
        assert.equal(full.headers["referrer-policy"], "no-referrer");
        assert.equal(full.headers["cross-origin-opener-policy"], "same-origin");
        assert.equal(full.headers["cache-control"], files.includes(path) ? FOREVER : "private, no-cache");
        const head = await call("HEAD", path, { headers });
        assert.deepEqual(comparable(head), comparable(full));
        assert.equal(head.bytes.length, 0);
        const { etag = assert.fail("no ETag") } = full.headers;
        etags.add(etag);
        for (const method of ["GET", "HEAD"]) {
          const again = await call(method, path, { headers: { ...headers, "if-none-match": etag } });
          assert.deepEqual([again.status, again.bytes.length], [304, 0]);
          const kept = ["etag", "vary", "cache-control", "content-security-policy"] as const;
          for (const name of kept) assert.equal(again.headers[name], full.headers[name], name);
          for (const name of ["content-encoding", "content-type", "content-length"])
            assert.equal(again.headers[name], undefined, name);
        }
      }
      assert.equal(etags.size, CODINGS.length);
    });

  await t.test("the files of another build are 404, and not cached", async () => {
    const others = ["console-AAAAAAAA.js", "page.html", "pages.json", "built-from.txt"];
    for (const name of others) {
      const { status, json, headers } = await call("GET", `/console/${name}`);
      assert.deepEqual([status, json.code], [404, "route_not_found"], name);
      assert.equal(headers["cache-control"], "private, no-cache");
    }
    for (const ending of [".gz", ".br"])
      assert.equal((await call("GET", `${files[0]}${ending}`)).status, 404);
  });
});

test("the first view of the console needs at most 85 kB, gzipped", () => {
  const { console: page } = JSON.parse(readFileSync(join(DIST, "pages.json"), "utf8"));
  const names = [...page.matchAll(/\{base\}console\/([^"]+)"/g)].map(([, name = ""]) => name);
  // English texts are part of the script; other languages are loaded in addition.
  const languages = readdirSync(DIST).filter((name) => /^first-view-de-[A-Z0-9]{8}\.js$/.test(name));
  assert.ok(names.length >= 2 && languages.length === 1);
  const sizes = [...names, ...languages].map((name) => statSync(join(DIST, `${name}.gz`)).size);
  const total = sizes.reduce((sum, size) => sum + size, gzipSync(page).length);
  assert.ok(total <= FIRST_VIEW_BYTES_MAX, `${total} bytes: ${names.join(", ")}`);
});

function decode({ bytes }: Answer, coding: string): string {
  if (coding === "gzip") return gunzipSync(bytes).toString();
  return (coding === "br" ? brotliDecompressSync(bytes) : bytes).toString();
}

/** Without the headers that differ between any two requests. */
function comparable({ headers }: Answer): object {
  const { date: _date, "x-request-id": _id, ...rest } = headers;
  return rest;
}
