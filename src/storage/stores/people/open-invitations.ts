// Open invitations in SQL: the condition, and how they end without being accepted.

import type { Row, Transaction } from "../../database.ts";

/** SQL: whether an invitation can be accepted. */
export function isOpenAt(now: string): string {
  return `accepted_at_ms IS NULL AND revoked_at_ms IS NULL AND expires_at_ms > ${now}`;
}

/** After a restore: codes that were used since the backup must not work a second time. */
export async function closeAllCodes(tx: Transaction, nowMs: number): Promise<void> {
  await tx.run(`UPDATE invitations SET revoked_at_ms = $1 WHERE ${isOpenAt("$1")}`, [nowMs]);
  await tx.run("DELETE FROM device_links");
}

/** Revokes the open ones that meet the condition on `id`, which is $1. Resolves to their ids. */
export async function revokeInvitations(
  tx: Transaction,
  condition: string,
  { id, nowMs }: { id: bigint; nowMs: number },
): Promise<bigint[]> {
  const sql = `UPDATE invitations SET revoked_at_ms = $2 WHERE ${condition} AND ${isOpenAt("$2")} RETURNING id`;
  return (await tx.all(sql, [id, nowMs])).map((row: Row) => row.id as bigint);
}
