// The kinds of responses in charts: answered, faulty, refused by a limit, or failed.

import { later } from "../texts/pages.ts";
import type { Series } from "./chart.tsx";
import { sum } from "./chart.tsx";

interface Answers {
  status: number;
  count: number;
}

/** From the bottom of a chart up. */
const KINDS = [
  { name: "done", has: (status: number) => status < 400 },
  { name: "faulty", has: (status: number) => status >= 400 && status < 500 && status !== 429 },
  { name: "refused", has: (status: number) => status === 429 },
  { name: "broken", has: (status: number) => status >= 500 },
] as const;

export function answerKinds(): Series[] {
  return KINDS.map(({ name }) => ({ name, label: later().usage.kinds[name] }));
}

export function countByKind(answers: Answers[]): number[] {
  return KINDS.map(({ has }) => sum(answers.filter(({ status }) => has(status)).map(({ count }) => count)));
}
