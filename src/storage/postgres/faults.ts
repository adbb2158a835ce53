// What PostgreSQL's faults mean to the service.

import pg from "pg";
import { ServiceError } from "../../domain/errors.ts";
import { ExplainedError } from "../../tools/operator-error.ts";

/** Serialisation failure and deadlock: the server has undone the transaction, and says to try again. */
const REPEATABLE = new Set(["40001", "40P01"]);

/**
 * Classes of SQLSTATE that speak of the server and not of our SQL: connection, resources, operator's intervention,
 * system errors, configuration; and a server that has become read-only, a lock not had in time, a shut-down pooler.
 */
const OUT_OF_ORDER = /^(?:08|53|57|58|F0|XX|25006|25P02|25P03|40003|55P03|28|3D000)/;

/** Read-only, and left behind in a transaction that has failed: states that the next user must not inherit. */
const UNFIT = new Set(["25006", "25P02"]);

/** The server has answered: the connection is in a known state. */
function isAnswer(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError;
}

/** True when the connection must not be used again. */
export function isBroken(error: unknown): boolean {
  if (error instanceof ServiceError) return false;
  if (!isAnswer(error)) return isConnectionError(error);
  return isFatal(error) || UNFIT.has(error.code ?? "");
}

function isFatal({ severity }: pg.DatabaseError): boolean {
  return severity === "FATAL" || severity === "PANIC";
}

export function isRepeatable(error: unknown): boolean {
  return isAnswer(error) && REPEATABLE.has(error.code ?? "");
}

/** Faults of the engine become `unavailable`; faults of our SQL and of the domain stay what they are. */
export function asServiceError(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const isOutOfOrder = isAnswer(error)
    ? OUT_OF_ORDER.test(error.code ?? "") || isRepeatable(error) || isFatal(error)
    : isConnectionError(error);
  return isOutOfOrder ? new ServiceError("unavailable", { retryAfterSeconds: 1, cause: error }) : error;
}

const DRIVER_MESSAGES =
  /timeout|terminated|ended|closed|connection|not queryable|ssl|Client has encountered/i;

/** The driver has no class for these: they are system errors, or plain errors known by their words. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return "syscall" in error || DRIVER_MESSAGES.test(error.message);
}

export const READ_ONLY_ADVICE =
  "It is a replica, or set to be read-only. Set DATABASE_URL to the primary server.";

/** Undefined for what has nothing to do with writing. */
export function explainPostgresFault(error: unknown): ExplainedError | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (!isAnswer(cause)) return undefined;
  const problem = `PostgreSQL takes no writes: ${cause.message}`;
  if (cause.code === "25006") {
    return new ExplainedError(problem, READ_ONLY_ADVICE);
  }
  if (cause.code !== "42501") return undefined;
  return new ExplainedError(
    problem,
    "Use the role that owns the database in DATABASE_URL, or let it grant what is missing: GRANT USAGE, CREATE ON SCHEMA public TO ROLE; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ROLE.",
  );
}
