// The remaining requests of the key, in the corner of the page.

import { formatCount, formatDuration } from "../state/format.ts";
import { findBindingWindow } from "../state/rate-now.ts";
import { t } from "../texts/language.ts";

export function RateCorner() {
  const window = findBindingWindow();
  if (window === undefined) return null;
  const { limit, remaining, leftMs } = window;
  const isLow = remaining < limit / 10;
  return (
    <a href="#usage" class={isLow ? "rate low" : "rate"}>
      <span class="visually-hidden">{t().rate.label} </span>
      <strong>{formatCount(remaining)}</strong>
      <span class="wide"> {t().rate.of(formatCount(limit))}</span> {t().rate.left}
      {remaining < limit && <span class="quiet rate-time"> · {formatDuration(leftMs)}</span>}
    </a>
  );
}
