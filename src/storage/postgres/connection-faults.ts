// Explains why PostgreSQL cannot be reached or refuses the connection, and how operators fix it.

import { ServiceError } from "../../domain/basics/errors.ts";
import { ExplainedError } from "../../tools/operator-error.ts";
import { readServer } from "../../tools/postgres-url.ts";

interface Target {
  host: string;
  port: string;
  user: string;
  database: string;
}

/**
 * The first pattern that matches "CODE MESSAGE" counts: some codes have several causes. Codes are the system's, SQLSTATEs
 * and codes of OpenSSL.
 */
const KNOWN: Array<[signs: RegExp, advise: (target: Target) => string]> = [
  [
    /^(?:ECONNREFUSED|ENOENT) /,
    ({ host, port }) =>
      `Is PostgreSQL running? If so, correct host and port in DATABASE_URL, or let it listen on ${host}:${port} (listen_addresses and port in postgresql.conf). If not, start it: systemctl start postgresql`,
  ],
  [
    /^(?:ENOTFOUND|EAI_AGAIN) /,
    ({ host }) =>
      `The name ${host} is not known: correct the host in DATABASE_URL, or check the name server.`,
  ],
  [
    /^(?:EHOSTUNREACH|ENETUNREACH|ETIMEDOUT) |timeout/,
    ({ host, port }) =>
      `${host}:${port} gives no answer in time. Check host and port in DATABASE_URL, that the server is not frozen, and that no firewall drops its packets.`,
  ],
  [
    /no encryption|SSL off|SSL required|SSL connection is required/,
    (target) =>
      `If the server requires TLS, add ?sslmode=verify-full to DATABASE_URL (with &sslrootcert=FILE for your own certificate authority). Otherwise: ${adviseAccess(target)}`,
  ],
  [
    /does not support SSL/,
    () => "The server has no TLS: remove sslmode from DATABASE_URL, or turn ssl on in PostgreSQL.",
  ],
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE) |self.signed|unable to verify|unable to get local issuer/,
    () =>
      "Add &sslrootcert=FILE with the certificate of your authority to DATABASE_URL, or use sslmode=no-verify for encryption only.",
  ],
  [/no pg_hba\.conf entry/, adviseAccess],
  [
    // A server that asks for a password does not say whether the role exists.
    /^\S* role ".*does not exist$|no such user/,
    ({ host, port, user }) =>
      `Correct the user in DATABASE_URL, or create the role as one that may: createuser -h ${host} -p ${port} --pwprompt ${user}`,
  ],
  [
    /^(?:28P01|28000) |password authentication failed|client password must be a string|SASL/,
    ({ host, port, user }) =>
      `Correct user and password in DATABASE_URL; a password with special characters must be percent-encoded. To set a new one, run in psql: \\password ${user}. If there is no such role: createuser -h ${host} -p ${port} --pwprompt ${user}`,
  ],
  [
    /^3D000 |no such database/,
    ({ host, port, user, database }) =>
      `Correct the name in DATABASE_URL, or create it as a role that may: createdb -h ${host} -p ${port} -O ${user} ${database}`,
  ],
  [
    /^53300 /,
    () =>
      "All connections of the server are in use. Raise max_connections, lower DATABASE_POOL_SIZE, or put PgBouncer in between. To see who uses them, run in psql: SELECT usename, application_name, count(*) FROM pg_stat_activity GROUP BY 1, 2",
  ],
  [
    /^57P0[123] /,
    () =>
      "The server starts, stops or recovers. Wait, then run this again; if it lasts, see the log of PostgreSQL.",
  ],
  [
    /^(?:ECONNRESET|EPIPE|EPROTO) |terminated|closed|unexpected/,
    ({ host, port }) =>
      `${host}:${port} closed the connection: check that PostgreSQL listens there and not another program.`,
  ],
];

function adviseAccess({ user, database }: Target): string {
  return `Let ${user} connect to ${database} from this machine: add a line to pg_hba.conf, and run in psql: SELECT pg_reload_conf()`;
}

/** Undefined for errors of statements. */
export function explainConnectionFault(error: unknown, url: string): ExplainedError | undefined {
  const cause = error instanceof ServiceError ? error.cause : undefined;
  if (!(cause instanceof Error)) return undefined;
  const { code = "" } = cause as NodeJS.ErrnoException;
  // Node gives no message if a host has several addresses and all refuse.
  const message = cause.message || code;
  const advise = KNOWN.find(([signs]) => signs.test(`${code} ${message}`))?.[1];
  return advise && new ExplainedError(`PostgreSQL cannot be used: ${message}`, advise(targetOf(url)));
}

function targetOf(url: string): Target {
  const { username, pathname } = new URL(url);
  const database = decodeURIComponent(pathname.slice(1));
  const user = decodeURIComponent(username) || "USER";
  return { ...readServer(url), user, database: database || user };
}
