// Describes how much other programs used the machine during the run.

import { summarise } from "../ratios.ts";
import { foreignShares, type Results } from "../results.ts";

/** If other programs use more than this, a result is not reliable. */
const BUSY_SHARE = 0.1;
/** Share of unreliable measurements that the median can tolerate. */
const BUSY_PART_MAX = 0.2;

export function describeForeignLoad(results: Results): { isBusy: boolean; text: string } {
  const shares = foreignShares(results);
  const busy = shares.filter((share) => share > BUSY_SHARE).length;
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
  const median = percent(summarise(shares)?.median ?? 0);
  const most = percent(Math.max(0, ...shares));
  const text = `Other programs used ${median} of all cores in the median measurement, ${most} at most, and more than ${percent(BUSY_SHARE)} in ${busy} of ${shares.length}`;
  return { isBusy: busy > shares.length * BUSY_PART_MAX, text };
}
