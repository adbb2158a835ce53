// The shelter in the form of a key.

import type { ApiKey, Int64 } from "../../../client/src/client.ts";

/**
 * Empty if the key keeps its shelter, also where the form has no field for it. Only a key that becomes an admin key
 * loses it without one.
 */
export function shelterChange(
  before: Pick<ApiKey, "shelterId">,
  fields: FormData,
): { shelterId?: Int64 | null } {
  if (!fields.has("shelter") && fields.get("access") !== "admin") return {};
  const chosen = String(fields.get("shelter") ?? "");
  if (chosen === String(before.shelterId ?? "")) return {};
  return { shelterId: chosen === "" ? null : BigInt(chosen) };
}
