// Requests by minute and status, as stacked columns and as an accessible table.

import type { TrafficMinute } from "../../../client/src/client.ts";
import { formatClock, formatCount } from "../state/format.ts";

const HEIGHT = 160;
const COLUMN = 10;

/** From the bottom up. */
const KINDS = [
  { name: "done", label: "2xx and 3xx", has: (status: number) => status < 400 },
  { name: "faulty", label: "4xx", has: (status: number) => status >= 400 && status < 500 && status !== 429 },
  { name: "refused", label: "429", has: (status: number) => status === 429 },
  { name: "broken", label: "5xx", has: (status: number) => status >= 500 },
];

export function TrafficChart({ minutes }: { minutes: TrafficMinute[] }) {
  const columns = minutes.map(({ at, answers }) => ({
    at: new Date(at),
    parts: KINDS.map(({ has }) => sum(answers.filter(({ status }) => has(status)))),
    total: sum(answers),
  }));
  const highest = Math.max(1, ...columns.map(({ total }) => total));
  const all = columns.reduce((before, { total }) => before + total, 0);
  return (
    <>
      <figure class="chart">
        <svg
          viewBox={`0 0 ${minutes.length * COLUMN} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${formatCount(all)} responses in the last hour, at most ${formatCount(highest)} in a minute. The numbers are in the table below.`}
        >
          {columns.map(({ at, parts, total }, index) => (
            <g key={at.getTime()}>
              <title>{`${formatClock(at)}: ${formatCount(total)}`}</title>
              {stack(parts, highest).map(({ y, height }, kind) => (
                <rect
                  key={KINDS[kind]?.name}
                  class={KINDS[kind]?.name}
                  x={index * COLUMN + 1}
                  y={y}
                  width={COLUMN - 2}
                  height={height}
                />
              ))}
            </g>
          ))}
        </svg>
        <div class="axis">
          <span>{columns[0] && formatClock(columns[0].at)}</span>
          <span>at most {formatCount(highest)} a minute</span>
          <span>now</span>
        </div>
        <figcaption>
          {KINDS.map(({ name, label }) => (
            <span key={name} class={`key ${name}`}>
              {label}
            </span>
          ))}
          <span class="quiet">{formatCount(all)} responses by this node</span>
        </figcaption>
      </figure>
      <details>
        <summary>The numbers as a table</summary>
        <TrafficTable minutes={minutes} />
      </details>
    </>
  );
}

function TrafficTable({ minutes }: { minutes: TrafficMinute[] }) {
  const busy = minutes.filter(({ answers }) => answers.length > 0).reverse();
  return (
    <table class="plain" aria-label="Responses by minute and status">
      <thead>
        <tr>
          <th scope="col">Minute</th>
          <th scope="col">Responses</th>
        </tr>
      </thead>
      <tbody>
        {busy.map(({ at, answers }) => (
          <tr key={at}>
            <th scope="row">{formatClock(new Date(at))}</th>
            <td>{answers.map(({ status, count }) => `${formatCount(count)} × ${status}`).join(", ")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function sum(answers: TrafficMinute["answers"]): number {
  return answers.reduce((before, { count }) => before + count, 0);
}

/** Stacks the parts of a column. */
function stack(parts: number[], highest: number): Array<{ y: number; height: number }> {
  let bottom = HEIGHT;
  return parts.map((count) => {
    const height = (count / highest) * HEIGHT;
    bottom -= height;
    return { y: bottom, height };
  });
}
