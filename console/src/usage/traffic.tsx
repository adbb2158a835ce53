// The requests to the service in the last hour, day or 90 days, for admins.

import { DAYS_KEPT } from "../../../src/domain/usage/usage-limits.ts";
import { answerKinds, countByKind } from "../shared/parts/answer-kinds.ts";
import { Chart, sum } from "../shared/parts/chart.tsx";
import { LoadFailure } from "../shared/parts/load-failure.tsx";
import { Pills } from "../shared/parts/pills.tsx";
import { formatClock, formatCount, formatShortDay } from "../shared/state/format.ts";
import { useLoaded, useReloads } from "../shared/state/loading.ts";
import { queryChoice, setQuery } from "../shared/state/place.ts";
import { ask } from "../shared/state/session.ts";
import { later } from "../shared/texts/pages.ts";

const PERIODS = {
  hour: { per: "minute", last: 60, labelEvery: 10 },
  day: { per: "hour", last: 24, labelEvery: 4 },
  quarter: { per: "day", last: DAYS_KEPT, labelEvery: 15 },
} as const;
type Period = keyof typeof PERIODS;
const NAMES = Object.keys(PERIODS) as Period[];

/** Not shorter: each read is charged to the signed-in key. */
const READ_EVERY_MS = 20_000;

export function Traffic() {
  const period = queryChoice("period", NAMES) ?? "hour";
  const { per, last, labelEvery } = PERIODS[period];
  const loaded = useLoaded(
    (signal) => ask((client) => client.getTrafficPeriods({ per, last }, { signal })),
    [period],
  );
  const { data, isForOthers } = loaded;
  useReloads(loaded, READ_EVERY_MS);
  const shown = isForOthers.value ? undefined : data.value;
  const total = sum(shown?.flatMap(({ answers }) => answers.map(({ count }) => count)) ?? []);
  const texts = later().usage;
  return (
    <section aria-labelledby="traffic">
      <div class="tools">
        <h2 id="traffic">{texts.traffic}</h2>
        <Pills
          label={texts.traffic}
          pills={NAMES.map((name) => ({ value: name, text: texts.periods[name] }))}
          chosen={period}
          onChoose={(name) => setQuery({ period: name === "hour" ? undefined : name })}
        />
      </div>
      <p class="quiet">{texts.trafficHint}</p>
      <LoadFailure loaded={loaded} />
      <Chart
        summary={texts.summary[period](formatCount(total))}
        unit={texts.per[per]}
        axis={per === "day" ? texts.day : texts.time}
        series={answerKinds()}
        columns={shown?.map(({ at, answers }) => ({
          at,
          label: (per === "day" ? formatShortDay : formatClock)(at),
          counts: countByKind(answers),
        }))}
        labelEvery={labelEvery}
      />
    </section>
  );
}
