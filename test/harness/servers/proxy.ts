// A TCP proxy that delays, cuts or refuses connections on demand.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";

type Mode = "pass" | "refuse" | "freeze" | "reset";

export interface TcpProxy {
  port: number;
  /** freeze: nothing gets through, nothing is closed. reset: open and new connections are torn down. */
  set(mode: Mode): void;
  /** Delays everything that the server sends. */
  delay(ms: number): void;
  /** Tears every connection down once the server has sent this many bytes on it. */
  cutAfterBytes(count: number | undefined): void;
  /**
   * Cuts the first connection on which a client sends these texts, one after the other, once the last has been passed
   * on. The client gets no answer to it.
   */
  cutAfter(...texts: [string, ...string[]]): void;
  /**
   * From connections that are open and idle, passes on this many messages of PostgreSQL's protocol, and then cuts the
   * one that has sent the last. Undefined: passes on all.
   */
  cutAfterMessages(count: number | undefined): void;
  /** Resolves once a client has sent this text; the answers on its connection are held until `set("pass")`. */
  holdAnswersTo(text: string): Promise<void>;
  /** Cuts every connection on which the server sends this text, instead of passing it on. */
  cutAtAnswer(text: string | undefined): void;
}

/** What the next bytes meet, on every connection. */
interface Faults {
  mode: Mode;
  delayMs: number;
  bytesMax: number;
  fatalTexts: string[];
  fatalAnswer: string | undefined;
  messagesLeft: number | undefined;
  held: { text: string; begin: () => void } | undefined;
}

interface Pair {
  client: Socket;
  target: Socket;
}

export async function startProxy(t: TestContext, targetPort: number): Promise<TcpProxy> {
  const faults: Faults = {
    mode: "pass",
    delayMs: 0,
    bytesMax: Infinity,
    fatalTexts: [],
    fatalAnswer: undefined,
    messagesLeft: undefined,
    held: undefined,
  };
  const pairs = new Set<Pair>();
  const sockets = () => [...pairs].flatMap(({ client, target }) => [client, target]);

  const server = createServer((client) => {
    if (faults.mode === "refuse" || faults.mode === "reset") {
      client.resetAndDestroy();
      return;
    }
    const pair = { client, target: connect(targetPort, "127.0.0.1") };
    pairs.add(pair);
    joinSockets(pair, faults, () => pairs.delete(pair));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets()) socket.destroy();
    server.close();
  });

  return {
    port: (server.address() as AddressInfo).port,
    set(wanted) {
      faults.mode = wanted;
      for (const socket of sockets()) {
        if (wanted === "freeze") socket.pause();
        else if (wanted === "pass") socket.resume();
        else socket.resetAndDestroy();
      }
    },
    delay(ms) {
      faults.delayMs = ms;
    },
    cutAfterBytes(count = Infinity) {
      faults.bytesMax = count;
    },
    cutAfter(...texts) {
      faults.fatalTexts = texts;
    },
    cutAfterMessages(count) {
      faults.messagesLeft = count;
    },
    holdAnswersTo(text) {
      const { promise, resolve } = Promise.withResolvers<void>();
      faults.held = { text, begin: resolve };
      return promise;
    },
    cutAtAnswer(text) {
      faults.fatalAnswer = text;
    },
  };
}

function joinSockets(pair: Pair, faults: Faults, onClose: () => void): void {
  const { client, target } = pair;
  client.on("data", createRequestPass(pair, faults));
  target.on("data", createAnswerPass(pair, faults));
  for (const [from, to] of [
    [client, target],
    [target, client],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => {
      to.end();
      onClose();
    });
  }
  if (faults.mode === "freeze") for (const socket of [client, target]) socket.pause();
}

function createRequestPass({ client, target }: Pair, faults: Faults): (bytes: Buffer) => void {
  const isLastFatal = createSequenceMatch(faults);
  const passMessages = createMessagePass({ client, target }, faults);
  return (bytes) => {
    if (faults.messagesLeft !== undefined) {
      passMessages(bytes, faults.messagesLeft);
      return;
    }
    if (faults.held !== undefined && bytes.includes(faults.held.text)) {
      target.pause();
      faults.held.begin();
      faults.held = undefined;
    }
    target.write(bytes);
    if (!isLastFatal(bytes)) return;
    faults.fatalTexts = [];
    client.destroy();
    target.end();
  };
}

function createAnswerPass({ client, target }: Pair, faults: Faults): (bytes: Buffer) => void {
  let said = 0;
  return (bytes) => {
    said += bytes.length;
    const isFatal = faults.fatalAnswer !== undefined && bytes.includes(faults.fatalAnswer);
    if (isFatal || said > faults.bytesMax) {
      client.resetAndDestroy();
      target.end();
    } else if (faults.delayMs > 0) setTimeout(() => client.write(bytes), faults.delayMs);
    else client.write(bytes);
  };
}

/** Whether the client has now sent all of `fatalTexts`, one after the other. */
function createSequenceMatch(faults: Faults): (bytes: Buffer) => boolean {
  let heard: { texts: string[]; count: number } = { texts: [], count: 0 };
  return (bytes) => {
    const { fatalTexts } = faults;
    if (heard.texts !== fatalTexts) heard = { texts: fatalTexts, count: 0 };
    let from = 0;
    for (let at = 0; at >= 0 && heard.count < fatalTexts.length; ) {
      const text = fatalTexts[heard.count] as string;
      at = bytes.indexOf(text, from);
      if (at < 0) break;
      from = at + text.length;
      heard.count += 1;
    }
    return fatalTexts.length > 0 && heard.count === fatalTexts.length;
  };
}

/** Passes on whole messages: a byte for the type, then the length without it. */
function createMessagePass({ client, target }: Pair, faults: Faults): (bytes: Buffer, left: number) => void {
  let unsent = Buffer.alloc(0);
  return (bytes, left) => {
    unsent = Buffer.concat([unsent, bytes]);
    for (
      faults.messagesLeft = left;
      faults.messagesLeft > 0 && unsent.length >= 5;
      faults.messagesLeft -= 1
    ) {
      const end = 1 + unsent.readUInt32BE(1);
      if (unsent.length < end) return;
      target.write(unsent.subarray(0, end));
      unsent = unsent.subarray(end);
    }
    if (faults.messagesLeft > 0) return;
    faults.messagesLeft = undefined;
    client.destroy();
    target.end();
  };
}
