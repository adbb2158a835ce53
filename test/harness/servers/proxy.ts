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

export async function startProxy(t: TestContext, targetPort: number): Promise<TcpProxy> {
  let mode: Mode = "pass";
  let fatalTexts: string[] = [];
  let fatalAnswer: string | undefined;
  let held: { text: string; begin: () => void } | undefined;
  let bytesMax = Infinity;
  let messagesLeft: number | undefined;
  let delayMs = 0;
  const pairs = new Set<[Socket, Socket]>();

  const server = createServer((client) => {
    if (mode === "refuse" || mode === "reset") {
      client.resetAndDestroy();
      return;
    }
    const target = connect(targetPort, "127.0.0.1");
    const pair: [Socket, Socket] = [client, target];
    pairs.add(pair);
    let said = 0;
    let heard: { texts: string[]; count: number } = { texts: [], count: 0 };
    /** Whether the client has now sent all of `fatalTexts`. */
    const isLastFatal = (bytes: Buffer): boolean => {
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
    let unsent = Buffer.alloc(0);
    /** Passes on whole messages: a byte for the type, then the length without it. */
    const forwardMessages = (bytes: Buffer, left: number): void => {
      unsent = Buffer.concat([unsent, bytes]);
      for (messagesLeft = left; messagesLeft > 0 && unsent.length >= 5; messagesLeft -= 1) {
        const end = 1 + unsent.readUInt32BE(1);
        if (unsent.length < end) return;
        target.write(unsent.subarray(0, end));
        unsent = unsent.subarray(end);
      }
      if (messagesLeft > 0) return;
      messagesLeft = undefined;
      client.destroy();
      target.end();
    };
    const forward = (from: Socket, to: Socket) => {
      from.on("data", (bytes: Buffer) => {
        if (from === client && messagesLeft !== undefined) {
          forwardMessages(bytes, messagesLeft);
          return;
        }
        if (from === target) {
          said += bytes.length;
          const isFatal = fatalAnswer !== undefined && bytes.includes(fatalAnswer);
          if (isFatal || said > bytesMax) {
            client.resetAndDestroy();
            target.end();
            return;
          }
        }
        if (from === client && held !== undefined && bytes.includes(held.text)) {
          target.pause();
          held.begin();
          held = undefined;
        }
        if (from === target && delayMs > 0) setTimeout(() => to.write(bytes), delayMs);
        else to.write(bytes);
        if (from !== client || !isLastFatal(bytes)) return;
        fatalTexts = [];
        client.destroy();
        target.end();
      });
      from.on("error", () => to.destroy());
      from.on("close", () => {
        to.end();
        pairs.delete(pair);
      });
    };
    forward(client, target);
    forward(target, client);
    if (mode === "freeze") for (const socket of pair) socket.pause();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    server.close();
  });

  return {
    port: (server.address() as AddressInfo).port,
    set(wanted) {
      mode = wanted;
      for (const pair of pairs) {
        for (const socket of pair) {
          if (wanted === "freeze") socket.pause();
          else if (wanted === "pass") socket.resume();
          else socket.resetAndDestroy();
        }
      }
    },
    delay(ms) {
      delayMs = ms;
    },
    cutAfterBytes(count = Infinity) {
      bytesMax = count;
    },
    cutAfter(...texts) {
      fatalTexts = texts;
    },
    cutAfterMessages(count) {
      messagesLeft = count;
    },
    holdAnswersTo(text) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = { text, begin: resolve };
      return promise;
    },
    cutAtAnswer(text) {
      fatalAnswer = text;
    },
  };
}
