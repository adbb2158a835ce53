// Questions that come up in one turn of the event loop, asked together.

export interface Batch<Q, A> {
  ask(question: Q): Promise<A>;
}

interface Pending<Q, A> {
  question: Q;
  resolve: (answer: A) => void;
  reject: (error: unknown) => void;
}

/** `askAll` gives an answer for each question, in their order; its failure is everybody's. */
export function createBatch<Q, A>(max: number, askAll: (questions: Q[]) => Promise<A[]>): Batch<Q, A> {
  let waiting: Array<Pending<Q, A>> = [];

  function send(): void {
    const sent = waiting;
    waiting = [];
    askAll(sent.map(({ question }) => question)).then(
      (answers) => {
        for (const [index, { resolve }] of sent.entries()) resolve(answers[index] as A);
      },
      (error) => {
        for (const { reject } of sent) reject(error);
      },
    );
  }

  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        waiting.push({ question, resolve, reject });
        if (waiting.length === max) send();
        // After the sockets that are ready have been read, before anything is waited for.
        else if (waiting.length === 1) setImmediate(() => waiting.length > 0 && send());
      }),
  };
}
