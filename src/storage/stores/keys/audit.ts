// The audit log in SQL. Every store that changes the service itself records it here, in its own transaction.

import { INT64_MAX } from "../../../domain/basics/int64.ts";
import {
  type Actor,
  type AuditAction,
  type AuditRecord,
  type AuditState,
  type AuditStore,
  type AuditTarget,
  type NewAuditRecord,
  SERVICE_ACTOR,
} from "../../../domain/keys/audit.ts";
import { auditBan } from "../../../domain/keys/key-audit.ts";
import { exactJson } from "../../../tools/exact-json.ts";
import type { Database, Queries, Row, SqlValue, Transaction } from "../../database.ts";
import { columnsOf, placeholders, TABLES, toOptional } from "../../tables.ts";
import { personOfKey, toPersonName } from "../people/person-name.ts";

const COLUMNS = TABLES.audit;
const IDENTIFIERS = ["firstId", "lastId", "shelterId", "personId"] satisfies Array<
  keyof AuditState
> as string[];
const INSERT = `INSERT INTO audit (${COLUMNS})
  VALUES ((SELECT coalesce(max(number), 0) + 1 FROM audit), ${placeholders(columnsOf("audit").length - 1)})`;

/**
 * The row of the store stays locked until COMMIT, so numbers have no gaps and become visible in ascending order. Call it
 * after all other changes of the transaction: another lock order can deadlock.
 */
export async function recordAudit(tx: Transaction, record: NewAuditRecord): Promise<void> {
  await lockNumbers(tx);
  await tx.run(INSERT, valuesOf(record));
}

export function createAuditStore(db: Database): AuditStore {
  return {
    async list({ limit, after = INT64_MAX }) {
      const sql = `SELECT ${COLUMNS}, ${personOfKey("actor_key_id")} FROM audit WHERE number < $2 ORDER BY number DESC LIMIT $1`;
      return (await db.all(sql, [limit, after])).map(toRecord);
    },

    async recordBan(keyId, bannedUntilMs, atMs) {
      const ban = { ...auditBan(bannedUntilMs), actor: SERVICE_ACTOR, atMs, target: { keyId } };
      // A plain read first: most calls come from nodes that are not the first to notice the ban.
      if (await hasBan(db, ban)) return;
      await db.transaction(async (tx) => {
        await lockNumbers(tx);
        if (!(await hasBan(tx, ban))) await tx.run(INSERT, valuesOf(ban));
      });
    },
  };
}

/** PostgreSQL reads the newest number with the next statement, after the wait for the lock. */
async function lockNumbers(tx: Transaction): Promise<void> {
  await tx.lock("SELECT id FROM store");
}

async function hasBan(db: Queries, { target, to }: NewAuditRecord): Promise<boolean> {
  const sql = "SELECT number FROM audit WHERE action = 'key.banned' AND target = $1 AND state_after = $2";
  return (await db.first(sql, [toTargetText(target), toStateText(to)])) !== undefined;
}

function valuesOf({ action, actor, target, from, to, atMs }: NewAuditRecord): SqlValue[] {
  const [keyId, command] = "keyId" in actor ? [actor.keyId, null] : [null, actor.command];
  return [action, keyId, command, toTargetText(target), toStateText(from), toStateText(to), atMs];
}

function toRecord(row: Row): AuditRecord {
  return {
    number: row.number as bigint,
    action: row.action as AuditAction,
    actor: toActor(row),
    target: toTarget(toOptional<string>(row.target)),
    from: toState(toOptional<string>(row.state_before)),
    to: toState(toOptional<string>(row.state_after)),
    atMs: Number(row.at_ms),
  };
}

function toActor(row: Row): Actor {
  const { actor_key_id: keyId, actor_command: command } = row;
  if (typeof keyId !== "bigint") return { command: command as string };
  const person = toPersonName(row);
  return { keyId, ...(person && { person }) };
}

/** Example: `keyId:2`. */
function toTargetText(target: AuditTarget | undefined): string | null {
  return target === undefined ? null : (Object.entries(target)[0] as [string, unknown]).join(":");
}

function toTarget(text: string | undefined): AuditTarget | undefined {
  if (text === undefined) return undefined;
  const colon = text.indexOf(":");
  const [name, value] = [text.slice(0, colon), text.slice(colon + 1)];
  return { [name]: name === "file" ? value : BigInt(value) } as AuditTarget;
}

/** Identifiers stay exact int64. */
function toStateText(state: AuditState | undefined): string | null {
  return state === undefined ? null : exactJson(state);
}

function toState(text: string | undefined): AuditState | undefined {
  if (text === undefined) return undefined;
  return JSON.parse(text, (name, value, { source }) =>
    IDENTIFIERS.includes(name) && value !== null ? BigInt(source) : value,
  ) as AuditState;
}
