// The author of changes that tests make without a request, and an audit log that fails.

import type { Actor, AuditOrigin } from "../../../src/domain/keys/audit.ts";
import type { Database, Transaction } from "../../../src/storage/database.ts";

export const ACTOR: Actor = { command: "test" };

/** A database in which no audit record can be written. */
export function withoutAudit(db: Database): Database {
  const refuse = (tx: Transaction): Transaction => ({
    ...tx,
    run: async (sql, values) => {
      if (sql.startsWith("INSERT INTO audit")) throw new Error("no audit record");
      return tx.run(sql, values);
    },
  });
  return { ...db, transaction: (work, options) => db.transaction((tx) => work(refuse(tx)), options) };
}

export function stampAt(atMs: number): AuditOrigin {
  return { actor: ACTOR, atMs };
}
