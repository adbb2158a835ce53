// What `doctor` says about a Redis with Sentinels: its servers, their roles, and how to fix them.

import type { RedisInspection } from "../../command-stores.ts";

type Roles = NonNullable<RedisInspection["roles"]>;

interface Problem {
  text: string;
  mend: string;
}

/** The reasons why a server cannot be reached, as the inspection gives them. */
const UNREACHABLE = ["connection refused", "no answer in time", "host unreachable", "unknown host name"];

export function describeServers(roles: Roles): string {
  const [master] = roles.filter(({ role }) => role === "master");
  const replicas = roles.filter(({ role }) => role === "replica").length;
  const { answering, asked } = countSentinels(roles);
  return `${master?.host} is the master, with ${replicas} up-to-date ${replicas === 1 ? "replica" : "replicas"}; ${answering.length} of ${asked.length} Sentinels answer`;
}

export function findServerFaults(roles: Roles): Problem[] {
  const [master] = roles.filter(({ role }) => role === "master");
  const { answering, asked } = countSentinels(roles);
  const silent = asked.filter((each) => !answering.includes(each));
  const others = answering.filter(({ named }) => named !== master?.host);
  const isAlone = !roles.some(({ role }) => role === "replica");
  const list = (some: Roles, text: (each: Roles[number]) => string) => some.map(text).join(", ");
  const problems: Array<Problem | undefined> = [
    isAlone
      ? {
          text: "no replica is up to date",
          mend: "Start a replica, or wait for it: without one the Sentinels have no server to change to.",
        }
      : undefined,
    silent.length > 0
      ? {
          text: list(silent, ({ host, reason }) => `Sentinel ${host}: ${reason}`),
          mend: "Start these Sentinels, or correct REDIS_URL: without a majority of them there is no failover.",
        }
      : undefined,
    others.length > 0
      ? {
          text: list(others, ({ host, named }) => `Sentinel ${host} names ${named}`),
          mend: "During a failover this passes within seconds. Otherwise correct the line sentinel monitor of that Sentinel, or its network.",
        }
      : undefined,
  ];
  return problems.filter((each) => each !== undefined);
}

function countSentinels(roles: Roles): { answering: Roles; asked: Roles } {
  const asked = roles.filter(({ isSentinel }) => isSentinel);
  return { asked, answering: asked.filter(({ role }) => role === "sentinel") };
}

/** Undefined for a fault that a Redis without Sentinels may have too. */
export function adviseSentinel(message: string): string | undefined {
  if (message.includes("knows no master called"))
    return 'Correct the name at the end of REDIS_URL: it is NAME in the line "sentinel monitor NAME" of the Sentinels.';
  if (message.includes("no Sentinel names a master"))
    return /WRONGPASS|NOAUTH/.test(message)
      ? "Correct REDIS_SENTINEL_PASSWORD, the password of the Sentinels."
      : "Check that the Sentinels run, and that REDIS_URL has their addresses, with rediss+sentinel if they use TLS.";
  if (!message.includes("the master is")) return undefined;
  if (message.includes("READONLY"))
    return "The Sentinels name a replica. This passes within seconds of a failover; otherwise read the log of the Sentinels.";
  if (UNREACHABLE.some((reason) => message.includes(reason)))
    return "The Sentinels name this server, but it cannot be reached from here. Check that it runs, and set replica-announce-ip in Redis if this is not the address for clients.";
  return undefined;
}
