// Asks the Sentinels for the master. Each has one vote, so that one with an old or a wrong answer is outvoted.

import { Redis } from "ioredis";
import type { SentinelUrl } from "../../tools/sentinel-url.ts";
import { reasonOf } from "./reasons.ts";

export const ASK_MS = 500;
const OPTIONS = {
  // Holds at most the one question that is asked while the connection is being opened.
  enableOfflineQueue: true,
  enableReadyCheck: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  disableClientInfo: true,
  retryStrategy: (times: number) => Math.min(times * 50, 500),
};
const TIMED_OUT = "no answer in time";
/** An IP address or a host name. */
const HOST = /^[\w.:-]{1,255}$/;
const PORT = /^\d{1,5}$/;

export interface SentinelState {
  /** HOST:PORT */
  server: string;
  /** HOST:PORT of the master that it has named last. */
  named?: string;
  /** Why it names no master; undefined while it does. */
  reason?: string | undefined;
}

export interface Sentinels {
  states(): SentinelState[];
  /**
   * HOST:PORT of each named master, the one with the most votes first, and `preferred` among equals. Empty if none is
   * named. Waits for every answer only if more than half of the Sentinels do not agree, or with `isComplete`.
   */
  vote(options: { preferred?: string | undefined; isComplete?: boolean }): Promise<string[]>;
  close(): void;
}

export type SentinelOptions = SentinelUrl & {
  sentinelPassword?: string | undefined;
  /** How long a question may take, if not ASK_MS. */
  askMs?: number;
};

export function openSentinels(
  options: SentinelOptions,
  onChange: (state: SentinelState) => void = () => {},
): Sentinels {
  const sentinels = options.sentinels.map((server) => openSentinel(server, options, onChange));

  return {
    states: () => sentinels.map(({ state }) => ({ ...state })),
    async vote({ preferred, isComplete = false }) {
      const votes = new Map<string, number>();
      const { promise: decided, resolve } = Promise.withResolvers<void>();
      const asked = sentinels.map(async (sentinel) => {
        const named = await sentinel.ask();
        if (named === undefined) return;
        const count = (votes.get(named) ?? 0) + 1;
        votes.set(named, count);
        // A frozen Sentinel delays nothing if the others agree.
        if (!isComplete && count > sentinels.length / 2) resolve();
      });
      await Promise.race([Promise.all(asked), decided]);
      const rank = ([named, count]: [string, number]) => count + (named === preferred ? 0.5 : 0);
      return [...votes].toSorted((one, other) => rank(other) - rank(one)).map(([named]) => named);
    },
    close() {
      for (const { client } of sentinels) client.disconnect();
    },
  };
}

function openSentinel(server: string, options: SentinelOptions, onChange: (state: SentinelState) => void) {
  const { isTls, sentinelPassword, askMs = ASK_MS } = options;
  const client = new Redis({
    ...OPTIONS,
    ...splitAddress(server),
    ...(isTls && { tls: {} }),
    connectTimeout: askMs,
    commandTimeout: askMs,
    ...(sentinelPassword !== undefined && { password: sentinelPassword }),
  });
  const state: SentinelState = { server };
  let failure: Error | undefined;
  let isAsking = false;
  client.on("error", (error: Error) => {
    failure = error;
  });
  client.on("ready", () => {
    failure = undefined;
  });

  function note(reason: string | undefined): void {
    const isChanged = (state.reason === undefined) !== (reason === undefined);
    state.reason = reason;
    if (isChanged) onChange({ ...state });
  }

  /** Undefined if it names no master, and while it has not answered the last question. */
  async function ask(): Promise<string | undefined> {
    if (isAsking) return undefined;
    isAsking = true;
    try {
      const reply = await client.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", options.master);
      const named = readMaster(reply);
      if (named !== undefined) state.named = named;
      note(named === undefined ? `it knows no master called ${options.master}` : undefined);
      return named;
    } catch (error) {
      const reason = reasonOf(error, failure);
      // Commands without a reply would pile up on this connection.
      if (reason === TIMED_OUT) client.disconnect(true);
      note(reason);
      return undefined;
    } finally {
      isAsking = false;
    }
  }

  return { client, state, ask };
}

function readMaster(reply: unknown): string | undefined {
  const [host, port] = (Array.isArray(reply) ? reply : []).map(String);
  if (host === undefined || port === undefined || !HOST.test(host) || !PORT.test(port)) return undefined;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The options of a connection to a master that a Sentinel has named. */
export function optionsOf({ user, password, db, isTls }: SentinelOptions, address: string) {
  return {
    ...splitAddress(address),
    ...(user !== undefined && { username: user }),
    ...(password !== undefined && { password }),
    ...(isTls && { tls: {} }),
    db,
  };
}

/** IPv6 addresses are in brackets. */
function splitAddress(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(":");
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ""), port: Number(address.slice(colon + 1)) };
}
