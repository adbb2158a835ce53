// Output of one key: its properties, and its secret if it was just created.

import { systemClock } from "../../domain/clock.ts";
import { type ApiKey, describeKey } from "../../domain/keys/api-key.ts";
import type { IssuedKey } from "../../domain/keys/key-ring.ts";
import { print, printJson, printProperties } from "../output.ts";

export function printIssuedKey({ key, secret, oldEndsAtMs }: IssuedKey, asJson: boolean | undefined): void {
  const described = describeKey(key, systemClock.nowMs());
  const oldEndsAt = oldEndsAtMs === undefined ? undefined : new Date(oldEndsAtMs);
  if (asJson) {
    printJson({ ...described, key: secret, oldEndsAt });
    return;
  }
  print(`${secret}\n\nThis is the key. Keep it now: it cannot be shown again.`);
  if (oldEndsAt !== undefined) print(`The old one works until ${oldEndsAt.toISOString()}.`);
  print("");
  printKeyProperties(described);
}

export function printKey(key: ApiKey, asJson: boolean | undefined): void {
  const described = describeKey(key, systemClock.nowMs());
  if (asJson) printJson(described);
  else printKeyProperties(described);
}

export function printKeyProperties(
  described: ReturnType<typeof describeKey>,
  more: Record<string, string> = {},
): void {
  const { id, name, hint, plan, access, perMinute, perDay, state } = described;
  const { createdAt, expiresAt, lastUsedAt, deprecatedUsedAt } = described;
  printProperties({
    id: String(id),
    name,
    key: `${hint}…`,
    plan: `${plan} (${perMinute} a minute, ${perDay} a day)`,
    access,
    state,
    created: createdAt.toISOString(),
    expires: expiresAt?.toISOString() ?? "never",
    "last used": lastUsedAt?.toISOString() ?? "never",
    ...(deprecatedUsedAt && { "last getPet": deprecatedUsedAt.toISOString() }),
    ...more,
  });
}
