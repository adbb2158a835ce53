// Short facts on one line, as far as they are known.

import { Fragment } from "preact";

/** Each isolated: a name may reverse its direction. */
export function Facts({ facts }: { facts: Array<string | undefined> }) {
  const known = facts.filter((fact) => fact !== undefined);
  return (
    <>
      {known.map((fact, index) => (
        <Fragment key={fact}>
          {index > 0 && " · "}
          <bdi>{fact}</bdi>
        </Fragment>
      ))}
    </>
  );
}
