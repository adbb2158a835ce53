// Plans with their limits, and access levels: what a key may do, and how often.

export interface Limits {
  perMinute: number;
  perDay: number;
}

/** A publishable key has no limit per day, and is never banned. */
export interface KeyLimits {
  perMinute: number;
  perDay?: number | undefined;
}

export interface Policy extends KeyLimits {
  /** Bans and refusals from before this time do not count. */
  unbannedAtMs?: number | undefined;
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

/** Requests per minute that a publishable key allows each address. */
export const VISITOR_PER_MINUTE_MAX = 120;

/** Each level includes those before it. */
export const ACCESS_LEVELS = ["browse", "adopt", "manage", "admin"] as const;
export type Access = (typeof ACCESS_LEVELS)[number];

export function includesAccess(held: Access, needed: Access): boolean {
  return ACCESS_LEVELS.indexOf(held) >= ACCESS_LEVELS.indexOf(needed);
}

type Limited = { plan: Plan; kind: string } & { [Member in keyof Policy]?: Policy[Member] | undefined };

export function limitsOf(key: Limited): { perMinute: number; perDay?: number } {
  const { perMinute = PLANS[key.plan].perMinute, perDay = PLANS[key.plan].perDay } = key;
  return key.kind === "publishable" ? { perMinute } : { perMinute, perDay };
}

/** Half of the key's limit, so that one visitor cannot keep all others out. */
export function visitorLimitOf(key: Limited): number {
  return Math.min(VISITOR_PER_MINUTE_MAX, Math.ceil(limitsOf(key).perMinute / 2));
}

export function policyOf(key: Limited): Policy {
  return { ...limitsOf(key), unbannedAtMs: key.unbannedAtMs };
}
