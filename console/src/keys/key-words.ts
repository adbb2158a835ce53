// The words for keys: state, limits, and the choices of a plan and an access level.

import { type ApiKey, PLANS, VALUES } from "../../../client/src/client.ts";
import { capitalise, formatClock, formatCount } from "../shared/state/format.ts";
import { shelterName } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";

/** A banned key is active too, but people need to know that it does not work now. */
export function stateOf({ state, ban }: Pick<ApiKey, "state" | "ban">): ApiKey["state"] | "banned" {
  return state === "active" && ban !== undefined ? "banned" : state;
}

/** `reset` is a Unix time in seconds. */
export function formatBanEnd({ reset }: { reset: number }): string {
  return formatClock(new Date(reset * 1000));
}

export function describeLimits({ perMinute, perDay }: Pick<ApiKey, "perMinute" | "perDay">): string {
  return t().keys.limitsOf(formatCount(perMinute), perDay === undefined ? undefined : formatCount(perDay));
}

export function shelterOf({ shelterId }: Pick<ApiKey, "shelterId">): string {
  return shelterId === undefined ? t().shelters.network : shelterName(shelterId);
}

export function planChoices(): Array<[value: string, text: string]> {
  return VALUES.Plan.map((plan) => {
    const limits = describeLimits(PLANS[plan]);
    return [plan, `${capitalise(plan)} – ${plan === "enterprise" ? t().keys.orOwn(limits) : limits}`];
  });
}

export function accessChoices(): Array<[value: string, text: string]> {
  const { levels, levelHints } = t().keys;
  return VALUES.Access.map((access) => [access, `${levels[access]} – ${levelHints[access]}`]);
}
