// Whether the window is as narrow as a phone, for what is left out there and not only laid out in another way.

import { signal } from "@preact/signals";

const query = matchMedia("(width < 48rem)");

export const isNarrow = signal(query.matches);

query.addEventListener("change", ({ matches }) => {
  isNarrow.value = matches;
});
