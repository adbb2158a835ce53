// The body of acceptInvitation, which comes from anybody: bounded in size and time, and charged before it is read.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCEPTS_PER_MINUTE } from "../../../src/domain/people/invitation.ts";
import { accept, codeOf } from "../../harness/clients/people.ts";
import { parseRaw, requestText, sendRaw, statusesOf } from "../../harness/clients/socket.ts";
import { startApp } from "../../harness/servers/app.ts";
import { assertRawError } from "../assertions.ts";

const LINE = "POST /v1/invitations/accept";
const TYPE = "Content-Type: application/json";
const BYTES_MAX = 16 * 1024;

test("POST /v1/invitations/accept from anybody", async (t) => {
  const timeouts = { headersMs: 300, requestMs: 500, checkEveryMs: 50 };
  const { port, call } = await startApp(t, { timeouts });

  await t.test("refuses an announced body over 16 KiB before it is sent", async () => {
    const text = requestText(LINE, { lines: [TYPE, `Content-Length: ${BYTES_MAX + 1}`] });
    assertRawError(parseRaw(await sendRaw(port, text)), 413, "body_too_large");
  });

  await t.test("reads no more than 16 KiB of a body of unknown length", async () => {
    const chunk = `1000\r\n${"x".repeat(4096)}\r\n`;
    const text = requestText(LINE, { lines: [TYPE, "Transfer-Encoding: chunked"], body: chunk.repeat(8) });
    assertRawError(parseRaw(await sendRaw(port, text)), 413, "body_too_large");
  });

  await t.test("ends a request whose body does not come", async () => {
    const text = requestText(LINE, { lines: [TYPE, "Content-Length: 100"], body: '{"code"' });
    assertRawError(parseRaw(await sendRaw(port, text)), 408, "request_timeout");
    const { url } = (await call("POST", "/invitations", { body: { name: "Maria", access: "browse" } })).json;
    assert.equal((await accept(call, { code: codeOf(url) })).status, 201);
  });

  await t.test("refuses an address over its budget without reading a body", async () => {
    const short = requestText(LINE, { lines: [TYPE, "Content-Length: 2"], body: "{}" });
    const last = requestText(LINE, { lines: [TYPE, "Content-Length: 2", "Connection: close"], body: "{}" });
    const statuses = statusesOf(await sendRaw(port, short.repeat(ACCEPTS_PER_MINUTE) + last));
    assert.equal(statuses.at(-1), 429);
    const waiting = requestText(LINE, { lines: [TYPE, "Content-Length: 100", "Connection: close"] });
    assert.deepEqual(statusesOf(await sendRaw(port, waiting)), [429]);
  });
});
