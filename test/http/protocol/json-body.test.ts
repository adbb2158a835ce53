// JSON bodies: their type, their size, how they are parsed, and exact integers of any size.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { test } from "node:test";
import fc from "fast-check";
import { parseJson } from "../../../src/http/request/body.ts";
import { parseRaw, requestText, sendRaw } from "../../harness/clients/socket.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";
import { assertError } from "../assertions.ts";

const REX = { name: "Rex", categoryId: 3 };

test("The type of a body", async (t) => {
  const { call, port } = await startApp(t);
  const send = (headers: Record<string, string>) => call("POST", "/pets", { body: REX, headers });

  for (const type of [
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON;CHARSET=UTF-8",
  ])
    await t.test(`accepts ${type}`, async () => {
      assert.equal((await send({ "content-type": type })).status, 201);
    });

  const refused: Array<[headers: Record<string, string>, shown: string]> = [
    [{ "content-type": "application/json; charset=latin1" }, '"application/json; charset=latin1"'],
    [{ "content-type": "text/plain" }, '"text/plain"'],
    [{ "content-type": "application/x-www-form-urlencoded" }, '"application/x-www-form-urlencoded"'],
    [{ "content-type": "application/jsonp" }, '"application/jsonp"'],
    [{ "content-type": "a\tb" }, '"a\\x09b"'],
    [{ "content-type": "x".repeat(9_000) }, `"${"x".repeat(60)}…"`],
    [{ "content-type": "" }, ""],
    [{ "content-encoding": "gzip" }, '"application/json", Content-Encoding: "gzip"'],
  ];
  for (const [headers, shown] of refused)
    await t.test(`rejects ${JSON.stringify(headers).slice(0, 60)} with 415, and shows it`, async () => {
      const received = shown === "" ? "no Content-Type" : `Content-Type: ${shown}`;
      const answer = await send(headers);
      assertError(answer, "unsupported_media_type");
      const { message } = answer.json;
      assert.ok(
        message.endsWith(`Send the header Content-Type: application/json. Received: ${received}.`),
        message,
      );
    });

  await t.test("rejects a body without a content type with 415", async () => {
    const lines = ["Content-Length: 2", "Connection: close"];
    const bytes = requestText("POST /v1/pets", { key: ADMIN_KEY, lines, body: "{}" });
    const { code, message } = JSON.parse(parseRaw(await sendRaw(port, bytes)).body);
    assert.equal(code, "unsupported_media_type");
    assert.match(message, /Received: no Content-Type\.$/);
  });
});

test("A body that is no JSON gets 400 invalid_json, which says where it is wrong", async (t) => {
  const { call } = await startApp(t);
  const notUtf8 = "It has bytes that are not UTF-8.";
  const bodies: Record<string, [body: string | Buffer, said: string]> = {
    "half an object": ['{"name":', "It ends too early."],
    "two values": ["{}{}", "Line 1, column 3: Unexpected non-whitespace character."],
    "a trailing comma": ['{"name":\n"Rex",}', "Line 2, column 7: Expected double-quoted property name."],
    "single quotes": ["{'name':1}", "Line 1, column 2: Expected property name or '}'."],
    "an array without a comma": ['["a" 1]', "Line 1, column 6: Expected ',' or ']' after array element."],
    "a face": ['{"name":😀}', ""],
    "a word": ['{"name":NaN}', 'Unexpected character: "N".'],
    "a byte order mark": [Buffer.from("\u{feff}{}"), 'Unexpected character: "\\ufeff".'],
    "bytes that are not UTF-8": [Buffer.from([0x22, 0xff, 0xfe, 0x22]), notUtf8],
    "a surrogate encoded in UTF-8": [Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), notUtf8],
    "a long text without its end": [`"${"x".repeat(9_000)}`, "Line 1, column 9002: Unterminated string."],
  };
  for (const [what, [body, said]] of Object.entries(bodies))
    await t.test(`rejects ${what}`, async () => {
      const message = `The body must be a JSON value in UTF-8. ${said}`.trim();
      assertError(await call("POST", "/pets", { body }), "invalid_json", message);
    });

  await t.test("rejects an empty body, and a POST without a body and a content type", async () => {
    const message = "The body is empty; it must be a JSON value in UTF-8.";
    assertError(await call("POST", "/pets", { body: "" }), "invalid_json", message);
    assertError(await call("POST", "/pets"), "invalid_json");
  });

  await t.test("an invalid body keeps the connection open", async () => {
    const answer = await call("POST", "/pets", { body: "{", headers: { connection: "keep-alive" } });
    assert.equal(answer.headers.connection, "keep-alive");
  });
});

