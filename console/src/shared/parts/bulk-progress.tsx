// Work on many things: its progress with a button to stop it, and the animals for which it failed.

import { progress } from "../state/bulk.ts";
import { explain } from "../state/failures.ts";
import { formatCount } from "../state/format.ts";
import { t } from "../texts/language.ts";
import { Button } from "./button.tsx";
import { PetLink } from "./pet-link.tsx";

interface BulkProgressProps {
  describe?: (done: number, all: number | undefined) => string;
}

export function BulkProgress({ describe = describeCount }: BulkProgressProps) {
  if (progress.value === undefined) return null;
  const { done, all, stop } = progress.value;
  return (
    <div class="bulk-progress">
      <progress aria-label={t().bulk.progress} {...(all === undefined ? {} : { value: done, max: all })} />
      <span>{describe(done, all)}</span>
      <Button label={t().bulk.stop} onClick={stop} />
    </div>
  );
}

function describeCount(done: number, all: number | undefined): string {
  return all === undefined ? formatCount(done) : t().bulk.doneOf(formatCount(done), formatCount(all));
}

interface FailureListProps {
  failed: ReadonlyArray<{ item: { id: number | bigint; name: string }; error: unknown }>;
  max?: number;
}

export function FailureList({ failed, max = failed.length }: FailureListProps) {
  return (
    <ul class="failures">
      {failed.slice(0, max).map(({ item, error }) => (
        <li key={String(item.id)}>
          <PetLink pet={item} />: {explain(error)}
        </li>
      ))}
      {failed.length > max && <li>{t().bulk.andMore(formatCount(failed.length - max))}</li>}
    </ul>
  );
}
