// Prints a key for people or as JSON.

import { systemClock } from "../../domain/basics/clock.ts";
import { type ApiKey, describeKey } from "../../domain/keys/api-key.ts";
import type { IssuedKey } from "../../domain/keys/key-ring.ts";
import { type Columns, print, printJson, printProperties, showTime } from "../output.ts";

export type DescribedKey = ReturnType<typeof describe>;

export const KEY_COLUMNS: Columns<DescribedKey> = {
  ID: ({ id }) => String(id),
  NAME: ({ name }) => name,
  KEY: ({ hint }) => `${hint}…`,
  PLAN: ({ plan }) => plan,
  ACCESS: ({ access }) => access,
  "PER MINUTE": ({ perMinute }) => String(perMinute),
  "PER DAY": ({ perDay }) => String(perDay),
  STATE: ({ state }) => state,
  "LAST USED": ({ lastUsedAt }) => showTime(lastUsedAt, "never"),
};
/** For a store with several shelters. */
export const SHELTER_COLUMN: Columns<DescribedKey> = {
  SHELTER: ({ shelterId }) => String(shelterId ?? ""),
};

export function describe(key: ApiKey) {
  return describeKey(key, systemClock.nowMs());
}

export function printIssuedKey({ key, secret, oldEndsAtMs }: IssuedKey, asJson: boolean): void {
  const oldEndsAt = oldEndsAtMs === undefined ? undefined : new Date(oldEndsAtMs);
  if (!asJson) {
    print(`${secret}\n\nThis is the key. Keep it now: it cannot be shown again.`);
    if (oldEndsAt !== undefined) print(`The old one works until ${showTime(oldEndsAt)}.`);
    print("");
  }
  printKey(key, asJson, { json: { key: secret, oldEndsAt } });
}

/** `more` is added to the properties of the key, in either form. */
export function printKey(key: ApiKey, asJson: boolean, more: { json?: object; text?: object } = {}): void {
  const described = describe(key);
  if (asJson) {
    printJson({ ...described, ...more.json });
    return;
  }
  const { id, name, hint, plan, access, perMinute, perDay, shelterId, state, deprecatedUsedAt } = described;
  printProperties({
    id: String(id),
    name,
    key: `${hint}…`,
    plan: `${plan} (${perMinute} a minute, ${perDay} a day)`,
    access,
    ...(shelterId !== undefined && { shelter: String(shelterId) }),
    state,
    created: showTime(described.createdAt),
    expires: showTime(described.expiresAt, "never"),
    "last used": showTime(described.lastUsedAt, "never"),
    ...(deprecatedUsedAt && { "last getPet": showTime(deprecatedUsedAt) }),
    ...more.text,
  });
}
