// Responses reach clients that send more than the service reads, even if they read only after sending everything.
// BODY_ROUNDS sets how often each of them is tried.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { parseRaw, type RawAnswer, sendRaw } from "../../harness/clients/socket.ts";
import { startService } from "../../harness/servers/service.ts";

const ROUNDS = Number(process.env.BODY_ROUNDS ?? 4);
const TEN_MEGABYTES = 10_000_000;

test("Responses to bodies that are not read", async (t) => {
  const { url, port, adminKey, call } = await startService(t);
  const head = (path: string, lines: string[]) =>
    [`POST ${path} HTTP/1.1`, "Host: a", `Authorization: Bearer ${adminKey}`, ...lines, "\r\n"].join("\r\n");
  const json = ["Content-Type: application/json", `Content-Length: ${TEN_MEGABYTES}`];

  await t.test(`responses reach fetch, in all of ${ROUNDS} rounds`, async () => {
    const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json" };
    const body = Buffer.alloc(TEN_MEGABYTES, "x");
    for (let i = 0; i < ROUNDS; i++) {
      const answer = await fetch(`${url}/v1/pets`, { method: "POST", headers, body });
      assert.equal(answer.status, 413);
      assert.equal(((await answer.json()) as { code: string }).code, "body_too_large");
    }
  });

  const type = "Content-Type: application/json";
  const refused: Record<string, [status: number, lines: string[]]> = {
    "a body that is too large": [413, json],
    "a chunked body that is too large": [413, [type, "Transfer-Encoding: chunked"]],
    "a body of another type, with `Connection: close`": [
      415,
      ["Content-Type: text/plain", `Content-Length: ${TEN_MEGABYTES}`, "Connection: close"],
    ],
    "an ignored body with an invalid Host": [400, ["Host: b", ...json]],
  };
  for (const [what, [status, lines]] of Object.entries(refused))
    await t.test(`responses reach a client that writes all of ${what} before it reads`, async () => {
      const isChunked = lines.includes("Transfer-Encoding: chunked");
      const body = isChunked ? inChunks(TEN_MEGABYTES) : Buffer.alloc(TEN_MEGABYTES, "x");
      for (let i = 0; i < ROUNDS; i++) {
        const bytes = Buffer.concat([Buffer.from(head("/v1/pets", lines)), body]);
        const answer = await writeThenRead(port, bytes);
        assert.deepEqual([answer.status, answer.headers.connection], [status, "close"]);
        assert.equal(JSON.parse(answer.body).status, status);
      }
    });

  await t.test("responses reach a client that writes 1 MB of headers before it reads", async () => {
    const answer = await writeThenRead(port, Buffer.from(head("/v1/pets", [`X: ${"y".repeat(1_000_000)}`])));
    assert.equal(JSON.parse(answer.body).code, "headers_too_large");
  });

  await t.test("responses reach a client that waits for 100 Continue, instead of it", async () => {
    const text = await sendRaw(port, head("/v1/pets", [...json, "Expect: 100-continue"]));
    assert.equal(parseRaw(text).status, 413);
  });

  await t.test("responses reach a client outside /v1 that waits for 100 Continue", async () => {
    const lines = ["GET /healthz HTTP/1.1", "Host: a", "Content-Length: 17000", "Expect: 100-continue"];
    const text = await sendRaw(port, `${lines.join("\r\n")}\r\n\r\n`);
    assert.match(text, /^HTTP\/1\.1 413 /);
  });

  await t.test("responses end the connection: bytes after the body are not read as a request", async () => {
    const { length } = (await call("GET", "/pets")).json;
    const pet = JSON.stringify({ name: "Smuggled", categoryId: 1 });
    const next = `${head("/v1/pets", ["Content-Type: application/json", `Content-Length: ${pet.length}`])}${pet}`;
    const large = Buffer.concat([Buffer.from(head("/v1/pets", json)), Buffer.alloc(TEN_MEGABYTES, "x")]);
    const answer = await writeThenRead(port, Buffer.concat([large, Buffer.from(next)]));
    assert.equal(answer.status, 413);
    assert.equal((await call("GET", "/pets")).json.length, length);
  });

  await t.test("responses do not keep the connection of a client that never stops sending", async () => {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    const closed = new Promise((resolve) => socket.on("close", resolve));
    const block = Buffer.alloc(1_000_000, "x");
    let sent = 0;
    const send = () => {
      sent += block.length;
      socket.write(block, (error) => error || send());
    };
    socket.write(head("/v1/pets", ["Content-Type: application/json", "Content-Length: 9000000000"]), send);
    await closed;
    assert.ok(sent < 1_000_000_000, `${sent} bytes were read`);
  });
});

/** Like a client that blocks until everything is written. */
async function writeThenRead(port: number, bytes: Buffer): Promise<RawAnswer> {
  const socket = connect({ port, host: "127.0.0.1" });
  await new Promise<void>((resolve, reject) => {
    socket.on("error", reject).write(bytes, (error) => (error ? reject(error) : resolve()));
  });
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return parseRaw(Buffer.concat(chunks).toString("utf8"));
}

function inChunks(bytes: number): Buffer {
  const chunk = Buffer.from(`4000\r\n${"x".repeat(0x4000)}\r\n`);
  const count = Math.ceil(bytes / 0x4000);
  return Buffer.concat([...Array<Buffer>(count).fill(chunk), Buffer.from("0\r\n\r\n")]);
}
