// Prints a key for people or as JSON.

import { systemClock } from "../../domain/basics/clock.ts";
import { type ApiKey, describeKey } from "../../domain/keys/api-key.ts";
import type { IssuedKey } from "../../domain/keys/key-ring.ts";
import { escapeUnsafe, showName } from "../../tools/shown-text.ts";
import { type Columns, print, printJson, printProperties, showTime } from "../output.ts";

export type DescribedKey = ReturnType<typeof describe>;

export const KEY_COLUMNS: Columns<DescribedKey> = {
  ID: ({ id }) => String(id),
  NAME: ({ name }) => name,
  KEY: ({ hint }) => `${hint}…`,
  PLAN: ({ plan }) => plan,
  ACCESS: showAccess,
  "PER MINUTE": ({ perMinute }) => String(perMinute),
  "PER DAY": ({ perDay }) => String(perDay ?? ""),
  STATE: ({ state }) => state,
  "LAST USED": ({ lastUsedAt }) => showTime(lastUsedAt, "never"),
};
/** For a store with several shelters. */
export const SHELTER_COLUMN: Columns<DescribedKey> = {
  SHELTER: ({ shelterId }) => String(shelterId ?? ""),
};

/** For a store with people. */
export const PERSON_COLUMN: Columns<DescribedKey> = {
  PERSON: ({ person }) => showName(person?.name ?? ""),
};

export function describe(key: ApiKey) {
  return describeKey(key, systemClock.nowMs());
}

export function printIssuedKey({ key, secret, oldEndsAtMs }: IssuedKey, asJson: boolean): void {
  const oldEndsAt = oldEndsAtMs === undefined ? undefined : new Date(oldEndsAtMs);
  if (!asJson) {
    const advice =
      key.kind === "publishable"
        ? "It is no secret: put it into your web page."
        : "Keep it now: it cannot be shown again.";
    print(`${secret}\n\nThis is the key. ${advice}`);
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
  const { id, name, person, hint, plan, perMinute, perDay, shelterId, state, deprecatedUsedAt } = described;
  printProperties({
    id: String(id),
    name,
    ...(person && { person: `${escapeUnsafe(person.name)} (${person.id})` }),
    key: described.key ?? `${hint}…`,
    plan: `${plan} (${perMinute} a minute${perDay === undefined ? "" : `, ${perDay} a day`})`,
    access: showAccess(described),
    ...(described.allowedOrigins && { origins: described.allowedOrigins.join(" ") }),
    ...(shelterId !== undefined && { shelter: String(shelterId) }),
    state,
    created: showTime(described.createdAt),
    expires: showTime(described.expiresAt, "never"),
    "last used": showTime(described.lastUsedAt, "never"),
    ...(deprecatedUsedAt && { "last getPet": showTime(deprecatedUsedAt) }),
    ...more.text,
  });
}

function showAccess({ kind, access }: DescribedKey): string {
  return kind === "publishable" ? kind : access;
}
