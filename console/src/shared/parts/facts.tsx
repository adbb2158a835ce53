// Short facts on one line, as far as they are known.

import type { ComponentChildren } from "preact";

/** Each isolated: a name may reverse its direction. */
export function Facts({ facts }: { facts: ComponentChildren[] }) {
  const [first, ...others] = facts.filter((fact) => fact !== undefined && fact !== false && fact !== "");
  return others.reduce<ComponentChildren>(
    (line, fact) => (
      <>
        {line} · <bdi>{fact}</bdi>
      </>
    ),
    <bdi>{first}</bdi>,
  );
}
