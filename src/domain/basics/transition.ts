// Tables of status transitions: in words, and as a check.

import { ServiceError } from "./errors.ts";

/** The statuses that may follow each status. */
export type Transitions<S extends string> = Record<S, readonly S[]>;

/** The table in words: "available → pending or sold; …". */
export function describeTransitions<S extends string>(moves: Transitions<S>): string {
  const each = Object.entries(moves) as Array<[S, readonly S[]]>;
  return each
    .filter(([, next]) => next.length > 0)
    .map(([from, next]) => `${from} → ${next.join(" or ")}`)
    .join("; ");
}

/** The statuses that a caller may request, in the order of the table. */
export function targetsOf<S extends string>(moves: Transitions<S>): S[] {
  const targets = new Set(Object.values<readonly S[]>(moves).flat());
  return (Object.keys(moves) as S[]).filter((status) => targets.has(status));
}

/** Throws `invalid_transition`, with the allowed statuses in its message, for a transition outside the table. */
export function refuseTransition<S extends string>(
  subject: string,
  moves: Transitions<S>,
  from: S,
  to: S,
): void {
  if (moves[from].includes(to)) return;
  const target = targetsOf(moves).includes(to) ? to : `${to}, which only the service sets`;
  const allowed = moves[from].length > 0 ? `only ${moves[from].join(" or ")}` : "nothing else";
  throw new ServiceError("invalid_transition", {
    message: `The ${subject} is ${from} and cannot become ${target}: it can become ${allowed}.`,
  });
}
