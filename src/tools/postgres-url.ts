// Reads the servers that an address of PostgreSQL names, as libpq writes several: postgres://USER@HOST:PORT,HOST:PORT/NAME.

/** The message continues the name of a variable, and has nothing of the address, which may hold a password. */
export class PostgresUrlError extends Error {}

const PARTS = /^(postgres(?:ql)?:\/\/)([^/?#]*)([^?#]*)(.*)$/s;
const FORM = "postgres://USER:PASSWORD@HOST:PORT/NAME";
const PORT = "5432";
const PORT_TEXT = /^\d{1,5}$/;
const SERVERS_MAX = 10;
/** Values of libpq's target_session_attrs that ask for a server that takes no writes. */
const STANDBY_WANTED = ["read-only", "standby", "prefer-standby"];

/**
 * The address of each server, in the order of `text`; one that names a single server is returned unchanged. Throws a
 * PostgresUrlError.
 */
export function splitServers(text: string): string[] {
  const [, scheme, authority, path, end] = PARTS.exec(text) ?? [];
  if (scheme === undefined || authority === undefined || end === undefined)
    throw new PostgresUrlError(`must be ${FORM}`);
  const at = authority.lastIndexOf("@") + 1;
  const query = new URLSearchParams(end.replace(/#.*/s, ""));
  const named = query.get("host")?.split(",");
  const hosts = authority.slice(at).split(",");
  const ports = query.get("port")?.split(",") ?? [];
  const count = (named ?? hosts).length;
  if (count === 1 && ports.length <= 1) return [requireUrl(text)];
  refuseUnusable(query, count, ports);

  const start = scheme + authority.slice(0, at);
  const urls = (named ?? hosts).map((host, index) => {
    const port = ports.length === 1 ? ports[0] : ports[index];
    if (host === "") throw new PostgresUrlError("must not have an empty host between its commas");
    if (named !== undefined) query.set("host", host);
    if (port !== undefined) query.set("port", port);
    const rest = named === undefined && port === undefined ? end : `?${query}`;
    return requireUrl(`${start}${named === undefined ? host : hosts[0]}${path}${rest}`);
  });
  if (new Set(urls.map(nameServer)).size < count) throw new PostgresUrlError("must name each server once");
  return urls;
}

function refuseUnusable(query: URLSearchParams, count: number, ports: string[]): void {
  if (count > SERVERS_MAX) throw new PostgresUrlError(`must name at most ${SERVERS_MAX} servers`);
  if (ports.length > 1 && ports.length !== count)
    throw new PostgresUrlError(
      `must have one port, or one for each host: it has ${count} and ${ports.length}`,
    );
  if (!ports.every((port) => PORT_TEXT.test(port)))
    throw new PostgresUrlError("must have a number as each port");
  if (STANDBY_WANTED.includes(query.get("target_session_attrs") ?? ""))
    throw new PostgresUrlError(
      "must not ask for a standby in target_session_attrs: the service uses the server that takes writes",
    );
}

function requireUrl(url: string): string {
  if (URL.canParse(url)) return url;
  throw new PostgresUrlError(`must be ${FORM}, with several hosts as HOST:PORT,HOST:PORT`);
}

/** HOST:PORT of an address with one server, without user, password and database. */
export function nameServer(url: string): string {
  const { host, port } = readServer(url);
  return `${host}:${port}`;
}

/** The driver prefers the parameters, which may name the folder of a socket. */
export function readServer(url: string): { host: string; port: string } {
  const { hostname, port, searchParams } = new URL(url);
  return {
    host: searchParams.get("host") || decodeURIComponent(hostname) || "localhost",
    port: searchParams.get("port") || port || PORT,
  };
}
