// How far the work on many things is, with a button to stop it.

import { progress } from "../state/bulk.ts";
import { formatCount } from "../state/format.ts";
import { t } from "../texts/language.ts";
import { Button } from "./button.tsx";

export function BulkProgress() {
  if (progress.value === undefined) return null;
  const { done, all, stop } = progress.value;
  return (
    <div class="bulk-progress">
      <progress aria-label={t().bulk.progress} {...(all === undefined ? {} : { value: done, max: all })} />
      <span>
        {all === undefined ? formatCount(done) : t().bulk.doneOf(formatCount(done), formatCount(all))}
      </span>
      <Button label={t().bulk.stop} onClick={stop} />
    </div>
  );
}
