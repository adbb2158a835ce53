// The form of a request: malformed requests are refused first, and equivalent targets are treated alike.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import pino from "pino";
import { parseRaw, type RawAnswer, sendRaw } from "../../harness/clients/socket.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";
import { assertRawError } from "../assertions.ts";

const KEY_LINE = `Authorization: Bearer ${ADMIN_KEY}`;
const HEADER_BYTES_MAX = 16 * 1024;

test("Malformed requests", async (t) => {
  const { call, port } = await startApp(t);
  // Brings the key into the cache, so that a plain list would take the fast path.
  assert.equal((await call("GET", "/pets")).status, 200);

  const lines = (first: string, ...rest: string[]) => [first, ...rest, KEY_LINE];
  const get = (host: string) => lines("GET /v1/pets HTTP/1.1", host);
  const coded = (method: string, ...codings: string[]) =>
    lines(`${method} /v1/pets HTTP/1.1`, "Host: a", ...codings.map((each) => `Transfer-Encoding: ${each}`));
  const bad: Record<string, string[]> = {
    "two Host headers": lines("GET /v1/pets HTTP/1.1", "Host: a", "Host: b"),
    "the same Host twice": lines("GET /v1/pets HTTP/1.1", "Host: a", "Host: a"),
    "a Host with a path": get("Host: a/b"),
    "a Host with a user": get("Host: user@a"),
    "a Host with a space": get("Host: a b"),
    "a Host with a letter in its port": get("Host: a:8x"),
    "a Host with half an IPv6 address": get("Host: [::1"),
    "a Host that is no IPv6 address": get("Host: [1:2]"),
    "an empty Host": get("Host:"),
    "an invalid Host under HTTP/1.0": lines("GET /v1/pets HTTP/1.0", "Host: a/b"),
    "two transfer codings": [...coded("POST", "gzip, chunked"), "Content-Type: application/json"],
    "two Transfer-Encoding headers": coded("POST", "gzip", "chunked"),
    "two transfer codings on a GET": coded("GET", "gzip, chunked"),
    "HTTP/2.0": lines("GET /v1/pets HTTP/2.0", "Host: a"),
    "HTTP/0.9 with headers": lines("GET /v1/pets HTTP/0.9", "Host: a"),
    "GET *": lines("GET * HTTP/1.1", "Host: a"),
    "a target of another scheme": lines("GET ftp://a/v1/pets HTTP/1.1", "Host: a"),
    "an absolute target without a host": lines("GET http:///v1/pets HTTP/1.1", "Host: a"),
  };
  for (const [what, each] of Object.entries(bad))
    await t.test(`answers ${what} with 400 bad_request and closes the connection`, async () => {
      const text = await sendRaw(port, `${head(each)}${body(each)}`, { halfClose: true });
      assertRawError(parseRaw(text), 400, "bad_request");
    });

  const pet = JSON.stringify({ name: "Smuggled", categoryId: 1 });
  const post = ["POST /v1/pets HTTP/1.1", "Host: a", KEY_LINE, "Content-Type: application/json"];
  const write = `${head([...post, `Content-Length: ${pet.length}`])}${pet}`;
  const refused: Record<string, string> = {
    ...Object.fromEntries(Object.entries(bad).map(([what, each]) => [what, `${head(each)}${body(each)}`])),
    "too many headers": head([...get("Host: a"), ...Array<string>(4_000).fill("a: b")]),
  };
  for (const [what, bytes] of Object.entries(refused))
    await t.test(`ignores what follows ${what} in the same packet`, async () => {
      const before = (await call("GET", "/pets?limit=100")).json.length;
      const text = await sendRaw(port, bytes + write, { halfClose: true });
      assert.equal(text.match(/HTTP\/1\.1 \d+/g)?.length, 1, "one answer");
      assert.equal((await call("GET", "/pets?limit=100")).json.length, before, "and no animal");
    });

  const good: Record<string, string[]> = {
    "a Host with a port": ["GET /v1/pets HTTP/1.1", "Host: shelter.example:8080"],
    "a Host with an empty port": ["GET /v1/pets HTTP/1.1", "Host: shelter.example:"],
    "an IPv6 address as Host": ["GET /v1/pets HTTP/1.1", "Host: [::1]:8080"],
    "an underscore in Host": ["GET /v1/pets HTTP/1.1", "Host: animal_store"],
    "HTTP/1.0 without Host": ["GET /v1/pets HTTP/1.0"],
    "chunks in capital letters": ["GET /v1/pets HTTP/1.1", "Host: a", "Transfer-Encoding: Chunked"],
  };
  for (const [what, lines] of Object.entries(good))
    await t.test(`answers ${what} with 200`, async () => {
      const bytes = `${head([...lines, KEY_LINE, "Connection: close"])}0\r\n\r\n`;
      assert.equal(parseRaw(await sendRaw(port, bytes)).status, 200);
    });

  await t.test("answers an invalid Host with 400 however often it comes", async () => {
    for (let i = 0; i < 3; i++) {
      const text = await sendRaw(port, head(["GET /v1/pets HTTP/1.1", "Host: a/again", KEY_LINE]));
      assertRawError(parseRaw(text), 400, "bad_request");
    }
  });

  await t.test("answers OPTIONS * with 204", async () => {
    const text = await sendRaw(port, head(["OPTIONS * HTTP/1.1", "Host: a", "Connection: close"]));
    assert.equal(parseRaw(text).status, 204);
  });
});

