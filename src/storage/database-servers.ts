// The servers of a database that has several, one of which takes writes.

/** A standby is also a server that is set to be read-only. */
type ServerRole = "primary" | "standby" | "unreachable";

export interface DatabaseServer {
  /** HOST:PORT */
  host: string;
  role: ServerRole;
  /** Changes that a standby has not received, in bytes; absent if there is no primary to compare it with. */
  lagBytes?: number;
  /** How old the newest change is that a standby shows; 0 if it has received all. */
  lagSeconds?: number;
  /** Why it is unreachable. */
  reason?: string;
  /** Takes writes, but another server has the newer history. */
  isRefused?: boolean;
}

export type ServerChange =
  | { type: "found"; host: string }
  | { type: "lost"; host: string; reason: string }
  /** It takes writes too, and its history is older. */
  | { type: "refused"; host: string };

export function describeServers(servers: DatabaseServer[]): string {
  return servers.map((server) => `${server.host} ${describeRole(server)}`).join("; ");
}

function describeRole({ role, reason, isRefused }: DatabaseServer): string {
  if (role === "unreachable") return `does not answer: ${reason}`;
  if (role === "standby") return "is a standby";
  return isRefused ? "takes writes, but its history is older than another's" : "takes writes";
}
