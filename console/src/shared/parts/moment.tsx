// A time relative to now, with the exact time as its tooltip.

import { formatDistance, formatMoment } from "../state/format.ts";
import { serviceNowMs } from "../state/server-clock.ts";
import { t } from "../texts/language.ts";

interface MomentProps {
  at: string | undefined;
  never?: string;
  /** Whether it may lie ahead, as the end of a hold does. */
  isAhead?: boolean;
}

export function Moment({ at, never, isAhead }: MomentProps) {
  if (at === undefined) return <span class="quiet">{never ?? t().time.never}</span>;
  const time = new Date(at);
  const nowMs = serviceNowMs();
  // The time of the service is known to a second only: what has just happened must not seem to lie ahead.
  const shown = isAhead ? time : new Date(Math.min(time.getTime(), nowMs));
  return (
    <time dateTime={at} title={formatMoment(time)}>
      {formatDistance(shown, nowMs)}
    </time>
  );
}
