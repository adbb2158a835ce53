// What is reported of the servers: their roles, and how far standbys are behind the primary.

import type { DatabaseServer } from "../database-servers.ts";
import type { ServerLook, ServerState, Standby } from "./server-look.ts";

type States = ReadonlyMap<Pick<ServerLook, "name">, ServerState>;

/** `position` is the primary's, read before those of the standbys; undefined without a primary. */
export function reportServers(states: States, position: number | undefined): DatabaseServer[] {
  return [...states].map(([{ name: host }, state]) => {
    if (state.role === "unreachable") return { host, role: state.role, reason: state.reason };
    return state.role === "primary"
      ? { host, role: state.role }
      : { host, role: state.role, ...measureLag(state, position) };
  });
}

function measureLag(
  { position, replayedSecondsAgo }: Standby,
  primaryPosition: number | undefined,
): Pick<DatabaseServer, "lagBytes" | "lagSeconds"> {
  if (position === undefined || primaryPosition === undefined) return {};
  const lagBytes = Math.max(0, primaryPosition - position);
  // Without new changes, the last one becomes older although nothing is missing.
  const lagSeconds = lagBytes === 0 ? 0 : replayedSecondsAgo;
  return lagSeconds === undefined ? { lagBytes } : { lagBytes, lagSeconds };
}

export function describeServers(servers: DatabaseServer[]): string {
  return servers.map((server) => `${server.host} ${describeRole(server)}`).join("; ");
}

function describeRole({ role, reason }: DatabaseServer): string {
  if (role === "unreachable") return `does not answer: ${reason}`;
  return role === "standby" ? "is a standby" : "takes writes";
}
