// Explains why PostgreSQL cannot be reached or refuses the connection, and how operators fix it.

import { ServiceError } from "../../domain/basics/errors.ts";
import { ExplainedError } from "../../tools/operator-error.ts";

interface Target {
  host: string;
  port: string;
  user: string;
  database: string;
}

interface Known {
  /** System codes, SQLSTATEs and codes of OpenSSL. */
  codes?: string[];
  /** Parts of messages without a code of their own. */
  texts?: string[];
  /** Recognises a message with a name in the middle. */
  isKnown?(message: string): boolean;
  advise(target: Target): string;
}

/** The first row that matches counts: some codes have several causes. */
const KNOWN: Known[] = [
  {
    codes: ["ECONNREFUSED", "ENOENT"],
    advise: ({ host, port }) =>
      `Is PostgreSQL running? If so, correct host and port in DATABASE_URL, or let it listen on ${host}:${port} (listen_addresses and port in postgresql.conf). If not, start it: systemctl start postgresql`,
  },
  {
    codes: ["ENOTFOUND", "EAI_AGAIN"],
    advise: ({ host }) =>
      `The name ${host} is not known: correct the host in DATABASE_URL, or check the name server.`,
  },
  {
    codes: ["EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"],
    texts: ["timeout"],
    advise: ({ host, port }) =>
      `${host}:${port} gives no answer in time. Check host and port in DATABASE_URL, that the server is not frozen, and that no firewall drops its packets.`,
  },
  {
    texts: ["no encryption", "SSL off", "SSL required", "SSL connection is required"],
    advise: (target) =>
      `If the server requires TLS, add ?sslmode=verify-full to DATABASE_URL (with &sslrootcert=FILE for your own certificate authority). Otherwise: ${adviseAccess(target)}`,
  },
  {
    texts: ["does not support SSL"],
    advise: () => "The server has no TLS: remove sslmode from DATABASE_URL, or turn ssl on in PostgreSQL.",
  },
  {
    codes: ["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    texts: ["self-signed", "self signed", "unable to verify", "unable to get local issuer"],
    advise: () =>
      "Add &sslrootcert=FILE with the certificate of your authority to DATABASE_URL, or use sslmode=no-verify for encryption only.",
  },
  {
    texts: ["no pg_hba.conf entry"],
    advise: adviseAccess,
  },
  {
    // A server that asks for a password does not say whether the role exists.
    isKnown: (message) => message.startsWith('role "') && message.endsWith("does not exist"),
    texts: ["no such user"],
    advise: ({ host, port, user }) =>
      `Correct the user in DATABASE_URL, or create the role as one that may: createuser -h ${host} -p ${port} --pwprompt ${user}`,
  },
  {
    codes: ["28P01", "28000"],
    texts: ["password authentication failed", "client password must be a string", "SASL"],
    advise: ({ host, port, user }) =>
      `Correct user and password in DATABASE_URL; a password with special characters must be percent-encoded. To set a new one, run in psql: \\password ${user}. If there is no such role: createuser -h ${host} -p ${port} --pwprompt ${user}`,
  },
  {
    codes: ["3D000"],
    texts: ["no such database"],
    advise: ({ host, port, user, database }) =>
      `Correct the name in DATABASE_URL, or create it as a role that may: createdb -h ${host} -p ${port} -O ${user} ${database}`,
  },
  {
    codes: ["53300"],
    advise: () =>
      "All connections of the server are in use. Raise max_connections, lower DATABASE_POOL_SIZE, or put PgBouncer in between. To see who uses them, run in psql: SELECT usename, application_name, count(*) FROM pg_stat_activity GROUP BY 1, 2",
  },
  {
    codes: ["57P03", "57P01", "57P02"],
    advise: () =>
      "The server starts, stops or recovers. Wait, then run this again; if it lasts, see the log of PostgreSQL.",
  },
  {
    codes: ["ECONNRESET", "EPIPE", "EPROTO"],
    texts: ["terminated", "closed", "unexpected"],
    advise: ({ host, port }) =>
      `${host}:${port} closed the connection: check that PostgreSQL listens there and not another program.`,
  },
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
  const known = KNOWN.find(
    ({ codes = [], texts = [], isKnown }) =>
      codes.includes(code) || texts.some((text) => message.includes(text)) || isKnown?.(message) === true,
  );
  if (known === undefined) return undefined;
  return new ExplainedError(`PostgreSQL cannot be used: ${message}`, known.advise(targetOf(url)));
}

function targetOf(url: string): Target {
  const { hostname, port, username, pathname, searchParams } = new URL(url);
  const database = decodeURIComponent(pathname.slice(1));
  const user = decodeURIComponent(username) || "USER";
  return {
    host: searchParams.get("host") ?? (hostname || "localhost"),
    port: searchParams.get("port") ?? (port || "5432"),
    user,
    database: database || user,
  };
}
