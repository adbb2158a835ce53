// The readiness check behind `/readyz`.

import type { Gate } from "./domain/keys/gate.ts";
import type { Readiness } from "./http/services.ts";
import type { Database } from "./storage/database.ts";
import type { WriteWatch } from "./storage/write-watch.ts";

interface Checked {
  db: Database;
  writes: WriteWatch;
  gate: Gate;
  isStopping: boolean;
}

export async function checkReadiness({ db, writes, gate, isStopping }: Checked): Promise<Readiness> {
  if (isStopping) return { status: "stopping", reasons: ["the service is stopping"] };
  try {
    await db.ping();
    const canWrite = await writes.isWritable();
    const reasons = [...(canWrite ? [] : ["the last write to the database failed"]), ...gate.faults()];
    return { status: reasons.length > 0 ? "degraded" : "ready", reasons };
  } catch {
    return { status: "unavailable", reasons: ["the database does not answer, or takes no writes"] };
  }
}
