// When the hold of a placed adoption ends, as a badge if that is within a day.

import { DAY_MS } from "../../../../src/domain/basics/durations.ts";
import { serviceNowMs } from "../state/server-clock.ts";
import { Moment } from "./moment.tsx";

export function HoldEnd({ at }: { at: string }) {
  const isSoon = Date.parse(at) - serviceNowMs() < DAY_MS;
  return (
    <span class={isSoon ? "status ending" : undefined}>
      <Moment at={at} isAhead />
    </span>
  );
}
