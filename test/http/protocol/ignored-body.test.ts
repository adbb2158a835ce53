// Bodies that an operation ignores, and clients that wait for 100 Continue.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRaw, requestText, sendRaw, statusesOf } from "../../harness/clients/socket.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";

const EXACT = "{".repeat(16_384);

test("A GET, HEAD or DELETE ignores its body up to 16 KiB", async (t) => {
  const { call, port, addPet } = await startApp(t);

  const bodies: Record<string, string[]> = {
    "invalid JSON": ["Content-Type: application/json"],
    "a body of another type": ["Content-Type: text/plain"],
    "a body with a malformed content type": ["Content-Type: ;;;"],
    "a body with a content encoding": ["Content-Type: application/json", "Content-Encoding: gzip"],
    "a body in chunks": ["Content-Type: text/plain", "Transfer-Encoding: chunked"],
  };
  for (const [what, headers] of Object.entries(bodies))
    await t.test(`ignores ${what}`, async () => {
      const { id } = await addPet();
      const isChunked = headers[1]?.startsWith("Transfer-Encoding") ?? false;
      const send = async (method: string, body: string, close = ["Connection: close"]) => {
        const lines = [...headers, ...(isChunked ? [] : [`Content-Length: ${body.length}`]), ...close];
        const framed = isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
        const request = { key: ADMIN_KEY, lines, body: framed };
        return parseRaw(await sendRaw(port, requestText(`${method} /v1/pets/${id}`, request)));
      };
      const plain = await call("GET", `/pets/${id}`);
      const got = await send("GET", EXACT);
      assert.deepEqual([got.status, got.body], [200, plain.text]);
      assert.equal((await send("HEAD", EXACT)).status, 200);
      for (const method of ["GET", "HEAD", "DELETE"]) {
        // The service closes the connection although the client does not ask for that.
        const refused = await send(method, `${EXACT}{`, []);
        assert.deepEqual([refused.status, refused.headers.connection], [413, "close"], method);
        if (method !== "HEAD") assert.equal(JSON.parse(refused.body).code, "body_too_large");
      }
      assert.equal((await send("DELETE", EXACT)).status, 204);
      assert.equal((await call("GET", `/pets/${id}`)).status, 404);
    });

  await t.test("the next request on the connection is accepted", async () => {
    const first = requestText("GET /v1/usage", { key: ADMIN_KEY, lines: ["Content-Length: 3"], body: "xyz" });
    const next = requestText("GET /v1/pets?limit=1", { key: ADMIN_KEY, lines: ["Connection: close"] });
    assert.deepEqual(statusesOf(await sendRaw(port, first + next)), [200, 200]);
  });
});

test("A client that waits for 100 Continue", async (t) => {
  const { port } = await startApp(t);
  const body = '{"name":"Rex","categoryId":3}';
  const type = "Content-Type: application/json";
  const send = (expected: string, { key, length }: { key?: string; length: number }) => {
    const lines = [type, `Content-Length: ${length}`, `Expect: ${expected}`, "Connection: close"];
    return sendRaw(port, requestText("POST /v1/pets", { ...(key && { key }), lines, body: key ? body : "" }));
  };

  await t.test("a client with a valid key gets 100 Continue", async () => {
    const text = await send("100-continue", { key: ADMIN_KEY, length: body.length });
    assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created/);
  });

  await t.test("a client without a key gets 401 instead", async () => {
    assert.deepEqual(statusesOf(await send("100-continue", { length: 99_999 })), [401]);
  });

  await t.test("a client that expects something unknown is answered as usual", async () => {
    assert.deepEqual(statusesOf(await send("coffee", { key: ADMIN_KEY, length: body.length })), [201]);
  });
});
