// GET /widget.js: readable by pages of any origin, small, cached for an hour, and forever under an address with a hash.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { startApp } from "../../harness/servers/app.ts";

const GZIPPED_BYTES_MAX = 12_000;
const HASHED = /^widget\/(widget-[A-Z0-9]{8}\.js)$/;

test("GET /widget.js", async (t) => {
  // Narrower than what the widget needs.
  const { outside } = await startApp(t, { environment: { CORS_ORIGINS: "https://console.example.org" } });
  const headers = { origin: "https://shelter.example", "accept-encoding": "gzip" };
  const plain = await outside("GET", "/widget.js", { headers });

  await t.test("any origin may load it, and keeps it for an hour", async () => {
    assert.equal(plain.status, 200);
    assert.equal(plain.headers["content-type"], "text/javascript; charset=utf-8");
    assert.equal(plain.headers["access-control-allow-origin"], "*");
    assert.equal(plain.headers["cache-control"], "public, max-age=3600");
    const known = { ...headers, "if-none-match": plain.headers.etag ?? assert.fail("no ETag") };
    const again = await outside("GET", "/widget.js", { headers: known });
    assert.deepEqual([again.status, again.headers["access-control-allow-origin"]], [304, "*"]);
  });

  await t.test("has at most 12 kB, gzipped", () => {
    assert.equal(plain.headers["content-encoding"], "gzip");
    assert.ok(plain.bytes.length <= GZIPPED_BYTES_MAX, `${plain.bytes.length} bytes`);
    assert.match(gunzipSync(plain.bytes).toString(), /animal-store-list/);
  });

  await t.test("names the address with the hash, which is cached forever; other hashes are 404", async () => {
    const location = plain.headers["content-location"] ?? "";
    const [, file] = HASHED.exec(location) ?? assert.fail(location);
    const hashed = await outside("GET", `/${location}`, { headers });
    assert.deepEqual([hashed.status, hashed.headers["content-location"]], [200, file]);
    assert.equal(hashed.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.equal(hashed.headers["access-control-allow-origin"], "*");
    assert.deepEqual(hashed.bytes, plain.bytes);
    const other = await outside("GET", "/widget/widget-AAAAAAAA.js");
    assert.deepEqual([other.status, other.json.code], [404, "route_not_found"]);
  });

  await t.test("is charged to the address: 1,200 a minute", async () => {
    const { headers } = await outside("HEAD", "/widget.js");
    assert.equal(headers["ratelimit-policy"], '"minute";q=1200;w=60');
  });
});
