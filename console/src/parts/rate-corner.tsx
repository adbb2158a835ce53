// The live rate limit in the corner: what the last answer has said, and how it stands since.

import { formatCount, formatDuration } from "../state/format.ts";
import { nowMs } from "../state/now.ts";
import { rate } from "../state/session.ts";

export function RateCorner() {
  if (rate.value === undefined) return null;
  const { limit, resetAt } = rate.value;
  const leftMs = resetAt.getTime() - nowMs.value;
  const remaining = leftMs > 0 ? rate.value.remaining : limit;
  const isLow = remaining < limit / 10;
  return (
    <a href="#usage" class={isLow ? "rate low" : "rate"}>
      <span class="unseen">Rate limit: </span>
      <strong>{formatCount(remaining)}</strong>
      <span class="wide"> of {formatCount(limit)}</span> left
      {remaining < limit && <span class="quiet"> · {formatDuration(leftMs)}</span>}
    </a>
  );
}
