// A reader that pages through a table while it grows, as a client follows a list.

import assert from "node:assert/strict";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Database } from "../../src/storage/database.ts";

const PAGE = 7;

/** Reads until `writing` has ended. Rejects if it has missed a row; otherwise resolves to all values of the column. */
export async function followTable(
  db: Database,
  { table, column }: { table: string; column: string },
  writing: Promise<unknown>,
): Promise<bigint[]> {
  const seen: bigint[] = [];
  const all = `SELECT ${column} AS value FROM ${table}`;
  const readOn = async () => {
    const page = `${all} WHERE ${column} > $1 ORDER BY ${column} LIMIT ${PAGE}`;
    const rows = await db.all(page, [seen.at(-1) ?? 0n]);
    seen.push(...rows.map(({ value }) => value as bigint));
    return rows.length;
  };
  let isEnded = false;
  const ended = writing.finally(() => {
    isEnded = true;
  });
  while (!isEnded) {
    await readOn();
    await yieldToEventLoop();
  }
  await ended;
  while ((await readOn()) > 0);
  const rows = await db.all(`${all} ORDER BY ${column}`);
  assert.deepEqual(
    seen,
    rows.map(({ value }) => value),
  );
  return seen;
}
