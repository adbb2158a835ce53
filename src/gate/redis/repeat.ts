// A periodic job, one run at a time.

export interface Repeated {
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

  async function run(): Promise<void> {
    try {
      await job();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onError(error);
      isFailing = true;
    }
  }

  const timer = setInterval(() => {
    running ??= run().finally(() => {
      running = undefined;
    });
  }, everyMs).unref();

  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
