// Empty rows where the list of animals will be, with its height.

import { t } from "../../shared/texts/language.ts";

const ROWS = Array.from({ length: 10 }, (_, row) => row);

export function AnimalsSkeleton() {
  return (
    <div class="skeleton" role="status" aria-label={t().common.loading}>
      {ROWS.map((row) => (
        <div key={row} />
      ))}
    </div>
  );
}
