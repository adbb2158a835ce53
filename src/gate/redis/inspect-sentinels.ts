// What the Sentinels and the master say about the servers of Redis, for the doctor.

import { openSentinels, type SentinelOptions, type SentinelState } from "./sentinels.ts";

export interface RedisRole {
  /** HOST:PORT */
  host: string;
  role: "master" | "replica" | "sentinel" | "unreachable";
  isSentinel: boolean;
  /** The master that this Sentinel names. */
  named?: string;
  /** What the master has sent and the replica has not received yet. */
  lagBytes?: number;
  /** Why it does not answer. */
  reason?: string;
}

const WAIT_MS = 2_000;
const REPLICA = /^slave\d+:ip=([^,]+),port=(\d+),state=(\w+),offset=(\d+)/;

/** Rejects if no Sentinel names a master. If they disagree, most of them decide. */
export async function findMaster(
  options: SentinelOptions,
): Promise<{ master: string; sentinels: RedisRole[] }> {
  const sentinels = openSentinels({ ...options, askMs: WAIT_MS });
  try {
    const [master] = await sentinels.vote({ isComplete: true });
    const states = sentinels.states();
    if (master === undefined) throw new Error(`no Sentinel names a master: ${describe(states)}`);
    return { master, sentinels: states.map(toRole) };
  } finally {
    sentinels.close();
  }
}

function toRole({ server, named = "", reason }: SentinelState): RedisRole {
  return reason === undefined
    ? { host: server, role: "sentinel", isSentinel: true, named }
    : { host: server, role: "unreachable", isSentinel: true, reason };
}

function describe(states: SentinelState[]): string {
  return states.map(({ server, reason }) => `${server}: ${reason}`).join("; ");
}

/** From the reply to INFO of the master. */
export function readReplicas(info: string): RedisRole[] {
  const end = Number(/^master_repl_offset:(\d+)/m.exec(info)?.[1]);
  return info.split("\r\n").flatMap((line): RedisRole[] => {
    const [, ip, port, state, offset] = REPLICA.exec(line) ?? [];
    if (ip === undefined) return [];
    const host = ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
    if (state !== "online")
      return [{ host, role: "unreachable", isSentinel: false, reason: `its state is ${state}` }];
    return [{ host, role: "replica", isSentinel: false, lagBytes: Math.max(0, end - Number(offset)) }];
  });
}
