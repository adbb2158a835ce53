// The servers of a PostgreSQL database in the finding about it: a standby that does not answer is a warning.

import { type Finding, type FindingServer, warning } from "./finding.ts";

/** With the reason, which the finding has in its text. */
export interface InspectedServer extends FindingServer {
  reason?: string;
}

/** Adds the servers to a finding about a database that can be used. */
export function addServers(finding: Finding, inspected: InspectedServer[] | undefined): Finding {
  if (inspected === undefined) return finding;
  const servers = inspected.map(toFound);
  if (servers.length < 2) return { ...finding, servers };
  const detail = `${finding.detail}; ${inspected.map(describeServer).join(", ")}`;
  const away = inspected.filter(({ role }) => role === "unreachable");
  const writable = inspected.filter(({ role }) => role === "primary");
  if (finding.result !== "ok") return { ...finding, detail, servers };
  if (writable.length > 1) {
    const mend =
      "Two servers take writes. The service uses the one with the higher timeline. Stop the other, and make it a standby again: pg_rewind or pg_basebackup";
    return { ...warning(finding.check, detail, mend), servers };
  }
  if (away.length > 0) {
    const hosts = away.map(({ host }) => host).join(", ");
    const mend = `Start ${hosts}, or remove it from DATABASE_URL: without a standby, no server can take over`;
    return { ...warning(finding.check, detail, mend), servers };
  }
  return { ...finding, detail, servers };
}

export function toFound({ reason: _, ...server }: InspectedServer): FindingServer {
  return server;
}

function describeServer({ host, role, reason, lagBytes, lagSeconds }: InspectedServer): string {
  if (role === "unreachable") return `${host} does not answer (${reason})`;
  const seconds = lagSeconds === undefined ? "" : `, ${Math.round(lagSeconds)} s`;
  return lagBytes === undefined ? `${host} ${role}` : `${host} ${role} (${lagBytes} bytes${seconds} behind)`;
}
