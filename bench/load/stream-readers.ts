// A program that holds many event streams and checks each. It shares its core with the load, so it does little per chunk.

import { connect, type Socket } from "node:net";
import { createStreamTally, type StreamTally } from "./stream-tally.ts";

/** From the parent: first `open`, then `check`; then it disconnects. */
export type ReaderRequest =
  | { open: { url: string; keys: string[]; readers: number } }
  /** Every reader must get all events up to this number, and no more. */
  | { check: { last: number } };

/** To the parent: one for each request. */
export type ReaderReply = { start: number } | { fault: string } | { isGood: true };

/** Not the address of the load: together they would exceed MAX_CONNECTIONS_PER_ADDRESS. */
const LOCAL_ADDRESS = "127.0.0.2";
/** The backlog of a listening socket is limited. */
const OPENED_AT_A_TIME = 50;
const OPEN_TIMEOUT_MS = 30_000;
const LAST_EVENT_TIMEOUT_MS = 10_000;
/** An event that comes twice comes within this time. The live feed rests for at most 1 s. */
const MORE_EVENTS_MS = 1_500;
const POLL_MS = 20;

interface Reader {
  tally: StreamTally;
  isCut: boolean;
}

const readers: Reader[] = [];
/** One for all sockets, because each chunk is read before the next arrives. */
const buffer = Buffer.allocUnsafe(64 * 1024);

process.on("message", (request: ReaderRequest) => {
  const replied = "open" in request ? openAll(request.open) : checkAll(request.check.last);
  void replied.then((reply) => process.send?.(reply));
});
process.on("disconnect", () => process.exit());

async function openAll({
  url,
  keys,
  readers: wanted,
}: Extract<ReaderRequest, { open: object }>["open"]): Promise<ReaderReply> {
  while (readers.length < wanted) {
    const count = Math.min(OPENED_AT_A_TIME, wanted - readers.length);
    for (let i = 0; i < count; i++) readers.push(openReader(url, keys[readers.length % keys.length] ?? ""));
    await until(() => findFault() !== undefined || readers.every(hasStarted), OPEN_TIMEOUT_MS);
  }
  const fault = findFault() ?? (readers.every(hasStarted) ? undefined : "not all streams have started");
  if (fault !== undefined) return { fault };
  const starts = new Set(readers.map(({ tally }) => tally.start as number));
  const [start = 0] = starts;
  return starts.size === 1 ? { start } : { fault: "the streams start at different positions" };
}

async function checkAll(last: number): Promise<ReaderReply> {
  const isComplete = () => readers.every(({ tally }) => tally.last >= last);
  await until(() => findFault() !== undefined || isComplete(), LAST_EVENT_TIMEOUT_MS);
  await until(() => findFault() !== undefined, MORE_EVENTS_MS);
  const fault = findFault() ?? findWrongEnd(last);
  return fault === undefined ? { isGood: true } : { fault };
}

function hasStarted({ tally }: Reader): boolean {
  return tally.start !== undefined;
}

function findFault(): string | undefined {
  const index = readers.findIndex(({ tally, isCut }) => isCut || tally.fault !== undefined);
  const reader = readers[index];
  if (reader === undefined) return undefined;
  return `stream ${index + 1}: ${reader.tally.fault ?? `cut after event ${reader.tally.last}`}`;
}

function findWrongEnd(last: number): string | undefined {
  const wrong = readers.filter(({ tally }) => tally.last !== last);
  const [first] = wrong;
  return first && `${wrong.length} streams end with another event than ${last}, one with ${first.tally.last}`;
}

function openReader(url: string, key: string): Reader {
  const { hostname, port, host } = new URL(url);
  const reader: Reader = { tally: createStreamTally(), isCut: false };
  const socket: Socket = connect({
    host: hostname,
    port: Number(port),
    localAddress: LOCAL_ADDRESS,
    onread: {
      buffer,
      callback(length) {
        reader.tally.add(buffer.toString("latin1", 0, length));
        return true;
      },
    },
  });
  socket.on("error", () => {}).on("close", () => (reader.isCut = true));
  socket.write(
    `GET /v1/events/stream?after=now HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  );
  return reader;
}

/** Resolves after `timeoutMs` at the latest. */
function until(isDone: () => boolean, timeoutMs: number): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!isDone() && performance.now() < endMs) return;
      clearInterval(timer);
      resolve();
    }, POLL_MS);
  });
}
