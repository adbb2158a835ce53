// The rate limits of the key, read from the headers of a response.

/**
 * One of the rate limits of the key.
 *
 * @example
 * const show = ({ name, remaining, limit }: RateWindow) => console.log(`${name}: ${remaining} of ${limit}`);
 * client.rate?.windows.forEach(show);
 */
export interface RateWindow {
  /** `minute` or `day`. */
  name: string;
  seconds: number;
  limit: number;
  remaining: number;
  resetAt: Date;
}

/**
 * The rate limits of the key, as of a response.
 *
 * @example
 * const rate: RateState | undefined = client.rate;
 * if (rate?.remaining === 0) console.log(`No requests until ${rate.resetAt.toISOString()}.`);
 */
export interface RateState {
  /** The values of the window that will refuse first. */
  limit: number;
  remaining: number;
  resetAt: Date;
  /** All windows. */
  windows: RateWindow[];
}

const ITEM = /"([^"]*)"((?:\s*;\s*[a-z]+=[0-9]+)*)/g;
const PARAMETER = /([a-z]+)=([0-9]+)/g;

/** Undefined for a response without these headers, which does not come from the service. */
export function readRate(headers: Headers, nowMs: number): RateState | undefined {
  const limit = headers.get("x-ratelimit-limit");
  if (limit === null) return undefined;
  const policies = readItems(headers.get("ratelimit-policy"));
  return {
    limit: Number(limit),
    remaining: Number(headers.get("x-ratelimit-remaining")),
    resetAt: new Date(Number(headers.get("x-ratelimit-reset")) * 1000),
    windows: [...readItems(headers.get("ratelimit"))].map(([name, { r = 0, t = 0 }]) => {
      const { q = 0, w = 0 } = policies.get(name) ?? {};
      return { name, seconds: w, limit: q, remaining: r, resetAt: new Date(nowMs + t * 1000) };
    }),
  };
}

function readItems(header: string | null): Map<string, Record<string, number>> {
  const items = [...(header ?? "").matchAll(ITEM)];
  return new Map(
    items.map(([, name = "", parameters = ""]) => [
      name,
      Object.fromEntries([...parameters.matchAll(PARAMETER)].map(([, key, value]) => [key, Number(value)])),
    ]),
  );
}
