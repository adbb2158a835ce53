// Records bans in the audit log, each once: a banned client must not cause a query per request.

import type { Clock } from "../../domain/basics/clock.ts";
import type { Admission } from "../../domain/keys/admission.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import type { AuditStore } from "../../domain/keys/audit.ts";
import { createBoundedMap } from "../../tools/bounded-map.ts";

const REMEMBERED_MAX = 10_000;
const RETRY_MS = 1_000;

/** Records the ban of a refused request; undefined if there is none, or if it is recorded already. */
type RecordBan = (key: ApiKey, admission: Admission) => Promise<void> | undefined;

/**
 * The gate does not report whose request began a ban, and its node may end before it writes. So every node that refuses a
 * banned key reports the ban, and the store writes one record.
 */
export function createBanRecorder(audit: AuditStore, clock: Clock): RecordBan {
  const reported = createBoundedMap<bigint, { untilMs: number; retryAtMs: number }>(REMEMBERED_MAX);

  async function record(keyId: bigint, untilMs: number, nowMs: number): Promise<void> {
    reported.set(keyId, { untilMs, retryAtMs: nowMs + RETRY_MS });
    await audit.recordBan(keyId, untilMs, nowMs);
    reported.set(keyId, { untilMs, retryAtMs: Number.POSITIVE_INFINITY });
  }

  return ({ id }, { verdict, bannedUntilMs }) => {
    if (verdict !== "banned" || bannedUntilMs === undefined) return undefined;
    const nowMs = clock.nowMs();
    const known = reported.get(id);
    if (known?.untilMs === bannedUntilMs && nowMs < known.retryAtMs) return undefined;
    return record(id, bannedUntilMs, nowMs);
  };
}
