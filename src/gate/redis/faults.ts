// The state of Redis and its Sentinels, for `/readyz` and `/metrics`.

import type { GateServer } from "../../domain/keys/gate.ts";
import type { RedisLink } from "./link.ts";

type Link = Pick<RedisLink, "kind" | "servers" | "sentinels">;

export function listServers({ servers, sentinels }: Link): GateServer[] {
  return [
    ...servers().map((each): GateServer => ({ ...each, role: "master" })),
    ...sentinels().map(({ server, reason }): GateServer => {
      return { server, role: "sentinel", isAway: reason !== undefined };
    }),
  ];
}

export function describeFaults(link: Link): string[] {
  const away = link.servers().filter(({ isAway }) => isAway);
  return [...away.map(({ server }) => describeFault(link.kind, server)), ...describeMissing(link)];
}

function describeFault(kind: Link["kind"], server: string | undefined): string {
  if (kind === "cluster")
    return `Redis at ${server} does not answer: this node admits its share of the limits of the keys there`;
  const who = kind === "sentinel" && server !== undefined ? `The Redis master at ${server}` : "Redis";
  const what = kind === "sentinel" && server === undefined ? "has no known master" : "does not answer";
  return `${who} ${what}: this node admits its share of the limits`;
}

/** With fewer than a majority, the Sentinels cannot name another master. */
function describeMissing({ sentinels }: Link): string[] {
  const all = sentinels();
  const missing = all.filter(({ reason }) => reason !== undefined);
  if (missing.length * 2 < all.length || missing.length === 0) return [];
  const reasons = missing.map(({ server, reason }) => `${server}: ${reason}`).join("; ");
  return [`${all.length - missing.length} of ${all.length} Redis Sentinels answer (${reasons})`];
}
