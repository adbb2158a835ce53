// Whether the window, not a sheet of paper, is as narrow as a phone, for what is left out there and not only laid out in another way.

import { signal } from "@preact/signals";

const query = matchMedia("screen and (width < 48rem)");

export const isNarrow = signal(query.matches);

query.addEventListener("change", ({ matches }) => {
  isNarrow.value = matches;
});
