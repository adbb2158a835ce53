// A bar that shows how much of a limit is used.

import { formatCount, formatDuration } from "../state/format.ts";
import { serviceNowMs } from "../state/server-clock.ts";

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
        <span>
          {formatCount(used)} of {formatCount(limit)} used
        </span>
      </div>
      <meter
        class="visually-hidden"
        aria-label={`${label}: requests used`}
        min={0}
        max={limit}
        value={used}
      />
      <div class={share >= 90 ? "track full" : "track"} aria-hidden="true">
        <div style={{ width: `${used > 0 ? Math.max(share, 1) : 0}%` }} />
      </div>
      <small>
        {formatCount(remaining)} left
        {used > 0 && `, full again in ${formatDuration(reset * 1000 - serviceNowMs())}`}
      </small>
    </div>
  );
}
