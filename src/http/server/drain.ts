// The end of the server: clients get an answer or a clean refusal, and none of them can hold it up.

import type { RequestListener, Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setImmediate as nextPoll, setTimeout as pause } from "node:timers/promises";
import { findNewestResponse } from "./pipelines.ts";

/** After so long without a new connection, the accept queue is empty. */
const QUIET_MS = 10;
const HELD_MS_MAX = 250;
const LAST_WORD_MS = 250;
const CHECK_MS = 20;

interface Times {
  /** For idle connections, to end with an answer that says so instead of between two requests. */
  farewellMs: number;
  /** For clients in the middle of a request, or of reading its answer. */
  clientMs: number;
}
const TIMES: Times = { farewellMs: 1_000, clientMs: 2_000 };

export interface Hold {
  listener: RequestListener;
  /** From now on requests wait. */
  hold(): void;
  release(): void;
}

/** Lets requests wait in front of `listener`. */
export function createHold(listener: RequestListener): Hold {
  let held: Array<Parameters<RequestListener>> | undefined;
  return {
    listener: (request, response) => {
      if (held === undefined) listener(request, response);
      else held.push([request, response]);
    },
    hold() {
      held = [];
    },
    release() {
      const all = held ?? [];
      held = undefined;
      for (const each of all) listener(...each);
    },
  };
}

/** To be called before the server listens. Gives what resolves when all connections have ended. */
export function createDrain(
  server: Server,
  hold: Hold,
  { farewellMs, clientMs }: Times = TIMES,
): () => Promise<void> {
  /** Until when a connection is waited for. */
  const deadlines = new Map<Socket, number>();
  let accepted = 0;
  server.on("connection", (socket) => {
    accepted += 1;
    deadlines.set(socket, Number.POSITIVE_INFINITY);
    socket.once("close", () => deadlines.delete(socket));
  });

  /**
   * The kernel resets connections that it has taken and we have not. Clients that come again and again are therefore
   * kept waiting for an answer until none is on its way.
   */
  async function stopListening(): Promise<void> {
    hold.hold();
    const endMs = performance.now() + HELD_MS_MAX;
    let seen: number;
    do {
      seen = accepted;
      await pause(QUIET_MS);
      // Right after all waiting connections have been taken.
      await nextPoll();
    } while (seen !== accepted && performance.now() < endMs);
    // Not by the method of HTTP servers: it closes connections whose first request is on its way.
    NetServer.prototype.close.call(server);
    hold.release();
  }

  function cutLate(nowMs: number, startMs: number): void {
    for (const [socket, deadlineMs] of deadlines) {
      if (isRunning(socket)) deadlines.set(socket, nowMs + clientMs);
      else if (isIdle(socket) && nowMs > startMs + farewellMs) socket.destroy();
      else if (nowMs < deadlineMs) continue;
      else if (isUnanswered(socket)) {
        deadlines.set(socket, nowMs + LAST_WORD_MS);
        server.emit("clientError", TIMEOUT, socket);
      } else socket.destroy();
    }
  }

  return async () => {
    if (!server.listening) return;
    await stopListening();
    const startMs = performance.now();
    for (const socket of deadlines.keys()) deadlines.set(socket, startMs + clientMs);
    while (deadlines.size > 0) {
      await pause(CHECK_MS);
      cutLate(performance.now(), startMs);
    }
  };
}

const TIMEOUT = Object.assign(new Error("The service is stopping."), { code: "ERR_HTTP_REQUEST_TIMEOUT" });

/** The client waits for us. */
function isRunning(socket: Socket): boolean {
  const answer = findNewestResponse(socket);
  return answer?.req.complete === true && !answer.writableEnded;
}

/** Nobody waits. Node's own list of idle connections also has those whose answer is not sent in full. */
function isIdle(socket: Socket): boolean {
  const answer = findNewestResponse(socket);
  return answer === undefined ? socket.bytesRead === 0 : answer.req.complete && answer.writableFinished;
}

/** We wait for the rest of a request, and may still answer it. */
function isUnanswered(socket: Socket): boolean {
  return !socket.writableEnded && findNewestResponse(socket)?.headersSent !== true;
}
