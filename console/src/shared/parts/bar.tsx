// A bar that shows how much of a limit is used.

import { formatCount, formatDuration } from "../state/format.ts";
import { serviceNowMs } from "../state/server-clock.ts";
import { t } from "../texts/language.ts";

interface BarProps {
  label: string;
  limit: number;
  remaining: number;
  /** Unix time in seconds. */
  reset: number;
}

export function Bar({ label, limit, remaining, reset }: BarProps) {
  const used = limit - remaining;
  const share = Math.min(100, (used / limit) * 100);
  return (
    <div class="bar">
      <div class="bar-words">
        <strong>{label}</strong>
        <span>{t().bar.used(formatCount(used), formatCount(limit))}</span>
      </div>
      <meter class="visually-hidden" aria-label={t().bar.meter(label)} min={0} max={limit} value={used} />
      <div class={share >= 90 ? "track full" : "track"} aria-hidden="true">
        <div style={{ width: `${used > 0 ? Math.max(share, 1) : 0}%` }} />
      </div>
      <small>
        {t().bar.left(formatCount(remaining))}
        {used > 0 && t().bar.fullIn(formatDuration(reset * 1000 - serviceNowMs()))}
      </small>
    </div>
  );
}
