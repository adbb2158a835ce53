// The attacks of hostile clients, one function each. A run chooses among them at random.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { type HostileConnection, openConnection } from "./connection.ts";
import type { Random } from "./random.ts";
import { anyRequest, get, post } from "./requests.ts";

export interface Target {
  port: number;
  /** Secret of a key whose limits no attack reaches. */
  key: string;
  random: Random;
}

export type Attack = (target: Target) => Promise<void>;

/** The largest chunk that Node reads from a socket at once. */
const CHUNK_BYTES = 65_536;
const NUMBER_BYTES = 16_000;

export const ATTACKS: Record<string, Attack> = {
  "CONNECT, then a reset": (target) => sendAndReset(target, "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n"),
  "Upgrade, then a reset": (target) =>
    sendAndReset(target, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
  "CONNECT after answers that are never read": (target) =>
    sendAndReset(target, `${get("/docs").repeat(200)}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`),
  "a pipeline of documents that is never read": (target) => neverRead(target, get("/openapi.json")),
  "a pipeline of pages that is never read": (target) => neverRead(target, get("/", target.key)),
  "a pipeline of lists that is never read": (target) =>
    neverRead(target, get("/v1/pets?limit=100", target.key)),
  "a pipeline of the shortest requests": (target) => neverRead(target, "GET / HTTP/1.1\r\n\r\n"),
  "a pipeline that is read": readAllAnswers,
  "random requests, cut anywhere": cutAnywhere,
  "one byte at a time": byteByByte,
  "a body that never comes": (target) =>
    sendAndReset(
      target,
      post("/v1/pets", { key: target.key, body: '{"name":"Rex","categoryId":1}' }).slice(0, -5),
    ),
  "requests whose sender is gone": goneBeforeTheAnswer,
  "15,000 spaces in Content-Type": (target) =>
    stall(target, { body: "{}", type: `application/json${" ".repeat(15_000)}x` }),
  "a number of 16 kB": (target) =>
    stall(target, { body: `{"name":"Rex","categoryId":1${"0".repeat(NUMBER_BYTES)}1}` }),
};

/** Reset at once, in the next tick, or when something came back. */
async function sendAndReset({ port, random }: Target, bytes: string): Promise<void> {
  const connection = await openConnection(port);
  connection.send(bytes);
  await pause(random.below(10));
  connection.reset();
}

/** As many requests as fit into one chunk, on several connections; the answers stay where they are. */
async function neverRead({ port, random }: Target, request: string): Promise<void> {
  const count = Math.floor(CHUNK_BYTES / request.length);
  const open = Array.from({ length: 1 + random.below(3) }, () => openConnection(port));
  const connections = await Promise.all(open);
  for (const connection of connections) {
    connection.stopReading();
    connection.send(request.repeat(count * (1 + random.below(3))));
  }
  await pause(100 + random.below(900));
  for (const connection of connections) end(connection, random);
}

/** A client that reads gets every answer, also after closing its own side. */
async function readAllAnswers({ port, random }: Target): Promise<void> {
  const count = 1 + random.below(400);
  const connection = await openConnection(port);
  connection.send(get("/healthz").repeat(count));
  connection.halfClose();
  const text = await connection.readAll(10_000);
  assert.equal(text.split("HTTP/1.1 200 OK").length - 1, count, "every pipelined request is answered");
}

async function cutAnywhere({ port, key, random }: Target): Promise<void> {
  const connection = await openConnection(port);
  if (random.below(4) === 0) connection.stopReading();
  const requests = Array.from({ length: 1 + random.below(60) }, () => anyRequest(random, key));
  const text = requests.join("");
  const bytes = Buffer.from(text.slice(0, 1 + random.below(text.length)), "latin1");
  for (let sent = 0; sent < bytes.length; ) {
    const size = 1 + random.below(2_000);
    connection.send(bytes.subarray(sent, sent + size));
    sent += size;
    if (random.below(3) === 0) await pause(random.below(4));
  }
  await pause(random.below(50));
  end(connection, random);
}

async function byteByByte({ port, key, random }: Target): Promise<void> {
  const connection = await openConnection(port);
  for (const byte of anyRequest(random, key).slice(0, 60)) {
    connection.send(byte);
    await pause(1 + random.below(3));
  }
  end(connection, random);
}

async function goneBeforeTheAnswer({ port, key, random }: Target): Promise<void> {
  const connection = await openConnection(port);
  const requests = Array.from({ length: 20 }, () =>
    random.pick([get("/v1/pets"), get("/v1/pets/7", key), get("/v1/pets?limit=3", "wrong"), get("/nothing")]),
  );
  connection.send(requests.join(""));
  if (random.below(2) === 0) await pause(1);
  connection.reset();
}

/** Texts that a pattern with two ways to match takes quadratic time for. */
async function stall({ port, key }: Target, options: { body: string; type?: string }): Promise<void> {
  const connection = await openConnection(port);
  connection.send(post("/v1/pets", { key, ...options }).repeat(4));
  await connection.readAll(1_000);
  connection.close();
}

function end(connection: HostileConnection, random: Random): void {
  random.pick([connection.reset, connection.close, connection.halfClose])();
  // A half-closed connection without a reader would stay open until the end of the run.
  setTimeout(connection.close, 500).unref();
}
