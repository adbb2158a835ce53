// A periodic job, one run at a time.

export interface Repeated {
  /** Runs the job now, or joins the run in progress. */
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

  function run(): Promise<void> {
    running ??= job().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function runOnTime(): Promise<void> {
    try {
      await run();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onError(error);
      isFailing = true;
    }
  }

  const timer = setInterval(() => void runOnTime(), everyMs).unref();

  return {
    run,
    async stop() {
      clearInterval(timer);
      // The caller of run() handles its failure.
      await running?.catch(() => {});
    },
  };
}
