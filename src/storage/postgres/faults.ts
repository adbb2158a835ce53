// Classifies PostgreSQL's errors: what they mean to the service, and how operators fix them.

import pg from "pg";
import { ServiceError } from "../../domain/basics/errors.ts";
import { ExplainedError } from "../../tools/operator-error.ts";

/** Serialisation failure and deadlock: the server has rolled back, and the transaction may be repeated. */
const REPEATABLE = new Set(["40001", "40P01"]);

/**
 * SQLSTATE classes that concern the server, not our SQL: connection, resources, operator intervention, system errors,
 * configuration; also conflicts, a read-only server, a lock time-out, a pooler that is shut down and prepared statements that are lost.
 */
const ENGINE_FAULTS =
  /^(?:08|53|57|58|F0|XX|0A000|25006|26000|42P05|25P02|25P03|40001|40003|40P01|55P03|28|3D000)/;

/** Read-only, or a prepared statement whose tables a migration has changed: a new connection may be better. */
const READ_ONLY = "25006";
const UNFIT = new Set([READ_ONLY, "0A000"]);

const INSUFFICIENT_PRIVILEGE = "42501";
const DIVISION_BY_ZERO = "22012";

export function unavailable(cause?: unknown): ServiceError {
  return new ServiceError("unavailable", { retryAfterSeconds: 1, cause });
}

/** True for errors that are, or become, `unavailable`. */
export function isUnavailable(error: unknown): boolean {
  const fault = asServiceError(error);
  return fault instanceof ServiceError && fault.code === "unavailable";
}

/** The SQLSTATE of an error that the server reported, which leaves the connection in a known state. */
function sqlStateOf(error: unknown): string {
  return (error instanceof pg.DatabaseError && error.code) || "";
}

/** True when the connection must not be used again. */
export function isBroken(error: unknown): boolean {
  if (error instanceof ServiceError) return false;
  return isFatal(error) || isConnectionError(error) || UNFIT.has(sqlStateOf(error));
}

function isFatal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.severity === "FATAL" || error.severity === "PANIC");
}

export function isReadOnly(error: unknown): boolean {
  return sqlStateOf(error) === READ_ONLY;
}

/** True if the role lacks a right. */
export function isForbidden(error: unknown): boolean {
  return sqlStateOf(error) === INSUFFICIENT_PRIVILEGE;
}

export function isRepeatable(error: unknown): boolean {
  return REPEATABLE.has(sqlStateOf(error));
}

/** True for a COMMIT that the server has refused as late: the check of the time divides by zero. */
export function isLate(error: unknown): boolean {
  return sqlStateOf(error) === DIVISION_BY_ZERO;
}

/** Faults of the engine become `unavailable`; errors in our SQL and of the domain are returned unchanged. */
export function asServiceError(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const isEngineFault = ENGINE_FAULTS.test(sqlStateOf(error)) || isFatal(error) || isConnectionError(error);
  return isEngineFault ? unavailable(error) : error;
}

const DRIVER_MESSAGES =
  /timeout|terminated|ended|closed|connection|not queryable|ssl|Client has encountered/i;

/** The driver has no class for these: they are system errors, or errors recognised by their message. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof pg.DatabaseError) return false;
  return "syscall" in error || DRIVER_MESSAGES.test(error.message);
}

export const READ_ONLY_ADVICE =
  "It is a replica, or set to be read-only. Set DATABASE_URL to the primary server.";

const WRITE_ADVICE: Partial<Record<string, string>> = {
  [READ_ONLY]: READ_ONLY_ADVICE,
  [INSUFFICIENT_PRIVILEGE]:
    "Use the role that owns the database in DATABASE_URL, or let it grant the missing rights: GRANT USAGE, CREATE ON SCHEMA public TO ROLE; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ROLE.",
};

/** Undefined for errors that do not concern writing. */
export function explainPostgresFault(error: unknown): ExplainedError | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  const advice = WRITE_ADVICE[sqlStateOf(cause)];
  if (advice === undefined) return undefined;
  return new ExplainedError(`PostgreSQL takes no writes: ${(cause as Error).message}`, advice);
}
