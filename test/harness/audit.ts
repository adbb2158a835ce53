// The author of changes that tests make without a request.

import type { Actor, AuditStamp } from "../../src/domain/audit.ts";

export const ACTOR: Actor = { command: "test" };

export function stampAt(atMs: number): AuditStamp {
  return { actor: ACTOR, atMs };
}
