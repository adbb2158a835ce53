// Finds the server that takes writes among several, and looks for it again when it is lost. One search runs at a time: each
// server is looked at a few times a second on one connection, and less often while it does not answer.

import { setTimeout as pause } from "node:timers/promises";
import { type DatabaseServer, describeServers, type ServerChange } from "../database-servers.ts";
import { unavailable } from "./faults.ts";
import { openPool, type PoolOptions, type ServerPool } from "./pool.ts";
import { createChooser, type Writable } from "./server-choice.ts";
import { openLook, type ServerLook, type ServerState } from "./server-look.ts";
import { reportServers } from "./server-report.ts";
import { type States, watchServers } from "./server-watches.ts";

/** Where connections come from. */
export interface PoolSource {
  /** Undefined while no server takes writes. */
  current(): ServerPool | undefined;
  /** Waits for the first search, until `endMs` of `performance.now()`. Throws `unavailable`. */
  find(endMs: number): Promise<ServerPool>;
  /** The server of this pool has refused a write as read-only. */
  leave(pool: ServerPool): void;
  /** Empty for a single server, which is not watched. */
  servers(): DatabaseServer[];
  close(): Promise<void>;
}

export function usePool(pool: ServerPool): PoolSource {
  return {
    current: () => pool,
    find: async () => pool,
    leave() {},
    servers: () => [],
    close: () => pool.close(),
  };
}

type FinderOptions = PoolOptions & { onServerChange: (change: ServerChange) => void };

interface Found extends Writable {
  look: ServerLook;
  state: ServerState;
}

export function findServers(urls: string[], options: FinderOptions): PoolSource {
  const chooser = createChooser<Found>();
  const refused = watchRefused(options.onServerChange);
  const used = createUsedServer(options, (look) => watches.lookNow(look));
  let isClosed = false;

  const findOwn = (states: States) => {
    const server = used.current()?.server;
    return server && states.get(server.look);
  };

  async function decide(states: States): Promise<void> {
    if (findOwn(states)?.role === "standby") used.leave("it takes no writes");
    const { best, older } = await chooser.choose(listWritable(states), {
      readNewest: ({ look }) => look.readNewest(),
      isOnly: () => haveSameHistory([...states.keys()]),
    });
    refused.note(older);
    if (best === undefined || isClosed) return;
    // Another address of the same server is as good.
    const isReached = findOwn(states)?.role === "primary";
    if (used.current()?.server.instance !== best.instance || !isReached) used.use(best);
    for (const [look, { role }] of states)
      if (role === "standby" && chooser.hasLost(look.name) && (await haveSameHistory([best.look, look])))
        chooser.forgive(look.name);
  }

  const watches = watchServers(urls.map(openLook), decide);

  function servers(): DatabaseServer[] {
    const own = findOwn(watches.states());
    const reports = reportServers(watches.states(), own?.role === "primary" ? own.position : undefined);
    return reports.map((each) => (refused.includes(each.host) ? { ...each, isRefused: true } : each));
  }

  return {
    current: () => used.current()?.pool,
    async find(endMs) {
      await Promise.race([
        watches.decided,
        pause(Math.max(0, endMs - performance.now()), undefined, { ref: false }),
      ]);
      const pool = used.current()?.pool;
      if (pool !== undefined) return pool;
      throw unavailable(new Error(`no server takes writes (${describeServers(servers())})`));
    },
    leave(pool) {
      const before = used.current();
      if (before?.pool !== pool) return;
      used.leave("it has refused a write");
      // A setting of the role takes effect with the next session.
      watches.lookNow(before.server.look);
    },
    servers,
    async close() {
      isClosed = true;
      watches.stop();
      await used.current()?.pool.close();
    },
  };
}

/** The server that is used, with its connections; reports when it changes. */
function createUsedServer(options: FinderOptions, lookNow: (look: ServerLook) => void) {
  const { onServerChange } = options;
  let used: { server: Found; pool: ServerPool } | undefined;

  return {
    current: () => used,

    use(server: Found): void {
      used?.pool.drop();
      const onOther = () => lookNow(server.look);
      used = { server, pool: openPool(server.look.url, options, { instance: server.instance, onOther }) };
      onServerChange({ type: "found", host: server.name });
    },

    /** Nothing happens if no server is used. */
    leave(reason: string): void {
      if (used === undefined) return;
      used.pool.drop();
      const { name } = used.server;
      used = undefined;
      onServerChange({ type: "lost", host: name, reason });
    },
  };
}

/** Servers that take writes although another has the newer history; each is reported once. */
function watchRefused(onServerChange: FinderOptions["onServerChange"]) {
  const seen = new Map<string, ServerState>();
  const reported = new Set<string>();
  let hosts: string[] = [];

  return {
    note(older: Found[]): void {
      hosts = [];
      for (const { name, instance, state } of older) {
        // It may have ended since the last look: the next one shows it.
        const before = seen.get(instance) ?? state;
        seen.set(instance, before);
        if (state === before) continue;
        hosts.push(name);
        if (!reported.has(instance)) onServerChange({ type: "refused", host: name });
        reported.add(instance);
      }
    },
    includes: (host: string) => hosts.includes(host),
  };
}

/** Whether all answer, and the same server was the last to take writes. */
async function haveSameHistory(looks: ServerLook[]): Promise<boolean> {
  const [first, ...others] = await Promise.all(looks.map((look) => look.readLastPrimary()));
  return first !== undefined && others.every((each) => each === first);
}

function listWritable(states: States): Found[] {
  return [...states].flatMap(([look, state]) => {
    if (state.role !== "primary") return [];
    const { instance, timeline } = state;
    return { look, name: look.name, instance, timeline, state };
  });
}
