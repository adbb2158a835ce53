// Bytes that are not a valid request still get an Error body.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { parseRaw, sendRaw } from "../../harness/clients/socket.ts";
import { startApp } from "../../harness/servers/app.ts";
import { assertRawError } from "../assertions.ts";

const TIMEOUTS = { headersMs: 300, requestMs: 500, checkEveryMs: 50 };

test("Broken HTTP", async (t) => {
  const { url, call } = await startApp(t, { timeouts: TIMEOUTS });
  const port = Number(new URL(url).port);

  const broken: Record<string, { bytes: string | Buffer; status: number; code: string }> = {
    "a line that is not a request": { bytes: "HELLO\r\n\r\n", status: 400, code: "bad_request" },
    "a TLS greeting": { bytes: Buffer.from("16030100a5010000a1", "hex"), status: 400, code: "bad_request" },
    "an HTTP/2 preface": { bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", status: 400, code: "bad_request" },
    "a header without a colon": {
      bytes: "GET /v1/pets HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n",
      status: 400,
      code: "bad_request",
    },
    "two different lengths": {
      bytes: "POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      status: 400,
      code: "bad_request",
    },
    "a length and chunks at once": {
      bytes: "POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      status: 400,
      code: "bad_request",
    },
    "HTTP/1.1 without Host": {
      bytes: "GET /v1/pets HTTP/1.1\r\nConnection: close\r\n\r\n",
      status: 400,
      code: "bad_request",
    },
    "a header block over 16 KiB": {
      bytes: `GET /v1/pets HTTP/1.1\r\nHost: x\r\nX-Long: ${"a".repeat(17_000)}\r\n\r\n`,
      status: 431,
      code: "headers_too_large",
    },
    "a path over 16 KiB": {
      bytes: `GET /v1/${"a".repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      status: 431,
      code: "headers_too_large",
    },
    "headers that never end": {
      bytes: "GET /v1/pets HTTP/1.1\r\nHost: x\r\n",
      status: 408,
      code: "request_timeout",
    },
    "a body that never ends": {
      bytes: `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer an-admin-key-for-tests-only\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name"`,
      status: 408,
      code: "request_timeout",
    },
  };

  for (const [what, { bytes, status, code }] of Object.entries(broken)) {
    await t.test(`answers ${what} with ${status} ${code}`, async () => {
      const answer = parseRaw(await sendRaw(port, bytes));
      assertRawError(answer, status, code);
    });
  }

  await t.test("changes nothing, and later requests are served", async () => {
    const answer = await call("GET", "/pets");
    assert.deepEqual(answer.json, []);
  });
});

test("Invalid bytes in many pieces behind a running request get one response and no warning", async (t) => {
  const { url, service } = await startApp(t);
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

  const socket = connect(Number(new URL(url).port), "127.0.0.1").setNoDelay(true);
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
  assert.deepEqual(
    [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ["200", "400"],
  );
  assert.deepEqual(warnings, []);
});