test("The size of a header block", async (t) => {
  const { port } = await startApp(t);
  const first = ["GET /v1/pets HTTP/1.1", "Host: a", KEY_LINE, "Connection: close"];
  const filled = (bytes: number) => {
    const lines = [...first, ...Array.from({ length: 1_000 }, () => "a: b")];
    const rest = bytes - lines.join("\r\n").length - "\r\nX: \r\n".length;
    return head([...lines, `X: ${"y".repeat(rest)}`]);
  };
  await t.test("accepts a header block of 16 KiB, separators included", async () => {
    assert.equal(parseRaw(await sendRaw(port, filled(HEADER_BYTES_MAX))).status, 200);
  });
  const large: Record<string, string> = {
    "a header block of one byte more": filled(HEADER_BYTES_MAX + 1),
    "5,000 short headers": head([...first, ...Array.from({ length: 5_000 }, () => "a: b")]),
    "a long path with its separators": head([
      `GET /v1/${"a".repeat(HEADER_BYTES_MAX - 60)} HTTP/1.1`,
      ...first.slice(1),
    ]),
  };
  for (const [what, bytes] of Object.entries(large))
    await t.test(`answers ${what} with 431 headers_too_large`, async () => {
      assertRawError(parseRaw(await sendRaw(port, bytes, { halfClose: true })), 431, "headers_too_large");
    });
});

test("Equivalent paths", async (t) => {
  const { url, call, createKey, port } = await startApp(t);
  const ask = async (target: string, method = "GET", lines: string[] = [KEY_LINE]) =>
    parseRaw(
      await sendRaw(port, head([`${method} ${target} HTTP/1.1`, "Host: a", "Connection: close", ...lines])),
    );

  await t.test("reads an absolute target without a path as /", async () => {
    const root = await ask("/");
    for (const target of [url, `${url}?x=1`, "HTTP://a"]) {
      const answer = await ask(target);
      assert.deepEqual([answer.status, answer.body], [root.status, root.body], target);
    }
  });

  await t.test("leaves the query as it is, also beside an escape that is not UTF-8", async () => {
    const since = "updatedSince=2027-01-01T00%3A00%3A00Z";
    for (const query of [since, `${since}&x=%FF`, `${since}&x=%`])
      assert.equal((await ask(`/v1/listings?${query}`)).status, 200, query);
  });

  await t.test("treats an escaped /v1 like /v1, whatever the response", async () => {
    const { key } = await createKey();
    const free = [`Authorization: Bearer ${key}`];
    const withKey = "GET /pets,PUT /pets,GET /nothing,GET /pets/1,GET ,GET ?x,DELETE /pets#part,HEAD /pets";
    const withoutKey = "GET /pets,GET /nothing,GET /pets/%ff,GET /%";
    const requests = [
      ...withKey.split(",").map((request) => ({ request, lines: free })),
      ...withoutKey.split(",").map((request) => ({ request, lines: [] })),
    ];
    for (const { request, lines } of requests) {
      const [method = "", path = ""] = request.split(" ");
      const plain = await ask(`/v1${path}`, method, lines);
      const escaped = await ask(`/%76%31${path.replace("pets", "%70et%73")}`, method, lines);
      assert.deepEqual(withoutCounts(escaped), withoutCounts(plain), `${method} /v1${path}`);
      assert.notEqual(plain.headers["x-ratelimit-limit"], undefined);
    }
    // Eight requests have this key, and each was sent twice.
    const { json } = await call("GET", "/usage", { key });
    assert.equal(json.minute.remaining, 60 - 2 * 8);
  });

  await t.test("keeps an escaped slash within its segment", async () => {
    assert.equal(JSON.parse((await ask("/v1%2Fpets")).body).code, "route_not_found");
    assert.equal(JSON.parse((await ask("/v1/pets/%2F")).body).code, "pet_not_found");
  });
});

test("A client that disconnects during an ignored body causes no error", async (t) => {
  const { url, call, logged, service } = await startApp(t);
  const arrived = once(service.app.server, "request");
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const lines = ["GET /v1/usage HTTP/1.1", "Host: a", KEY_LINE, "Content-Length: 9", "Expect: 100-continue"];
  socket.write(`${head(lines)}half`);
  const [request] = await arrived;
  // 100 Continue shows that the body is being read.
  await once(socket, "data");
  socket.resetAndDestroy();
  await new Promise((resolve) => request.on("close", resolve));
  await setImmediate();
  const levels = logged.map((line) => JSON.parse(line).level);
  assert.deepEqual(new Set(levels), new Set([pino.levels.values.info]));
  assert.equal((await call("GET", "/pets")).status, 200);
});

function head(lines: string[]): string {
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Without one, the request would be refused for its end. */
function body(lines: string[]): string {
  return lines.some((line) => line.startsWith("Transfer-Encoding")) ? "0\r\n\r\n" : "";
}

/** Without the parts that differ between any two requests. */
function withoutCounts({ status, headers, body }: RawAnswer): unknown {
  const { date, "x-request-id": id, "x-ratelimit-remaining": remaining, ratelimit, ...rest } = headers;
  return { status, headers: rest, body };
}
