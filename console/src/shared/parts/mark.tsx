// The mark of the product, in the accent of what is around it.

import { MARK } from "../../../../src/look/mark.ts";

export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx={MARK.corner} />
      <path d={MARK.paw} />
    </svg>
  );
}
