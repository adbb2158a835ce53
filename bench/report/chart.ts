// docs/benchmarks.svg: one bar per contender and workload; the full length is the bare server.

import { CONTENDERS, type ContenderName } from "../contenders/contender.ts";
import { ENGINES } from "../data/stores.ts";
import { WORKLOADS } from "../load/workloads.ts";
import { rateShare } from "../ratios.ts";
import type { Comparison, Results } from "../results.ts";
import { namesIn } from "./tables.ts";

const WIDTH = 760;
const LEFT = 130;
const FULL = 520;
const BAR = 15;
const GAP = 4;
const TITLE = 30;

/** Distinguishable in light and dark mode and with common colour blindness. */
const COLOURS: Record<Exclude<ContenderName, "bare">, string> = {
  service: "#1f77d0",
  fastify: "#e08a00",
  express: "#8a63c9",
  "json-server": "#2b9c6a",
  prism: "#c9506b",
};

const STYLE = `.back{fill:#fff}text{font:13px system-ui,sans-serif;fill:#222}.title{font-weight:600}.axis{stroke:#999;stroke-dasharray:3 3}.spread{stroke:#222;stroke-width:1.5}
@media(prefers-color-scheme:dark){.back{fill:#16191d}text{fill:#e6e6e6}.spread{stroke:#e6e6e6}.axis{stroke:#777}}`;

export function renderChart({ comparisons }: Results): string {
  let y = TITLE;
  const groups = comparisons.map((comparison) => {
    const { text, height } = renderGroup(comparison, y);
    y += height;
    return text;
  });
  const axis = [0, 0.25, 0.5, 0.75, 1].map((share) => renderAxis(share, y));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 10}" role="img" aria-label="Shares of the bare server">
<style>${STYLE}</style>
<rect class="back" width="100%" height="100%" rx="6"/>
${[...axis, ...groups].join("\n")}
</svg>
`;
}

function renderAxis(share: number, bottom: number): string {
  const x = LEFT + share * FULL;
  const label = share === 1 ? "1 = bare node:http" : String(share);
  return `<line class="axis" x1="${x}" y1="${TITLE - 8}" x2="${x}" y2="${bottom}"/><text x="${x}" y="14" text-anchor="middle">${label}</text>`;
}

function renderGroup(comparison: Comparison, top: number): { text: string; height: number } {
  const { engine, workload, samples, excluded } = comparison;
  const names = namesIn([comparison]) as Array<keyof typeof COLOURS>;
  const title = `<text class="title" x="4" y="${top + 16}">${WORKLOADS[workload].title}, ${ENGINES[engine]}</text>`;
  const bars = names.map((name, i) => {
    const y = top + TITLE - 6 + i * (BAR + GAP);
    const middle = y + BAR - 3;
    const label = `<text x="${LEFT - 8}" y="${middle}" text-anchor="end">${CONTENDERS[name]}</text>`;
    if (excluded[name] !== undefined)
      return `${label}<text x="${LEFT + 6}" y="${middle}">not supported</text>`;
    const share = rateShare(samples, name, "bare");
    if (share === undefined) return `${label}<text x="${LEFT + 6}" y="${middle}">invalid</text>`;
    const [width, from, to] = [share.median, share.min, share.max].map((part) =>
      (part * FULL).toFixed(1),
    ) as [string, string, string];
    const bar = `<rect x="${LEFT}" y="${y}" width="${width}" height="${BAR}" rx="2" fill="${COLOURS[name]}"/>`;
    const spread = `<line class="spread" x1="${LEFT + Number(from)}" y1="${y + BAR / 2}" x2="${LEFT + Number(to)}" y2="${y + BAR / 2}"/>`;
    const number = `<text x="${LEFT + Number(to) + 6}" y="${middle}">${share.median.toFixed(2)}</text>`;
    return `${label}${bar}${spread}${number}`;
  });
  return { text: [title, ...bars].join("\n"), height: TITLE + names.length * (BAR + GAP) + 8 };
}
