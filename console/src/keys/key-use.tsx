// The use of a key by day and operation: a chart of the most used operations, and a table of all.

import type { UsageDay } from "../../../client/src/client.ts";
import { answerKinds, countByKind } from "../shared/parts/answer-kinds.ts";
import { Chart, type Series, sum } from "../shared/parts/chart.tsx";
import { Table } from "../shared/parts/table.tsx";
import { formatCount, formatShortDay } from "../shared/state/format.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";

/** These have colours of their own; the others are shown as one. */
const SHOWN_MAX = 4;
const LABEL_EVERY = 6;

export function KeyUse({ days }: { days: UsageDay[] | undefined }) {
  const texts = t().keys;
  const answers = days?.flatMap((day) => day.answers) ?? [];
  const operations = rankOperations(answers);
  const shown = operations.slice(0, SHOWN_MAX);
  const series: Series[] = shown.map((operation, index) => ({ name: `use-${index + 1}`, label: operation }));
  if (operations.length > SHOWN_MAX) series.push({ name: "use-others", label: texts.otherOperations });
  const total = sum(answers.map(({ count }) => count));
  return (
    <section aria-labelledby="use">
      <h2 id="use">{texts.use}</h2>
      <Chart
        summary={texts.useSummary(formatCount(total))}
        unit={later().usage.per.day}
        axis={later().usage.day}
        series={series}
        columns={days?.map((day) => {
          const known = shown.map((operation) => countOf(day.answers, (each) => each === operation));
          const others = countOf(day.answers, (each) => !shown.includes(each));
          return { at: day.at, label: formatShortDay(day.at), counts: [...known, others] };
        })}
        labelEvery={LABEL_EVERY}
      />
      {days !== undefined && operations.length === 0 && <p class="quiet">{texts.unused}</p>}
      {operations.length > 0 && <OperationTable operations={operations} answers={answers} />}
    </section>
  );
}

type Answers = UsageDay["answers"];

function OperationTable({ operations, answers }: { operations: string[]; answers: Answers }) {
  const texts = t().keys;
  const kinds = answerKinds();
  return (
    <>
      <h3>{texts.byOperation}</h3>
      <p class="quiet">{texts.operationHint}</p>
      <Table
        label={texts.byOperation}
        className="operations"
        headings={[texts.operation, ...kinds.map(({ label }) => label)]}
      >
        {operations.map((operation) => {
          const counts = countByKind(answers.filter((each) => each.operation === operation));
          return (
            <tr key={operation}>
              <th scope="row">
                <code>{operation}</code>
              </th>
              {kinds.map(({ name, label }, index) => (
                <td key={name} data-label={label}>
                  {formatCount(counts[index] ?? 0)}
                </td>
              ))}
            </tr>
          );
        })}
      </Table>
    </>
  );
}

function rankOperations(answers: Answers): string[] {
  const totals = new Map<string, number>();
  for (const { operation, count } of answers) totals.set(operation, (totals.get(operation) ?? 0) + count);
  return [...totals].sort(([, one], [, other]) => other - one).map(([operation]) => operation);
}

function countOf(answers: Answers, isCounted: (operation: string) => boolean): number {
  return sum(answers.filter(({ operation }) => isCounted(operation)).map(({ count }) => count));
}
