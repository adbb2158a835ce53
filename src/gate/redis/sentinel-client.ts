// Client for the master that most Sentinels name. A server is used only after it has said itself that it is a master.

import { EventEmitter } from "node:events";
import { Redis } from "ioredis";
import { createCommands, OPTIONS, type RedisClient } from "./commands.ts";
import { reasonOf } from "./reasons.ts";
import { ASK_MS, openSentinels, optionsOf, type SentinelOptions, type SentinelState } from "./sentinels.ts";

const ASK_EVERY_MS = 250;
/** For the connection to a server and its role. */
const CONNECT_MS = 1_500;

interface Master {
  name: string;
  client: Redis;
  commands: ReturnType<typeof createCommands>;
}

interface Events {
  ready: [];
  error: [Error];
  move: [from: string, to: string];
  sentinel: [SentinelState];
}

type Options = SentinelOptions & { timeoutMs: number };

export function openSentinelClient(options: Options): RedisClient {
  const events = new EventEmitter<Events>();
  const address = options.sentinels.join(",");
  // Whoever is patient with Redis is patient with its Sentinels too.
  const askMs = Math.max(ASK_MS, options.timeoutMs);
  const sentinels = openSentinels({ ...options, askMs }, (state) => events.emit("sentinel", state));
  const master = createMasterConnection(options, events);
  const stopFollowing = followSentinels(sentinels, master, events);

  return {
    kind: "sentinel",
    address,
    serverOf: () => master.name() ?? address,
    sentinels: sentinels.states,
    run: async (script, keys, values) => master.commands().run(script, keys, values),
    get: async (key) => master.commands().get(key),
    store: async (key, fields, keptMs) => master.commands().store(key, fields, keptMs),
    onReady: (listener) => void events.on("ready", listener),
    onError: (listener) => void events.on("error", listener),
    onMove: (listener) => void events.on("move", listener),
    onSentinel: (listener) => void events.on("sentinel", listener),
    close() {
      stopFollowing();
      sentinels.close();
      master.close();
    },
  };
}

/** Asks the Sentinels a few times a second, and moves to the master that they name. Returns the function that stops it. */
function followSentinels(
  sentinels: ReturnType<typeof openSentinels>,
  master: ReturnType<typeof createMasterConnection>,
  events: EventEmitter<Events>,
): () => void {
  let isStopped = false;
  let isFollowing = false;

  async function follow(): Promise<void> {
    if (isFollowing) return;
    isFollowing = true;
    try {
      await followVotes(await sentinels.vote({ preferred: master.name() }));
    } finally {
      isFollowing = false;
    }
  }

  /** If the Sentinels disagree, as during a failover, the first of their servers that is a master is used. */
  async function followVotes(named: string[]): Promise<void> {
    if (named.length === 0) events.emit("error", new Error(describeSentinels(sentinels.states())));
    if (named.every((name) => name === master.name())) return;
    for (const name of named) {
      if (isStopped) return;
      const isUsable = name === master.name() ? await master.isStillMaster() : await master.moveTo(name);
      if (isUsable) return;
    }
  }

  const timer = setInterval(() => void follow(), ASK_EVERY_MS).unref();
  void follow();
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}

/** The connection to the master that is used. */
function createMasterConnection(options: Options, events: EventEmitter<Events>) {
  let master: Master | undefined;
  /** A server whose role is being asked. */
  let candidate: Redis | undefined;

  return {
    name: () => master?.name,

    /** Resolves to whether the server is a master, and is used now. */
    async moveTo(name: string): Promise<boolean> {
      const client = createClient(options, name);
      passOn(client, events, () => client === master?.client);
      candidate = client;
      const reason = await connectToMaster(client);
      candidate = undefined;
      if (reason !== undefined) {
        events.emit("error", new Error(`${name}: ${reason}`));
        return false;
      }
      const { name: from = options.sentinels.join(","), client: old } = master ?? {};
      master = { name, client, commands: createCommands(client) };
      // Its replies belong to a history that the new master may not have.
      old?.disconnect();
      events.emit("move", from, name);
      events.emit("ready");
      return true;
    },

    isStillMaster: async () => master !== undefined && (await isMaster(master.client)),

    commands(): Master["commands"] {
      if (master === undefined) throw new Error("No Sentinel has named a master that can be used");
      return master.commands;
    },

    close(): void {
      candidate?.disconnect();
      master?.client.disconnect();
    },
  };
}

function createClient(options: Options, name: string): Redis {
  return new Redis({
    ...OPTIONS,
    ...optionsOf(options, name),
    commandTimeout: options.timeoutMs,
    lazyConnect: true,
  });
}

/** A server that is only a candidate, or is no longer used, reports nothing. */
function passOn(client: Redis, events: EventEmitter<Events>, isUsed: () => boolean): void {
  client.on("error", (error: Error) => {
    if (isUsed()) events.emit("error", error);
  });
  client.on("ready", () => {
    if (isUsed()) events.emit("ready");
  });
}

/** Resolves to the reason why the server cannot be used; it is disconnected then. */
async function connectToMaster(client: Redis): Promise<string | undefined> {
  let failure: unknown;
  client.on("error", (error) => {
    failure = error;
  });
  const late = setTimeout(() => client.disconnect(), CONNECT_MS);
  try {
    await client.connect();
    if (!(await isMaster(client))) throw new Error("it is not a master");
    return undefined;
  } catch (error) {
    client.disconnect();
    return reasonOf(error, failure);
  } finally {
    clearTimeout(late);
  }
}

/** False also if it does not answer. For a user without the right to ask, the first write shows the role. */
async function isMaster(client: Redis): Promise<boolean> {
  try {
    const [role] = await client.role();
    return role === "master";
  } catch (error) {
    return reasonOf(error).includes("NOPERM");
  }
}

function describeSentinels(states: SentinelState[]): string {
  const [first] = states.filter(({ reason }) => reason !== undefined);
  return `no Sentinel names a master${first ? ` (${first.server}: ${first.reason})` : ""}`;
}
