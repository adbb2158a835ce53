// A time relative to now, with the exact time as its tooltip.

import { formatDistance, formatMoment } from "../state/format.ts";
import { serviceNowMs } from "../state/server-clock.ts";
import { t } from "../texts/language.ts";

export function Moment({ at, never }: { at: string | undefined; never?: string }) {
  if (at === undefined) return <span class="quiet">{never ?? t().time.never}</span>;
  const time = new Date(at);
  return (
    <time dateTime={at} title={formatMoment(time)}>
      {formatDistance(time, serviceNowMs())}
    </time>
  );
}
