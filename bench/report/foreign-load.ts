// What is said of others that used the machine during the run.

import { summarise } from "../ratios.ts";
import { foreignShares, type Results } from "../results.ts";

/** With more than this used by others, a number is not to be believed. */
const BUSY_SHARE = 0.1;
/** Of the measurements: a few are evened out by the median. */
const BUSY_PART_MAX = 0.2;

export function describeForeignLoad(results: Results): { isBusy: boolean; text: string } {
  const shares = foreignShares(results);
  const busy = shares.filter((share) => share > BUSY_SHARE).length;
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
  const median = percent(summarise(shares)?.median ?? 0);
  const most = percent(Math.max(0, ...shares));
  const text = `Others used ${median} of all cores in the median measurement, ${most} at most, more than ${percent(BUSY_SHARE)} in ${busy} of ${shares.length}`;
  return { isBusy: busy > shares.length * BUSY_PART_MAX, text };
}
