// Tables of states and the moves between them, and the words of a refusal.

import { ServiceError } from "./errors.ts";

/** Which states follow each. */
export type Transitions<S extends string> = Record<S, readonly S[]>;

/** The table in words, for the reader of the reference. */
export function describeTransitions<S extends string>(moves: Transitions<S>): string {
  const each = Object.entries(moves) as Array<[S, readonly S[]]>;
  return each
    .filter(([, next]) => next.length > 0)
    .map(([from, next]) => `${from} → ${next.join(" or ")}`)
    .join("; ");
}

/** Throws `invalid_transition`, saying what is allowed, for a move that the table does not have. */
export function refuseTransition<S extends string>(
  subject: string,
  moves: Transitions<S>,
  from: S,
  to: S,
): void {
  if (moves[from].includes(to)) return;
  const allowed = moves[from].length > 0 ? `only ${moves[from].join(" or ")}` : "nothing else";
  throw new ServiceError("invalid_transition", {
    message: `The ${subject} is ${from} and cannot become ${to}: it can become ${allowed}.`,
  });
}
