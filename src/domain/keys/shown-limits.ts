// What callers learn of their limits: the window that binds them, and the counts of both.

import type { Admission, WindowView } from "./admission.ts";

/** The decision on the key of an admitted visitor. It shows the limits with less left: the key's or the visitor's. */
export function joinAdmissions(visitor: Admission, ofKey: Admission): Admission {
  const isKeyLower = bindingWindow(ofKey).remaining < bindingWindow(visitor).remaining;
  if (ofKey.verdict !== "admitted" || isKeyLower) return ofKey;
  return { ...visitor, ...(ofKey.versions && { versions: ofKey.versions }) };
}

/** The window shown in X-RateLimit-*: the one that refuses, else the one with the least left, minute on a tie. */
export function bindingWindow({ verdict, windows }: Admission): WindowView {
  const refusing = windows.find(({ name }) => name === verdict);
  return refusing ?? windows.reduce((least, other) => (other.remaining < least.remaining ? other : least));
}

interface UsageWindow {
  limit: number;
  remaining: number;
  reset: number;
}

/** The counts as the API and the commands show them; resets are Unix times in seconds, rounded up. */
export function describeUsage({ windows, bannedUntilMs }: Admission) {
  const shown = windows.map(({ name, limit, remaining, resetMs }) => [
    name,
    { limit, remaining, reset: unixSeconds(resetMs) },
  ]);
  return {
    ...(Object.fromEntries(shown) as { minute: UsageWindow; day?: UsageWindow }),
    ...(bannedUntilMs !== undefined && { ban: { reset: unixSeconds(bannedUntilMs) } }),
  };
}

/** Rounded up, so that the limit has been reset at this second. */
export function unixSeconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
