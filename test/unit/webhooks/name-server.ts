// A name server on loopback that answers for some names, and never for others.

import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { TestContext } from "node:test";

const HEADER_BYTES = 12;
const NOT_FOUND = 3;
const SERVER_FAILURE = 2;
const TYPE_A = 1;
const TTL_SECONDS = 60;

/** IPv4 addresses; none for a name without one; how it fails otherwise. Other names do not exist. */
export type Names = Record<string, string[] | "silent" | "silent for IPv6" | "broken">;

export async function startNameServer(t: TestContext, names: Names) {
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    const known = names[name];
    asked.push(name);
    if (known === "silent" || (known === "silent for IPv6" && type !== TYPE_A)) return;
    const addresses = known === "silent for IPv6" ? ["127.0.0.1"] : Array.isArray(known) ? known : [];
    const code = known === undefined ? NOT_FOUND : known === "broken" ? SERVER_FAILURE : 0;
    socket.send(answer(query.subarray(0, end), type === TYPE_A ? addresses : [], code), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  t.after(() => socket.close());
  return { server: `127.0.0.1:${socket.address().port}`, asked };
}

function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] as number; length > 0; length = query[at] as number) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answer(question: Buffer, addresses: string[], code: number): Buffer {
  const head = Buffer.from(question);
  // A response, with recursion.
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(addresses.length, 6);
  // No further records: the query may have had one with options.
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const record = Buffer.alloc(16);
    // The name of the question.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(TYPE_A, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(TTL_SECONDS, 6);
    record.writeUInt16BE(4, 10);
    for (const [index, part] of address.split(".").entries()) record[12 + index] = Number(part);
    return record;
  });
  return Buffer.concat([head, ...records]);
}
