// Plans and their limits.

export interface Limits {
  perMinute: number;
  perDay: number;
}

/** A key on the enterprise plan may have its own limits; these are its defaults. */
export const PLANS = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: { perMinute: 10_000, perDay: 1_000_000 },
} as const satisfies Record<string, Limits>;

export type Plan = keyof typeof PLANS;
export const PLAN_NAMES = Object.keys(PLANS) as Plan[];

export const OWN_LIMIT_MAX = 1_000_000_000;

export function limitsOf(key: {
  plan: Plan;
  perMinute?: number | undefined;
  perDay?: number | undefined;
}): Limits {
  const { perMinute, perDay } = PLANS[key.plan];
  return { perMinute: key.perMinute ?? perMinute, perDay: key.perDay ?? perDay };
}
