// Section 1 of the interface: the general rules for requests and responses.

import assert from "node:assert/strict";
import { Agent, METHODS } from "node:http";
import { test } from "node:test";
import { parseRaw, sendRaw } from "../harness/clients/socket.ts";
import { ADMIN_KEY, startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const REX = { name: "Rex", categoryId: 3 };

test("Section 1: requests and responses in general", async (t) => {
  const { call, url } = await startApp(t);
  const port = Number(new URL(url).port);

  await t.test("responds with JSON and the common headers, whatever Accept says", async () => {
    const answer = await call("GET", "/pets", { headers: { accept: "text/html" } });
    assert.equal(answer.status, 200);
    assertCommon(answer);
  });

  await t.test("rejects an unknown path with 404, or with 401 without a key", async () => {
    assertError(await call("GET", "/nothing"), "route_not_found");
    assertError(await call("GET", "/nothing", { key: undefined }), "missing_api_key");
    assertError(await call("GET", ""), "route_not_found");
    assertError(await call("GET", "/petsx"), "route_not_found");
    assertError(await call("GET", "/Pets"), "route_not_found");
  });

  await t.test("rejects an unknown path before it reads the body", async () => {
    assertError(
      await call("POST", "/nothing", { body: "{", headers: { "content-type": "text/plain" } }),
      "route_not_found",
    );
  });

  await t.test("rejects another method on a known path with 405 and Allow", async () => {
    for (const method of ["PUT", "PATCH", "DELETE", "PURGE", "PROPFIND", "TRACE", "QUERY"]) {
      const answer = await call(method, "/pets", { body: method === "TRACE" ? undefined : "{" });
      assertError(answer, "method_not_allowed");
      assert.equal(answer.headers.allow, "GET, HEAD, POST");
    }
    const answer = await call("POST", "/pets/1", { body: REX });
    assertError(answer, "method_not_allowed");
    assert.equal(answer.headers.allow, "DELETE, GET, HEAD, PATCH");
  });

  await t.test("requires a key for every method", async () => {
    for (const method of METHODS.filter((each) => each !== "CONNECT" && each !== "OPTIONS")) {
      const answer = await call(method, "/pets", { key: undefined });
      if (method === "HEAD") assert.equal(answer.status, 401);
      else assertError(answer, "missing_api_key");
    }
  });

  await t.test("answers HEAD like GET, without a body", async () => {
    const head = await call("HEAD", "/pets");
    const get = await call("GET", "/pets");
    assert.equal(head.status, 200);
    assert.equal(head.text, "");
    assertCommon(head);
    for (const name of ["etag", "content-length", "content-type"])
      assert.equal(head.headers[name], get.headers[name]);
  });

  await t.test("answers a preflight with 204, without a key and without charging one", async () => {
    const before = await call("GET", "/usage");
    const headers = { origin: "https://pages.example", "access-control-request-method": "POST" };
    const answer = await call("OPTIONS", "/pets", { key: undefined, headers });
    const after = await call("GET", "/usage");
    assert.equal(answer.status, 204);
    assert.equal(answer.text, "");
    assert.equal(answer.headers["access-control-allow-origin"], "*");
    assert.match(answer.headers["access-control-allow-methods"] ?? "", /POST/);
    const allowed = (answer.headers["access-control-allow-headers"] ?? "").split(", ");
    for (const name of ["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match"])
      assert.ok(allowed.includes(name), name);
    assert.equal(after.json.minute.remaining, before.json.minute.remaining);
  });

  await t.test("lets pages of any origin read responses and errors with all headers", async () => {
    const headers = { origin: "https://pages.example" };
    for (const answer of [
      await call("GET", "/pets", { headers }),
      await call("GET", "/pets", { key: "x", headers }),
    ]) {
      assert.equal(answer.headers["access-control-allow-origin"], "*");
      const exposed = new Set(answer.headers["access-control-expose-headers"]?.toLowerCase().split(", "));
      const safelisted = /^(access-control-|content-|date$|connection$|keep-alive$|vary$|cache-control$)/;
      const unread = Object.keys(answer.headers).filter(
        (name) => !exposed.has(name) && !safelisted.test(name),
      );
      assert.deepEqual(unread, []);
      for (const name of ["retry-after", "link", "location", "deprecation", "sunset"])
        assert.ok(exposed.has(name));
    }
  });

  const mediaTypes: Record<string, { headers: Record<string, string>; status: number }> = {
    "application/json": { headers: { "content-type": "application/json" }, status: 201 },
    "charset utf-8": { headers: { "content-type": "application/json; charset=utf-8" }, status: 201 },
    "capital letters": { headers: { "content-type": "Application/JSON;CHARSET=UTF-8" }, status: 201 },
    "another charset": { headers: { "content-type": "application/json; charset=latin1" }, status: 415 },
    "another type": { headers: { "content-type": "text/plain" }, status: 415 },
    "a form": { headers: { "content-type": "application/x-www-form-urlencoded" }, status: 415 },
    "a type that only starts like JSON": { headers: { "content-type": "application/jsonp" }, status: 415 },
    "an empty type": { headers: { "content-type": "" }, status: 415 },
    "a content encoding": { headers: { "content-encoding": "gzip" }, status: 415 },
  };
  for (const [what, { headers, status }] of Object.entries(mediaTypes)) {
    await t.test(`answers a body with ${what} with ${status}`, async () => {
      const answer = await call("POST", "/pets", { body: REX, headers });
      if (status !== 415) return assert.equal(answer.status, status, answer.text);
      assertError(answer, "unsupported_media_type");
      assert.match(answer.json.message, /Send the header Content-Type: application\/json\. Received: /);
    });
  }

  await t.test("rejects a body without a content type with 415", async () => {
    const answer = await sendRaw(port, request("POST /v1/pets", ["Content-Length: 2"], "{}"));
    const { code, message } = JSON.parse(parseRaw(answer).body);
    assert.equal(code, "unsupported_media_type");
    assert.match(message, /Received: no Content-Type\.$/);
  });

  await t.test("a 415 shows what was received, cut and escaped", async () => {
    const received: Array<[headers: Record<string, string>, shown: string]> = [
      [{ "content-type": "text/plain" }, 'Content-Type: "text/plain"'],
      [{ "content-type": "" }, "no Content-Type"],
      [{ "content-type": "a\tb" }, 'Content-Type: "a\\x09b"'],
      [{ "content-type": "x".repeat(9_000) }, `Content-Type: "${"x".repeat(60)}…"`],
      [{ "content-encoding": "gzip" }, 'Content-Type: "application/json", Content-Encoding: "gzip"'],
    ];
    for (const [headers, shown] of received) {
      const { json } = await call("POST", "/pets", { body: REX, headers });
      assert.equal(json.message.split(" Received: ")[1], `${shown}.`);
    }
  });

  const notJson: Record<string, [body: string | Buffer, said: string]> = {
    "half an object": ['{"name":', "It ends too early."],
    "two values": ["{}{}", "Line 1, column 3: Unexpected non-whitespace character."],
    "a trailing comma": ['{"name":\n"Rex",}', "Line 2, column 7: Expected double-quoted property name."],
    "single quotes": ["{'name':1}", "Line 1, column 2: Expected property name or '}'."],
    "an array without a comma": ['["a" 1]', "Line 1, column 6: Expected ',' or ']' after array element."],
    "a face": ['{"name":😀}', ""],
    "a word": ['{"name":NaN}', 'Unexpected character: "N".'],
    "a byte order mark": [Buffer.from("\u{feff}{}"), 'Unexpected character: "\\ufeff".'],
    "bytes that are not UTF-8": [Buffer.from([0x22, 0xff, 0xfe, 0x22]), "It has bytes that are not UTF-8."],
    "a surrogate encoded in UTF-8": [
      Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
      "It has bytes that are not UTF-8.",
    ],
    "a long text without its end": [`"${"x".repeat(9_000)}`, "Line 1, column 9002: Unterminated string."],
  };
  for (const [what, [body, said]] of Object.entries(notJson)) {
    await t.test(`rejects ${what} with 400 invalid_json, and says where it is wrong`, async () => {
      const answer = await call("POST", "/pets", { body });
      assertError(answer, "invalid_json");
      assert.equal(answer.json.message, `The body must be a JSON value in UTF-8. ${said}`.trim());
    });
  }

  await t.test("rejects an empty body with 400 invalid_json, and says that it is empty", async () => {
    const answer = await call("POST", "/pets", { body: "" });
    assertError(answer, "invalid_json");
    assert.equal(answer.json.message, "The body is empty; it must be a JSON value in UTF-8.");
  });

  await t.test("rejects a POST without a body and a content type with 400 invalid_json", async () => {
    assertError(await call("POST", "/pets"), "invalid_json");
  });

  await t.test("accepts a body of 16 KiB", async () => {
    assert.equal((await call("POST", "/pets", { body: padded(16_384) })).status, 201);
    // Beside the fast path.
    const headers = { "idempotency-key": "full" };
    assert.equal((await call("POST", "/pets", { body: padded(16_384), headers })).status, 201);
  });

  await t.test("rejects a larger body with 413 and closes the connection", async () => {
    const agent = new Agent({ keepAlive: true });
    t.after(() => agent.destroy());
    const open = await call("POST", "/pets", { body: padded(16_384), agent });
    assert.equal(open.headers.connection, "keep-alive", "the client lets the connection stay open");
    for (const bytes of [16_385, 1_000_000]) {
      const rejected = await call("POST", "/pets", { body: padded(bytes), agent });
      assertError(rejected, "body_too_large");
      assert.equal(rejected.headers.connection, "close");
    }
  });

  await t.test("rejects a chunked body that is too large with 413, before its end", async () => {
    const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
    const headers = ["Content-Type: application/json", "Transfer-Encoding: chunked"];
    const answer = parseRaw(await sendRaw(port, request("POST /v1/pets", headers, chunk + chunk)));
    assert.equal(answer.status, 413);
    assert.equal(JSON.parse(answer.body).code, "body_too_large");
  });

  const ignoredBodies: Record<string, Record<string, string>> = {
    "invalid JSON": { "content-type": "application/json" },
    "a body of another type": { "content-type": "text/plain" },
    "a body with a malformed content type": { "content-type": ";;;" },
    "a body with a content encoding": {
      "content-type": "application/json",
      "content-encoding": "gzip",
    },
    "a body in chunks": { "content-type": "text/plain", "transfer-encoding": "chunked" },
  };
  for (const [what, headers] of Object.entries(ignoredBodies)) {
    await t.test(`ignores ${what} on a GET, HEAD or DELETE, up to 16 KiB`, async () => {
      const { id } = (await call("POST", "/pets", { body: REX })).json;
      const exact = "{".repeat(16_384);
      const send = (method: string, path: string, body: string) =>
        sendRaw(port, request(`${method} /v1${path}`, ...framed(headers, body)));
      /** Ends when the service closes the connection: the client does not ask for that. */
      const sendKeepAlive = (method: string, path: string, body: string) =>
        sendRaw(port, requestKeepAlive(`${method} /v1${path}`, ...framed(headers, body)));
      const plain = await call("GET", `/pets/${id}`);
      const got = parseRaw(await send("GET", `/pets/${id}`, exact));
      assert.deepEqual([got.status, got.body], [200, plain.text]);
      assert.equal(parseRaw(await send("HEAD", `/pets/${id}`, exact)).status, 200);
      for (const method of ["GET", "HEAD", "DELETE"]) {
        const refused = parseRaw(await sendKeepAlive(method, `/pets/${id}`, `${exact}{`));
        assert.equal(refused.status, 413, method);
        assert.equal(refused.headers.connection, "close");
        if (method !== "HEAD") assert.equal(JSON.parse(refused.body).code, "body_too_large");
      }
      assert.equal(parseRaw(await send("DELETE", `/pets/${id}`, exact)).status, 204);
      assert.equal((await call("GET", `/pets/${id}`)).status, 404);
    });
  }

  await t.test("accepts the next request on a connection after an ignored body", async () => {
    const first = `GET /v1/usage HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_KEY}\r\n`;
    const text = await sendRaw(
      port,
      `${first}Content-Length: 3\r\n\r\nxyz${request("GET /v1/pets?limit=1", [], "")}`,
    );
    assert.equal(text.match(/HTTP\/1\.1 200 OK/g)?.length, 2);
  });

  await t.test("parses deeply nested JSON the same way with and without long numbers", async () => {
    const nested = (depth: number, inner: string) => "[".repeat(depth) + inner + "]".repeat(depth);
    for (const inner of ["1", "12345678901234567890", "1e2", '"12345678901234567890\\""']) {
      assertError(await call("POST", "/pets", { body: nested(8_000, inner) }), "invalid_body");
      const body = `{"name":"Deep","categoryId":9007199254740993,"x":${nested(8_000, inner)}}`;
      const answer = await call("POST", "/pets", { body });
      assert.equal(answer.status, 201, answer.text);
      assert.match(answer.text, /"categoryId":9007199254740993,/);
    }
    assertError(await call("POST", "/pets", { body: "[".repeat(16_000) }), "invalid_json");
    assertError(
      await call("POST", "/pets", { body: `{"x":12345678901234567890,${"[".repeat(16_000)}` }),
      "invalid_json",
    );
  });

  await t.test("treats __proto__ and constructor as unknown members, also beside long numbers", async () => {
    const body = '{"__proto__":{"name":"No"},"name":"Rex","categoryId":9007199254740993,"constructor":1}';
    const { json } = await call("POST", "/pets", { body });
    assert.equal(json.name, "Rex");
  });

  await t.test("checks the key before it asks for the body with 100 Continue", async () => {
    const headers = ["Content-Type: application/json", "Content-Length: 99999", "Expect: 100-continue"];
    const answer = await sendRaw(
      port,
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers.join("\r\n")}\r\n\r\n`,
    );
    assert.equal(parseRaw(answer).status, 401);
  });

  await t.test("sends 100 Continue to a client with a key that waits for it", async () => {
    const body = JSON.stringify(REX);
    const headers = [
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "Expect: 100-continue",
    ];
    const answer = await sendRaw(port, request("POST /v1/pets", headers, body));
    assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created/);
  });

  await t.test("ignores an unknown expectation", async () => {
    const answer = await sendRaw(port, request("GET /v1/pets", ["Expect: coffee"], ""));
    assert.equal(parseRaw(answer).status, 200);
  });

  await t.test("uses the last of two members with the same name", async () => {
    const answer = await call("POST", "/pets", {
      body: '{"name":"A","name":"B","categoryId":1,"categoryId":2}',
    });
    assert.equal(answer.json.name, "B");
    assert.equal(answer.json.categoryId, 2);
  });

  await t.test("ignores unknown members and parameters", async () => {
    const created = await call("POST", "/pets?x=1&x=2", {
      body: { ...REX, id: 77, "": 1, __proto__: null, toString: 1 },
    });
    assert.equal(created.status, 201);
    assert.deepEqual(Object.keys(created.json), ["id", "name", "categoryId", "status"]);
    assert.notEqual(created.json.id, 77);
    assert.equal((await call("GET", "/pets?colour=red&colour=blue")).status, 200);
  });

  await t.test("rejects a repeated parameter with 400", async () => {
    assertError(
      await call("GET", "/pets?limit=5&limit=5"),
      "invalid_parameter",
      "limit may be given only once",
    );
    assertError(await call("GET", "/pets?status=sold&status=sold"), "invalid_parameter", /status/);
  });

  await t.test("keeps a valid request id of the client and replaces an invalid one", async () => {
    const kept = await call("GET", "/pets", { headers: { "x-request-id": "order-7.a_B" } });
    assert.equal(kept.headers["x-request-id"], "order-7.a_B");
    for (const id of ["", "a b", "é".repeat(3), "x".repeat(129), "<script>"]) {
      const headers = { "x-request-id": Buffer.from(id).toString("latin1") };
      const made = await call("GET", "/pets", { headers });
      assert.notEqual(made.headers["x-request-id"], id);
      assertCommon(made);
    }
  });

  await t.test("treats a path that cannot be decoded as unknown", async () => {
    for (const path of ["/%", "/%zz", "/%ff", "/pets%2", "/%c0%af"]) {
      assertError(await call("GET", path), "route_not_found");
      assertError(await call("GET", path, { key: undefined }), "missing_api_key");
    }
  });

  await t.test("accepts an escaped path and the absolute form of a request target", async () => {
    assert.equal((await call("GET", "/%70ets")).status, 200);
    const answer = await sendRaw(port, request(`GET ${url}/v1/pets?limit=1`, [], ""));
    assert.equal(parseRaw(answer).status, 200);
  });

  await t.test(
    "rejects another method on an escaped path, and ignores an unknown parameter that cannot be decoded",
    async () => {
      assertError(await call("DELETE", "/%70ets"), "method_not_allowed");
      assert.equal((await call("GET", "/%70ets?foo=%ff&status=%61vailable")).status, 200);
    },
  );

  await t.test("answers a valid POST before it rejects the garbage after it", async () => {
    const body = JSON.stringify({ name: "Pipe", categoryId: 1 });
    const headers = ["Content-Type: application/json", `Content-Length: ${body.length}`];
    const all = ["Host: x", `Authorization: Bearer ${ADMIN_KEY}`, ...headers].join("\r\n");
    const text = await sendRaw(port, `POST /v1/pets HTTP/1.1\r\n${all}\r\n\r\n${body}GARBAGE\r\n\r\n`);
    assert.match(
      text,
      /^HTTP\/1\.1 201 Created[\s\S]*"name":"Pipe"[\s\S]*HTTP\/1\.1 400 Bad Request[\s\S]*"bad_request"/,
    );
  });

  await t.test("answers a valid list before it rejects the garbage after it", async () => {
    const list = `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_KEY}\r\n\r\n`;
    assert.match(
      await sendRaw(port, `${list}GARBAGE\r\n\r\n`),
      /^HTTP\/1\.1 200 OK[\s\S]*HTTP\/1\.1 400 Bad Request[\s\S]*"bad_request"/,
    );
  });

  await t.test("rejects garbage also when the client has closed its side", async () => {
    const list = `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_KEY}\r\n\r\n`;
    const text = await sendRaw(port, `${list}GARBAGE\r\n\r\n`, { halfClose: true });
    assert.match(text, /^HTTP\/1\.1 200 OK[\s\S]*HTTP\/1\.1 400 Bad Request/);
  });

  await t.test("answers a client that has closed its side", async () => {
    const body = JSON.stringify({ name: "Last", categoryId: 1 });
    const headers = ["Content-Type: application/json", `Content-Length: ${body.length}`];
    const requests = {
      "/v1/pets?limit=1": request("GET /v1/pets?limit=1", [], ""),
      "/v1/usage": request("GET /v1/usage", [], ""),
      "/v1/pets": request("POST /v1/pets", headers, body),
    };
    for (const [path, bytes] of Object.entries(requests)) {
      const answer = parseRaw(await sendRaw(port, bytes, { halfClose: true }));
      assert.ok([200, 201].includes(answer.status), `${path}: ${answer.status}`);
    }
  });

  await t.test("rejects CONNECT with an Error body", async () => {
    const answer = parseRaw(
      await sendRaw(port, "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n"),
    );
    assert.equal(JSON.parse(answer.body).code, "bad_request");
  });

  await t.test("rejects a body that is too large instead of sending 100 Continue", async () => {
    const headers = ["Content-Type: application/json", "Content-Length: 17000", "Expect: 100-continue"];
    assert.equal(parseRaw(await sendRaw(port, request("POST /v1/pets", headers, ""))).status, 413);
  });

  await t.test("keeps the connection open after invalid JSON", async () => {
    const answer = await call("POST", "/pets", { body: "{", headers: { connection: "keep-alive" } });
    assert.equal(answer.headers.connection, "keep-alive");
  });

  await t.test("answers pipelined requests in order", async () => {
    const one = `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_KEY}\r\n`;
    const text = await sendRaw(
      port,
      `${one}X-Request-Id: a\r\n\r\n${one}X-Request-Id: b\r\nConnection: close\r\n\r\n`,
    );
    assert.deepEqual(
      [...text.matchAll(/x-request-id: (\w)/g)].map(([, id]) => id),
      ["a", "b"],
    );
  });

  /** A valid body of exactly this many bytes. */
  function padded(bytes: number): string {
    const empty = JSON.stringify({ ...REX, ignored: "" });
    return JSON.stringify({ ...REX, ignored: "x".repeat(bytes - empty.length) });
  }

  /** Header lines, and the body in the framing that they announce. */
  function framed(headers: Record<string, string>, body: string): [string[], string] {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    if (headers["transfer-encoding"] === undefined)
      return [[...lines, `content-length: ${body.length}`], body];
    return [lines, `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`];
  }

  function request(line: string, headers: string[], body: string): string {
    return requestKeepAlive(line, ["Connection: close", ...headers], body);
  }

  function requestKeepAlive(line: string, headers: string[], body: string): string {
    const all = ["Host: x", `Authorization: Bearer ${ADMIN_KEY}`, ...headers];
    return `${line} HTTP/1.1\r\n${all.join("\r\n")}\r\n\r\n${body}`;
  }
});

test("CORS_ORIGINS limits which origins may read responses", async (t) => {
  const environment = { CORS_ORIGINS: "https://a.example, https://b.example:8443" };
  const { call } = await startApp(t, { environment });
  const allowed = await call("GET", "/pets", { headers: { origin: "https://b.example:8443" } });
  assert.equal(allowed.headers["access-control-allow-origin"], "https://b.example:8443");
  assert.match(allowed.headers.vary ?? "", /Origin/);
  for (const origin of ["https://c.example", "null", "https://b.example"]) {
    const other = await call("GET", "/pets", { headers: { origin } });
    assert.equal(other.headers["access-control-allow-origin"], undefined);
    assert.match(other.headers.vary ?? "", /Origin/);
  }
});
