// Progress of the work after a migration, which takes minutes in a large store.

import type { Queries } from "../database.ts";

export interface ProgressOptions {
  write(line: string): void;
  /** Animals between two lines. A smaller store gets none. */
  span?: bigint;
}

/** About 10 s of work. */
const SPAN = 50_000n;

export interface Progress {
  /** All animals up to this id are done. */
  showDone(what: string, id: bigint): void;
  /** Shows a step whose progress is unknown. */
  showStep(line: string): void;
}

export async function createProgress(
  db: Queries,
  { write, span = SPAN }: ProgressOptions,
): Promise<Progress> {
  const last = (await db.first("SELECT coalesce(max(id), 0) AS id FROM pets"))?.id as bigint;
  let shown = "";

  function showStep(line: string): void {
    if (last >= span) write(line);
  }

  return {
    showStep,
    showDone(what, id) {
      const part = `${what} ${id / span}`;
      if (part !== shown) showStep(`${what}: ${format(id < last ? id : last)} of ${format(last)} animals`);
      shown = part;
    },
  };
}

function format(id: bigint): string {
  return id.toLocaleString("en");
}
