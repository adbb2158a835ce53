// Combines the questions of one event-loop tick into one call.

import { perTick } from "./per-tick.ts";

export interface Batch<Q, A> {
  ask(question: Q): Promise<A>;
}

interface Pending<Q, A> {
  question: Q;
  resolve: (answer: A) => void;
  reject: (error: unknown) => void;
}

/** `askAll` returns the answers in the order of the questions; if it fails, every question fails. */
export function createBatch<Q, A>(max: number, askAll: (questions: Q[]) => Promise<A[]>): Batch<Q, A> {
  function send(sent: Array<Pending<Q, A>>): void {
    askAll(sent.map(({ question }) => question)).then(
      (answers) => {
        for (const [index, { resolve }] of sent.entries()) resolve(answers[index] as A);
      },
      (error) => {
        for (const { reject } of sent) reject(error);
      },
    );
  }

  const add = perTick<Pending<Q, A>>((all) => {
    for (let first = 0; first < all.length; first += max) send(all.slice(first, first + max));
  });

  return {
    ask: (question) => new Promise((resolve, reject) => add({ question, resolve, reject })),
  };
}
