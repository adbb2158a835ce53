// Stacked columns over time, with axes and gridlines; the same numbers are in a table below.

import { formatCompact, formatCount } from "../state/format.ts";
import { t } from "../texts/language.ts";
import { Table } from "./table.tsx";

/** In units of the view box, which is stretched to the width of the page. */
const HEIGHT = 100;
const COLUMN = 10;
const LINES = 4;

export interface Series {
  /** Also the class, which has the colour. */
  name: string;
  label: string;
}

interface Column {
  at: string;
  label: string;
  counts: number[];
}

interface ChartProps {
  summary: string;
  /** The unit of the columns, such as "Requests per minute". */
  unit: string;
  /** The name of the horizontal axis, such as "Time". */
  axis: string;
  /** From the bottom up. */
  series: readonly Series[];
  /** Undefined while they load: the space is reserved. */
  columns: Column[] | undefined;
  /** The distance of the labels on the axis, in columns, from the newest one. */
  labelEvery: number;
}

export function Chart(props: ChartProps) {
  const { summary, unit, axis, series, columns = [], labelEvery } = props;
  const step = findStep(Math.max(1, ...columns.map(({ counts }) => sum(counts))));
  const top = step * LINES;
  const lines = Array.from({ length: LINES + 1 }, (_, line) => line * step);
  const width = Math.max(1, columns.length) * COLUMN;
  return (
    <>
      <figure class="chart" aria-busy={props.columns === undefined}>
        <p class="chart-unit">{unit}</p>
        <div class="chart-counts" aria-hidden="true">
          {lines.map((count) => (
            <span key={count} style={{ bottom: `${(count / top) * 100}%` }}>
              {formatCompact(count)}
            </span>
          ))}
        </div>
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary}>
          {lines.map((count) => (
            <line key={count} x1={0} x2={width} y1={yOf(count, top)} y2={yOf(count, top)} />
          ))}
          {columns.map((column, index) => (
            <Bars key={column.at} column={column} series={series} top={top} left={index * COLUMN} />
          ))}
        </svg>
        <div class="chart-times" aria-hidden="true">
          {columns.map(({ at, label }, index) =>
            (columns.length - 1 - index) % labelEvery === 0 ? (
              <span key={at} style={{ left: `${((index + 0.5) / columns.length) * 100}%` }}>
                {label}
              </span>
            ) : null,
          )}
        </div>
        <p class="chart-axis">{axis}</p>
        <figcaption>
          {series.map(({ name, label }) => (
            <span key={name} class={`key ${name}`}>
              {label}
            </span>
          ))}
        </figcaption>
      </figure>
      <details>
        <summary>{t().chart.asTable}</summary>
        <ChartTable summary={summary} axis={axis} series={series} columns={columns} />
      </details>
    </>
  );
}

interface BarsProps {
  column: Column;
  series: readonly Series[];
  top: number;
  left: number;
}

function Bars({ column: { label, counts }, series, top, left }: BarsProps) {
  let below = 0;
  return (
    <g>
      <title>{`${label}: ${formatCount(sum(counts))}`}</title>
      {/* Shows the title anywhere in the column. */}
      <rect class="chart-space" x={left} y={0} width={COLUMN} height={HEIGHT} />
      {series.map(({ name }, index) => {
        const count = counts[index] ?? 0;
        below += count;
        const height = (count / top) * HEIGHT;
        return (
          <rect key={name} class={name} x={left + 1} y={yOf(below, top)} width={COLUMN - 2} height={height} />
        );
      })}
    </g>
  );
}

/** Without the columns in which nothing happened; the newest is first. */
function ChartTable({ summary, axis, series, columns = [] }: Omit<ChartProps, "unit" | "labelEvery">) {
  const busy = columns.filter(({ counts }) => sum(counts) > 0).reverse();
  return (
    <Table label={summary} className="plain" headings={[axis, ...series.map(({ label }) => label)]}>
      {busy.map(({ at, label, counts }) => (
        <tr key={at}>
          <th scope="row">{label}</th>
          {series.map(({ name }, index) => (
            <td key={name}>{formatCount(counts[index] ?? 0)}</td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

/** The distance of the gridlines: 1, 2 or 5, or one of these with zeros. */
function findStep(highest: number): number {
  let unit = 1;
  for (;;) {
    for (const step of [unit, 2 * unit, 5 * unit]) if (step * LINES >= highest) return step;
    unit *= 10;
  }
}

function yOf(count: number, top: number): number {
  return HEIGHT - (count / top) * HEIGHT;
}

export function sum(counts: number[]): number {
  return counts.reduce((before, count) => before + count, 0);
}
