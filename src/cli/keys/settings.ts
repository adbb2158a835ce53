// The settings of a key as options of `keys create` and `keys update`.

import { systemClock } from "../../domain/basics/clock.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { parseInt64 } from "../../domain/basics/int64.ts";
import { parseTime, TIME_RULE } from "../../domain/basics/time.ts";
import type { KeyChanges } from "../../domain/keys/api-key.ts";
import { ACCESS_LEVELS, OWN_LIMIT_MAX, PLAN_NAMES } from "../../domain/keys/plan.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { COMMAND } from "../../tools/program.ts";
import { choice, type Flags, option, readCount, TEXT, UsageError } from "../command.ts";

const OWN_LIMIT = option((text, flag) =>
  text === "none" ? null : readCount(flag, text, { min: 1, max: OWN_LIMIT_MAX }),
);

export const SETTINGS = {
  name: TEXT,
  plan: choice(PLAN_NAMES),
  access: choice(ACCESS_LEVELS),
  "per-minute": OWN_LIMIT,
  "per-day": OWN_LIMIT,
  "expires-at": option(readExpiry),
  shelter: option(readShelter),
  origin: { type: "string", multiple: true },
} as const;

/** The names of the API's body, which its messages contain. */
const OPTIONS: Record<string, string> = {
  name: "--name",
  perMinute: "--per-minute",
  perDay: "--per-day",
  expiresAt: "--expires-at",
  shelterId: "--shelter",
  access: "--access",
  allowedOrigins: "--origin",
};
const UNKNOWN_SHELTER = "shelterId: ";
/** At the start of each fault. */
const MEMBER = /(?<=^|; )\w+/g;

/** Only the settings that were given; null for one that is removed. */
export function toChanges(flags: Flags<typeof SETTINGS>): KeyChanges {
  const { name, plan, access, "per-minute": perMinute, "per-day": perDay, "expires-at": expiresAtMs } = flags;
  const { shelter: shelterId, origin: allowedOrigins } = flags;
  const settings = { name, plan, access, perMinute, perDay, expiresAtMs, shelterId, allowedOrigins };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function readExpiry(text: string, flag: string): number | null {
  if (text === "never") return null;
  const ms = parseTime(text);
  if (ms === undefined) throw new UsageError(`${flag} must be ${TIME_RULE}.`);
  if (ms <= systemClock.nowMs())
    throw new UsageError(`${flag} must be in the future; use revoke to end a key now.`);
  return ms;
}

function readShelter(text: string, flag: string): bigint | null {
  if (text === "none") return null;
  const id = parseInt64(text);
  if (id === undefined) throw new UsageError(`${flag} must be the id of a shelter, or none.`);
  return id;
}

/** The settings are checked as in the API; its messages then name the options instead of the members of a body. */
export async function namingOptions(work: () => Promise<void>): Promise<void> {
  await Promise.try(work).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.code !== "invalid_body") throw error;
    const message = error.message.replaceAll(MEMBER, (member) => OPTIONS[member] ?? member);
    const advice = error.message.startsWith(UNKNOWN_SHELTER) ? ` List them: ${COMMAND} shelters list` : "";
    throw new OperatorError(`${message}.${advice}`);
  });
}
