// A periodic job, one run at a time.

export interface Repeated {
  /** Runs the job, after the run in progress if there is one: that one may have missed what happened since its start. */
  run(): Promise<void>;
  /** Resolves when the last run has ended. */
  stop(): Promise<void>;
}

/** `onError` is called for the first failure in a row only. */
export function repeat(
  everyMs: number,
  job: () => Promise<void>,
  onError: (error: unknown) => void,
): Repeated {
  let running: Promise<void> | undefined;
  let isFailing = false;

  function start(): Promise<void> {
    running ??= job().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function runOnTime(): Promise<void> {
    try {
      await start();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onError(error);
      isFailing = true;
    }
  }

  const timer = setInterval(() => void runOnTime(), everyMs).unref();

  return {
    async run() {
      // Its own caller handles its failure.
      await running?.catch(() => {});
      await start();
    },
    async stop() {
      clearInterval(timer);
      // As above.
      await running?.catch(() => {});
    },
  };
}
