// Bytes that are not a valid request still get an Error body.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { parseRaw, requestText, sendRaw, statusesOf } from "../../harness/clients/socket.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";
import { assertRawError } from "../assertions.ts";

const TIMEOUTS = { headersMs: 300, requestMs: 500, checkEveryMs: 50 };

test("Broken HTTP", async (t) => {
  const { port, call } = await startApp(t, { timeouts: TIMEOUTS });

  const head = "HTTP/1.1\r\nHost: x\r\n";
  const withKey = `${head}Authorization: Bearer ${ADMIN_KEY}\r\n`;
  const broken: Record<string, [bytes: string | Buffer, status: number, code: string]> = {
    "a line that is not a request": ["HELLO\r\n\r\n", 400, "bad_request"],
    "a TLS greeting": [Buffer.from("16030100a5010000a1", "hex"), 400, "bad_request"],
    "an HTTP/2 preface": ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "bad_request"],
    CONNECT: [`CONNECT example.org:443 ${head}\r\n`, 400, "bad_request"],
    "a header without a colon": [`GET /v1/pets ${head}nonsense\r\n\r\n`, 400, "bad_request"],
    "two different lengths": [
      `POST /v1/pets ${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      400,
      "bad_request",
    ],
    "a length and chunks at once": [
      `POST /v1/pets ${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      400,
      "bad_request",
    ],
    "HTTP/1.1 without Host": ["GET /v1/pets HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "bad_request"],
    "headers that never end": [`GET /v1/pets ${head}`, 408, "request_timeout"],
    "a body that never ends": [
      `POST /v1/pets ${withKey}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name"`,
      408,
      "request_timeout",
    ],
  };
  for (const [what, [bytes, status, code]] of Object.entries(broken))
    await t.test(`answers ${what} with ${status} ${code}`, async () => {
      assertRawError(parseRaw(await sendRaw(port, bytes)), status, code);
    });

  await t.test("broken requests change nothing, and later requests are served", async () => {
    assert.equal((await call("GET", "/pets")).text, "[]");
  });

  const body = '{"name":"Pipe","categoryId":1}';
  const lines = ["Content-Type: application/json", `Content-Length: ${body.length}`];
  const requests: Record<string, [bytes: string, answer: RegExp]> = {
    "a create": [requestText("POST /v1/pets", { key: ADMIN_KEY, lines, body }), /^HTTP\/1\.1 201 .*"Pipe"/s],
    "a list": [requestText("GET /v1/pets?limit=1", { key: ADMIN_KEY }), /^HTTP\/1\.1 200 /],
    "a read beside the fast path": [requestText("GET /v1/usage", { key: ADMIN_KEY }), /^HTTP\/1\.1 200 /],
  };
  for (const [what, [bytes, answer]] of Object.entries(requests))
    for (const [client, halfClose] of [
      ["a client that waits", false],
      ["one that has closed its side", true],
    ] as const)
      await t.test(`answers ${what} before it rejects garbage, to ${client}`, async () => {
        const text = await sendRaw(port, `${bytes}GARBAGE\r\n\r\n`, { halfClose });
        assert.match(text, answer);
        assert.match(text, /HTTP\/1\.1 400 Bad Request.*"bad_request"/s);
        if (halfClose) assert.match(await sendRaw(port, bytes, { halfClose }), answer);
      });
});

test("Invalid bytes in many pieces after a running request get one response and no warning", async (t) => {
  const { port, service } = await startApp(t);
  let finish = () => {};
  service.app.server.prependListener("request", (_request, response) => {
    const end = response.end.bind(response);
    Object.assign(response, {
      end(...given: Parameters<typeof end>) {
        finish = () => end(...given);
      },
    });
  });
  const warnings: Error[] = [];
  const warn = (warning: Error) => warnings.push(warning);
  process.on("warning", warn);
  t.after(() => process.removeListener("warning", warn));

  const socket = connect(port, "127.0.0.1").setNoDelay(true);
  let text = "";
  socket.setEncoding("utf8").on("data", (part) => (text += part));
  const arrived = once(service.app.server, "request");
  socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  await arrived;
  for (let piece = 0; piece < 30; piece++) {
    const read = once(service.app.server, "clientError");
    socket.write("no request\r\n\r\n");
    await read;
  }
  finish();
  await once(socket, "close");
  assert.deepEqual(statusesOf(text), [200, 400]);
  assert.deepEqual(warnings, []);
});
