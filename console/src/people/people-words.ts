// The words for people: their access, their shelter, and how long an invitation is open.

import { type Access, type Person, VALUES } from "../../../client/src/client.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/basics/durations.ts";
import { serviceNowMs } from "../shared/state/server-clock.ts";
import { shelterName } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";

/** In hours; the first one is what the service chooses. */
const ADMIN_HOURS = [24, 1] as const;
const HOURS = [168, 24, 720] as const;

export function accessWords(access: Access): string {
  return t().keys.levels[access];
}

export function accessChoices(): Array<[value: string, text: string]> {
  return VALUES.Access.map((access) => [access, `${accessWords(access)} – ${later().people.levels[access]}`]);
}

export function shelterWords({ shelterId }: Pick<Person, "shelterId">): string {
  return shelterId === undefined ? t().shelters.network : shelterName(shelterId);
}

export function expiryChoices(access: Access): Array<[value: string, text: string]> {
  const hours = access === "admin" ? ADMIN_HOURS : HOURS;
  return hours.map((each) => [String(each), later().people.lasts[each]]);
}

/** Undefined where the service chooses the same time. */
export function expiryAfter(hours: string, access: Access): string | undefined {
  if (expiryChoices(access)[0]?.[0] === hours) return undefined;
  // Earlier than the latest time that the service allows, by which the clocks may differ.
  return new Date(serviceNowMs() + Number(hours) * HOUR_MS - MINUTE_MS).toISOString();
}