test("The size of a body", async (t) => {
  const { call, port } = await startApp(t);
  /** A valid body of exactly this many bytes. */
  const padded = (bytes: number) =>
    JSON.stringify(REX)
      .replace("}", `,"x":"`)
      .padEnd(bytes - 2, "x")
      .concat('"}');

  await t.test("accepts 16 KiB, on the fast path and beside it", async () => {
    for (const headers of [{}, { "idempotency-key": "full" }])
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
    const lines = ["Content-Type: application/json", "Transfer-Encoding: chunked", "Connection: close"];
    const bytes = requestText("POST /v1/pets", { key: ADMIN_KEY, lines, body: chunk + chunk });
    const answer = parseRaw(await sendRaw(port, bytes));
    assert.deepEqual([answer.status, JSON.parse(answer.body).code], [413, "body_too_large"]);
  });
});

test("The members of a body", async (t) => {
  const { call } = await startApp(t);
  const create = (body: unknown) => call("POST", "/pets", { body });

  await t.test("members are parsed the same way with and without long numbers, however deep", async () => {
    const nested = (inner: string) => "[".repeat(8_000) + inner + "]".repeat(8_000);
    for (const inner of ["1", "12345678901234567890", "1e2", '"12345678901234567890\\""']) {
      assertError(await create(nested(inner)), "invalid_body");
      const answer = await create(`{"name":"Deep","categoryId":9007199254740993,"x":${nested(inner)}}`);
      assert.equal(answer.status, 201, answer.text);
      assert.match(answer.text, /"categoryId":9007199254740993,/);
    }
    for (const start of ["", '{"x":12345678901234567890,'])
      assertError(await create(`${start}${"[".repeat(16_000)}`), "invalid_json");
  });

  await t.test("unknown members are ignored, __proto__ and constructor too", async () => {
    const unknown = { ...REX, id: 77, "": 1, __proto__: null, toString: 1 };
    const texts = [
      JSON.stringify(unknown),
      '{"__proto__":{"name":"No"},"name":"Rex","categoryId":9007199254740993,"constructor":1}',
    ];
    for (const text of texts) {
      const { status, json } = await call("POST", "/pets?x=1&x=2", { body: text });
      assert.deepEqual([status, Object.keys(json)], [201, ["id", "name", "categoryId", "status"]]);
      assert.deepEqual([json.name, json.id !== 77], ["Rex", true]);
    }
  });

  await t.test("the last of several members with one name counts", async () => {
    const { json } = await create('{"name":"A","name":"B","categoryId":1,"categoryId":2}');
    assert.deepEqual([json.name, json.categoryId], ["B", 2]);
  });
});

const parse = (text: string) => parseJson(Buffer.from(text));

test("a long integer is exact, and changes no other value of the body", () => {
  // A fraction or a huge number that a double rounds to an integer is not a number afterwards.
  const values = [fc.integer(), fc.string(), fc.boolean(), fc.constant(null), fc.constantFrom(0.5, 1e9)];
  const name = fc.string({ unit: fc.constantFrom("a", "b", "c") });
  const value = fc.object({ key: name, values, maxDepth: 4 });
  fc.assert(
    fc.property(value, (each) => {
      const text = JSON.stringify(each);
      const read = parse(`{"a":[${text},9007199254740993],"b":{"c":${text},"d":{"e":-9223372036854775808}}}`);
      const expected = { a: [each, 9007199254740993n], b: { c: each, d: { e: -9223372036854775808n } } };
      assert.deepEqual(read, expected);
    }),
  );
});

test("digits in texts and names are no numbers", () => {
  assert.deepEqual(parse('{"9007199254740993":"9007199254740993","a":"\\"1e2","b":[12345678901234567890]}'), {
    "9007199254740993": "9007199254740993",
    a: '"1e2',
    b: [12345678901234567890n],
  });
});
