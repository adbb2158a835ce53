// What is reported of the servers: their roles, and how far standbys are behind the primary.

import { splitServers } from "../../tools/postgres-url.ts";
import type { DatabaseServer } from "../database-servers.ts";
import { openLook, type ServerLook, type ServerState, type Standby } from "./server-look.ts";

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

/** Looks at the servers of an address once. */
export async function lookAtServers(url: string): Promise<DatabaseServer[]> {
  const looks = splitServers(url).map(openLook);
  const lookAtAll = async () =>
    new Map(await Promise.all(looks.map(async (look) => [look, await look.look()] as const)));
  try {
    const primary = (await lookAtAll()).values().find((state) => state.role === "primary");
    // The position of the primary has to be the earlier one.
    return reportServers(await lookAtAll(), primary?.position);
  } finally {
    for (const look of looks) look.disconnect();
  }
}
