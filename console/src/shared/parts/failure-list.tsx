// The animals for which a change failed, each with its reason.

import { explain } from "../state/failures.ts";
import { formatCount } from "../state/format.ts";
import { t } from "../texts/language.ts";
import { PetLink } from "./pet-link.tsx";

interface FailureListProps {
  failed: ReadonlyArray<{ item: { id: number | bigint; name: string }; error: unknown }>;
  /** Further ones are only counted. */
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
