// The end of the server: clients get a response or a clean refusal, and no client can delay it.

import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as pause, setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { PendingRequests } from "./pending-requests.ts";
import { STOPPING } from "./raw-answer.ts";

/** The accept queue is empty after this time without a new connection. */
const QUIET_MS = 10;
const HELD_MS_MAX = 250;
/** Time for a client to read the 408 that ends its unfinished request. */
const REFUSAL_MS = 250;
const CHECK_MS = 20;

interface Times {
  /** Idle connections stay open this long: a request that arrives gets a response with `Connection: close`. */
  idleMs: number;
  /** Time for clients that are sending a request or reading its response. */
  clientMs: number;
}
const TIMES: Times = { idleMs: 1_000, clientMs: 2_000 };

/** To be called before the server listens. The returned function resolves when all connections have ended. */
export function createDrain(
  server: Server,
  requests: Pick<PendingRequests, "hold" | "release">,
  times: Times = TIMES,
): () => Promise<void> {
  const deadlines = new Map<Socket, number>();
  let accepted = 0;
  server.on("connection", (socket) => {
    accepted += 1;
    deadlines.set(socket, Number.POSITIVE_INFINITY);
    socket.once("close", () => deadlines.delete(socket));
  });

  /**
   * The kernel resets connections that it has accepted and we have not. Requests are therefore held until no new
   * connection comes: a client that got its response at once would connect again.
   */
  async function stopListening(): Promise<void> {
    requests.hold();
    const endMs = performance.now() + HELD_MS_MAX;
    let seen: number;
    do {
      seen = accepted;
      await pause(QUIET_MS);
      // Resolves right after all waiting connections were accepted.
      await yieldToEventLoop();
    } while (seen !== accepted && performance.now() < endMs);
    // Not the HTTP server's own `close`: it also closes connections whose first request is on its way.
    NetServer.prototype.close.call(server);
    requests.release();
  }

  return async () => {
    if (!server.listening) return;
    await stopListening();
    const startMs = performance.now();
    for (const socket of deadlines.keys()) deadlines.set(socket, startMs + times.clientMs);
    while (deadlines.size > 0) {
      await pause(CHECK_MS);
      cutLate(server, deadlines, { ...times, startMs });
    }
  };
}

function cutLate(
  server: Server,
  deadlines: Map<Socket, number>,
  { idleMs, clientMs, startMs }: Times & { startMs: number },
): void {
  const nowMs = performance.now();
  for (const [socket, deadlineMs] of deadlines) {
    if (isRunning(socket)) deadlines.set(socket, nowMs + clientMs);
    else if (isIdle(socket) && nowMs > startMs + idleMs) socket.destroy();
    else if (nowMs < deadlineMs) continue;
    else if (isUnanswered(socket)) {
      deadlines.set(socket, nowMs + REFUSAL_MS);
      server.emit("clientError", TIMEOUT, socket);
    } else socket.destroy();
  }
}

const TIMEOUT = Object.assign(new Error("The service is stopping."), { code: STOPPING });

/** The client waits for our response. */
function isRunning({ pipeline }: Socket): boolean {
  const response = pipeline?.newest;
  return response?.req.complete === true && !response.writableEnded;
}

/** Node's own list of idle connections also has those whose response is not sent in full. */
function isIdle({ pipeline, bytesRead }: Socket): boolean {
  const response = pipeline?.newest;
  return response === undefined ? bytesRead === 0 : response.req.complete && response.writableFinished;
}

/** The rest of a request is missing, and it can still be answered. */
function isUnanswered({ pipeline, writableEnded }: Socket): boolean {
  return !writableEnded && pipeline?.newest?.headersSent !== true;
}
