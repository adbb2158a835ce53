// The words for keys: state, limits, kind, and the choices of a form.

import { type ApiKey, PLANS, VALUES } from "../../../client/src/client.ts";
import { capitalise, formatClock, formatCount } from "../shared/state/format.ts";
import { shelterName } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";

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

/** A publishable key has no limit per day. */
export function planChoices(isPublishable: boolean): Array<[value: string, text: string]> {
  return VALUES.Plan.map((plan) => {
    const { perMinute, perDay } = PLANS[plan];
    const limits = describeLimits(isPublishable ? { perMinute } : { perMinute, perDay });
    return [plan, `${capitalise(plan)} – ${plan === "enterprise" ? t().keys.orOwn(limits) : limits}`];
  });
}

/** A publishable key has no level. */
export function accessOf({ kind, access }: Pick<ApiKey, "kind" | "access">): string {
  return kind === "publishable" ? later().publishable.access : t().keys.levels[access];
}

/** A kind that this version does not know is shown as it is. */
export function kindOf({ kind }: Pick<ApiKey, "kind">): string {
  const kinds: Record<string, string> = later().publishable.kinds;
  return kinds[kind] ?? kind;
}

/** Those that can be created here: people get theirs by an invitation. */
export const NEW_KINDS = ["secret", "publishable"] as const;

export function kindChoices(): Array<[value: string, text: string]> {
  const { kinds, kindHints } = later().publishable;
  return NEW_KINDS.map((kind) => [kind, `${kinds[kind]} – ${kindHints[kind]}`]);
}

export function accessChoices(): Array<[value: string, text: string]> {
  const { levels, levelHints } = t().keys;
  return VALUES.Access.map((access) => [access, `${levels[access]} – ${levelHints[access]}`]);
}
