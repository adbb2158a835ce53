// Empty rows with the height of animals, shown until the first page is loaded, so that nothing moves then.

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
