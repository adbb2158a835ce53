// The flags of the `keys` subcommands that are settings of a key.

import { systemClock } from "../../domain/basics/clock.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { parseTime, TIME_RULE } from "../../domain/basics/time.ts";
import type { KeyChanges } from "../../domain/keys/api-key.ts";
import { ACCESS_LEVELS, OWN_LIMIT_MAX, PLAN_NAMES } from "../../domain/keys/plan.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { readChoice, readCount, TEXT, UsageError } from "../command.ts";

export const SETTING_FLAGS = {
  name: TEXT,
  plan: TEXT,
  access: TEXT,
  "per-minute": TEXT,
  "per-day": TEXT,
  "expires-at": TEXT,
};

const OPTIONS: Record<string, string> = {
  name: "--name",
  perMinute: "--per-minute",
  perDay: "--per-day",
  expiresAt: "--expires-at",
};
/** At the start of each fault. */
const MEMBER = /(?<=^|; )\w+/g;

type SettingFlags = { [Name in keyof typeof SETTING_FLAGS]?: string | undefined };

/** Only the settings that were given; null for one that is removed. */
export function readSettings(flags: SettingFlags): KeyChanges {
  const range = { min: 1, max: OWN_LIMIT_MAX };
  const settings: KeyChanges = {
    name: flags.name,
    plan: flags.plan === undefined ? undefined : readChoice("--plan", flags.plan, PLAN_NAMES),
    access: flags.access === undefined ? undefined : readChoice("--access", flags.access, ACCESS_LEVELS),
    perMinute: readRemovable(flags["per-minute"], "none", (text) => readCount("--per-minute", text, range)),
    perDay: readRemovable(flags["per-day"], "none", (text) => readCount("--per-day", text, range)),
    expiresAtMs: readRemovable(flags["expires-at"], "never", readExpiry),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function readExpiry(text: string): number {
  const ms = parseTime(text);
  if (ms === undefined) throw new UsageError(`--expires-at must be ${TIME_RULE}.`);
  if (ms <= systemClock.nowMs())
    throw new UsageError("--expires-at must be in the future; use revoke to end a key now.");
  return ms;
}

/** The settings are checked as in the API: its messages name the members of a body. */
export async function namingOptions(work: () => Promise<void>): Promise<void> {
  await Promise.try(work).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.code !== "invalid_body") throw error;
    throw new OperatorError(`${error.message.replaceAll(MEMBER, (member) => OPTIONS[member] ?? member)}.`);
  });
}

/** The word `removed` removes the setting. */
function readRemovable<T>(
  text: string | undefined,
  removed: string,
  read: (text: string) => T,
): T | null | undefined {
  if (text === undefined) return undefined;
  return text === removed ? null : read(text);
}
